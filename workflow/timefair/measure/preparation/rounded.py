"""Algorithms for continuous variables on problems with integer ones, by rounding.

The algorithm sees continuous variables only. An integer variable with bounds a and b has the bounds
a - 0.5 and b + 0.5 for it, so that every whole number has the same share of the range. Before an
evaluation its value is rounded, half to even, and moved to a or b where it lies outside. The
evaluated point, which the record holds, is the rounded one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Algorithm, Objective


class Rounded:
    """An objective that rounds the integer variables of its points, and shows none.

    It has no ``c_function``: points go through the interpreter.
    """

    def __init__(self, objective: Objective) -> None:
        self._objective = objective
        self._integer = integer = objective.integer
        self._least, self._most = objective.lower[integer], objective.upper[integer]
        self.dimension = objective.dimension

    @property
    def lower(self) -> NDArray[np.float64]:
        return self._objective.lower - 0.5 * self._integer

    @property
    def upper(self) -> NDArray[np.float64]:
        return self._objective.upper + 0.5 * self._integer

    @property
    def integer(self) -> NDArray[np.bool_]:
        return np.zeros(self.dimension, dtype=bool)

    @property
    def evaluations(self) -> int:
        return self._objective.evaluations

    @property
    def evaluations_left(self) -> int | None:
        return self._objective.evaluations_left

    def __call__(self, x: Any, /) -> float:
        return self._objective(self._rounded(x))

    def batch(self, points: Any, /) -> NDArray[np.float64]:
        return self._objective.batch(self._rounded(points))

    def _rounded(self, points: Any) -> NDArray[np.float64]:
        """A copy of points, shape ``(..., dimension)``, with whole numbers; NaN stays NaN."""
        copy = np.array(points, dtype=np.float64)
        if copy.shape[-1:] == (self.dimension,):  # any other shape is refused by the objective
            values = np.rint(copy[..., self._integer])
            copy[..., self._integer] = np.clip(values, self._least, self._most)
        return copy


def rounded(algorithm: Algorithm) -> Algorithm:
    """The same algorithm, with its points rounded where the problem has integer variables."""

    def solve(objective: Objective, rng: np.random.Generator) -> object:
        if not objective.integer.any():
            return algorithm.solve(objective, rng)
        return algorithm.solve(Rounded(objective), rng)

    return replace(algorithm, solve=solve)
