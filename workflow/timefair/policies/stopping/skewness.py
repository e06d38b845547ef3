"""The run-count paper's rule: run until the sample is symmetric."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from timefair.basics.sections import Cost, Repeats, Technique
from timefair.policies.stopping.base import Started

if TYPE_CHECKING:
    from timefair.statistics.run_count.stopping import StoppingRule


class SymmetricSample(Started):
    """The skewness of the sample without outliers is within ±`tau` (run-count paper).

    Promise: none.
    """

    usual_start: ClassVar[int] = 5
    least_start: ClassVar[int] = 3
    looks_at: ClassVar[str] = "a skewness"

    rule: Literal["skewness"] = "skewness"
    start: Repeats | None = Field(
        default=None,
        description="Smallest number of runs; `null`: 5, or `runs` if that is smaller.",
    )
    tau: Cost = Field(default=0.05, description="Largest absolute skewness.")
    outliers: Technique = Field(
        default="mad", description="Outlier filter applied before the skewness is computed."
    )

    def judge(self, runs: int) -> StoppingRule:
        from timefair.statistics.run_count.skewness import Outliers, SkewnessRule

        return SkewnessRule(self.tau, Outliers(self.outliers), self.first_look(runs), runs)
