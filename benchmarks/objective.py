"""What the instrumented objective costs, beside the bare call and the loggers of COCO and IOH.

    python benchmarks/objective.py

One run, one process, the same points for all; each figure is the least of many repetitions, taken
in turns. Two kinds of points: random ones, of which few improve, and a sequence in which every
second point improves, which is where loggers write. A ratio is the time of an evaluation divided
by the time of the bare cocoex call on the same points. "through Python" is our objective where a
problem has no C function.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace

import cocoex
import ioh
import numpy as np

from timefair.measure.evaluation.objective import Measurement
from timefair.measure.evaluation.state import State
from timefair.problems.suites import SUITES

POINTS, REPETITIONS = 2000, 15

KEPT: list = []
"""Suites, observers, loggers and states, which have to outlive what was made from them."""


def instrumented(function: int, dimension: int, native: bool) -> Callable:
    state = State()
    problem = SUITES["bbob"].problem(function, dimension, 1)
    shown = problem if native else replace(problem, native=None)
    measurement = Measurement(shown, state)
    KEPT.append(state)
    measurement.start(0, 2**62)
    measurement.begin_launch()
    return measurement.objective


def coco(function: int, dimension: int, observed: bool) -> Callable:
    suite = cocoex.Suite(
        "bbob", "instances: 1", f"dimensions: {dimension} function_indices: {function}"
    )
    problem = suite.get_problem(0)
    if observed:
        folder = f"f{function}-d{dimension}-{time.monotonic_ns()}"
        observer = cocoex.Observer("bbob", f"result_folder: {folder}")
        problem.observe_with(observer)
        KEPT.append(observer)
    KEPT.append(suite)
    return problem


def iohprofiler(function: int, dimension: int, logged: bool) -> Callable:
    problem = ioh.get_problem(function, 1, dimension, ioh.ProblemClass.BBOB)
    if logged:
        logger = ioh.logger.Analyzer(root=os.getcwd(), folder_name="ioh")
        problem.attach_logger(logger)
        KEPT.append(logger)
    return problem


def seconds(call: Callable, points: list) -> float:
    start = time.perf_counter()
    for x in points:
        call(x)
    return (time.perf_counter() - start) / len(points)


def improving(function: int, dimension: int, points: list) -> list:
    """Every second point is nearer to the best of the points than all before it."""
    problem = coco(function, dimension, observed=False)
    ranked = sorted(points, key=problem, reverse=True)
    return [x for pair in zip(ranked, points, strict=True) for x in pair][: len(points)]


def measure(function: int, dimension: int, improve: bool) -> dict[str, float]:
    rng = np.random.default_rng(1)
    points = list(rng.uniform(-5, 5, (POINTS, dimension)))
    if improve:
        points = improving(function, dimension, points)
    makers = {
        "bare": lambda: coco(function, dimension, False),
        "timefair": lambda: instrumented(function, dimension, True),
        "through Python": lambda: instrumented(function, dimension, False),
        "COCO observer": lambda: coco(function, dimension, True),
        "ioh": lambda: iohprofiler(function, dimension, False),
        "ioh Analyzer": lambda: iohprofiler(function, dimension, True),
    }
    best = dict.fromkeys(makers, float("inf"))
    for _ in range(REPETITIONS):
        for name, make in makers.items():
            call = make()  # a fresh one: improvements are improvements again
            best[name] = min(best[name], seconds(call, points))
            if name == "COCO observer":
                call.free()
            elif name == "ioh Analyzer":
                call.detach_logger()
    return best


def main() -> None:
    columns = ["timefair", "through Python", "COCO observer", "ioh", "ioh Analyzer"]
    print(f"{'':22}{'bare ns':>9}" + "".join(f"{name:>16}" for name in columns))
    ratios: dict[str, list[float]] = {name: [] for name in columns}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        cocoex.log_level("warning")
        for improve in (False, True):
            for function in (1, 8, 21):
                for dimension in (2, 5, 10, 20):
                    best = measure(function, dimension, improve)
                    row = {name: best[name] / best["bare"] for name in columns}
                    for name, ratio in row.items():
                        ratios[name].append(ratio)
                    points = "improving" if improve else "random"
                    print(
                        f"{f'f{function} D={dimension} {points}':22}{best['bare'] * 1e9:9.0f}"
                        + "".join(f"{row[name]:16.2f}" for name in columns),
                        flush=True,
                    )
    print(
        f"{'geometric mean':31}"
        + "".join(f"{statistics.geometric_mean(ratios[name]):16.2f}" for name in columns)
    )


if __name__ == "__main__":
    main()
