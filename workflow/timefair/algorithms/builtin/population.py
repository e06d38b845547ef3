"""Functions that the algorithms with a population share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Objective

Points = NDArray[np.float64]  # shape ``(size, dimension)``
Values = NDArray[np.float64]  # shape ``(size,)``
Indices = NDArray[np.intp]  # shape ``(size,)``


def uniform(objective: Objective, rng: np.random.Generator, size: int) -> Points:
    return rng.uniform(objective.lower, objective.upper, size=(size, objective.dimension))


def value(objective: Objective, point: NDArray[np.float64]) -> float:
    """The objective's value at one point; NaN counts as the worst, inf."""
    y = objective(point)
    return y if y == y else np.inf


def values(objective: Objective, points: Points) -> Values:
    """The objective's `value` at each of the points, in their order; a batch on several cores."""
    if objective.cores > 1:
        y = objective.batch(points)
        return np.where(np.isnan(y), np.inf, y)
    return np.array([value(objective, x) for x in points])


def partners(rng: np.random.Generator, size: int, *pools: int) -> list[Indices]:
    """For each member i of a population, one index from each pool; all differ, also from i.

    They are uniform among the remaining indices. A pool of k contains the indices below k; k is at
    least `size` and larger than the number of pools.
    """
    taken = [np.arange(size)]
    for pool in pools:
        drawn = rng.integers(pool - len(taken), size=size)
        for used in np.sort(taken, axis=0):  # skip the indices that are taken, from below
            drawn += drawn >= used
        taken.append(drawn)
    return taken[1:]


def binomial(rng: np.random.Generator, rates: Values, dimension: int) -> NDArray[np.bool_]:
    """Which components each trial takes from its mutant: each with the trial's rate, at least one.

    Storn and Price (1997). Shape ``(len(rates), dimension)``.
    """
    size = len(rates)
    taken = rng.random((size, dimension)) < rates[:, np.newaxis]
    taken[np.arange(size), rng.integers(dimension, size=size)] = True
    return taken


def exponential(rng: np.random.Generator, rates: Values, dimension: int) -> NDArray[np.bool_]:
    """The same by exponential crossover: one cyclic sequence of components.

    After each component, the sequence continues with a probability equal to the trial's rate. Storn
    and Price (1997). Shape ``(len(rates), dimension)``.
    """
    size = len(rates)
    goes_on = rng.random((size, dimension - 1)) < rates[:, np.newaxis]
    length = 1 + np.logical_and.accumulate(goes_on, axis=1).sum(axis=1)
    distance = (np.arange(dimension) - rng.integers(dimension, size=(size, 1))) % dimension
    taken: NDArray[np.bool_] = distance < length[:, np.newaxis]
    return taken
