"""The algorithms in front under one criterion, and those that may be as good."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isclose


class Verdict(StrEnum):
    """How certain an order is."""

    CLEAR = "clear"
    """One algorithm is in front of all others by more than chance explains."""

    SHARED = "shared"
    """Those in front may be equally good; others are behind them by more than chance explains."""

    OPEN = "open"
    """Chance alone may explain all differences to the first."""

    UNTESTED = "untested"
    """There is an order, but it cannot be tested, because there is one function or one run."""

    MIXED = "mixed"
    """Every algorithm is behind another one on some function by more than chance explains."""

    NOTHING = "nothing"
    """There is no order: all have the same result, or none has a result."""


@dataclass(frozen=True)
class Standing:
    """The algorithms in front under one criterion.

    Attributes
    ----------
    verdict
        How certain the order is.
    leaders
        Algorithms with the best value; several if their values are equal.
    tied
        Algorithms that may be as good as the leaders, the best first.
    reason
        A sentence with the numbers.
    basis
        The scope of the verdict, such as ``over 24 functions``.
    """

    verdict: Verdict
    leaders: tuple[str, ...]
    tied: tuple[str, ...]
    reason: str
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


def judged(
    values: Mapping[str, float], tied: Iterable[str], reason: str, basis: str = ""
) -> Standing:
    """The standing by values (the smallest is best), given the algorithms that are tied with the
    first.
    """
    leaders, near = first(values), set(tied)
    level = in_order(values, (name for name in values if name in near and name not in leaders))
    if len(leaders) + len(level) == len(values):
        verdict = Verdict.OPEN
    else:
        verdict = Verdict.CLEAR if len(leaders) == 1 and not level else Verdict.SHARED
    return Standing(verdict, leaders, level, reason, basis)


def untested(values: Mapping[str, float], reason: str) -> Standing:
    """The standing by values without a test."""
    return Standing(Verdict.UNTESTED, first(values), (), reason)


def nothing(reason: str) -> Standing:
    """No standing at all."""
    return Standing(Verdict.NOTHING, (), (), reason)
