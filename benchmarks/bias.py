"""False alarms and power of `timefair audit --bias`, from repeated audits.

    python benchmarks/bias.py measure FILE ALGORITHM FIRST LAST
    python benchmarks/bias.py compare FILE ALGORITHM FIRST LAST
    python benchmarks/bias.py table FILE

The first audits an algorithm with the seeds from FIRST to LAST and appends a line of JSON for each
to FILE; seeds that are there are skipped. The runs are made in this process, which is 50 times
faster than a process for each. The second makes the audits with a process for each run, and says
whether they equal those in FILE. The third prints, per algorithm and test, in how many audits it
had a finding, and the least, median and largest factor. The biased algorithms are
``tests/extensions/audit/biased.py:origin``, ``:centre``, ``:bounds`` and ``:axes``.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from timefair.algorithms import libraries
from timefair.algorithms.algorithm import Algorithm
from timefair.extensions.audit import probe
from timefair.machine.linux import kernel
from timefair.measure import run as running
from timefair.measure.trial import run_seed, stream
from timefair.problems.problem import Problem


class Over(BaseException):
    """The evaluations of a run are used up."""


class Objective:
    """What an algorithm needs of an objective."""

    integer = np.zeros(probe.DIMENSION, dtype=bool)
    dimension, shown, noisy, changes, cores = probe.DIMENSION, 1, False, 0, 1

    def __init__(self, problem: Problem) -> None:
        self.problem, self.evaluations = problem, 0
        self.lower, self.upper = problem.lower.copy(), problem.upper.copy()
        self.best, self.best_x = np.inf, None

    @property
    def evaluations_left(self) -> int:
        return probe.EVALUATIONS - self.evaluations

    @property
    def progress(self) -> float:
        return self.evaluations / probe.EVALUATIONS

    def __call__(self, x: Any) -> float:
        if not self.evaluations_left:
            raise Over
        self.evaluations += 1
        x = np.array(x, dtype=float)
        value = float(self.problem.evaluate(x))
        if value < self.best:
            self.best, self.best_x = value, x
        if not self.evaluations_left:
            raise Over
        return value

    def batch(self, points: Any) -> np.ndarray:
        return np.array([self(x) for x in points])


def run_here(algorithm: Algorithm, problem: Problem, use: str, seed: int) -> dict[str, Any]:
    """What `probe` needs of a run, with the same random numbers."""
    own, objective = run_seed(seed, problem.name, use, 1), Objective(problem)
    running._warm_up(problem)  # it takes numbers from the noise
    with suppress(Over):
        for launch in count():
            algorithm.solve(objective, stream(own, launch))
    found = {"evaluations": objective.evaluations, "best_x": objective.best_x}
    return found | {"best_precision": problem.precision(objective.best)}


def audits(use: str, first: int, last: int) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    kernel.adopt_orphans()
    algorithm = libraries.load(use, {})
    algorithm.prepare()
    for seed in range(first, last + 1):
        yield seed, [vars(one) for one in probe.probe(algorithm, use, seed)]


def measure(file: Path, use: str, first: int, last: int) -> None:
    probe._run = run_here
    done = {row["seed"] for row in rows(file) if row["use"] == use}
    first = max({first - 1} | {seed for seed in done if first <= seed <= last}) + 1
    for seed, found in audits(use, first, last):
        with file.open("a") as out:
            print(json.dumps({"use": use, "seed": seed, "found": found}), file=out)


def compare(file: Path, use: str, first: int, last: int) -> None:
    known = {row["seed"]: row["found"] for row in rows(file) if row["use"] == use}
    for seed, found in audits(use, first, last):
        print(use, seed, "equal" if json.loads(json.dumps(found)) == known[seed] else "different")


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def share(count: int, total: int) -> str:
    low, high = binomtest(count, total).proportion_ci(method="exact")
    return f"{count} of {total}, 95 % interval {100 * low:.1f} to {100 * high:.1f} %"


def table(file: Path) -> None:
    audits = defaultdict(list)
    for row in rows(file):
        audits[row["use"]].append(row["found"])
    for use, found in audits.items():
        any_kind = sum(any(one["found"] for one in audit) for audit in found)
        print(f"{use}: any finding in {share(any_kind, len(found))}")
        for tests in zip(*found, strict=True):
            factors = np.quantile([one["factor"] for one in tests], [0, 0.5, 1])
            count = sum(one["found"] for one in tests)
            print(
                f"  {tests[0]['kind']}, {tests[0]['problems']}:", share(count, len(tests)), end=""
            )
            print("; factors", *(f"{factor:.3g}" for factor in factors))


if __name__ == "__main__":
    if sys.argv[1] == "table":
        table(Path(sys.argv[2]))
    else:
        command = {"measure": measure, "compare": compare}[sys.argv[1]]
        command(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
