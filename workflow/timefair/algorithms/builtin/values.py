"""The values that parameters may have, and one line for each that has another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    """Finite numbers from `least` to `most`, whole ones only if it says so."""

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
    """One line for each parameter whose value is not allowed."""
    return [
        f"{key!r} of timefair:{algorithm} is {allowed[key]}, not {value!r}"
        for key, value in parameters.items()
        if not allowed[key].has(value)
    ]
