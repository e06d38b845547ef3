"""NiaPy: its algorithms by the names of their classes, such as ``GreyWolfOptimizer``.

Without ``max_iters``, the iteration that an algorithm sees follows ``objective.progress``.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from timefair.algorithms.adapter import Adapter, Given, Rng, defaults_of, moved_inside, shares
from timefair.algorithms.algorithm import Objective

ITERATIONS = 10_000
UNUSABLE = {
    "RandomSearch": "draws all its points before the first evaluation; use timefair:random-search"
}
FOLDERS = ("basic", "modified", "other")


@cache
def _classes() -> dict[str, Any]:
    folders = [importlib.import_module(f"niapy.algorithms.{folder}") for folder in FOLDERS]
    named = {name: getattr(folder, name) for folder in folders for name in sorted(folder.__all__)}
    return {name: found for name, found in named.items() if hasattr(found, "run_iteration")}


def _parameters(name: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for kind in reversed(_classes()[name].__mro__[:-1]):
        found |= defaults_of(kind.__init__, without=("self", "seed"))
    return found | {"max_iters": int}


def _solve(objective: Objective, rng: Rng, *, name: str, parameters: Given) -> None:
    chosen = dict(parameters)
    iterations = chosen.pop("max_iters", None)
    algorithm = _classes()[name](seed=int(rng.integers(2**31)), **chosen)
    task = _task_of(objective, iterations)
    # The loop of NiaPy's Algorithm.run, which swallows exceptions outside the main thread.
    population, values, additional = algorithm.init_population(task)
    best, least = algorithm.get_best(population, values)
    while not task.stopping_condition():
        population, values, best, least, additional = algorithm.run_iteration(
            task, population, values, best, least, **additional
        )
        task.next_iter()


def _task_of(objective: Objective, iterations: int | None) -> Any:
    from niapy.problems import Problem
    from niapy.task import Task

    lower, upper, integer = objective.lower, objective.upper, objective.integer
    least, most = lower - 0.5 * integer, upper + 0.5 * integer
    evaluate, follows = moved_inside(objective), shares(objective, ITERATIONS)

    class Shown(Problem):  # type: ignore[misc]
        def _evaluate(self, x: Any) -> float:
            return evaluate(x)

    class Budgeted(Task):  # type: ignore[misc]
        def next_iter(self) -> None:
            self.iters: int = self.iters + 1 if iterations else next(follows)

        def eval(self, x: Any) -> float:
            self.evals += 1
            return float(self.problem.evaluate(x))

        def stopping_condition(self) -> bool:
            return iterations is not None and self.iters >= iterations

    problem = Shown(objective.dimension, least, most)
    return Budgeted(problem, max_iters=iterations or ITERATIONS)


NIAPY = Adapter(
    name="niapy",
    distributions=("niapy", "numpy", "scipy"),
    names=_classes,
    parameters=_parameters,
    solve=_solve,
    whole=None,
    install="--no-deps niapy",
    length="max_iters",
    examples=("GreyWolfOptimizer", "ParticleSwarmOptimization"),
    missing=lambda name: UNUSABLE.get(name, ""),
    late=("niapy.algorithms.basic", "niapy.algorithms.modified", "niapy.algorithms.other"),
)
"""The algorithms of NiaPy, under their own names."""
