"""Uniformly random permutations, the baseline."""

from __future__ import annotations

import numpy as np

from timefair.algorithms.base import Objective


def solve(objective: Objective, rng: np.random.Generator) -> None:
    """Evaluate uniformly random permutations without end."""
    natural = np.arange(objective.dimension, dtype=float)
    while True:
        objective(rng.permutation(natural))
