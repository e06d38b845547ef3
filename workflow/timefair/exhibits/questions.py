"""The questions that exhibits answer, in the order in which a reader may ask them."""

from __future__ import annotations

from enum import Enum


class Question(Enum):
    """A question, and the page of the documentation that explains its answers."""

    REGISTERED = (
        "Which question did this campaign set out to answer, and was it changed after the data "
        "were seen?",
        "how-to/registered.md",
    )
    BETTER = "Which algorithm is better, and how certain is that?", "explanation/comparisons.md"
    PROBABLE = (
        "How likely is each algorithm the best, and does the difference matter?",
        "explanation/probabilities.md",
    )
    REVERSAL = (
        "Which algorithm wins in evaluations and loses in seconds?",
        "explanation/comparisons.md",
    )
    TARGET = "How long until a target is reached, restarts included?", "explanation/runtimes.md"
    COST = "Which algorithm is best at the cost of my evaluations?", "how-to/evaluation-cost.md"
    RESTART = "Would another restart policy have been faster?", "how-to/restarts.md"
    PORTFOLIO = "Which algorithms should share my time?", "how-to/portfolios.md"
    EXECUTIONS = (
        "How good is the best of several executions, or of the restarts within one budget?",
        "explanation/runtimes.md",
    )
    QUALITY = "How good are the peak, the average and the bad case?", "explanation/quantiles.md"
    NOISE = "What have noisy runs really found?", "how-to/noise.md"
    MEAN = "Where does the mean mislead?", "explanation/quantiles.md"
    FRONT = (
        "Which trade-offs between two objectives were reached?",
        "how-to/two-objectives.md",
    )
    CHANGES = (
        "How well does an algorithm follow a problem that changes?",
        "how-to/changing-problems.md",
    )
    ANYTIME = "How good is an algorithm at any time?", "explanation/curves.md"
    FEASIBLE = "How soon does an algorithm find a feasible point?", "how-to/constraints.md"
    FACTOR = "How often is an algorithm within a factor of the best?", "explanation/curves.md"
    TUNING = "After how many problems does tuning pay off?", "how-to/tuning.md"
    ANCILLARY = "How do tuning and preparation change the results?", "explanation/runtimes.md"
    RUNS = "How many runs were enough?", "explanation/run-count.md"
    POINT = "Which points were found?", "start/own.md"
    MEASUREMENT = "How did the measurement go?", "explanation/timing.md"
    REPORTING = "What must a report state?", "reference/checklist.md"

    @property
    def text(self) -> str:
        """The question itself."""
        return self.value[0]

    @property
    def page(self) -> str:
        """The page of ``docs/`` with the methods behind the answers."""
        return self.value[1]
