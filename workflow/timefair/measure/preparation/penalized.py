"""Applies algorithms without constraints to problems with constraints, by a penalty.

The algorithm minimizes f(x) + w * (max(g_1(x), 0) + ... + max(g_m(x), 0)) with a constant weight w.
Each point costs one evaluation of f and one of the constraints. The record contains f and the
constraints, not the penalized value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Algorithm, ConstrainedObjective, Objective
from timefair.algorithms.constrained import has_constraints


class Penalized:
    """An objective without constraints: its values include a penalty for the violation of
    constraints.

    It has no ``c_function``: points are evaluated through the interpreter. It counts points, which
    are half as many as the run's evaluations.
    """

    def __init__(self, objective: ConstrainedObjective, weight: float) -> None:
        self._objective, self._weight = objective, weight
        self.dimension, self.shown = objective.dimension, 1

    @property
    def lower(self) -> NDArray[np.float64]:
        return self._objective.lower

    @property
    def upper(self) -> NDArray[np.float64]:
        return self._objective.upper

    @property
    def integer(self) -> NDArray[np.bool_]:
        return self._objective.integer

    @property
    def start(self) -> NDArray[np.float64] | None:
        return self._objective.start

    @property
    def noisy(self) -> bool:
        return self._objective.noisy

    @property
    def changes(self) -> int:
        return self._objective.changes

    def recommend(self, x: Any, /) -> None:
        self._objective.recommend(x)

    @property
    def cores(self) -> int:
        return self._objective.cores

    @property
    def evaluations(self) -> int:
        return self._objective.evaluations // 2

    @property
    def evaluations_left(self) -> int | None:
        left = self._objective.evaluations_left
        return None if left is None else left // 2

    def __call__(self, x: Any, /) -> float:
        g = self._objective.constraints(x)
        return self._objective(x) + self._weight * float(np.maximum(g, 0.0).sum())

    def batch(self, points: Any, /) -> NDArray[np.float64]:
        return np.array([self(x) for x in np.atleast_2d(points)], dtype=np.float64)


def penalized(algorithm: Algorithm, weight: float) -> Algorithm:
    """The same algorithm, with penalized values where the problem has constraints."""

    def solve(objective: Objective, rng: np.random.Generator) -> object:
        if not has_constraints(objective):
            return algorithm.solve(objective, rng)
        return algorithm.solve(Penalized(objective, weight), rng)

    return replace(algorithm, solve=solve)
