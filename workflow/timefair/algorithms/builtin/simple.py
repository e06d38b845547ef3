"""Random search, and algorithms on strings of 0 and 1 and on permutations.

Bit flips keep a string that is not worse. With `resample`, a mutation that flips nothing is drawn
again and not evaluated: the (1+1) EA>0 of E. Carvalho Pinto and C. Doerr, "Towards a More
Practice-Aware Runtime Analysis of Evolutionary Algorithms", 2018. On permutations: random ones,
2-opt (Croes 1958), and a genetic algorithm (Davis 1985).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.adapter import has_constraints
from timefair.algorithms.algorithm import Objective
from timefair.algorithms.builtin import ABOVE_0, Share
from timefair.problems.problem import Number

Order = NDArray[np.float64]
Places = NDArray[np.integer]
BLOCK_BYTES = 32_768
"""Points are drawn in blocks of about this size: cheap to draw, and small enough for the cache."""

PER_CORE = 16  # points of a batch per core, if there are several cores


def random_search(objective: Objective, rng: np.random.Generator) -> None:
    """Evaluate uniform points within the bounds, without end, the constraints of each before its
    value.
    """
    lower, upper, integer = objective.lower, objective.upper, objective.integer
    beyond = np.where(integer, upper + 1, upper)  # then rounded down
    size = PER_CORE * objective.cores
    count = max(1, BLOCK_BYTES // (8 * objective.dimension))
    while True:
        points = rng.uniform(lower, beyond, size=(count, objective.dimension))
        if integer.any():
            points[:, integer] = np.floor(points[:, integer])
        if has_constraints(objective):
            for x in points:
                objective.constraints(x)
                objective(x)
        elif objective.cores > 1:
            for first in range(0, count, size):
                objective.batch(points[first : first + size])
        else:
            for x in points:
                objective(x)


def one_plus_one(
    objective: Objective,
    rng: np.random.Generator,
    *,
    rate: Annotated[float, ABOVE_0] | None = None,
    resample: bool = False,
) -> None:
    """Improve a random string without end, by standard bit mutation.

    - `rate`: Probability of each flip, above 0 and at most 1; by default 1 over the dimension.
    - `resample`: Whether a mutation that flips nothing is drawn again.
    """
    dimension = objective.dimension
    chance = 1 / dimension if rate is None else rate

    def draw_places() -> Places:
        count = rng.binomial(dimension, chance)
        while resample and not count:
            count = rng.binomial(dimension, chance)
        return rng.choice(dimension, size=count, replace=False, shuffle=False)

    climb(objective, rng, draw_places)


def climb(
    objective: Objective, rng: np.random.Generator, draw_places: Callable[[], Places]
) -> None:
    """Evaluate a random string, then flips of the best one, without end.

    - `draw_places`: Draws the different indices at which the next string differs from the best.
    """
    best = rng.integers(2, size=objective.dimension).astype(float)
    value = objective(best)
    while True:
        places = draw_places()
        best[places] = 1.0 - best[places]
        flipped = objective(best)
        if flipped <= value:
            value = flipped
        else:
            best[places] = 1.0 - best[places]


def local_search(objective: Objective, rng: np.random.Generator) -> None:
    """Improve a random string without end, one variable at a time, up to a local optimum."""
    dimension = objective.dimension
    climb(objective, rng, lambda: rng.integers(dimension, size=1))


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
    population: Annotated[int, Number(2, whole=True)] = 50,
    crossover: Share = 0.9,
    mutation: Share = 0.3,
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
