"""fcmaes: its optimizers in C++. Some keep a normal number from one launch to the next."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from timefair.algorithms.adapter import Adapter, ErrorTrap, Given, Rng, defaults_of
from timefair.algorithms.algorithm import Objective
from timefair.problems.problem import Number

ENDLESS = 2**31 - 1  # largest number of evaluations that fcmaes can count
SET_HERE = (  # arguments that users cannot set
    *("self", "dim", "bounds", "x0", "rg", "runid", "ints", "workers", "is_terminate"),
    *("max_evaluations", "stop_fitness"),
)
PLACES = {  # modules of fcmaes, and the functions or classes that are called there
    "CMA-ES": ("cmaescpp", "ACMA_C"),
    "CR-FM-NES": ("crfmnescpp", "CRFMNES_C"),
    "DE": ("decpp", "minimize"),
    "BiteOpt": ("bitecpp", "minimize"),
    "dual-annealing": ("dacpp", "minimize"),
}
BY_GENERATIONS = ("CMA-ES", "CR-FM-NES")
"""Algorithms that evaluate a generation at a time; the others evaluate point by point."""
LEAST_POPULATION = {"CMA-ES": 2, "CR-FM-NES": 2, "DE": 4, "BiteOpt": 2}
"""Least population sizes: with fewer points, fcmaes ends the process or hangs."""
NUMBERS: Mapping[str, object] = {  # types of arguments whose default does not show them
    **{"min_sigma": 0.0, "stop_hist": -1.0, "update_gap": int}
}


def _function(name: str) -> Any:
    module, attribute = PLACES[name]
    return getattr(importlib.import_module(f"fcmaes.{module}"), attribute)


def _parameters(name: str) -> dict[str, object]:
    own = defaults_of(_function(name), without=SET_HERE)
    numbers = {**NUMBERS, "popsize": Number(LEAST_POPULATION.get(name, 1), whole=True)}
    return {key: numbers.get(key, default) for key, default in own.items()}


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> None:
    from scipy.optimize import Bounds

    function = _function(name)
    settings = dict(parameters) | {"bounds": Bounds(objective.lower, objective.upper), "rg": rng}
    if name != "DE":
        settings["x0"] = rng.uniform(objective.lower, objective.upper)
    if name in BY_GENERATIONS:
        optimizer, stop = function(objective.dimension, **settings), 0
        while not stop:
            # The points of CMA-ES miss the bounds by rounding errors.
            points = np.clip(optimizer.ask(), objective.lower, objective.upper)
            stop = optimizer.tell(objective.batch(points))
    elif name == "DE":  # it treats an exception as a bad value, but asks whether to stop
        trap = ErrorTrap(objective)
        settings["is_terminate"] = lambda x, y: trap.error is not None
        function(trap, max_evaluations=ENDLESS, **settings)
        trap.reraise()
    else:
        function(objective, max_evaluations=ENDLESS, **settings)


FCMAES = Adapter(
    name="fcmaes",
    distributions=("fcmaes", "numpy"),
    compiled=None,
    names=tuple(PLACES),
    batched=BY_GENERATIONS,
    examples=("CMA-ES", "BiteOpt"),
    parameters=_parameters,
    solve=_solve,
)
"""The optimizers of fcmaes in C++."""
