"""A genetic algorithm for permutations, with order crossover (Davis 1985)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Objective
from timefair.problems.parameters import SHARE, Number

Order = NDArray[np.float64]
ALLOWED: Mapping[str, Number] = {
    "population": Number(2, whole=True),
    "crossover": SHARE,
    "mutation": SHARE,
}


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    population: int = 50,
    crossover: float = 0.9,
    mutation: float = 0.3,
) -> None:
    """Replace the worst member by a better child of two tournament winners, without end.

    A child takes a section of one parent, and the other numbers in the order of the other parent.
    With the probability ``mutation``, a random section of it is reversed. A child that a member
    equals in value is dropped.
    """
    n = objective.dimension
    members = np.array([rng.permutation(n) for _ in range(population)], dtype=float)
    values = np.array([objective(x) for x in members])
    while True:
        of = rng.integers(population, size=(2, 2))
        mother, father = (members[pair[np.argmin(values[pair])]] for pair in of)
        child = _crossed(mother, father, rng) if rng.random() < crossover else mother.copy()
        if rng.random() < mutation:
            first, end = _section(n, rng)
            child[first:end] = child[first:end][::-1].copy()
        value, worst = objective(child), int(np.argmax(values))
        if value < values[worst] and value not in values:
            members[worst], values[worst] = child, value


def _section(n: int, rng: np.random.Generator) -> tuple[int, int]:
    first, last = sorted(rng.integers(n, size=2).tolist())
    return first, last + 1


def _crossed(mother: Order, father: Order, rng: np.random.Generator) -> Order:
    """Order crossover: the father's numbers follow the section, in his order from its end on."""
    n = len(mother)
    first, end = _section(n, rng)
    child = mother.copy()
    rest = np.roll(father, -end)
    rest = rest[~np.isin(rest, mother[first:end])]
    child[np.arange(end, end + len(rest)) % n] = rest
    return child
