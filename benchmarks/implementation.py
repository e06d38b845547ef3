"""Whether runs predict those of a faster or slower implementation of the same algorithm.

    python benchmarks/implementation.py [--runs 10] [--own 0.015] [--spin] [--same-seeds]

Six algorithms run on six functions in turns, with the time that they compute themselves multiplied
by 1, 2, 5 and 20. From the runs of each factor, the tables predict those of each other one. One row
per algorithm and ratio of factors: cells (functions), those in which the 95 % set of the table
`own_time_factors` has the true ratio, those in which the measured ERT is inside the 95 % interval
of the predicted one (which has the noise of one side alone), and predicted / measured ERT: median,
least and largest. The target is the hardest that all runs reached.

Times are those of the thread's CPU clock. Without `--spin`, own time is multiplied on this clock;
with it, the algorithm really computes so much longer, and a machine that others use falsifies what
it multiplies: close everything else.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa

from timefair.algorithms import libraries
from timefair.algorithms.algorithm import Algorithm
from timefair.exhibits.registry import TABLES
from timefair.extensions.break_even.tables import OwnTimes
from timefair.problems.problem import Problem
from timefair.problems.suites import SUITES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import RUN_SCHEMA
from timefair.statistics.ert import ert, ert_interval

ALGORITHMS = {
    "scipy-DE": "scipy:differential_evolution",
    "CMA-ES": "pycma:CMA-ES",
    "lq-CMA-ES": "pycma:lq-CMA-ES",
    "Nelder-Mead": "scipy:Nelder-Mead",
    "L-BFGS-B": "scipy:L-BFGS-B",
    "OnePlusOne": "nevergrad:OnePlusOne",
}
FUNCTIONS, DIMENSION, FACTORS = (1, 3, 8, 10, 15, 21), 5, (1, 2, 5, 20)
TARGETS = tuple(float(f"{10**k:.3g}") for k in np.arange(5, -8.5, -0.25))
clock = time.thread_time_ns


class Done(BaseException):
    """The run has made its evaluations."""


class Slowed:
    """An objective that counts, stamps, and multiplies the time between two evaluations."""

    shown, noisy, cores, changes, evaluations_left = 1, False, 1, 0, None

    def __init__(self, problem: Problem, factor: int, evaluations: int, *, spin: bool) -> None:
        self._problem, self._factor, self._spin = problem, factor, spin
        self.dimension, self.evaluations, self._most = problem.dimension, 0, evaluations
        self.integer = np.zeros(problem.dimension, dtype=np.bool_)
        self.best, self.spent_ns, self.events = np.inf, 0, []
        self._left = clock()

    lower = property(lambda self: self._problem.lower.copy())
    upper = property(lambda self: self._problem.upper.copy())
    progress = property(lambda self: self.evaluations / self._most)

    def recommend(self, x: object, /) -> None:
        """Do nothing."""

    def __call__(self, x: object, /) -> float:
        entered = clock()
        own = self._factor * (entered - self._left)
        if self._spin:
            while clock() < self._left + own:
                pass
            entered = clock()
            own = entered - self._left
        value = self._problem.evaluate(np.asarray(x, dtype=np.float64))
        self.evaluations += 1
        self._left = clock()
        self.spent_ns += own + self._left - entered
        if value < self.best:
            self.best = value
            self.events.append((self.evaluations, self.spent_ns / 1e9, value))
        if self.evaluations >= self._most:
            raise Done
        self._left = clock()
        return value

    def batch(self, points: object, /) -> np.ndarray:
        return np.array([self(x) for x in points])


def measured(algorithm: Algorithm, objective: Slowed, seed: int) -> Slowed:
    """One run; the algorithm is launched again when it returns."""
    rng = np.random.default_rng(seed)
    try:
        while True:
            algorithm.solve(objective, rng)
    except Done:
        return objective


def calibrated(problem: Problem) -> float:
    """Seconds of an evaluation, with what lies between two of them without an algorithm."""
    x, least = problem.points(3)[1], np.inf
    for _ in range(5):
        objective = Slowed(problem, 1, 401, spin=False)
        for _ in range(400):
            objective(x)
        least = min(least, objective.spent_ns / 400e9)
    return least


def row(label: str, problem: int, seed: int, run: Slowed, each_s: float, f_opt: float) -> dict:
    """A run as the records have it."""
    events = [
        {"launch": 0, "evaluations": n, "time_s": t, "precision": value - f_opt}
        for n, t, value in run.events
    ]
    best = run.best - f_opt
    spent = run.spent_ns / 1e9
    return dict.fromkeys(RUN_SCHEMA.names) | {
        "suite": "bbob", "function": problem, "dimension": DIMENSION, "instance": 1,
        "algorithm": label, "round": 1, "run": seed, "seed": seed, "status": "ok",
        "stop_reason": "evaluations", "f_opt": f_opt, "best_f": run.best, "best_precision": best,
        "wall_s": spent, "real_s": spent, "charged_s": 0.0, "evaluations": run.evaluations,
        "launches": 1, "events": events, "objective_s": each_s,
    }  # fmt: skip


def predictions(runs: Runs, analysis: Analysis) -> Iterator[dict]:
    """One row per cell: an algorithm at one factor, predicted from its runs at another one."""
    times = OwnTimes.of(runs, analysis)
    seconds, success = times.used.seconds.cost, times.used.seconds.success
    sets = TABLES["own_time_factors"](runs, analysis)
    sets = sets.set_index(["function", "algorithm", "other", "target"])
    for problem in times.used.problems:
        rows = {name: problem.rows[mine] for name, mine in problem.algorithms.items()}
        for name, other in ((a, b) for a in rows for b in rows if a != b):
            (label, mine), (_, asked) = (one.rsplit(" ", 1) for one in (name, other))
            at = success[np.concatenate([rows[name], rows[other]])].all(axis=0).nonzero()[0]
            if not at.size:
                continue
            place, factor = at[-1], int(asked) / int(mine)
            of = rows[name]
            costs = times.fixed[of, place] + factor * times.own[of, place]
            interval = ert_interval(costs, success[of, place], confidence=0.95)
            real = float(ert(seconds[rows[other], place], success[rows[other], place]))
            found = sets.loc[(problem.names["function"], name, other, TARGETS[place])]
            yield {
                "algorithm": label,
                "factor": factor,
                "inside": float(interval.low) <= real <= float(interval.high),
                "in the set": found["factor_low"] <= factor <= found["factor_high"],
                "ratio": float(ert(costs, success[of, place])) / real,
                "own share": float((times.own[of, place] / seconds[of, place]).mean()),
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--own", type=float, default=0.015, help="own seconds of a run as it is")
    parser.add_argument("--spin", action="store_true", help="multiply own time by computing")
    parser.add_argument("--same-seeds", action="store_true")
    parser.add_argument("--algorithms", nargs="+", choices=ALGORITHMS, default=list(ALGORITHMS))
    options = parser.parse_args()
    cells = []
    for name in options.algorithms:
        algorithm, rows = libraries.load(ALGORITHMS[name], {}), []
        for function in FUNCTIONS:
            problem = SUITES["bbob"].problem(function, DIMENSION, 1)
            each_s = calibrated(problem)
            for evaluations in (25, 60):  # the first one imports
                trial = measured(algorithm, Slowed(problem, 1, evaluations, spin=False), 0)
            pace = trial.spent_ns / 60e9 - each_s
            evaluations = int(np.clip(options.own / pace, 25, 3000))
            for number in range(options.runs):
                for factor in FACTORS:
                    seed = number if options.same_seeds else 1000 * factor + number
                    objective = Slowed(problem, factor, evaluations, spin=options.spin)
                    run = measured(algorithm, objective, seed)
                    rows.append(
                        row(f"{name} {factor}", function, number, run, each_s, problem.f_opt)
                    )
        runs = Runs.of(pa.Table.from_pylist(rows, RUN_SCHEMA))
        cells += predictions(runs, Analysis(targets=TARGETS, resamples=20, pairs=("all",)))
    table = pd.DataFrame(cells)
    grouped = table.sort_values("factor").groupby(["algorithm", "factor"])
    print(
        grouped.agg(
            cells=("inside", "size"), in_set=("in the set", "sum"), inside=("inside", "sum"),
            ratio=("ratio", "median"), least=("ratio", "min"), largest=("ratio", "max"),
            own_share=("own share", "median"),
        ).reset_index().to_markdown(index=False, floatfmt=".3g")
    )  # fmt: skip
    for what in ("inside", "in the set"):
        print(f"{what}: {table[what].sum()} of {len(table)}")
    print(f"ratios: {table['ratio'].quantile([0.05, 0.5, 0.95]).round(3).tolist()}")
    print(f"load: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
