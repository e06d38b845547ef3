"""Permutations: random ones, 2-opt (Croes 1958), and a genetic algorithm (Davis 1985)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Objective
from timefair.problems.base import SHARE, Allowed, Number

Order = NDArray[np.float64]
ALLOWED: Allowed = {
    "population": Number(2, whole=True),
    **dict.fromkeys(("crossover", "mutation"), SHARE),
}


def random_orders(objective: Objective, rng: np.random.Generator) -> None:
    """Evaluate uniformly random permutations without end."""
    natural = np.arange(objective.dimension, dtype=float)
    while True:
        objective(rng.permutation(natural))


def two_opt(objective: Objective, rng: np.random.Generator) -> None:
    """Reverse the first section that improves a random permutation, in a random order, until none
    does; then begin again.
    """
    dimension = objective.dimension
    sections = np.array(list(combinations(range(dimension + 1), 2)))
    sections = sections[sections[:, 1] - sections[:, 0] > 1]
    while True:
        x = rng.permutation(dimension).astype(float)
        value, tried = objective(x), 0
        while tried < len(sections):
            for first, end in rng.permutation(sections).tolist():
                x[first:end] = x[first:end][::-1].copy()
                changed = objective(x)
                if changed < value:
                    value, tried = changed, 0
                else:
                    x[first:end] = x[first:end][::-1].copy()
                    tried += 1
                    if tried >= len(sections):
                        break


def genetic(
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
