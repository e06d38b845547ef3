"""Times three reference kernels in a job, so that others can tell how fast its machine was."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import fmean, median
from typing import Any

import numpy as np

TAKES = 4
"""Timings of each kernel, in turns; a job spends about 40 ms on them."""

SIZE = 2**20
"""Numbers of the array that the kernel `memory` reads: 8 MB."""


def kernels() -> dict[str, list[float]]:
    """Seconds of each of `records.bridge.KERNELS`: CPU time (median) and wall clock (mean).

    The wall clock includes what the work waits for, as the runs of the job wait for it.
    """
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
    """Products and functions of arrays that fit into the first cache."""
    matrix = np.linspace(-1.0, 1.0, 40 * 40).reshape(40, 40)
    vector, total = np.linspace(0.1, 2.0, 1000), 0.0
    for k in range(80):
        total += float(np.exp(-vector).sum() + (matrix @ matrix.T)[0, k % 40])
    return total


def _interpreter() -> float:
    """Loops, calls, lists and dictionaries of Python."""
    found: dict[int, list[float]] = {}
    for k in range(4000):
        found.setdefault(k % 97, []).append(_step(k * 0.5))
    return sum(max(of) for of in found.values())


def _step(x: float) -> float:
    return x * x - 1.0 if x > 10 else abs(x)
