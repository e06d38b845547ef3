"""Detects perturbed runs: reads counters around each run, judges the run, and may repeat it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from functools import partial
from statistics import fmean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.basics.optimum import lengthened
from timefair.machine.facts import Host, cpu_stats, gather
from timefair.records.status import Perturbation

DELAY_SHARE = 0.05  # largest share of its clock that a clean run waits for a core that others use
REFERENCE_RATIO = 1.15  # most that a slow core may lengthen the clock of a clean run


def judge(
    real_s: float,
    foreign_delay_s: float | None,
    reference_s: float | None,
    best_reference_s: float | None,
    charged_s: float = 0.0,
    memory_s: float | None = None,
) -> tuple[Perturbation, str | None]:
    """Whether a run is perturbed, and why; unknown if neither of the first two reasons is known.

    Its clock is its real time, 0 if it never began, and its simulated evaluation cost.
    `foreign_delay_s`: it waited for a core that others used; `reference_s`, `best_reference_s`:
    mean time of the reference kernel before and after it, and the least on this core; `memory_s`: a
    task of the machine waited for memory; None if unknown.
    """
    clock_s = real_s + charged_s
    delay = foreign_delay_s / clock_s if foreign_delay_s is not None and clock_s > 0 else None
    ratio = reference_s / best_reference_s if reference_s and best_reference_s else None
    real = real_s / clock_s if clock_s > 0 else 1.0
    reasons = []
    if delay is not None and delay > DELAY_SHARE:
        reasons.append(f"waited {delay:.0%} of the time for a core that others had")
    if ratio is not None and lengthened(ratio, real) > REFERENCE_RATIO:
        reasons.append(f"the reference kernel took {ratio:.2f} x its best")
    if memory_s is not None and clock_s > 0 and memory_s / clock_s > DELAY_SHARE:
        reasons.append(f"memory was short for {memory_s / clock_s:.0%} of the time")
    if reasons:
        return Perturbation.PERTURBED, "; ".join(reasons)
    unknown = delay is None and ratio is None
    return Perturbation.UNKNOWN if unknown else Perturbation.CLEAN, None


_STEAL = 7  # the field of a core's line in /proc/stat, after its name

_THROTTLED = {"throttled_usec": 1e-6, "throttled_time": 1e-9}  # versions 2 and 1


def counted(cores: Iterable[int], host: Host) -> dict[str, float | None]:
    """Seconds so far: in which the hypervisor ran something else on the cores, in which a task on
    the machine waited for a core, in which a quota stopped the control group of this process and
    those around it, and in which a task waited for memory. None if unknown.
    """
    reads: dict[str, Callable[[Host], float | None]] = {
        "steal_s": partial(_steal_s, cores),
        "pressure_s": partial(_pressure_s, "cpu"),
        "throttled_s": _throttled_s,
        "memory_s": partial(_pressure_s, "memory"),
    }
    found = gather(reads, host)
    return {name: found[name] for name in reads}


def _steal_s(cores: Iterable[int], host: Host) -> float:
    told = host.fields("proc/stat", " ")
    ticks = sum(int(told[f"cpu{core}"].split()[_STEAL]) for core in cores)
    return ticks / os.sysconf("SC_CLK_TCK")


def _pressure_s(of: str, host: Host) -> float:
    told = host.fields(f"proc/pressure/{of}", " ")
    return int(told["some"].rpartition("total=")[2]) / 1e6


def _throttled_s(host: Host) -> float | None:
    units = ((stat, name, unit) for stat in cpu_stats(host) for name, unit in _THROTTLED.items())
    found = [int(stat[name]) * unit for stat, name, unit in units if name in stat]
    return sum(found) if found else None


DIMENSION = 10
OFFSPRING = 10
GENERATIONS = 190  # about 14 ms on a machine of 2024
SHORT_BUDGET_S = 1.5  # below it, the complete work would take more than 1 % of the run
WARM_UP_GENERATIONS = 8  # not timed: after a fork, the first write to a page takes longer
BEST_OF = 3  # number of timings at the start of a job, the best of which is the first best time


def adapt(generations: int) -> float:
    """Minimize an ellipsoid and return the best value, the same at each call."""
    n, rng = DIMENSION, np.random.default_rng(1)
    weights = np.log((OFFSPRING + 1) / 2) - np.log(np.arange(1, OFFSPRING // 2 + 1))
    weights /= weights.sum()
    scales: NDArray[np.float64] = 10.0 ** (4 * np.arange(n) / (n - 1))
    mean, sigma, covariance, best = np.full(n, 3.0), 1.0, np.eye(n), np.inf
    for _ in range(generations):
        lengths, axes = np.linalg.eigh(covariance)
        spread: Any = np.sqrt(np.maximum(lengths, 1e-20))
        steps = [axes @ (spread * rng.standard_normal(n)) for _ in range(OFFSPRING)]
        values = [float(scales @ (mean + sigma * step) ** 2) for step in steps]
        order = np.argsort(values)[: len(weights)]
        chosen = np.array([steps[i] for i in order])
        mean = mean + sigma * (weights @ chosen)
        covariance = 0.8 * covariance + 0.2 * (chosen.T * weights) @ chosen
        sigma *= 1.05 if values[order[0]] < best else 0.9
        best = min(best, values[order[0]])
    return best


Row = dict[str, Any]


class RunMonitor:
    """Measures the runs of one job, one right after the other, and detects perturbed ones.

    The process is pinned to the `cores`. With `reference`, the reference kernel is timed around
    each run; if a run has a `budget_s` that is short, half of it, and the time is doubled.
    `repeats` is the most repetitions of a perturbed run.
    """

    def __init__(
        self,
        cores: Iterable[int],
        *,
        reference: bool,
        repeats: int = 0,
        budget_s: float | None = None,
    ) -> None:
        self._cores, self._repeats = tuple(cores), repeats
        self._parts = 2 if budget_s is not None and budget_s < SHORT_BUDGET_S else 1
        times = [self._reference_s() for _ in range(BEST_OF)] if reference else None
        self._best_s = self._last_s = min(times) if times else None

    def _reference_s(self) -> float:
        """CPU time of the kernel, without the time in which others use the core."""
        adapt(WARM_UP_GENERATIONS)
        start = time.thread_time_ns()
        adapt(GENERATIONS // self._parts)
        return (time.thread_time_ns() - start) / 1e9 * self._parts

    def measure(self, run: Callable[[], Row]) -> Row:
        """Measure a run, and repeat it at once until it is not perturbed, at most `repeats` times.
        The last row counts, with what was read around it.
        """
        for repeats in range(self._repeats + 1):
            row = self._observed(run) | {"repeats": repeats}
            if row["perturbation"] != Perturbation.PERTURBED:
                break
        return row

    def _observed(self, run: Callable[[], Row]) -> Row:
        before_s = self._last_s
        before = counted(self._cores, Host())
        row = run()
        added = {
            name: None if now is None or (then := before[name]) is None else max(now - then, 0.0)
            for name, now in counted(self._cores, Host()).items()
        }
        memory_s = added.pop("memory_s")
        mean_s = None
        if before_s is not None and self._best_s is not None:
            self._last_s = self._reference_s()
            self._best_s = min(self._best_s, self._last_s)
            mean_s = (before_s + self._last_s) / 2
        perturbation, reason = judge(
            row["real_s"], row["foreign_delay_s"], mean_s, self._best_s, row["charged_s"], memory_s
        )
        return {
            **row,
            **added,
            "reference_before_s": before_s,
            "reference_after_s": self._last_s,
            "perturbation": perturbation,
            "perturbed_by": reason,
        }


# --- Three reference kernels, timed in a job so that others can tell how fast its machine was ---

TAKES = 4  # timings of each kernel, in turns; a job spends about 40 ms on them
SIZE = 2**20  # numbers of the array that the kernel `memory` reads: 8 MB


def kernels() -> dict[str, list[float]]:
    """Seconds of each of `records.bridge.KERNELS`: CPU time (median) and wall clock (mean)."""
    table = np.arange(SIZE, dtype=np.float64)
    places = np.arange(SIZE // 8, dtype=np.int64) * 2_654_435_761 % SIZE
    work: dict[str, Callable[[], object]] = {
        "arithmetic": _arithmetic,
        "memory": lambda: table.take(places).sum(),
        "interpreter": _interpreter,
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in work}
    for take in range(1 + TAKES):
        for name, do in work.items():
            wall, cpu = time.monotonic_ns(), time.thread_time_ns()
            do()
            cpu, wall = time.thread_time_ns() - cpu, time.monotonic_ns() - wall
            if take:  # the first one is a warm-up
                taken[name].append((cpu / 1e9, wall / 1e9))
    return {
        name: [median(cpu for cpu, _ in of), fmean(wall for _, wall in of)]
        for name, of in taken.items()
    }


def _arithmetic() -> Any:
    matrix = np.linspace(-1.0, 1.0, 40 * 40).reshape(40, 40)
    vector, total = np.linspace(0.1, 2.0, 1000), 0.0
    for k in range(80):
        total += float(np.exp(-vector).sum() + (matrix @ matrix.T)[0, k % 40])
    return total


def _interpreter() -> float:
    found: dict[int, list[float]] = {}
    for k in range(4000):
        found.setdefault(k % 97, []).append(_step(k * 0.5))
    return sum(max(of) for of in found.values())


def _step(x: float) -> float:
    return x * x - 1.0 if x > 10 else abs(x)
