"""Modular differential evolution of the package ``modde`` (Vermetten et al. 2023)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from timefair.algorithms.adapter import Adapter, Given, Rng, defaults_of
from timefair.algorithms.algorithm import Objective

ENDLESS = 10**15  # nominal budget of a launch that follows the run's budget
NUMBERS: dict[str, object] = {  # arguments for which modde has a rule instead of a default
    **dict.fromkeys(("budget", "lambda_", "memory_size"), int),
    **dict.fromkeys(("F", "CR", "pbest_value"), float),
}
SET_HERE = (  # arguments of ``modde.Parameters`` that users cannot set
    *("d", "lb", "ub", "seed", "population", "offspring", "init_stats", "inialize_custom_pop"),
    *("archive_size",),  # which modde overwrites
)


class _IohProblem:
    """The objective, with the attributes of an ioh problem that modde needs."""

    def __init__(self, objective: Objective) -> None:
        self._objective = objective
        self._before = objective.evaluations
        self.meta_data = SimpleNamespace(n_variables=objective.dimension)
        self.state = self
        self.optimum_found = False

    @property
    def evaluations(self) -> int:
        return self._objective.evaluations - self._before

    def __call__(self, x: Any) -> float:
        return self._objective(x)


def _parameters(name: str) -> dict[str, object]:
    from modde import Parameters

    return defaults_of(Parameters, without=SET_HERE) | NUMBERS


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> None:
    from modde import ModularDE

    column = (objective.dimension, 1)
    settings = dict(parameters)
    settings |= {key: np.array([settings[key]]) for key in ("F", "CR") if key in settings}
    settings.setdefault("budget", ENDLESS)
    made = ModularDE(
        _IohProblem(objective),
        lb=objective.lower.reshape(column),
        ub=objective.upper.reshape(column),
        seed=int(rng.integers(2**32)),
        **settings,
    )
    while made.step():
        if "budget" not in parameters:
            made.parameters.used_budget = int(objective.progress * ENDLESS)


MODDE = Adapter(
    name="modde",
    length="budget",
    distributions=("modde", "numpy", "scipy"),
    names=("modDE",),
    parameters=_parameters,
    solve=_solve,
)
"""Modular differential evolution."""
