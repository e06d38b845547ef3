"""MEALPY: the optimizers of ``mealpy.get_all_optimizers()`` by module and class.

Without ``epoch``, the epoch that an optimizer sees follows ``objective.progress``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from timefair.algorithms.adapter import Adapter, Given, Rng, defaults_of, moved_inside, shares
from timefair.algorithms.algorithm import Objective
from timefair.problems.problem import Word

EPOCHS = 10_000  # epochs of a launch that fills the budget: MEALPY's default
MODES = ("single", "swarm")
NO_STEPS = "has no steps in MEALPY 3.0.3: it would evaluate its first population only"
UNUSABLE = {
    "BCO.OriginalBCO": "fails in its second epoch, in which MEALPY 3.0.3 lacks its dimension",
    "GA.OriginalGA": NO_STEPS,
    "GWO.DS_GWO": NO_STEPS,
    "PSS.OriginalPSS": "draws its first points from a generator that no seed reaches",
}


@cache
def _classes() -> dict[str, Any]:
    import mealpy

    found = mealpy.get_all_optimizers(verbose=False).values()
    named = {f"{each.__module__.rpartition('.')[2]}.{each.__name__}": each for each in found}
    return dict(sorted(named.items()))


def _parameters(name: str) -> dict[str, object]:
    own = defaults_of(_classes()[name].__init__, without=("self", "epoch"))
    return own | {"epoch": int, "mode": Word(MODES)}


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> None:
    chosen = {"epoch": EPOCHS, **parameters}
    mode = chosen.pop("mode", MODES[0])
    optimizer = _classes()[name](**chosen)
    problem = {"bounds": _variables(objective), "obj_func": moved_inside(objective), "log_to": None}
    # The steps of MEALPY's Optimizer.solve, without its history, which grows with the epochs.
    optimizer.check_problem(problem, int(rng.integers(2**31)))
    optimizer.check_mode_and_workers(mode, None)
    optimizer.check_termination("start", None, None)
    optimizer.initialize_variables()
    optimizer.before_initialization(None)
    optimizer.initialization()
    optimizer.after_initialization()
    optimizer.before_main_loop()
    known = "epoch" in parameters
    for epoch in range(1, optimizer.epoch + 1) if known else shares(objective, EPOCHS):
        optimizer.evolve(epoch)
        ranked, optimizer.g_best = optimizer.update_global_best_agent(optimizer.pop)
        if optimizer.sort_flag:
            optimizer.pop = ranked
        for kept in vars(optimizer.history).values():
            if isinstance(kept, list):
                del kept[:-1]


def _variables(objective: Objective) -> Any:
    from mealpy import FloatVar, IntegerVar

    lower, upper, integer = objective.lower, objective.upper, objective.integer
    if not integer.any():
        return FloatVar(lb=lower, ub=upper)
    kinds = np.where(integer, IntegerVar, FloatVar)
    return [
        kind(lb=[least], ub=[most], name=f"x{place}")
        for place, (kind, least, most) in enumerate(zip(kinds, lower, upper, strict=True))
    ]


MEALPY = Adapter(
    name="mealpy",
    distributions=("mealpy", "numpy", "scipy"),
    names=_classes,
    parameters=_parameters,
    solve=_solve,
    whole=None,
    install="--no-deps mealpy",
    length="epoch",
    examples=("PSO.OriginalPSO", "GWO.OriginalGWO"),
    missing=lambda name: UNUSABLE.get(name, ""),
)
"""The optimizers of MEALPY, under their own names."""
