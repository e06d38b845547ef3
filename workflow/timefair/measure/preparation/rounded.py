"""Applies algorithms for continuous variables to problems with integer variables, by rounding.

The algorithm sees continuous variables only. An integer variable with bounds a and b is shown with
the bounds a - 0.5 and b + 0.5, so that every whole number has the same share of the range. Before
an evaluation, its value is rounded (half to even), and a value outside a and b is replaced by the
nearer bound. The rounded point is evaluated and recorded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Algorithm, Objective


class Rounded:
    """An objective that rounds the integer variables of its points, and presents all variables as
    continuous.

    It has no ``c_function``: points are evaluated through the interpreter.
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
    def shown(self) -> int:
        return self._objective.shown

    @property
    def noisy(self) -> bool:
        return self._objective.noisy

    @property
    def changes(self) -> int:
        return self._objective.changes

    def recommend(self, x: Any, /) -> None:
        self._objective.recommend(self._rounded(x))

    @property
    def cores(self) -> int:
        return self._objective.cores

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
