"""What an evaluation costs more with `isolation: strict`, where another process evaluates.

    python benchmarks/apart.py [--runs 8] [--evaluations 200000]

Random search on bbob f8: the least and the median time of an evaluation, all included, over the
runs of each mode. The least one is for a machine on which nothing else runs; two cores are needed.
"""

from __future__ import annotations

import argparse
import os
import statistics

from timefair.algorithms.algorithm import Algorithm
from timefair.extensions.strict.host import Setup
from timefair.extensions.strict.solvers import Host, hosted
from timefair.machine.linux import kernel
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import load
from timefair.problems.problem import Problem
from timefair.problems.suites import SUITES

USE = "timefair:random-search"
DIMENSIONS = (2, 10, 40)


def microseconds(
    algorithm: Algorithm | Host, problem: Problem, runs: int, evaluations: int
) -> list[float]:
    """The time of an evaluation in each run."""
    allowance = Allowance(evaluations=evaluations)
    rows = [measure_run(algorithm, problem, allowance, seed) for seed in range(runs)]
    assert all(row["evaluations"] == evaluations for row in rows)
    return [1e6 * row["wall_s"] / evaluations for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--evaluations", type=int, default=200_000)
    arguments = parser.parse_args()
    kernel.adopt_orphans()
    cores = tuple(sorted(os.sched_getaffinity(0)))
    print(f"{'D':>3}{'default, us':>14}{'strict, us':>14}{'more, least':>14}{'more, median':>14}")
    for dimension in DIMENSIONS:
        problem = SUITES["bbob"].problem(8, dimension, 1)
        space = problem.lower, problem.upper, problem.integer
        how_many = arguments.runs, arguments.evaluations
        os.sched_setaffinity(0, cores[:1])
        here = microseconds(load(USE, {}, False), problem, *how_many)
        with hosted(Setup(os.getpid(), USE, {}, False, *space, None), cores[:2]) as host:
            apart = microseconds(host, problem, *how_many)
        least = min(apart) - min(here)
        median = statistics.median(apart) - statistics.median(here)
        print(f"{dimension:3}{min(here):14.2f}{min(apart):14.2f}{least:14.2f}{median:14.2f}")


if __name__ == "__main__":
    main()
