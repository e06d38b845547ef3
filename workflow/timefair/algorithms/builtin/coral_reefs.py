"""Coral reefs optimization.

S. Salcedo-Sanz, J. Del Ser, I. Landa-Torres, S. Gil-López and J. A. Portilla-Figueras, "The coral
reefs optimization algorithm: a novel metaheuristic for efficiently solving optimization problems",
The Scientific World Journal 2014, 739768.

The paper leaves crossover and mutation to the problem. Here they are simulated binary crossover
(Deb and Agrawal 1995) and polynomial mutation (Deb and Goyal 1996), both of index `INDEX`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Objective
from timefair.algorithms.builtin import population as pop
from timefair.problems.base import SHARE, Number

INDEX = 20.0
"""Index of the distributions of crossover and mutation; a larger one: children near parents."""
CROSSOVER_RATE = 0.9
"""Probability that a pair is crossed; each component is then crossed with probability 1/2."""

ALLOWED = {
    **dict.fromkeys(("n", "m", "attempts"), Number(1, whole=True)),
    **dict.fromkeys(("rho", "fbs", "fa", "pd"), SHARE),
    "fd": Number(0, 0.99),  # a predation leaves at least one coral
}


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    n: int = 10,
    m: int = 10,
    rho: float = 0.6,
    fbs: float = 0.9,
    fa: float = 0.1,
    fd: float = 0.1,
    pd: float = 0.1,
    attempts: int = 3,
) -> None:
    """Grow a reef without end.

    - `n`, `m`: Rows and columns of the reef.
    - `rho`: Share of its squares that are occupied at first.
    - `fbs`: Share of the corals that spawn in pairs, with one larva per pair. Each of the others
      (the share Fbr) broods one larva.
    - `fa`: Share of the corals that bud: copies of these best corals settle elsewhere.
    - `fd`, `pd`: Share of the corals (the worst ones) that die in a predation, and the probability
      of a predation in each generation.
    - `attempts`: Squares that a larva tries to settle on.
    """
    lower, upper = objective.lower, objective.upper
    reef = Reef(n * m, objective.dimension)
    first = pop.uniform(objective, rng, max(1, int(rho * n * m)))
    reef.place(rng.permutation(n * m)[: len(first)], first, pop.values(objective, first))
    while True:
        corals = rng.permutation(reef.corals())
        couples = int(fbs * len(corals)) // 2
        mothers, fathers = corals[:couples], corals[couples : 2 * couples]
        spawned = crossover(rng, reef.x[mothers], reef.x[fathers])
        brooded = mutation(rng, reef.x[corals[2 * couples :]], upper - lower)
        larvae = np.clip(np.vstack([spawned, brooded]), lower, upper)
        reef.settle(rng, larvae, pop.values(objective, larvae), attempts)
        ranked = reef.ranked()
        budding = ranked[: int(fa * len(ranked))]
        reef.settle(rng, reef.x[budding], reef.y[budding], attempts)
        if rng.random() < pd:
            ranked = reef.ranked()
            reef.occupied[ranked[len(ranked) - int(fd * len(ranked)) :]] = False


class Reef:
    """Squares that are free or have a coral, a point with its value; nothing depends on which are
    neighbours.
    """

    def __init__(self, squares: int, dimension: int) -> None:
        self.x = np.empty((squares, dimension))
        self.y = np.full(squares, np.inf)
        self.occupied = np.zeros(squares, dtype=bool)

    def place(self, squares: pop.Indices, x: pop.Points, y: pop.Values) -> None:
        self.x[squares], self.y[squares], self.occupied[squares] = x, y, True

    def corals(self) -> pop.Indices:
        return np.flatnonzero(self.occupied)

    def ranked(self) -> pop.Indices:
        corals = self.corals()
        return corals[np.argsort(self.y[corals], kind="stable")]

    def settle(self, rng: np.random.Generator, x: pop.Points, y: pop.Values, attempts: int) -> None:
        """Each larva in turn takes the first square it tries that is free or has a worse coral."""
        tried = rng.integers(len(self.y), size=(len(y), attempts))
        for larva, larva_y, squares in zip(x, y, tried, strict=True):
            open_ = squares[~self.occupied[squares] | (larva_y < self.y[squares])]
            if len(open_):
                self.place(open_[:1], larva, larva_y)


def crossover(rng: np.random.Generator, x: pop.Points, other: pop.Points) -> pop.Points:
    """One child of each pair by simulated binary crossover, around the first or the second."""
    u = rng.random(x.shape)
    spread = np.where(u < 0.5, 2 * u, 1 / (2 * (1 - u))) ** (1 / (INDEX + 1))
    side = rng.choice([-1.0, 1.0], size=x.shape)
    child = ((x + other) + side * spread * (other - x)) / 2
    crossed = rng.random((len(x), 1)) < CROSSOVER_RATE
    return np.where(crossed & (rng.random(x.shape) < 0.5), child, x)


def mutation(rng: np.random.Generator, x: pop.Points, width: NDArray[np.float64]) -> pop.Points:
    """Polynomial mutation: on average one component per point changes, within the bounds' width."""
    u = rng.random(x.shape)
    low = (2 * u) ** (1 / (INDEX + 1)) - 1
    high = 1 - (2 * (1 - u)) ** (1 / (INDEX + 1))
    changed = rng.random(x.shape) < 1 / x.shape[1]
    return np.where(changed, x + np.where(u < 0.5, low, high) * width, x)
