"""Uniform random search, the baseline."""

from __future__ import annotations

import numpy as np

from timefair.algorithms.adapter import has_constraints
from timefair.algorithms.base import Objective

BLOCK_BYTES = 32_768
"""Points are drawn in blocks of about this size: cheap to draw, and small enough for the cache."""

PER_CORE = 16  # points of a batch per core, if there are several cores


def solve(objective: Objective, rng: np.random.Generator) -> None:
    """Evaluate uniform points within the bounds, without end, the constraints of each before its
    value.
    """
    lower, upper, integer = objective.lower, objective.upper, objective.integer
    beyond = np.where(integer, upper + 1, upper)  # then rounded down
    size = PER_CORE * objective.cores
    count = max(1, BLOCK_BYTES // (8 * objective.dimension))
    while True:
        points = rng.uniform(lower, beyond, size=(count, objective.dimension))
        if integer.any():
            points[:, integer] = np.floor(points[:, integer])
        if has_constraints(objective):
            for x in points:
                objective.constraints(x)
                objective(x)
        elif objective.cores > 1:
            for first in range(0, count, size):
                objective.batch(points[first : first + size])
        else:
            for x in points:
                objective(x)
