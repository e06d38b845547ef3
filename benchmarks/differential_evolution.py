"""What a generation of differential evolution costs an evaluation, here and in scipy and pygmo.

    python benchmarks/differential_evolution.py [--function 8] [--dimension 10]

One process, the same population (NP = D), F and CR for all, each strategy that a library has. All
evaluate through the instrumented objective and are launched as in a real run; "by calls" is
timefair:DE on an objective without a C function. A ratio is the time of an evaluation, all that the
algorithm does included, over that of a bare cocoex call from Python at random points; each is the
least of many repetitions, taken in turns.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import statistics
import time
from collections.abc import Callable

import cocoex
import numpy as np

from timefair.algorithms import libraries
from timefair.algorithms.builtin.differential_evolution import STRATEGIES
from timefair.measure.evaluation.objective import LaunchCut, Measurement, Objective
from timefair.measure.evaluation.state import State
from timefair.problems.suites import SUITES

EVALUATIONS, REPETITIONS = 10_000, 9
F, CR = 0.5, 0.9
PYGMO = ("best/1", "rand/1", "rand-to-best/1", "best/2", "rand/2")
"""Its variants 1 to 5 are these with exponential crossover, 6 to 10 with binomial."""


class Called:
    """An objective without its C function."""

    def __init__(self, objective: Objective) -> None:
        self.objective, self.dimension = objective, objective.dimension
        self.lower, self.upper = objective.lower, objective.upper

    def __call__(self, x) -> float:
        return self.objective(x)


def bare(function: int, dimension: int) -> Callable[[], float]:
    """Seconds of an evaluation by cocoex alone."""
    suite = cocoex.Suite(
        "bbob", "instances: 1", f"dimensions: {dimension} function_indices: {function}"
    )
    problem = suite.get_problem(0)
    points = list(np.random.default_rng(1).uniform(-5, 5, (EVALUATIONS, dimension)))

    def seconds() -> float:
        start = time.perf_counter()
        for x in points:
            problem(x)
        return (time.perf_counter() - start) / len(points)

    seconds.suite = suite  # it has to outlive its problem
    return seconds


def launched(
    function: int, dimension: int, use: str, parameters: dict, by_calls: bool = False
) -> Callable[[], float]:
    """Seconds of an evaluation in a launch of an algorithm."""
    algorithm = libraries.load(use, parameters)
    algorithm.prepare()
    problem = SUITES["bbob"].problem(function, dimension, 1)

    def seconds() -> float:
        state = State()
        measurement = Measurement(problem, state)
        measurement.start(0, 2**62)
        measurement.begin_launch(evaluations=EVALUATIONS)
        objective = measurement.objective
        given = Called(objective) if by_calls else objective
        start = time.perf_counter()
        with contextlib.suppress(LaunchCut):
            algorithm.solve(given, np.random.default_rng(1))
        elapsed = time.perf_counter() - start
        state.close()
        return elapsed / objective.evaluations

    return seconds


def contestants(function: int, dimension: int, strategy: str) -> dict[str, Callable[[], float]]:
    mutation, _, crossover = strategy.rpartition("/")
    place = (function, dimension)
    ours = {"strategy": strategy, "F": F, "CR": CR, "population": dimension}
    field = {
        "timefair": launched(*place, "timefair:DE", ours),
        "by calls": launched(*place, "timefair:DE", ours, by_calls=True),
    }
    if mutation in PYGMO:
        variant = 1 + PYGMO.index(mutation) + 5 * (crossover == "bin")
        theirs = {"F": F, "CR": CR, "variant": variant, "ftol": 0.0, "xtol": 0.0}
        field["pygmo"] = launched(*place, "pygmo:de", theirs | {"population": dimension})
        theirs = {
            "strategy": strategy.replace("rand-to-best", "currenttobest").replace("/", ""),
            "mutation": F, "recombination": CR, "popsize": 1,  # times D
            "updating": "deferred", "polish": False, "tol": 0.0, "maxiter": 10**6,
        }  # fmt: skip
        field["scipy"] = launched(*place, "scipy:differential_evolution", theirs)
    return field


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--function", type=int, default=8)
    parser.add_argument("--dimension", type=int, default=10)
    options = parser.parse_args()
    place = (options.function, options.dimension)
    columns = ("timefair", "by calls", "pygmo", "scipy")
    print(f"{'':22}{'bare ns':>9}" + "".join(f"{name:>10}" for name in columns))
    ratios: dict[str, list[float]] = {name: [] for name in columns}
    for strategy in STRATEGIES:
        field = {"bare": bare(*place), **contestants(*place, strategy)}
        best = dict.fromkeys(field, math.inf)
        for _ in range(REPETITIONS):
            for name, seconds in field.items():
                best[name] = min(best[name], seconds())
        row = {name: best[name] / best["bare"] for name in columns if name in best}
        for name, ratio in row.items():
            ratios[name].append(ratio)
        cells = [f"{row[name]:10.2f}" if name in row else f"{'-':>10}" for name in columns]
        print(f"{strategy:22}{best['bare'] * 1e9:9.0f}" + "".join(cells), flush=True)
    means = [f"{statistics.geometric_mean(ratios[name]):10.2f}" for name in columns]
    print(f"{'geometric mean':31}" + "".join(means))


if __name__ == "__main__":
    main()
