"""Randomized local search on strings of 0 and 1: flips one variable, and keeps strings that are not
worse.
"""

from __future__ import annotations

import numpy as np

from timefair.algorithms.base import Objective
from timefair.algorithms.builtin import one_plus_one_ea


def solve(objective: Objective, rng: np.random.Generator) -> None:
    """Improve a random string without end; it does not leave a local optimum."""
    dimension = objective.dimension
    one_plus_one_ea.climb(objective, rng, lambda: rng.integers(dimension, size=1))
