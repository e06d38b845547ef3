"""Ratios of expected costs, with intervals from those of the two costs.

The interval of a ratio comes from the intervals of both costs on a logarithmic scale: the distance
of each limit from the value is the root of the sum of the squares of the two distances that lead
away from it. This is the method of variance estimates recovery.

References
----------
G. Y. Zou and A. Donner, Construction of confidence limits about effect measures: a general
approach, Statistics in Medicine 27 (2008), 1693-1702.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, hypot, isfinite, log, sqrt
from typing import NamedTuple

from scipy.stats import norm

from timefair.report.evidence import Evidence, Space
from timefair.report.findings.pairs import COST


class Limits(NamedTuple):
    """The logarithm of a positive number, with its interval."""

    value: float
    low: float
    high: float

    def minus(self, other: Limits) -> Limits:
        """The difference of two independent ones: of the numbers, the ratio."""
        value = self.value - other.value
        down = hypot(self.value - self.low, other.high - other.value)
        up = hypot(self.high - self.value, other.value - other.low)
        return Limits(value, value - down, value + up)

    def at_level(self, alpha: float, confidence: float) -> Limits:
        """The interval that errs with probability `alpha`, if its logarithm is normal."""
        factor = norm.isf(alpha / 2) / norm.isf((1 - confidence) / 2)
        down, up = (self.value - self.low) * factor, (self.high - self.value) * factor
        return Limits(self.value, self.value - down, self.value + up)

    @property
    def excludes_zero(self) -> bool:
        """Whether the number is not 1, by the interval."""
        return self.low > 0 or self.high < 0

    def numbers(self) -> tuple[float, float, float]:
        """The number, and its limits."""
        return exp(self.value), exp(self.low), exp(self.high)


def costs(
    evidence: Evidence, space: Space, unit: str, function: int, target: float
) -> Mapping[str, Limits]:
    """The expected costs to a target on a function, of algorithms with finite limits.

    Intervals in seconds are widened by the timing noise.
    """
    rows = evidence.of("ert", space, function=function)
    rows = rows[rows["target"] == target]
    half = log(sqrt(evidence.detectable(space, unit, function)))
    ends = [COST[unit], f"{COST[unit]}_low", f"{COST[unit]}_high"]
    found = {}
    for label, *values in rows[["algorithm", *ends]].itertuples(index=False):
        if all(isfinite(value) and value > 0 for value in values):
            value, low, high = map(log, values)
            found[str(label)] = Limits(value, low - half, high + half)
    return found
