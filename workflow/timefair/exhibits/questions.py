"""The questions that exhibits answer, in the order in which a reader may ask them."""

from __future__ import annotations

from enum import Enum


class Question(Enum):
    """A question, and the page of the documentation that explains its answers."""

    REGISTERED = (
        "Which question did this campaign set out to answer, and was it changed after the data "
        "were seen?",
        "registered.md",
    )
    BETTER = "Which algorithm is better, and how certain is that?", "comparisons.md"
    PROBABLE = (
        "How likely is each algorithm the best, and does the difference matter?",
        "probabilities.md",
    )
    INVERSION = "Which algorithm wins in evaluations and loses in seconds?", "comparisons.md"
    TARGET = "How long until a target is reached, restarts included?", "runtimes.md"
    COST = "Which algorithm is best at the cost of my evaluations?", "evaluation-cost.md"
    RESTART = "Would another restart policy have been faster?", "restarts.md"
    PORTFOLIO = "Which algorithms should share my time?", "portfolios.md"
    EXECUTIONS = "What do several executions give, and is the restart fair?", "runtimes.md"
    QUALITY = "How good are the peak, the average and the bad case?", "quantiles.md"
    MEAN = "Where does the mean mislead?", "quantiles.md"
    ANYTIME = "How good is an algorithm at any time?", "curves.md"
    FACTOR = "How often is an algorithm within a factor of the best?", "curves.md"
    ANCILLARY = "What do tuning and preparation change?", "runtimes.md"
    RUNS = "How many runs were enough?", "run-count.md"
    POINT = "Which points were found?", "own.md"
    MEASUREMENT = "How did the measurement go?", "timing.md"
    REPORTING = "What must a report state?", "checklist.md"

    @property
    def text(self) -> str:
        """The question itself."""
        return self.value[0]

    @property
    def page(self) -> str:
        """The page of ``docs/`` with the methods behind the answers."""
        return self.value[1]
