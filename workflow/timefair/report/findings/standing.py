"""The algorithms in front under one criterion, and those that may be as good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isclose, isnan, nan

from timefair.basics.words import p_value


class Verdict(StrEnum):
    """What the pairs with the first algorithm decide."""

    CLEAR = "clear"
    """One algorithm is significantly better than every other one."""

    SHARED = "shared"
    """The first is significantly better than some others, but not than all."""

    OPEN = "open"
    """The first is significantly better than no other one."""

    MIXED = "mixed"
    """Functions differ in which algorithm is significantly better than others."""

    NOTHING = "nothing"
    """There is no first: all have the same result, or each is worse than another one."""


@dataclass(frozen=True)
class Standing:
    """The algorithms in front under one criterion.

    Attributes
    ----------
    verdict
        What the pairs with the first algorithm decide.
    leaders
        Algorithms with the best value among those that are significantly worse than no other one;
        several if their values are equal.
    tied
        Algorithms from which the leaders do not differ significantly, the best first.
    values
        A sentence with the values of the first ones, or the reason why there is no first.
    test
        The test and its corrections, or why it could decide nothing; empty without a test.
    behind_p
        Largest adjusted p-value of the leaders against an algorithm that is behind; NaN without
        one.
    tied_p
        Smallest adjusted p-value against one that is tied; NaN without a test.
    basis
        The scope of the verdict, such as ``over 24 functions``.
    """

    verdict: Verdict
    leaders: tuple[str, ...]
    tied: tuple[str, ...]
    values: str
    test: str = ""
    behind_p: float = nan
    tied_p: float = nan
    basis: str = ""

    @property
    def front(self) -> tuple[str, ...]:
        """The leaders and the algorithms that are tied with them."""
        return (*self.leaders, *self.tied)

    @property
    def tested(self) -> str:
        """The test with its p-values, for brackets."""
        parts = []
        if not isnan(self.behind_p):
            parts.append(f"{p_value(self.behind_p, bound='≤')} against those behind")
        if not isnan(self.tied_p):
            parts.append(f"{p_value(self.tied_p, bound='≥')} against those tied")
        return f"{self.test}: {', '.join(parts)}" if parts else self.test

    @property
    def reason(self) -> str:
        """The values and the test as sentences."""
        said = f"{self.tested[:1].upper()}{self.tested[1:]}"
        return " ".join(filter(None, (self.values, f"{said}." if said else "")))


def first(values: Mapping[str, float]) -> tuple[str, ...]:
    """The algorithms with the smallest value, in the given order."""
    best = min(values.values())
    return tuple(name for name, value in values.items() if isclose(value, best))


def in_order(values: Mapping[str, float], names: Iterable[str]) -> tuple[str, ...]:
    """Some names, sorted by value; equal ones keep their order."""
    return tuple(sorted(names, key=lambda name: values[name]))


def nothing(reason: str, basis: str = "") -> Standing:
    """No first algorithm."""
    return Standing(Verdict.NOTHING, (), (), reason, basis=basis)
