"""nevergrad: the optimizers of its registry and those that are only attributes of it.

The parametrization is seeded from the seed of the launch; some optimizers also use numpy's global
generator. On noisy problems, the recommendation is asked for at each 2 % more evaluations.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import re
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.adapter import Adapter, Given, Rng, Sphere, nominal_budget
from timefair.algorithms.algorithm import ONE_OBJECTIVE, Objective
from timefair.problems.problem import Word

BUDGET_PER_DIMENSION = 1000
"""Nominal evaluations of a launch per dimension, if the run has no budget of evaluations."""

RECOMMENDING = 50
"""On noisy problems, number of recommendations per factor of e in a launch's evaluations."""

TWO_OBJECTIVES = (  # optimizers that support two objectives, too
    *("CMA", "DE", "LhsDE", "NGOpt", "OnePlusOne", "PSO", "ParametrizationDE", "QrDE"),
    *("TBPSA", "TwoPointsDE"),
)

NEEDS: Mapping[str, Mapping[str, str]] = {
    r"AXP?": {"ax": "ax-platform"},
    r"BOBYQA": {"pybobyqa": "Py-BOBYQA"},
    r"BayesOptimBO|PCABO\w*": {"bayes_optim": "bayes-optim"},
    r"FCMA\w*|SplitCSEC11": {"fcmaes": "fcmaes"},
    r"NLOPT_\w+": {"nlopt": "nlopt"},
    r"Pymoo\w+": {"pymoo": "pymoo"},
    r"SMAC3": {"smac": "smac"},
    r"pysot|negpysot": {"pySOT": "pySOT"},
    # They choose by dimension and nominal budget among optimizers that need one of these.
    r"NGOptF[235]?": {
        "bayes_optim": "bayes-optim",
        "nlopt": "nlopt",
        "pySOT": "pySOT",
        "smac": "smac",
    },
}
"""Optional modules and their packages, by the names of optimizers that import them while they run.
They were found by running all optimizers of nevergrad 1.0.12. (``NGOpt13`` needs hyperopt below 8
dimensions with nominal budgets below 80.)
"""

IMPORTED_LATE = (
    *("bayes_opt", "cma", "directsearch", "scipy.ndimage", "scipy.optimize"),
    *("sklearn.ensemble", "sklearn.linear_model", "sklearn.neural_network"),
    *("sklearn.preprocessing", "sklearn.svm"),
)
"""Modules that nevergrad imports while an optimizer runs, some after many evaluations."""

STARTS = ("middle", "uniform")
"""Starting points: the middle of the bounds, or a random point within them."""

ABSTRACT = ("Optimizer", "ConfiguredOptimizer", "OneShotOptimizer")


class Nevergrad(Adapter):
    def batches(self, name: str, parameters: Mapping[str, object]) -> bool:
        return not _makers()[name].no_parallelization and parameters.get("num_workers") != 1


def _parameters(name: str) -> dict[str, object]:
    settings = dict.fromkeys(_configuration(_makers()[name]))
    return {"budget": int, "num_workers": int, "start": Word(STARTS), **settings}


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> None:
    maker, changes = _makers()[name], dict(parameters)
    budget = changes.pop("budget", None) or nominal_budget(objective, BUDGET_PER_DIMENSION)
    workers = changes.pop("num_workers", None)
    if workers and workers > 1 and maker.no_parallelization:
        raise ValueError("'num_workers' can only be 1")
    workers = workers or (1 if maker.no_parallelization else objective.cores)
    start = changes.pop("start", STARTS[0])
    if changes:
        maker = type(maker)(**_configuration(maker) | changes)
    lower, upper = objective.lower, objective.upper
    begin = rng.uniform(lower, upper) if start == "uniform" else (lower + upper) / 2

    def make() -> Any:
        import nevergrad

        variables = nevergrad.p.Array(init=begin).set_bounds(lower, upper)
        if objective.integer.all():
            variables.set_integer_casting()
        variables.random_state.seed(int(rng.integers(2**32)))
        return maker(variables, budget=budget, num_workers=workers)

    with _threads_ended():
        _ask_and_tell(objective, make, budget, workers)


