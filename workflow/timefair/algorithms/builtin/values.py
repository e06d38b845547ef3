"""Checks the values of parameters; one line per value that is not allowed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


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


SHARE = Number(0, 1)


def wrong_values(
    algorithm: str, allowed: Mapping[str, Number], parameters: Mapping[str, object]
) -> list[str]:
    """Check the values of parameters; one line per value that is not allowed."""
    return [
        f"{key!r} of timefair:{algorithm} is {allowed[key]}, not {value!r}"
        for key, value in parameters.items()
        if not allowed[key].has(value)
    ]
