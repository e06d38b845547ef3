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


BETTER = Question(
    1, "Which algorithm is better, and how certain is that?", "validation/comparisons.md"
)
REVERSAL = Question(
    3, "Which algorithm wins in evaluations and loses in seconds?", "validation/comparisons.md"
)
TARGET = Question(
    4, "How long until a target is reached, restarts included?", "validation/runtimes.md"
)
COST = Question(
    5, "Which algorithm is best at the cost of my evaluations?", "guide/evaluation-cost.md"
)
EXECUTIONS = Question(
    8,
    "How good is the best of several executions, or of the restarts within one budget?",
    "validation/runtimes.md",
)
QUALITY = Question(
    9, "How good are the peak, the average and the bad case?", "validation/quantiles.md"
)
NOISE = Question(10, "What have noisy runs really found?", "guide/noise.md")
MEAN = Question(11, "Where does the mean mislead?", "validation/quantiles.md")
FRONT = Question(
    12, "Which trade-offs between two objectives were reached?", "guide/two-objectives.md"
)
CHANGES = Question(
    13, "How well does an algorithm follow a problem that changes?", "guide/changing-problems.md"
)
ANYTIME = Question(14, "How good is an algorithm at any time?", "validation/curves.md")
FEASIBLE = Question(15, "How soon does an algorithm find a feasible point?", "guide/constraints.md")
FACTOR = Question(
    16, "How often is an algorithm within a factor of the best?", "validation/curves.md"
)
ANCILLARY = Question(
    18, "How do tuning and preparation change the results?", "validation/runtimes.md"
)
RUNS = Question(19, "How many runs were enough?", "validation/run-count.md")
POINT = Question(20, "Which points were found?", "guide/own.md")
MEASUREMENT = Question(21, "How did the measurement go?", "validation/timing.md")
REPORTING = Question(22, "What must a report state?", "reference/checklist.md")
