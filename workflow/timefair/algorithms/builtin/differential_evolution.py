"""Differential evolution with the twelve classic strategies, by the names of Storn's programs.

R. Storn and K. Price, Differential Evolution, Journal of Global Optimization 11 (1997) 341-359.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

import timefair.algorithms.builtin.kernels as kernels
from timefair.algorithms.algorithm import Objective
from timefair.algorithms.builtin import Count, Share
from timefair.problems.problem import Number, Word, wrong_parameters

STRATEGIES = {  # in the order in which config/papers/run_count_de.py draws
    **dict.fromkeys(("rand/1/bin", "rand/1/exp"), "rrr"),
    **dict.fromkeys(("rand/2/bin", "rand/2/exp"), "rrrrr"),
    **dict.fromkeys(("best/1/bin", "best/1/exp"), "brr"),
    **dict.fromkeys(("best/2/bin", "best/2/exp"), "brrrr"),
    **{"best/3/bin": "brrrrrr", "rand/rand/bin": "rrr"},
    **dict.fromkeys(("rand-to-best/1/bin", "rand-to-best/1/exp"), "xbxrr"),  # current-to-best/1
}
"""The vectors of the mutant of each strategy, a base vector plus F times a sum of differences: the
base, then minuend and subtrahend of each difference. ``r``: a random point; ``b``: the best point;
``x``: the point that is challenged. In ``rand/rand``, each trial's factor is drawn from N(0, 1).
"""


def least_population(strategy: str) -> int:
    """Number of the random vectors and of the point from which they have to differ."""
    return 1 + STRATEGIES[strategy].count("r")


BOUNDS = ("random", "reflect", "clip")
PER_DIMENSION = 5


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    strategy: Annotated[str, Word(tuple(STRATEGIES))] = "rand/1/bin",
    F: Annotated[float, Number(0, 2)] = 0.5,
    CR: Share = 0.9,
    population: Count | None = None,
    population_per_dimension: Count | None = None,
    patience: Count | None = None,
    bounds: Annotated[str, Word(BOUNDS)] = "random",
) -> None:
    """One launch, until patience or the objective ends it."""
    size = population or (population_per_dimension or PER_DIMENSION) * objective.dimension
    evolution = kernels.Evolution(
        objective,
        rng,
        vectors=STRATEGIES[strategy],
        exponential=strategy.endswith("exp"),
        F=None if strategy == "rand/rand/bin" else F,
        CR=CR,
        size=max(size, least_population(strategy)),
        bounds=bounds,
    )
    evolution.run(patience)


def faults(
    *,
    strategy: str = "rand/1/bin",
    population: int | None = None,
    population_per_dimension: int | None = None,
    **_: object,
) -> list[str]:
    if population and population_per_dimension:
        return ["'population' and 'population_per_dimension' exclude each other"]
    least = Number(least_population(strategy), whole=True)
    given = {"population": population or least.least}
    return wrong_parameters("timefair:DE", {"population": least}, given)
