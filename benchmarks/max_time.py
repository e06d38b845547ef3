"""How exactly MEALPY's own max_time ends a launch, beside timefair's deadline.

    python benchmarks/max_time.py [--time 1] [--runs 5]

Ten optimizers of MEALPY with their defaults on bbob f8 at D = 10, as it is and with evaluations
that sleep 1 ms, in turns. MEALPY's seconds are those of its ``solve``; timefair's end when the
process of the run is gone. Neither includes the import.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np

from timefair.algorithms import libraries
from timefair.extensions.libraries.mealpy import _classes
from timefair.machine.linux import kernel
from timefair.measure.run import Allowance, measure_run
from timefair.problems.problem import Problem
from timefair.problems.suites import SUITES

NAMES = (
    *("PSO.OriginalPSO", "GWO.OriginalGWO", "WOA.OriginalWOA", "SCA.OriginalSCA"),
    *("HHO.OriginalHHO", "SMA.OriginalSMA", "MFO.OriginalMFO", "SHADE.L_SHADE"),
    *("DE.OriginalDE", "ABC.OriginalABC"),
)
SLEEP_S = 1e-3


def slowed(problem: Problem) -> Problem:
    def evaluate(x: np.ndarray) -> float:
        time.sleep(SLEEP_S)
        return problem.evaluate(x)

    return replace(problem, evaluate=evaluate, native=None)


def theirs(name: str, problem: Problem, time_s: float, seed: int) -> float:
    from mealpy import FloatVar

    bounds = FloatVar(lb=problem.lower, ub=problem.upper)
    asked = {"bounds": bounds, "obj_func": problem.evaluate, "log_to": None}
    optimizer = _classes()[name]()
    start = time.perf_counter()
    optimizer.solve(asked, termination={"max_time": time_s}, seed=seed)
    return time.perf_counter() - start


def ours(name: str, problem: Problem, time_s: float, seed: int) -> float:
    algorithm = libraries.load(f"mealpy:{name}", {})
    row = measure_run(algorithm, problem, Allowance(time_ns=round(time_s * 1e9)), seed)
    assert row["status"] == "ok", row
    return row["reaped_s"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--time", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    kernel.adopt_orphans()
    problem = SUITES["bbob"].problem(8, 10, 1)
    print(f"|seconds - {options.time:g}| in ms, median and largest of {options.runs} runs")
    print(f"{'':18}{'MEALPY':>16}{'timefair':>16}{'MEALPY, 1 ms':>18}{'timefair, 1 ms':>16}")
    for name in NAMES:
        off: dict[tuple, list[float]] = {}
        for run in range(options.runs):
            for cost, each in (("", problem), ("1 ms", slowed(problem))):
                for way in (theirs, ours):
                    found = abs(way(name, each, options.time, run) - options.time)
                    off.setdefault((cost, way), []).append(1e3 * found)
        cells = [f"{np.median(found):.1f} {max(found):.1f}" for found in off.values()]
        print(f"{name:18}" + "".join(f"{cell:>17}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
