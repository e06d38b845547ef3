"""Run until a quantile is known well enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from timefair.basics.values import Positive, Share
from timefair.policies.stopping.base import Started

if TYPE_CHECKING:
    from timefair.statistics.run_count.stopping import StoppingRule


class KnownQuantile(Started):
    """The confidence interval of a quantile (`p`) lies within `width` of the sample quantile.

    Promise: the quantile lies within `width` of the sample quantile, with `validity: horizon` or
    `anytime`; none with `single`.
    """

    rule: Literal["quantile"] = "quantile"
    p: Share = Field(default=0.5, description="Probability of the quantile; 0.5 is the median.")
    width: Positive = Field(
        default=0.5, description="How far the interval may reach from the estimate."
    )
    relative: bool = Field(
        default=True, description="Whether `width` is a share of the estimate, or a precision."
    )
    confidence: Share = Field(default=0.95, description="Confidence of the interval.")
    validity: Literal["single", "horizon", "anytime"] | None = Field(
        default=None,
        description="Whether the confidence holds for one look (`single`), for all looks up to "
        "`runs` (`horizon`) or for all looks without an end (`anytime`); `null`: `horizon`.",
    )

    def judge(self, runs: int) -> StoppingRule:
        from timefair.statistics.run_count.widths import QuantileWidth, Validity

        return QuantileWidth(
            self.width,
            self.p,
            self.relative,
            self.confidence,
            Validity(self.validity or "horizon"),
            self.first_look(runs),
            runs,
        )
