"""Py-BOBYQA: trust regions of quadratic models within bounds (Cartis et al. 2019)."""

from __future__ import annotations

import numpy as np

from timefair.algorithms.adapter import Adapter, Given, Rng, defaults_of, moved_inside
from timefair.algorithms.algorithm import Objective

MAXFUN = 100_000
SET_HERE = ("bounds", "npt", "projections", "nsamples", "do_logging", "print_progress")
"""Arguments of ``pybobyqa.solve`` that users cannot set."""


def _parameters(name: str) -> dict[str, object]:
    import pybobyqa

    own = defaults_of(pybobyqa.solve, without=SET_HERE)
    return own | {"maxfun": MAXFUN, "rhobeg": float}


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> object:
    import pybobyqa

    lower, upper = objective.lower, objective.upper
    start = rng.uniform(lower, upper)
    # Py-BOBYQA's own first radius, or the largest one that fits into the narrowest bounds.
    own = 0.1 * max(float(np.max(np.abs(start))), 1.0)
    radius = min(own, float(np.min(upper - lower)) / 3)
    settings = {"maxfun": MAXFUN, "rhobeg": radius, **parameters}
    evaluate = moved_inside(objective)  # it may miss them by rounding errors
    result = pybobyqa.solve(evaluate, start, bounds=(lower, upper), do_logging=False, **settings)
    if result.flag == result.EXIT_INPUT_ERROR:
        raise ValueError(result.msg)
    return result


PYBOBYQA = Adapter(
    name="pybobyqa",
    distributions=("Py-BOBYQA", "numpy", "scipy"),
    names=("BOBYQA",),
    parameters=_parameters,
    solve=_solve,
)
"""Trust regions of quadratic models, with restarts."""
