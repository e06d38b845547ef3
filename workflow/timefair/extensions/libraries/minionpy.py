"""Minion: winners of the CEC competitions, such as L-SHADE, jSO and IMODE, in C++ (Muzakka 2025).

A launch ends when its evaluations are used, or when the population has converged. Many of these
algorithms plan with the evaluations: the population shrinks until the last one. Points outside the
bounds are moved onto them. ``JADE`` is not included, because minionpy 1.9.1 calls L-SHADE by this
name, nor are the methods that need a first point.

Parameters
----------
maxevals
    Evaluations that a launch plans with, at least 100 per dimension: with little more than the
    first population, some of the algorithms end the process or hang. Default: the rest of the
    run's budget of evaluations, or 10,000 per dimension, as in the competitions.
population_size
    First population size, at least 4: with fewer points, minionpy ends the process or hangs. Some
    algorithms have a larger least size. 0 means the choice of Minion.
x_tol, f_tol
    Spread of the population, in coordinates and relative in values, at which a launch ends; a
    negative number means never. Defaults: 1e-8 and -1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from timefair.algorithms.adapter import Adapter, ErrorTrap, Given, Rng, nominal_budget
from timefair.algorithms.base import Objective

BUDGET_PER_DIMENSION = 10_000
"""Evaluations of a launch per dimension, if the run has no budget of evaluations."""
LEAST_PER_DIMENSION = 100

NAMES = (
    *("LSHADE", "LSHADE_cnEpSin", "jSO", "IMODE", "AGSK", "j2020", "NLSHADE_RSP", "LSRTDE"),
    *("RDEX", "ARRDE", "Differential_Evolution", "ABC", "PSO", "SPSO2011", "DMSPSO"),
    *("CMAES", "ACMAES", "RCMAES", "BIPOP_aCMAES"),
)
LEAST_POPULATION = 4
OPTIONS = {"population_size": 0, "x_tol": -1.0, "f_tol": -1.0}


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> None:
    import minionpy

    lower, upper = objective.lower, objective.upper
    options = dict(parameters)
    most = options.pop("maxevals", nominal_budget(objective, BUDGET_PER_DIMENSION))
    if 0 < options.get("population_size", 0) < LEAST_POPULATION:
        raise ValueError(f"'population_size' is at least {LEAST_POPULATION}, or 0")
    trap = ErrorTrap(objective)

    def values(points: Any) -> Any:
        found = trap.call(objective.batch, np.clip(points, lower, upper))
        if trap.error is not None:
            raise trap.error
        return found.tolist()

    optimizer = getattr(minionpy, name)(
        func=values, bounds=list(zip(lower.tolist(), upper.tolist(), strict=True)),
        maxevals=max(most, LEAST_PER_DIMENSION * objective.dimension),
        seed=int(rng.integers(2**31)), options=options,
    )  # fmt: skip
    try:
        optimizer.optimize()
    finally:  # it wraps what the objective raises
        trap.reraise()


MINIONPY = Adapter(
    name="minionpy",
    distributions=("minionpy", "numpy"),
    compiled=None,
    names=NAMES,
    examples=("jSO", "LSHADE"),
    parameters=lambda name: {"maxevals": int, **OPTIONS},
    solve=_solve,
    batched=tuple(name for name in NAMES if name != "j2020"),
)
"""Winners of the CEC competitions, in C++."""
