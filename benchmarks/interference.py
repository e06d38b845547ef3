"""How well the rule tells perturbed runs, under perturbations that are made on purpose.

    python benchmarks/interference.py [--runs 200] [--time 0.15]

Runs CMA-ES on bbob f8 in 10 dimensions under each perturbation, in blocks that take turns, and
prints how many runs are called perturbed, with 95 % intervals (Wilson), and what they lost:
evaluations, against the run of the same seed with nothing injected. What is called perturbed among
those is a false positive, as far as the machine was quiet: close everything else.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import sys
from typing import Any

import numpy as np
import pandas as pd
from loads import BURSTS, BUSY_OTHER, BUSY_SAME, LONG_BURSTS, MEMORY, Load, loaded
from scipy.stats import binomtest

from timefair.algorithms import libraries
from timefair.cli.arguments import THREAD_VARIABLES
from timefair.machine.linux import kernel
from timefair.measure.isolation import held_cores
from timefair.measure.perturbation import RunMonitor
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import prepare
from timefair.problems.suites import SUITES
from timefair.records.rundata.runs import reference_s

BLOCK = 10
"""Runs under one perturbation, before the next has its turn."""

PERTURBATIONS: dict[str, Load | None] = {
    "none": None,
    "busy loop, same core": BUSY_SAME,
    "bursts of 10 %, same core": BURSTS,
    "bursts of 30 %, same core": LONG_BURSTS,
    "busy loop, other core": BUSY_OTHER,
    "memory traffic, other core": MEMORY,
}


class Measurer:
    """Measures runs on one core; in a process of its own, which ends all children after a run."""

    def __init__(self, time_s: float) -> None:
        kernel.adopt_orphans()
        self.held = contextlib.ExitStack()
        self.cores = self.held.enter_context(held_cores(1))
        self.allowance = Allowance(time_ns=round(time_s * 1e9))
        self.algorithm = libraries.load("pycma:CMA-ES", {})
        self.problem = SUITES["bbob"].problem(8, 10, 1)
        prepare(self.algorithm, self.problem)
        self.monitor = RunMonitor(self.cores, reference=True, budget_s=time_s)

    def measure(self, seed: int) -> dict[str, Any]:
        row = self.monitor.measure(
            lambda: measure_run(self.algorithm, self.problem, self.allowance, seed)
        )
        return {key: value for key, value in row.items() if key not in ("events", "launch_log")}


_measurer: Measurer


def _begin(time_s: float) -> None:
    global _measurer
    _measurer = Measurer(time_s)


def _core() -> int:
    return _measurer.cores[0]


def _measure(seed: int) -> dict[str, Any]:
    return _measurer.measure(seed)


def measured(pool: Any, runs: int) -> pd.DataFrame:
    """A row a run, the perturbations in turns."""
    rows: list[dict[str, Any]] = []
    core = pool.apply(_core)
    for start in range(0, runs, BLOCK):
        for name, load in PERTURBATIONS.items():
            with loaded(load, core):
                for seed in range(start, min(start + BLOCK, runs)):
                    rows.append({"load": name, **pool.apply(_measure, (seed,))})
    frame = pd.DataFrame(rows)
    quiet = frame[frame["load"] == "none"].set_index("seed")["evaluations"]
    return frame.assign(
        loss=1 - frame["evaluations"] / frame["seed"].map(quiet),
        delay=frame["foreign_delay_s"].astype(float) / frame["wall_s"],
        reference=reference_s(frame) / np.nanmin(reference_s(frame)),
        by_delay=frame["perturbed_by"].str.contains("waited", na=False),
        by_reference=frame["perturbed_by"].str.contains("kernel", na=False),
        perturbed=frame["perturbation"] == "perturbed",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200, help="of each kind (%(default)s)")
    parser.add_argument("--time", type=float, default=0.15, help="T of one run (%(default)s s)")
    options = parser.parse_args()
    if any(os.environ.get(name) != "1" for name in THREAD_VARIABLES):  # read when numpy is loaded
        single = dict.fromkeys(THREAD_VARIABLES, "1")
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | single)
    with multiprocessing.get_context("fork").Pool(1, _begin, (options.time,)) as pool:
        frame = measured(pool, options.runs)
    print(f"{options.runs} runs each; medians of loss, delay / wall and reference / best")
    print(
        f"{'':28}{'loss':>7}{'delay':>7}{'ref.':>6}{'perturbed':>11}{'95 %':>16}{'by delay':>10}"
        f"{'by ref.':>9}"
    )
    groups = {name: frame[frame["load"] == name] for name in PERTURBATIONS}
    injected = frame[frame["load"] != "none"]
    groups |= {
        "any that lost > 10 %": injected[injected["loss"] > 0.1],
        "any that lost < 5 %": injected[injected["loss"] < 0.05],
    }
    for name, part in groups.items():
        if part.empty:
            continue
        found = binomtest(int(part["perturbed"].sum()), len(part)).proportion_ci(method="wilson")
        print(
            f"{name:28}{part['loss'].median():7.1%}{part['delay'].median():7.1%}"
            f"{part['reference'].median():6.2f}{part['perturbed'].mean():11.1%}"
            f"{f'{found.low:.1%} to {found.high:.1%}':>16}{part['by_delay'].mean():10.1%}"
            f"{part['by_reference'].mean():9.1%}"
        )


if __name__ == "__main__":
    main()
