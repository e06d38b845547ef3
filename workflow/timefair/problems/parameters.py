"""Declarations of parameters, of suites and algorithms: which values are allowed."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from timefair.basics.errors import suggest

LISTED = 20  # most names that the fault of an unknown one lists


@dataclass(frozen=True)
class Number:
    """The finite numbers from `least` to `most`; with `whole`, only whole numbers."""

    least: float
    most: float = math.inf
    whole: bool = False

    def has(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int if self.whole else (int, float)):
            return False
        return self.least <= value <= self.most and value < math.inf

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        if self.most == math.inf:
            return f"{kind} of at least {self.least}"
        return f"{kind} from {self.least} to {self.most}"


@dataclass(frozen=True)
class Word:
    words: tuple[str, ...]

    def has(self, value: object) -> bool:
        return value in self.words

    def __str__(self) -> str:
        return " or ".join(map(repr, self.words))


SHARE = Number(0, 1)

Allowed = Mapping[str, Number | Word]


def unknown(key: str, owner: str, known: Collection[str]) -> str:
    """The fault of a parameter that its owner does not have."""
    names = [*known][:LISTED] + ["..."] * (len(known) > LISTED)
    has = ", ".join(names) or "none"
    return f"{key!r} is not a parameter of {owner}{suggest(key, known) or f'; it has: {has}'}"


def wrong_values(owner: str, allowed: Allowed, parameters: Mapping[str, object]) -> list[str]:
    return [
        f"{key!r} of {owner} is {allowed[key]}, not {value!r}"
        for key, value in parameters.items()
        if key in allowed and not allowed[key].has(value)
    ]
