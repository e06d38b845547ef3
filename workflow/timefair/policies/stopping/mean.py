"""Run until the mean is known well enough."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from timefair.basics.sections import CampaignView, Fault
from timefair.basics.values import Bounds, Positive, Share
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
    validity: Literal["single", "horizon", "anytime"] | None = Field(
        default=None,
        description="The confidence holds for one look (`single`), or for any number of looks "
        "together (`anytime`, which needs `bounds`). `null`: `anytime` with `bounds`, otherwise "
        "`single`.",
    )
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

    def faults(self, campaign: CampaignView) -> Iterator[Fault]:
        yield from super().faults(campaign)
        if self.bounds is None and self.validity not in (None, "single"):
            yield (
                "validity",
                f"{self.validity!r}: without bounds no interval of a mean holds at more than one "
                "look; give stopping.bounds, or take 'single' or rule 'quantile'",
            )
        if self.bounds is not None and self.validity not in (None, "anytime"):
            yield (
                "validity",
                f"{self.validity!r}: a mean with stopping.bounds has the interval that holds at "
                "all looks, 'anytime'; leave the bounds out for 'single'",
            )
