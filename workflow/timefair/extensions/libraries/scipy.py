"""`scipy.optimize`: the methods of `minimize` that need no gradient, and the global optimizers."""

from __future__ import annotations

import contextlib
import inspect
import re
import warnings
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms import adapter
from timefair.algorithms.adapter import Adapter, Given, Rng
from timefair.algorithms.algorithm import Objective

WITH_GRADIENT = ("CG", "BFGS", "L-BFGS-B", "TNC", "SLSQP", "trust-constr")
"""Local methods that use a gradient, estimated by finite differences."""
GRADIENT_FREE = ("Nelder-Mead", "Powell", "COBYLA", "COBYQA")
LOCAL = (*GRADIENT_FREE, *WITH_GRADIENT)
UNBOUNDED = ("CG", "BFGS")  # local methods without bounds
LEAVE_BOUNDS = (*UNBOUNDED, "COBYLA")  # methods that may evaluate points outside the bounds
GLOBAL = ("differential_evolution", "dual_annealing", "basinhopping", "shgo", "direct")
WITH_CONSTRAINTS = ("COBYLA", "COBYQA", "SLSQP", "trust-constr", "differential_evolution")
UNUSABLE = {
    **dict.fromkeys(
        ("Newton-CG", "dogleg", "trust-ncg", "trust-exact", "trust-krylov"), "needs a gradient"
    ),
    "brute": "evaluates a grid that has to fit into memory as a whole",
}
SET_HERE = (  # arguments of the global optimizers that users cannot set
    *("func", "x0", "args", "bounds", "ranges", "rng", "seed"),
    *("callback", "disp", "integrality", "workers", "vectorized", "constraints"),
)


class ScipyOptimize(Adapter):
    def batches(self, name: str, parameters: Mapping[str, object]) -> bool:
        if name == "differential_evolution":
            return parameters.get("updating") != "immediate"
        return _takes_workers(name)


def _parameters(name: str) -> dict[str, object]:
    """Those of a global optimizer, or the options that scipy documents for a local method."""
    from scipy import optimize

    if name in GLOBAL:
        arguments = inspect.signature(getattr(optimize, name)).parameters
        return dict.fromkeys(key for key in arguments if key not in SET_HERE)
    show_options: Any = optimize.show_options
    text = str(show_options("minimize", name.lower(), disp=False))
    documented = re.findall(r"^ *(\w+(?:, \w+)*) : ", text, flags=re.MULTILINE)
    names = [word for words in documented for word in words.split(", ")]
    names = [key for key in names if key not in SET_HERE and _takes_option(name, key)]
    return dict.fromkeys(["tol", *(["jac"] if name in WITH_GRADIENT else []), *names])


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> object:
    from scipy import optimize

    options, local = dict(parameters), name in LOCAL
    apart = ("tol", "jac") if local else ()
    chosen: dict[str, Any] = {key: options.pop(key) for key in apart if key in options}
    if (jac := chosen.get("jac")) not in (None, "2-point", "3-point"):
        raise ValueError(f"'jac' is '2-point' or '3-point', not {jac!r}")
    # keep_feasible: also trust-constr, and its finite differences, stay inside.
    bounds = optimize.Bounds(objective.lower, objective.upper, keep_feasible=local)
    if adapter.has_constraints(objective):
        limits = optimize.NonlinearConstraint(objective.constraints, -np.inf, 0.0)
        chosen["constraints"] = limits

    def together(_: object, points: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
        return objective.batch(list(points))

    if local:
        if name not in UNBOUNDED:
            chosen["bounds"] = bounds
        x0 = adapter.starting_point(objective, rng)
        if objective.cores > 1 and _takes_workers(name):
            options["workers"] = together
        minimize: Any = optimize.minimize
        return minimize(objective, x0, method=name, options=options, **chosen)
    if name == "basinhopping":
        inner = {"method": "L-BFGS-B", "bounds": bounds} | options.pop("minimizer_kwargs", {})
        x0 = adapter.starting_point(objective, rng)
        return optimize.basinhopping(objective, x0, minimizer_kwargs=inner, rng=rng, **options)
    if name in ("shgo", "direct"):
        return getattr(optimize, name)(objective, bounds, **options)
    if name == "differential_evolution":
        options["integrality"] = objective.integer
        if np.any(objective.integer):  # L-BFGS-B would move whole variables, too
            options.setdefault("polish", False)
        if objective.cores > 1 and options.setdefault("updating", "deferred") == "deferred":
            options["workers"] = together
        if (start := adapter.given_start(objective)) is not None:
            options["x0"] = np.clip(start, objective.lower, objective.upper)
    return getattr(optimize, name)(objective, bounds, rng=rng, **chosen, **options)


def _prepare(name: str) -> None:
    """Launch it once in two dimensions, so that all its late imports are done."""
    _takes_workers(name)
    with contextlib.suppress(adapter.Enough):
        _solve(adapter.Sphere(200), np.random.default_rng(0), name=name, parameters={})


@cache
def _takes_workers(method: str) -> bool:
    """Whether a method evaluates the points of a finite difference together, with this scipy."""
    return method in WITH_GRADIENT and _takes_option(method, "workers")


def _takes_option(method: str, option: str) -> bool:
    """Whether a local method knows an option: scipy warns of unknown ones."""
    from scipy.optimize import OptimizeWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", "Unknown solver options", OptimizeWarning)
        try:
            start = adapter.Sphere(1), np.random.default_rng(0)
            _solve(*start, name=method, parameters={option: None})
        except OptimizeWarning:
            return False
        except TypeError as error:  # trust-constr
            return "unexpected keyword" not in str(error)
        except (adapter.Enough, Exception):  # the method checked the value, so it knows the option
            return True
    return True


SCIPY = ScipyOptimize(
    name="scipy",
    distributions=("scipy", "numpy"),
    compiled=("COBYLA", "L-BFGS-B", "SLSQP", "TNC", "direct"),
    module="scipy.optimize",
    names=(*LOCAL, *GLOBAL, *UNUSABLE),
    parameters=_parameters,
    solve=_solve,
    examples=("L-BFGS-B", "dual_annealing"),
    special=dict.fromkeys(WITH_CONSTRAINTS, adapter.BOTH),
    whole=("differential_evolution",),
    prepare=_prepare,
    missing=lambda name: UNUSABLE.get(name, ""),
    optional=False,
)
"""Local methods of `minimize` and global optimizers of scipy."""
