"""NLopt: its algorithms without gradients, under their own names.

Left out: ``LN_NEWUOA`` (ignores the bounds), ``LN_NEWUOA_BOUND`` (can hang), ``GN_AGS`` (D <= 10).
"""

from __future__ import annotations

import contextlib

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms import adapter
from timefair.algorithms.adapter import Adapter, Given, Rng
from timefair.algorithms.algorithm import Objective
from timefair.problems.problem import Word

LOCAL = ("LN_BOBYQA", "LN_NELDERMEAD", "LN_PRAXIS", "LN_SBPLX")
MULTISTART = ("GN_MLSL", "GN_MLSL_LDS")
CONSTRAINED_ONLY = ("LN_COBYLA", "LN_AUGLAG")
NESTED = (*MULTISTART, "LN_AUGLAG")  # algorithms that run a local algorithm
ROUNDING = ("LN_PRAXIS", *NESTED)
"""Algorithms whose points may be outside the bounds by rounding errors."""
NAMES = (
    *LOCAL,
    *CONSTRAINED_ONLY,
    *("GN_CRS2_LM", "GN_DIRECT", "GN_DIRECT_L", "GN_DIRECT_L_RAND", "GN_ESCH", "GN_ISRES"),
    *MULTISTART,
    *("GN_ORIG_DIRECT", "GN_ORIG_DIRECT_L"),
)
LOCAL_XTOL = 1e-7
TOLERANCES = dict.fromkeys(("xtol_rel", "xtol_abs", "ftol_rel", "ftol_abs"), 0.0)


def _parameters(name: str) -> dict[str, object]:
    own: dict[str, object] = {**TOLERANCES, "maxeval": 0, "population": 0}
    if name in (*LOCAL, "LN_COBYLA"):
        own["initial_step"] = None
    if name in NESTED:
        own["local"] = Word(LOCAL)
    return own


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> None:
    import nlopt

    nlopt.srand(int(rng.integers(2**31)))
    optimizer = nlopt.opt(getattr(nlopt, name), objective.dimension)
    optimizer.set_lower_bounds(objective.lower)
    optimizer.set_upper_bounds(objective.upper)
    evaluate = adapter.moved_inside(objective) if name in ROUNDING else objective
    trap = adapter.ErrorTrap(evaluate, optimizer.force_stop)
    optimizer.set_min_objective(lambda x, _: trap(x))
    if adapter.has_constraints(objective):
        constraints, lower, upper = objective.constraints, objective.lower, objective.upper

        def write(values: NDArray[np.float64], x: NDArray[np.float64], _: object) -> None:
            inside = np.clip(x, lower, upper) if name in ROUNDING else x
            values[:] = trap.call(constraints, inside)

        optimizer.add_inequality_mconstraint(write, np.zeros(objective.number_of_constraints))
    settings = dict(parameters)
    if name in NESTED:
        local = nlopt.opt(getattr(nlopt, settings.pop("local", LOCAL[0])), objective.dimension)
        local.set_xtol_rel(LOCAL_XTOL)
        optimizer.set_local_optimizer(local)
    for key, value in settings.items():
        getattr(optimizer, f"set_{key}")(value)
    with contextlib.suppress(nlopt.RoundoffLimited, nlopt.ForcedStop):  # ends like any other
        optimizer.optimize(adapter.starting_point(objective, rng))
    trap.reraise()


NLOPT = Adapter(
    name="nlopt",
    distributions=("nlopt", "numpy"),
    compiled=None,
    names=NAMES,
    examples=("LN_BOBYQA", "GN_DIRECT_L"),
    parameters=_parameters,
    solve=_solve,
    special={
        **dict.fromkeys(("GN_ISRES", "GN_ORIG_DIRECT", "GN_ORIG_DIRECT_L"), adapter.BOTH),
        **dict.fromkeys(CONSTRAINED_ONLY, adapter.CONSTRAINTS),
    },
)
"""The algorithms of NLopt that need no gradient."""
