"""Run until the mean is known well enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from timefair.basics.sections import Bounds, Positive, Share
from timefair.policies.stopping.base import Started

if TYPE_CHECKING:
    from timefair.statistics.run_count.stopping import StoppingRule


class KnownMean(Started):
    """The confidence interval of the mean is within `width` of the sample mean. The interval is
    Student's, or a betting confidence sequence if `bounds` are given.

    Promise: none without `bounds`, because Student's interval is for one look and normal values.
    With `bounds` that contain all values: with a probability of at least `confidence`, the mean is
    within `width` of the sample mean when the rule stops, whatever the number of runs.
    """

    least_start: ClassVar[int] = 2
    looks_at: ClassVar[str] = "an interval of a mean"

    rule: Literal["mean"] = "mean"
    width: Positive = Field(
        default=0.5, description="Largest distance from the estimate to an end of the interval."
    )
    relative: bool = Field(
        default=True,
        description="`width` is a share of the estimate (`true`) or a precision (`false`).",
    )
    confidence: Share = Field(default=0.95, description="Confidence of the interval.")
    bounds: Bounds | None = Field(
        default=None,
        description="Smallest and largest best precision that a run can have, known in advance, "
        "such as `[0, 100]`.",
    )

    def judge(self, runs: int) -> StoppingRule:
        from timefair.statistics.run_count.widths import BoundedMeanWidth, MeanWidth

        start = self.first_look(runs)
        if self.bounds is None:
            return MeanWidth(self.width, self.relative, self.confidence, start, runs)
        return BoundedMeanWidth(
            self.width, *self.bounds, self.relative, self.confidence, start, runs
        )
