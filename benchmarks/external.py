"""What an evaluation costs an external algorithm, beside the bare call and the same in-process.

    python benchmarks/external.py [--evaluations 20000] [--repetitions 5]

bbob f8 at D = 10. Every row is the hill climber of docs/guide/external: the same points,
in batches as large as said. Microseconds are those of whole runs, the algorithm's own work and the
start of its process included, divided by the evaluations; the least of the repetitions, which go in
turns.
"queue" is the time that the run's process waited for a core, as a share of the wall clock. All on
one core, as in a campaign. What is not installed is left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from timefair.algorithms import libraries
from timefair.algorithms.algorithm import Algorithm
from timefair.machine.linux import kernel
from timefair.measure.isolation import held_cores
from timefair.measure.run import Allowance, measure_run
from timefair.problems.problem import Problem
from timefair.problems.suites import SUITES

EXAMPLES = Path(__file__).parents[1] / "docs/guide/external"
BATCHES = (1, 20)

_spec = importlib.util.spec_from_file_location("climber", EXAMPLES / "climber.py")
climber = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(climber)


def in_process(offspring: int) -> Algorithm:
    def solve(objective, rng):
        climber.climb(
            lambda points: [objective(point) for point in points],
            objective.lower.tolist(),
            objective.upper.tolist(),
            int(rng.integers(2**53)),
            offspring=offspring,
        )

    return Algorithm(solve)


def commands(folder: str) -> dict[str, str]:
    found = {"Python": f"{sys.executable} {EXAMPLES}/climber.py"}
    if shutil.which("cc"):
        program = f"{folder}/climber"
        options = ("-O2", "-std=c11", "-ffp-contract=off")
        subprocess.run(["cc", *options, "-o", program, EXAMPLES / "climber.c"], check=True)
        found["C"] = program
    if shutil.which("node"):
        found["JavaScript"] = f"node {EXAMPLES}/climber.js"
    return found


def bare_s(problem: Problem) -> float:
    points = list(np.random.default_rng(1).uniform(-5, 5, (2000, problem.dimension)))
    least = np.inf
    for _ in range(15):
        start = time.perf_counter()
        for x in points:
            problem.evaluate(x)
        least = min(least, (time.perf_counter() - start) / len(points))
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--evaluations", type=int, default=20_000)
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    kernel.adopt_orphans()
    problem = SUITES["bbob"].problem(8, 10, 1)
    allowance = Allowance(evaluations=options.evaluations)
    with tempfile.TemporaryDirectory() as folder, held_cores(1):
        algorithms = {("in-process", size): in_process(size) for size in BATCHES}
        for name, command in commands(folder).items():
            for size in BATCHES:
                use = f"external:{command}"
                algorithms[name, size] = libraries.load(use, {"offspring": size})
        rows: dict = {key: [] for key in algorithms}
        for _ in range(options.repetitions):
            for key, algorithm in algorithms.items():
                row = measure_run(algorithm, problem, allowance, seed=1)
                assert row["evaluations"] == options.evaluations, row
                rows[key].append(row)
        bare = bare_s(problem)
    print(f"bare call {bare * 1e6:.2f} µs; {options.evaluations} evaluations a run")
    print(f"{'':12}{'batch':>6}{'µs':>8}{'x bare':>8}{'CPU µs':>8}{'queue':>8}")
    for (name, size), runs in rows.items():
        best = min(runs, key=lambda row: row["wall_s"])
        wall, cpu = (best[key] / options.evaluations for key in ("wall_s", "cpu_s"))
        queue = (best["run_queue_delay_s"] or 0.0) / best["wall_s"]
        print(f"{name:12}{size:6}{wall * 1e6:8.1f}{wall / bare:8.1f}{cpu * 1e6:8.1f}{queue:8.1%}")


if __name__ == "__main__":
    main()
