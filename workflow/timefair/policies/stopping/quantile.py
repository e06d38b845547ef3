"""Run until a quantile is known well enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from timefair.basics.sections import Positive, Share
from timefair.policies.stopping.base import Started

if TYPE_CHECKING:
    from timefair.statistics.run_count.stopping import StoppingRule


class KnownQuantile(Started):
    """The confidence interval of a quantile (`p`) is within `width` of the sample quantile.

    Promise: with `validity: horizon` (valid for all looks up to `runs`) or `anytime` (for any
    number of looks): with a probability of at least `confidence`, the quantile is within `width`
    of the sample quantile when the rule stops. With `single` (for one look): none.
    """

    rule: Literal["quantile"] = "quantile"
    p: Share = Field(default=0.5, description="Probability of the quantile; 0.5 is the median.")
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
        description="The confidence holds for one look (`single`), for all looks up to `runs` "
        "together (`horizon`), or for any number of looks together (`anytime`). `null`: "
        "`horizon`.",
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
