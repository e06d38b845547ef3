"""An evolution strategy with a version that is slower and one that loses successes."""

from __future__ import annotations

import numpy as np

WORK = 1500
"""Steps of own work per evaluation, which take most of the time of a launch."""


def solve(objective, rng, slower=1.0, lost=0.0):
    """A (1+1)-ES that never returns.

    `slower` multiplies its own work. With probability `lost` a launch makes no progress. All
    versions take the same numbers from `rng`.
    """
    stuck = np.random.default_rng(rng.integers(2**32)).random() < lost
    steps = range(round(WORK * slower))
    best = rng.uniform(objective.lower, objective.upper)
    value, step = objective(best), 1.0
    while True:
        for _ in steps:
            pass
        point = best + step * rng.normal(size=best.size)
        if stuck:
            objective(objective.upper)
            continue
        found = objective(point)
        if found <= value:
            best, value, step = point, found, 1.5 * step
        else:
            step *= 0.9
