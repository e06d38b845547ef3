"""The questions that exhibits answer, in the order in which a reader may ask them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """A question, with the page of ``docs/`` (or an address) on the methods behind the answers.

    Questions are asked in the order of their places; those of extensions stand between these.
    """

    place: float
    text: str
    page: str


def _asked(place: float, text: str, page: str) -> Question:
    return Question(place, text, f"{page}.md" if "/" in page else f"validation/{page}.md")


BETTER = _asked(1, "Which algorithm is better, and how certain is that?", "comparisons")
REVERSAL = _asked(3, "Which algorithm wins in evaluations and loses in seconds?", "comparisons")
TARGET = _asked(4, "How long until a target is reached, restarts included?", "runtimes")
COST = _asked(5, "Which algorithm is best at the cost of my evaluations?", "guide/evaluation-cost")
BEST_OF = "How good is the best of several executions, or of the restarts within one budget?"
EXECUTIONS = _asked(8, BEST_OF, "runtimes")
QUALITY = _asked(9, "How good are the peak, the average and the bad case?", "quantiles")
NOISE = _asked(10, "What have noisy runs really found?", "guide/noise")
MEAN = _asked(11, "Where does the mean mislead?", "quantiles")
FRONT = _asked(12, "Which trade-offs between two objectives were reached?", "guide/two-objectives")
FOLLOWS = "How well does an algorithm follow a problem that changes?"
CHANGES = _asked(13, FOLLOWS, "guide/changing-problems")
ANYTIME = _asked(14, "How good is an algorithm at any time?", "curves")
FEASIBLE = _asked(15, "How soon does an algorithm find a feasible point?", "guide/constraints")
FACTOR = _asked(16, "How often is an algorithm within a factor of the best?", "curves")
ANCILLARY = _asked(18, "How do tuning and preparation change the results?", "runtimes")
RUNS = _asked(19, "How many runs were enough?", "run-count")
POINT = _asked(20, "Which points were found?", "guide/own")
MEASUREMENT = _asked(21, "How did the measurement go?", "timing")
REPORTING = _asked(22, "What must a report state?", "reference/checklist")
