"""pymoo: its algorithms for one objective within bounds, under their own names.

All of them stay within the bounds and give the same results for the same seed. ``BIPOPCMAES`` and
``CMAES`` run the package cma with the defaults of pymoo. Points that pymoo evaluates together are a
batch. With ``threads: n``, the batch uses n cores. Not included: ``PatternSearch`` and ``DIRECT``,
because they do not give the same results for the same seed.

Parameters
----------
termination
    ``tolerance``, the default: a launch ends when points and values no longer change. The
    tolerances are the defaults of pymoo, but the limits of 1,000 generations and 100,000
    evaluations do not apply. ``none``: a launch ends only if the algorithm itself stops
    (``CMAES``).
any argument of the algorithm's constructor that is a number, a word or a truth value
    For example ``pop_size``, and for ``DE`` also ``F`` and ``CR``. Operators are the defaults of
    pymoo.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from timefair.algorithms.adapters.optional import Extra, defaults_of
from timefair.algorithms.base import Objective

MODULES = {
    "BIPOPCMAES": "cmaes",
    "BRKGA": "brkga",
    "CMAES": "cmaes",
    "DE": "de",
    "EPPSO": "pso_ep",
    "ES": "es",
    "G3PCX": "g3pcx",
    "GA": "ga",
    "ISRES": "isres",
    "NRBO": "nrbo",
    "NelderMead": "nelder",
    "NicheGA": "ga_niching",
    "PSO": "pso",
    "SRES": "sres",
}
"""Where each class is in ``pymoo.algorithms.soo.nonconvex``. ``PatternSearch`` and ``DIRECT`` are
left out: they do not repeat for a seed."""
FURTHER: Mapping[str, Mapping[str, object]] = {"DE": {"F": 0.5, "CR": 0.2}}
"""Arguments that constructors pass on, with what pymoo gives them."""
SET_HERE = (
    *("output", "display", "callback", "archive", "evaluator", "verbose", "save_history", "seed"),
    *("return_least_infeasible", "return_all_opt", "survival", "selection", "sampling"),
    *("x0", "parallelize", "cmaes_verbose", "verb_log", "maxfevals", "restart_from_best"),
    *("noise_handler", "noise_change_sigma_exponent", "noise_kappa_exponent"),
)
"""Arguments that are not the user's."""
ENDLESS = 10**15
TRIAL_EVALUATIONS = 150
"""Some values are only looked at after the first population."""
TERMINATIONS = ("tolerance", "none")


def _class(name: str) -> Any:
    module = f"pymoo.algorithms.soo.nonconvex.{MODULES[name]}"
    return getattr(importlib.import_module(module), name)


def _parameters(name: str) -> dict[str, object]:
    own = defaults_of(inspect.signature(_class(name)), without=SET_HERE)
    sizes = {key: int for key, default in own.items() if default is None}
    return {**own, **sizes, **FURTHER.get(name, {}), "termination": TERMINATIONS[0]}


def _solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    name: str,
    parameters: Mapping[str, Any],
) -> object:
    settings = dict(parameters)
    termination = _termination(settings.pop("termination", TERMINATIONS[0]))
    algorithm = _class(name)(**settings)
    seed = int(rng.integers(2**32))
    algorithm.setup(_problem(objective), termination=termination, seed=seed, verbose=False)
    return algorithm.run()


def _problem(objective: Objective) -> Any:
    from pymoo.core.problem import Problem

    class Bounded(Problem):  # type: ignore[misc]
        def _evaluate(self, x: Any, out: dict[str, Any], *_: Any, **__: Any) -> None:
            out["F"] = objective.batch(x)[:, np.newaxis]

    return Bounded(objective.dimension, n_obj=1, xl=objective.lower, xu=objective.upper)


def _termination(word: object) -> Any:
    from pymoo.core.termination import NoTermination
    from pymoo.termination.default import DefaultSingleObjectiveTermination

    if word not in TERMINATIONS:
        raise ValueError(f"'termination' is {' or '.join(TERMINATIONS)}, not {word!r}")
    if word == "none":
        return NoTermination()
    return DefaultSingleObjectiveTermination(n_max_gen=ENDLESS, n_max_evals=ENDLESS)


PYMOO = Extra(
    name="pymoo",
    distributions=("pymoo", "numpy", "scipy", "cma"),
    module="pymoo",
    names=tuple(MODULES),
    examples=("GA", "DE"),
    parameters=_parameters,
    solve=_solve,
    trial_evaluations=TRIAL_EVALUATIONS,
)
"""The algorithms of pymoo for one objective within bounds."""
