"""Artificial bee colony.

D. Karaboga and B. Basturk, "A powerful and efficient algorithm for numerical function optimization:
artificial bee colony (ABC) algorithm", Journal of Global Optimization 39, 2007.
"""

from __future__ import annotations

import numpy as np

from timefair.algorithms.base import Objective
from timefair.algorithms.builtin import population as pop
from timefair.problems.parameters import Number

ALLOWED = {"food": Number(2, whole=True), "limit": Number(1, whole=True)}


def solve(
    objective: Objective, rng: np.random.Generator, *, food: int = 30, limit: int | None = None
) -> None:
    """Exploit and abandon sources of food without end.

    - `food`: Number of sources, which is also the number of employed bees and that of onlookers.
    - `limit`: Trials without success after which a source is abandoned; in each cycle, only the
      most exhausted source is. By default `food` times the dimension.
    """
    colony = Colony(objective, rng, food)
    limit = food * objective.dimension if limit is None else limit
    while True:
        colony.visit(np.arange(food))
        colony.visit(rng.choice(food, size=food, p=attraction(colony.y)))
        exhausted = int(np.argmax(colony.trials))
        if colony.trials[exhausted] >= limit:
            colony.abandon(exhausted)


class Colony:
    """Sources of food with their values and the numbers of trials since their last improvement."""

    def __init__(self, objective: Objective, rng: np.random.Generator, food: int) -> None:
        self._objective, self._rng = objective, rng
        self._lower, self._upper = objective.lower, objective.upper
        self.x = pop.uniform(objective, rng, food)
        self.y = pop.values(objective, self.x)
        self.trials = np.zeros(food, dtype=int)

    def visit(self, sources: pop.Indices) -> None:
        """One bee after the other changes one component of its source and keeps what is better."""
        rng, count = self._rng, len(sources)
        components = rng.integers(self._objective.dimension, size=count)
        others = rng.integers(len(self.x) - 1, size=count)
        others += others >= sources
        steps = rng.uniform(-1, 1, size=count)
        for bee in zip(sources, components, others, steps, strict=True):
            self._try(*bee)

    def _try(self, source: int, component: int, other: int, step: float) -> None:
        trial = self.x[source].copy()
        moved = trial[component] + step * (trial[component] - self.x[other, component])
        trial[component] = min(max(moved, self._lower[component]), self._upper[component])
        y = pop.value(self._objective, trial)
        if y < self.y[source]:
            self.x[source], self.y[source], self.trials[source] = trial, y, 0
        else:
            self.trials[source] += 1

    def abandon(self, source: int) -> None:
        """A scout replaces a source by a random point."""
        self.x[source] = pop.uniform(self._objective, self._rng, 1)[0]
        self.y[source] = pop.value(self._objective, self.x[source])
        self.trials[source] = 0


def attraction(y: pop.Values) -> pop.Values:
    """The probability with which an onlooker chooses each source: in proportion to its nectar.

    Nectar is 1/(1 + y), or 1 - y for y below 0 (eq. 2.1). If its sum is 0 or infinite, the sources
    with the most nectar have equal probabilities.
    """
    nectar = np.where(y < 0, 1 - y, 1 / (1 + np.maximum(y, 0)))
    if not 0 < nectar.max() < np.finfo(float).max / len(y):
        nectar = np.where(nectar == nectar.max(), 1.0, 0.0)
    share: pop.Values = nectar / nectar.sum()
    return share
