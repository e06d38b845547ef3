"""2-opt: reverses sections of a permutation, from random permutations (Croes 1958)."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from timefair.algorithms.base import Objective


def solve(objective: Objective, rng: np.random.Generator) -> None:
    """Improve a random permutation until no reversal of a section is better, then begin again.

    The first section that improves the value is reversed. Sections are tried in a random order.
    """
    dimension = objective.dimension
    sections = np.array(list(combinations(range(dimension + 1), 2)))
    sections = sections[sections[:, 1] - sections[:, 0] > 1]
    while True:
        x = rng.permutation(dimension).astype(float)
        value, tried = objective(x), 0
        while tried < len(sections):
            for first, end in rng.permutation(sections).tolist():
                x[first:end] = x[first:end][::-1].copy()
                changed = objective(x)
                if changed < value:
                    value, tried = changed, 0
                else:
                    x[first:end] = x[first:end][::-1].copy()
                    tried += 1
                    if tried >= len(sections):
                        break
