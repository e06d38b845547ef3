"""Minion: winners of the CEC competitions, in C++ (Muzakka 2025).

minionpy 1.9.1 calls L-SHADE JADE, and with few evaluations or points it hangs or ends the process.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from timefair.algorithms.adapter import Adapter, ErrorTrap, Given, Rng, nominal_budget
from timefair.algorithms.algorithm import Objective

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
