"""Whether a simulated evaluation cost gives what a real one of the same length gives.

    python benchmarks/evaluation_cost.py [--runs 15] [--time 2] [--costs 1e-4 1e-3 1e-2]

Six algorithms with different overhead run on four functions, with the same seeds, in turns: once
with functions that wait busily for c seconds, and once with a simulated cost of c. One row per cell
(algorithm, function, c), at the hardest target that half of the real runs reached: ERT in seconds
of both, the 95 % interval of the real one, whether it contains the simulated one, and the
evaluations of a simulated run per evaluation of a real one. A cell without such a target has no
row. A busy wait takes longer on a loaded machine: close everything else.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from timefair.algorithms import libraries
from timefair.machine.linux import kernel
from timefair.measure.isolation import held_cores
from timefair.measure.run import Allowance, measure_run
from timefair.problems.problem import Problem
from timefair.problems.suites import SUITES
from timefair.statistics.ert import ert, ert_interval
from timefair.statistics.hitting_times import runtimes

CLIMBER = Path(__file__).parents[1] / "docs/guide/external/climber.py"
ALGORITHMS = {
    "DE": ("timefair:DE", {}),
    "CMA-ES": ("pycma:CMA-ES", {}),
    "L-BFGS-B": ("scipy:L-BFGS-B", {}),
    "lq-CMA-ES": ("pycma:lq-CMA-ES", {}),
    "BO": ("nevergrad:BO", {"budget": 100}),
    "external": (f"external:{sys.executable} {CLIMBER}", {}),
}
FUNCTIONS, DIMENSION = (1, 3, 8, 21), 5
TARGETS = 10.0 ** np.arange(4, -8.5, -0.5)


def waiting(problem: Problem, cost_s: float) -> Problem:
    """A problem of which each evaluation takes so many seconds more."""

    def evaluate(x: np.ndarray) -> float:
        end = time.perf_counter() + cost_s
        value = problem.evaluate(x)
        while time.perf_counter() < end:
            pass
        return value

    return replace(problem, evaluate=evaluate, native=None)


def costs(rows: list[dict], targets: np.ndarray) -> np.ndarray:
    """Seconds to each target; shape (runs, targets)."""
    events = [event for row in rows for event in row["events"]]
    time_s, precision = (np.array([e[name] for e in events]) for name in ("time_s", "precision"))
    offsets = np.cumsum([0, *(len(row["events"]) for row in rows)])
    return runtimes(time_s, precision, offsets, targets)


def compared(real: list[dict], simulated: list[dict]) -> dict | None:
    """A row of the table, without its keys; None if no target was reached by half of the runs."""
    cost = costs(real, TARGETS)
    reached = np.isfinite(cost).mean(axis=0) >= 0.5
    if not reached.any():
        return None
    at = np.flatnonzero(reached)[-1]
    (real_s, real_hit), (simulated_s, simulated_hit) = (
        (np.where(np.isfinite(of), of, [row["wall_s"] for row in rows]), np.isfinite(of))
        for of, rows in ((cost[:, at], real), (costs(simulated, TARGETS)[:, at], simulated))
    )
    interval = ert_interval(real_s, real_hit, confidence=0.95)
    of_virtual, of_real = float(ert(simulated_s, simulated_hit)), float(ert(real_s, real_hit))
    evaluations = [sum(row["evaluations"] for row in rows) for rows in (simulated, real)]
    return {
        "target": TARGETS[at],
        "real ERT": of_real,
        "low": float(interval.low),
        "high": float(interval.high),
        "simulated ERT": of_virtual,
        "inside": bool(interval.low <= of_virtual <= interval.high),
        "simulated / real": of_virtual / of_real,
        "evaluations": evaluations[0] / evaluations[1],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--time", type=float, default=2.0, help="T of one run, in s")
    parser.add_argument("--costs", type=float, nargs="+", default=[1e-4, 1e-3, 1e-2])
    parser.add_argument("--algorithms", nargs="+", choices=ALGORITHMS, default=list(ALGORITHMS))
    options = parser.parse_args()
    kernel.adopt_orphans()
    time_ns = round(options.time * 1e9)
    rows = []
    with held_cores(1):
        for name in options.algorithms:
            use, parameters = ALGORITHMS[name]
            algorithm = libraries.load(use, parameters)
            for function in FUNCTIONS:
                problem = replace(SUITES["bbob"].problem(function, DIMENSION, 1), native=None)
                for cost_s in options.costs:
                    cost_ns = round(cost_s * 1e9)
                    real, simulated = [], []
                    for seed in range(options.runs):
                        waits = waiting(problem, cost_s)
                        real.append(measure_run(algorithm, waits, Allowance(time_ns), seed))
                        allowance = Allowance(time_ns, cost_ns=cost_ns)
                        simulated.append(measure_run(algorithm, problem, allowance, seed))
                    row = compared(real, simulated)
                    if row is not None:
                        rows.append({"algorithm": name, "f": function, "c": cost_s} | row)
    table = pd.DataFrame(rows)
    print(table.to_markdown(index=False, floatfmt=".3g"))
    inside = table["inside"]
    print(f"\nvirtual ERT inside the interval of the real one: {inside.sum()} of {len(inside)}")
    for name, cells in table.groupby("algorithm", sort=False):
        spread = np.exp(np.abs(np.log(cells["simulated / real"])).median())
        print(f"{name:10} {cells['inside'].sum()} of {len(cells)}; typical factor {spread:.3f}")


if __name__ == "__main__":
    main()
