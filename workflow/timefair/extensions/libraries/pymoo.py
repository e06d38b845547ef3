"""pymoo: its algorithms for one or two objectives within bounds, under their own names.

``SRES`` and ``ISRES`` do not repeat their results with constraints, so that they take none.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms import adapter
from timefair.algorithms.adapter import Adapter, Given, Rng
from timefair.algorithms.algorithm import Objective
from timefair.problems.problem import Variables, Word

MULTI = {  # module of each class in ``pymoo.algorithms.moo``, for two objectives
    **{"AGEMOEA": "age", "AGEMOEA2": "age2", "MOEAD": "moead", "MOPSO_CD": "mopso_cd"},
    **{"NSGA2": "nsga2", "NSGA3": "nsga3", "SMSEMOA": "sms", "SPEA2": "spea2"},
}
BY_DIRECTIONS = ("MOEAD", "NSGA3")
"""Algorithms with one direction per member of the population, evenly spread."""
POPULATION = 100  # their size, the default of pymoo for the others
MODULES = {
    **{"BIPOPCMAES": "cmaes", "BRKGA": "brkga", "CMAES": "cmaes", "DE": "de", "EPPSO": "pso_ep"},
    **{"ES": "es", "G3PCX": "g3pcx", "GA": "ga", "ISRES": "isres", "NRBO": "nrbo"},
    **{"NelderMead": "nelder", "NicheGA": "ga_niching", "PSO": "pso", "SRES": "sres"},
}
"""Module of each class in ``pymoo.algorithms.soo.nonconvex``."""
FURTHER: Mapping[str, Mapping[str, object]] = {
    "DE": {"F": 0.5, "CR": 0.2},
    **{name: {"pop_size": POPULATION} for name in BY_DIRECTIONS},
}
"""Arguments that constructors pass on, with pymoo's values for them."""
SET_HERE = (  # arguments that users cannot set
    *("output", "display", "callback", "archive", "evaluator", "verbose", "save_history", "seed"),
    *("return_least_infeasible", "return_all_opt", "survival", "selection", "sampling"),
    *("x0", "parallelize", "cmaes_verbose", "verb_log", "maxfevals", "restart_from_best"),
    *("ref_dirs", "decomposition"),
    *("noise_handler", "noise_change_sigma_exponent", "noise_kappa_exponent"),
)
WITH_CONSTRAINTS = ("GA", "DE", "ES")
POINT_BY_POINT = ("MOEAD", "NelderMead")
"""Algorithms of which only the first points and some others are batches."""
ENDLESS = 10**15
TRIAL_EVALUATIONS = 150  # some values are only checked after the first population
TERMINATIONS = ("tolerance", "none")


class Pymoo(Adapter):
    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        orders: frozenset[Variables] = frozenset({"permutation"} if name == "GA" else ())
        return super().variables(name, parameters) | orders


def _class(name: str) -> Any:
    place = f"moo.{MULTI[name]}" if name in MULTI else f"soo.nonconvex.{MODULES[name]}"
    return getattr(importlib.import_module(f"pymoo.algorithms.{place}"), name)


def _parameters(name: str) -> dict[str, object]:
    own = adapter.defaults_of(_class(name), without=SET_HERE)
    sizes = {key: int for key, default in own.items() if default is None}
    return {**own, **sizes, **FURTHER.get(name, {}), "termination": Word(TERMINATIONS)}


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> object:
    settings = dict(parameters)
    termination = _termination(settings.pop("termination", TERMINATIONS[0]), objective.shown)
    if name in BY_DIRECTIONS:
        from pymoo.util.ref_dirs import get_reference_directions

        parts = settings.pop("pop_size", POPULATION) - 1
        settings["ref_dirs"] = get_reference_directions("uniform", 2, n_partitions=parts)
    algorithm = _class(name)(**settings, **_operators(objective))
    if (start := adapter.given_start(objective)) is not None:
        initialization = algorithm.initialization
        initialization.sampling = _begun_with(start, initialization.sampling)
    seed = int(rng.integers(2**32))
    algorithm.setup(_problem(objective), termination=termination, seed=seed, verbose=False)
    return algorithm.run()


def _operators(objective: Objective) -> dict[str, Any]:
    if not objective.integer.all():  # no algorithm here takes other whole numbers
        return {}
    from pymoo.operators.crossover.ox import OrderCrossover
    from pymoo.operators.mutation.inversion import InversionMutation
    from pymoo.operators.sampling.rnd import PermutationRandomSampling

    return {
        "sampling": PermutationRandomSampling(),
        "crossover": OrderCrossover(),
        "mutation": InversionMutation(),
    }


def _problem(objective: Objective) -> Any:
    from pymoo.core.problem import ElementwiseProblem, Problem

    space = {"n_var": objective.dimension, "xl": objective.lower, "xu": objective.upper}
    if adapter.has_constraints(objective):
        constraints = objective.constraints

        class Constrained(ElementwiseProblem):  # type: ignore[misc]
            def _evaluate(self, x: Any, out: dict[str, Any], *_: Any, **__: Any) -> None:
                out["G"], out["F"] = constraints(x), objective(x)

        return Constrained(n_obj=1, n_ieq_constr=objective.number_of_constraints, **space)

    class Bounded(Problem):  # type: ignore[misc]
        def _evaluate(self, x: Any, out: dict[str, Any], *_: Any, **__: Any) -> None:
            out["F"] = objective.batch(x).reshape(len(x), -1)

    return Bounded(n_obj=objective.shown, **space)


def _begun_with(start: NDArray[np.float64], sampling: Any) -> Any:
    from pymoo.core.sampling import Sampling

    class BegunWith(Sampling):  # type: ignore[misc]
        def _do(self, problem: Any, *arguments: Any, **keywords: Any) -> Any:
            points = sampling._do(problem, *arguments, **keywords)
            points[0] = np.clip(start, problem.xl, problem.xu)
            return points

    return BegunWith()


def _termination(word: object, objectives: int) -> Any:
    from pymoo.core.termination import NoTermination
    from pymoo.termination import default

    if word == "none":
        return NoTermination()
    number = "Single" if objectives == 1 else "Multi"
    tolerances = getattr(default, f"Default{number}ObjectiveTermination")
    return tolerances(n_max_gen=ENDLESS, n_max_evals=ENDLESS)


PYMOO = Pymoo(
    name="pymoo",
    distributions=("pymoo", "numpy", "scipy", "cma"),
    names=(*MODULES, *MULTI),
    special={
        **dict.fromkeys(MULTI, adapter.TWO_OBJECTIVES),
        **dict.fromkeys(WITH_CONSTRAINTS, adapter.BOTH),
    },
    batched={*MODULES, *MULTI} - set(POINT_BY_POINT),
    examples=("GA", "NSGA2"),
    parameters=_parameters,
    solve=_solve,
    late=("scipy.spatial.distance",),
    trial_evaluations=TRIAL_EVALUATIONS,
)
"""The algorithms of pymoo for one or two objectives within bounds."""
