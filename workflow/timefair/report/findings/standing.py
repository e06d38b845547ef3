"""The algorithms in front under one criterion, and those that may be as good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isclose


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
    """There is no order: all have the same result, or none has a result."""


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
    reason
        A sentence with the numbers.
    tested
        The test with its p-values, for brackets; empty without a test.
    basis
        The scope of the verdict, such as ``over 24 functions``.
    """

    verdict: Verdict
    leaders: tuple[str, ...]
    tied: tuple[str, ...]
    reason: str
    tested: str = ""
    basis: str = ""

    @property
    def front(self) -> tuple[str, ...]:
        """The leaders and the algorithms that are tied with them."""
        return (*self.leaders, *self.tied)


def first(values: Mapping[str, float]) -> tuple[str, ...]:
    """The algorithms with the smallest value, in the given order."""
    best = min(values.values())
    return tuple(name for name, value in values.items() if isclose(value, best))


def in_order(values: Mapping[str, float], names: Iterable[str]) -> tuple[str, ...]:
    """Some names, sorted by value; equal ones keep their order."""
    return tuple(sorted(names, key=lambda name: values[name]))


def nothing(reason: str) -> Standing:
    """No standing at all."""
    return Standing(Verdict.NOTHING, (), (), reason)
