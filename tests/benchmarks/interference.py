"""How well the rule tells disturbed runs, under disturbances that are made on purpose.

    python tests/benchmarks/interference.py [--runs 200] [--time 0.15]
    python tests/benchmarks/interference.py --campaigns [--runs 20] [--time 0.2]

The first command runs CMA-ES on bbob f8 in 10 dimensions under each disturbance, in blocks that
take turns, and prints how many runs are called disturbed, with 95 % intervals (Wilson), and what
they lost: evaluations, against the median of the runs with nothing injected. What is called
disturbed among those is a false positive, as far as the machine was quiet: close everything else.

The second command measures one small campaign, 3 algorithms on 2 functions that take turns, under
each of four loads. For each clock it prints how much the time of an evaluation, and its ratio
between two algorithms, differ between the loads: geometric standard deviation and largest over
smallest, geometric means over all of them; of all runs, and without the disturbed ones (nan where
fewer than two loads have such runs).
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from timefair.algorithms import registry
from timefair.algorithms.base import Algorithm
from timefair.cli.common import THREAD_VARIABLES
from timefair.measure import kernel
from timefair.measure.child import Allowance
from timefair.measure.cores import held_cores
from timefair.measure.preparation import prepare
from timefair.measure.run import measure_run
from timefair.measure.watch import Watch
from timefair.problems.registry import SUITES
from timefair.tables.clocks import reference_s, seconds_per_evaluation
from timefair.tables.settings import CLOCKS

BLOCK = 10
"""Runs under one disturbance, before the next has its turn."""


class Load(NamedTuple):
    """What disturbs, and on which core."""

    work: Callable[[], None]
    core: Literal["same", "other"]


def spin(duty: float = 1.0, period_s: float = 0.1) -> None:
    while True:
        end = time.monotonic() + duty * period_s
        while time.monotonic() < end:
            pass
        if duty < 1:
            time.sleep((1 - duty) * period_s)


def copy_memory() -> None:
    a = np.ones(2**24)
    b = np.empty_like(a)
    while True:
        b[:] = a


DISTURBANCES: dict[str, Load | None] = {
    "none": None,
    "busy loop, same core": Load(spin, "same"),
    "bursts of 10 %, same core": Load(partial(spin, 0.1), "same"),
    "busy loop, other core": Load(spin, "other"),
    "memory traffic, other core": Load(copy_memory, "other"),
}

LOADS: dict[str, Load | None] = {
    "none": None,
    "busy for 1 s of 3": Load(partial(spin, 1 / 3, 3.0), "same"),
    "busy loop": Load(spin, "same"),
    "memory traffic": Load(copy_memory, "other"),
}

ALGORITHMS = ("pycma:CMA-ES", "scipy:Nelder-Mead", "timefair:random-search")
FUNCTIONS = (8, 15)


@contextlib.contextmanager
def loaded(load: Load | None, core: int) -> Iterator[None]:
    """While a process of its own disturbs."""
    if load is None:
        yield
        return
    process = os.fork()
    if process == 0:
        kernel.die_with_parent(os.getppid())
        os.setsid()
        others = sorted(set(range(os.cpu_count() or 1)) - {core})
        os.sched_setaffinity(0, {core if load.core == "same" else others[0]})
        load.work()
    try:
        time.sleep(0.05)
        yield
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


class Measurer:
    """Measures runs on one core; in a process of its own, which ends all children after a run."""

    def __init__(self, time_s: float) -> None:
        kernel.adopt_orphans()
        self.held = contextlib.ExitStack()
        self.cores = self.held.enter_context(held_cores(1))
        self.allowance = Allowance(time_ns=round(time_s * 1e9))
        self.algorithms: dict[str, Algorithm] = {
            name: registry.load(name, {}) for name in ALGORITHMS
        }
        self.problems = {f: SUITES["bbob"].problem(f, 10, 1) for f in FUNCTIONS}
        for algorithm in self.algorithms.values():
            prepare(algorithm, self.problems[8])
        self.watch = Watch(self.cores, reference=True)

    def measure(self, algorithm: str, function: int, seed: int) -> dict[str, Any]:
        row = self.watch.measure(
            lambda: measure_run(
                self.algorithms[algorithm], self.problems[function], self.allowance, seed
            )
        )
        kept = {key: value for key, value in row.items() if key not in ("events", "launch_log")}
        return kept | {"algorithm": algorithm, "function": function, "run": seed}


_measurer: Measurer


def _begin(time_s: float) -> None:
    global _measurer
    _measurer = Measurer(time_s)


def _core() -> int:
    return _measurer.cores[0]


def _measure(algorithm: str, function: int, seed: int) -> dict[str, Any]:
    return _measurer.measure(algorithm, function, seed)


def detection(pool: Any, runs: int) -> None:
    rows: list[dict[str, Any]] = []
    core = pool.apply(_core)
    for start in range(0, runs, BLOCK):
        for name, load in DISTURBANCES.items():
            with loaded(load, core):
                for seed in range(start, min(start + BLOCK, runs)):
                    rows.append({"load": name, **pool.apply(_measure, (ALGORITHMS[0], 8, seed))})
    frame = pd.DataFrame(rows)
    quiet = frame.loc[frame["load"] == "none", "evaluations"].median()
    frame = frame.assign(
        loss=1 - frame["evaluations"] / quiet,
        delay=frame["foreign_delay_s"].astype(float) / frame["wall_s"],
        reference=reference_s(frame) / np.nanmin(reference_s(frame)),
        by_delay=frame["disturbed_by"].str.contains("waited", na=False),
        by_reference=frame["disturbed_by"].str.contains("kernel", na=False),
        disturbed=frame["disturbance"] == "disturbed",
    )
    print(f"{runs} runs each; medians of loss, delay / wall and reference / best")
    print(
        f"{'':28}{'loss':>7}{'delay':>7}{'ref.':>6}{'disturbed':>11}{'95 %':>16}{'by delay':>10}"
        f"{'by ref.':>9}"
    )
    groups = {name: frame[frame["load"] == name] for name in DISTURBANCES}
    slow = frame["loss"] > 0.1
    groups |= {"any that lost > 10 %": frame[slow], "any that lost < 5 %": frame[frame.loss < 0.05]}
    for name, part in groups.items():
        if part.empty:
            continue
        found = binomtest(int(part["disturbed"].sum()), len(part)).proportion_ci(method="wilson")
        print(
            f"{name:28}{part['loss'].median():7.1%}{part['delay'].median():7.1%}"
            f"{part['reference'].median():6.2f}{part['disturbed'].mean():11.1%}"
            f"{f'{found.low:.1%} to {found.high:.1%}':>16}{part['by_delay'].mean():10.1%}"
            f"{part['by_reference'].mean():9.1%}"
        )


def campaigns(pool: Any, runs: int) -> None:
    rows: list[dict[str, Any]] = []
    core = pool.apply(_core)
    for name, load in LOADS.items():
        with loaded(load, core):
            for seed in range(runs):
                for function in FUNCTIONS:
                    for algorithm in ALGORITHMS:
                        row = pool.apply(_measure, (algorithm, function, seed))
                        rows.append({"load": name, **row})
    frame = pd.DataFrame(rows)
    clean = frame[frame["disturbance"] == "clean"]
    for name, part in frame.groupby("load", sort=False):
        disturbed = (part["disturbance"] == "disturbed").mean()
        print(f"{name:20}{len(part):5} runs, {disturbed:.0%} disturbed")
    print(f"{'':36}{'evaluation':>20}{'ratio of two':>20}")
    for words, part in (("all runs", frame), ("clean runs", clean)):
        for clock in CLOCKS:
            one, ratio = spreads(part, clock)
            print(f"{words:24}{clock:12}{_text(one):>20}{_text(ratio):>20}")
    loads = clean.groupby(["function", "algorithm"])["load"].nunique()
    print(f"loads with clean runs, of {len(LOADS)}: {loads.min()} to {loads.max()}")


def spreads(frame: pd.DataFrame, clock: Any) -> list[tuple[float, float]]:
    """Geometric SD and max / min between the loads, of times and of ratios of times."""
    logs = np.log(seconds_per_evaluation(frame, clock))
    keys = ["load", "function", "algorithm"]
    means = frame[keys].assign(log=logs).groupby(keys)["log"].mean()
    times = means.reindex(pd.MultiIndex.from_product([LOADS, FUNCTIONS, ALGORITHMS]))
    times = times.unstack(0)
    ratios = [
        times.loc[function, a] - times.loc[function, b]
        for function in FUNCTIONS
        for a, b in combinations(ALGORITHMS, 2)
    ]
    found = []
    for part in (times, pd.DataFrame(ratios)):
        ranges = (part.max(axis=1) - part.min(axis=1)).where(part.count(axis=1) > 1)
        found.append((float(np.exp(part.std(axis=1).mean())), float(np.exp(ranges.mean()))))
    return found


def _text(spread: tuple[float, float]) -> str:
    return f"{spread[0]:.3f} / {spread[1]:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--campaigns", action="store_true", help="units under different loads")
    parser.add_argument("--runs", type=int, help="of each kind (200; 20 with --campaigns)")
    parser.add_argument("--time", type=float, help="T of one run, in s (0.15; 0.2)")
    options = parser.parse_args()
    if any(os.environ.get(name) != "1" for name in THREAD_VARIABLES):  # read when numpy is loaded
        single = dict.fromkeys(THREAD_VARIABLES, "1")
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | single)
    time_s = options.time or (0.2 if options.campaigns else 0.15)
    runs = options.runs or (20 if options.campaigns else 200)
    with multiprocessing.get_context("fork").Pool(1, _begin, (time_s,)) as pool:
        (campaigns if options.campaigns else detection)(pool, runs)


if __name__ == "__main__":
    main()
