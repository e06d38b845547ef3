"""Loads what a job runs; penalizes violated constraints and rounds variables where needed."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms import registry
from timefair.algorithms.adapter import has_constraints
from timefair.algorithms.base import Algorithm, ConstrainedObjective, Objective
from timefair.basics.hidden_modules import hidden_modules


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


def import_library(use: str) -> None:
    """Import the modules that all algorithms of an algorithm's library need."""
    library, _ = registry.find(use)
    with hidden_modules(*library.unneeded):
        for name in library.modules:
            with suppress(ImportError):  # loading the algorithm will report what is missing
                import_module(name)
    gc.collect()
    gc.freeze()


def load(
    use: str,
    parameters: Mapping[str, object],
    rounds_integers: bool,
    penalty: float | None = None,
) -> Algorithm:
    """Load an algorithm; InputError with all faults if it has any.

    Parameters
    ----------
    use, parameters
        As in the campaign.
    rounds_integers
        Whether the points of a continuous algorithm are rounded for it (`rounded`).
    penalty
        The weight of a violation in the values of an algorithm without constraints (`penalized`).
    """
    loaded = registry.load(use, parameters)
    if rounds_integers:
        loaded = rounded(loaded)
    return loaded if penalty is None else penalized(loaded, penalty)
