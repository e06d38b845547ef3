"""Uniform random search: the baseline that every optimizer has to beat."""

from __future__ import annotations

import numpy as np

from timefair.algorithms.base import Objective

BLOCK_BYTES = 32_768
"""Points are drawn in blocks of about this size: cheap to draw, and small enough for the cache."""


def solve(objective: Objective, rng: np.random.Generator) -> None:
    """Evaluate points drawn uniformly and independently within the bounds, without end."""
    lower, upper = objective.lower, objective.upper
    points = max(1, BLOCK_BYTES // (8 * objective.dimension))
    while True:
        for x in rng.uniform(lower, upper, size=(points, objective.dimension)):
            objective(x)
