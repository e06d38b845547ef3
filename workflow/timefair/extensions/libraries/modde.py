"""Modular differential evolution of the package ``modde`` (Vermetten et al. 2023).

The defaults are rand/1/bin with F = CR = 0.5 and a population of 10 times the dimension, which is
drawn uniformly. A point outside the bounds is moved onto them.

Parameters
----------
budget
    Evaluations of one launch. By default, a launch uses the run's budget, and the modules that
    depend on its used share (``lpsr``, ``use_jso_caps``, ``mutation_use_weighted_F``) follow
    ``objective.progress``.
F, CR
    One number for all individuals.
any other argument of ``modde.Parameters``
    For example ``lambda_``, ``mutation_base``, ``crossover``, ``lpsr``. With ``mutation_n_comps:
    2``, modde 0.0.4 adds the first difference twice instead of a second difference.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from timefair.algorithms.adapter import Adapter, Given, Rng, defaults_of
from timefair.algorithms.base import Objective

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