def _ask_and_tell(objective: Objective, make: Callable[[], Any], budget: int, workers: int) -> None:
    """Do the same as ``Optimizer.minimize``, without its executors.

    This is a separate function, so that the optimizer is deleted when it returns.
    """
    from nevergrad.common.errors import NevergradEarlyStopping

    integer = objective.integer
    optimizer = make()
    left, named = budget, 0
    try:
        while left:
            batch = min(left, workers)
            left -= batch
            candidates = [optimizer.ask() for _ in range(batch)]
            points = [_rounded(c.value, integer) for c in candidates]
            together = batch > 1 and objective.cores > 1
            values = objective.batch(points) if together else map(objective, points)
            for candidate, value in zip(candidates, values, strict=True):
                optimizer.tell(candidate, value)
            if objective.noisy and (budget - left) * RECOMMENDING >= named * (RECOMMENDING + 1):
                objective.recommend(_rounded(optimizer.provide_recommendation().value, integer))
                named = budget - left
    except NevergradEarlyStopping:
        pass
    finally:
        del optimizer  # an exception on its way would hold it with this frame


def _rounded(x: NDArray[Any], integer: NDArray[np.bool_]) -> NDArray[Any]:
    return np.where(integer, np.rint(x), x) if integer.any() else x


@contextlib.contextmanager
def _threads_ended() -> Iterator[None]:
    """End the threads in which nevergrad runs optimizers without an ask-and-tell interface.

    These threads wait for a value until their optimizer is garbage-collected. They are not daemons,
    so a process with such a thread does not exit.
    """
    before = set(threading.enumerate())
    try:
        yield
    finally:
        left = [t for t in threading.enumerate() if t not in before]
        if left:
            gc.collect()
            deadline = time.monotonic() + 1.0
            for thread in left:
                thread.join(max(0.0, deadline - time.monotonic()))


def _prepare(name: str) -> None:
    """Launch it once in two dimensions, for what it imports late."""
    try:
        float(np.ones(1))
    except TypeError:  # numpy 2.4 refuses an array of size 1, as the surrogates have
        from nevergrad.optimization import metamodel

        metamodel.float = lambda value: float(np.ravel(value)[0])
    # An optimizer that fails here will also fail in its runs, where the failure is recorded.
    with contextlib.suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _solve(Sphere(), np.random.default_rng(0), name=name, parameters={"budget": 12})


@cache
def _makers() -> dict[str, Any]:
    """All optimizers by name: in nevergrad's registry, or only among its attributes."""
    import nevergrad

    optimizers, base = nevergrad.optimizers, nevergrad.optimizers.base
    found = {name: optimizers.registry[name] for name in sorted(optimizers.registry)}
    for name, value in sorted(vars(optimizers).items()):
        a_class = isinstance(value, type) and issubclass(value, base.Optimizer)
        if (a_class or isinstance(value, base.ConfiguredOptimizer)) and not name.startswith("_"):
            found.setdefault(name, value)
    return {name: value for name, value in found.items() if name not in ABSTRACT}


def _configuration(maker: Any) -> dict[str, object]:
    from nevergrad.optimization import base

    return maker.config() if isinstance(maker, base.ConfiguredOptimizer) else {}


def _missing(name: str) -> str:
    needed = [of for pattern, of in NEEDS.items() if re.fullmatch(pattern, name)]
    packages = (pair for of in needed for pair in of.items())
    lacking = [package for module, package in packages if not importlib.util.find_spec(module)]
    return f"needs the package{'s' * (len(lacking) > 1)} {', '.join(lacking)}" if lacking else ""


NEVERGRAD = Nevergrad(
    name="nevergrad",
    distributions=(
        *("nevergrad", "numpy", "scipy", "cma", "bayesian-optimization", "scikit-learn"),
        "directsearch",
        *sorted({package for modules in NEEDS.values() for package in modules.values()}),
    ),
    names=_makers,
    parameters=_parameters,
    solve=_solve,
    whole=None,
    examples=("PSO", "NGOpt"),
    special=dict.fromkeys(TWO_OBJECTIVES, ONE_OBJECTIVE | {"two objectives"}),
    unneeded=("matplotlib", "pytest"),
    late=IMPORTED_LATE,
    prepare=_prepare,
    missing=_missing,
    trial_evaluations=0,
    optional=False,
)
"""All optimizers of nevergrad, under their own names."""
