"""Algorithms of this package: baselines, and algorithms that no library implements as published.

An algorithm is a function of a module, ``solve(objective, rng, *, ...)``: one launch. Its
keyword-only arguments are the parameters, with their defaults and, by ``Annotated``, their allowed
values. A module may have ``faults(**parameters) -> list[str]``: what else is wrong with allowed
values; one line each, which begins with the key.

To add an algorithm, add the function and a line in `library.FUNCTIONS`, and in `KINDS` if it is not
for continuous variables alone.
"""

from dataclasses import dataclass
from typing import Annotated

from timefair.problems.base import SHARE, Number

Count = Annotated[int, Number(1, whole=True)]
Share = Annotated[float, SHARE]


@dataclass(frozen=True)
class Above(Number):
    """The finite numbers above `least`, up to `most`."""

    def has(self, value: object) -> bool:
        return super().has(value) and value != self.least

    def __str__(self) -> str:
        return f"a number above {self.least}, up to {self.most}"
