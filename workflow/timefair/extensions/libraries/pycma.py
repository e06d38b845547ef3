"""CMA-ES by its authors, in their package ``cma``; BIPOP also uses numpy's global generator."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from timefair.algorithms.adapter import (
    CONSTRAINTS,
    Adapter,
    Given,
    Rng,
    has_constraints,
    starting_point,
)
from timefair.algorithms.algorithm import Objective
from timefair.algorithms.builtin import population as pop

SIGMA0 = 0.2
"""Default initial standard deviation over the width of the bounds; cma recommends 0.2 to 0.3."""
ENDLESS = 10**9  # default number of restarts of IPOP and BIPOP, more than any budget allows
CONSTRAINED = "AL-CMA-ES"
NAMES = ("CMA-ES", "IPOP", "BIPOP", "lq-CMA-ES", CONSTRAINED)
BY_GENERATIONS = ("CMA-ES", "IPOP", "BIPOP")
RESTARTING = ("IPOP", "BIPOP", "lq-CMA-ES")
SET_HERE = frozenset(
    {"bounds", "integer_variables", "randn", "seed", "verbose", "signals_filename", "vv"}
)
"""Options of cma that users cannot set, in addition to all that begin with ``verb_``."""


def _parameters(name: str) -> dict[str, object]:
    import cma

    known = cma.CMAOptions.defaults()
    options = {k: None for k in known if k not in SET_HERE and not k.startswith("verb_")}
    own: dict[str, object] = {"sigma0": float}
    if name in RESTARTING:
        own |= {"restarts": 0, "incpopsize": None}
    return {**own, **options}


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> object:
    import cma

    lower, upper = objective.lower, objective.upper
    settings = dict(parameters)
    keys = [key for key in ("restarts", "incpopsize") if key in settings]
    restarts: dict[str, Any] = {key: settings.pop(key) for key in keys}
    if name in ("IPOP", "BIPOP"):
        restarts.setdefault("restarts", ENDLESS)
    if (sigma0 := settings.pop("sigma0", None)) is None:
        width = upper - lower
        sigma0 = SIGMA0 * float(np.max(width))
        if np.ptp(width) > 0 and settings.get("CMA_stds") is None:
            settings["CMA_stds"] = width / np.max(width)
    settings |= {
        "bounds": [lower, upper],
        "integer_variables": np.flatnonzero(objective.integer).tolist(),
        # else cma seeds the global generator, if need be from the clock
        "randn": lambda *shape: rng.standard_normal(shape),
        "seed": np.nan,
        "verbose": -9,
        "verb_disp": 0,
        "verb_log": 0,
        "signals_filename": "",  # otherwise cma looks for a file of commands while it runs
    }

    def recommend(strategy: Any) -> None:
        objective.recommend(strategy.result.xfavorite)

    callback = recommend if objective.noisy else None
    start = partial(starting_point, objective, rng)
    if has_constraints(objective):
        constraints = objective.constraints
        quiet = {"archives": False}  # of points; with them cma warns of a package
        return cma.fmin_con2(
            objective, start(), sigma0, constraints, options=settings, kwargs_confit=quiet
        )
    if name == "lq-CMA-ES":
        return cma.fmin_lq_surr2(objective, start, sigma0, settings, callback=callback, **restarts)
    if objective.cores > 1:
        evaluate = partial(pop.values, objective)
        restarts["parallel_objective"] = lambda points: evaluate(np.array(points)).tolist()
    bipop = name == "BIPOP"
    return cma.fmin2(objective, start, sigma0, settings, bipop=bipop, callback=callback, **restarts)


PYCMA = Adapter(
    name="pycma",
    distributions=("cma", "numpy"),
    module="cma",
    names=NAMES,
    parameters=_parameters,
    solve=_solve,
    examples=("BIPOP", "lq-CMA-ES"),
    special={CONSTRAINED: CONSTRAINTS},
    batched=BY_GENERATIONS,
    unneeded=("matplotlib",),
    whole=BY_GENERATIONS,
    optional=False,
)
"""CMA-ES by its own authors, with restarts and a surrogate."""
