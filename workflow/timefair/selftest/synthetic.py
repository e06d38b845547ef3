"""The algorithms of the self-test: one draws when it finds each level, one works at full speed.

They are measured like an algorithm file of a user.
"""

from __future__ import annotations

import time

import numpy as np

from timefair.algorithms.base import Objective
from timefair.selftest.laws import Kind, Law, Synthetic
from timefair.selftest.staircase import EVALUATIONS_A_LEVEL, LEVELS, point

AWAKE_NS = 250_000
"""Time before an evaluation at which a sleeping algorithm wakes up; then it waits busily."""


def solve(
    objective: Objective,
    rng: np.random.Generator,
    *,
    kind: Kind,
    scale_s: float,
    step_s: float,
    shape: float = 1.0,
    success: float = 1.0,
    sleeps: bool = False,
) -> None:
    """Make one launch (see `laws`). The objective or the end of the run ends it."""
    start, read = time.monotonic_ns(), time.monotonic_ns
    found = Synthetic(Law(kind, scale_s, shape), success, step_s).steps(rng)
    points = [point(level) for level in range(LEVELS + 1)]
    step, level, n = round(step_s * 1e9), 0, 0
    while True:
        n += 1
        due = start + n * step
        if sleeps and (left := due - read() - AWAKE_NS) > 0:
            time.sleep(left / 1e9)
        while level < LEVELS and found[level + 1] <= n:
            level += 1
        while read() < due:
            pass
        objective(points[level])


def work(
    objective: Objective, rng: np.random.Generator, *, loops: int, slowdown: float = 1.0
) -> None:
    """Evaluate without end, each time after `loops` empty iterations; see `detectable`.

    Evaluation n finds level ``n / (slowdown * EVALUATIONS_A_LEVEL)``, rounded down. The time to a
    level therefore depends on the speed of the machine, and is exactly proportional to `slowdown`.
    """
    each, n = slowdown * EVALUATIONS_A_LEVEL, 0
    x = np.zeros(1)
    while True:
        for _ in range(loops):
            pass
        n += 1
        x[0] = int(n / each)
        objective(x)
