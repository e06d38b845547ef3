"""Uniform random search: the baseline that every optimizer has to beat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from timefair.algorithms.base import Algorithm, Available, Objective
from timefair.errors import suggest

BLOCK_BYTES = 32_768
"""Points are drawn in blocks of about this size: cheap to draw, and small enough for the cache."""


def random_search(objective: Objective, rng: np.random.Generator) -> None:
    """Evaluate points drawn uniformly and independently within the bounds, without end."""
    lower, upper = objective.lower, objective.upper
    points = max(1, BLOCK_BYTES // (8 * objective.dimension))
    while True:
        for x in rng.uniform(lower, upper, size=(points, objective.dimension)):
            objective(x)


class Timefair:
    """The algorithms of this package itself: ``timefair:random-search``, without parameters."""

    name = "timefair"
    distributions: Sequence[str] = ("timefair", "numpy")

    def available(self) -> list[Available]:
        return [Available("random-search")]

    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        if name != "random-search":
            return [f"timefair has no algorithm {name!r}{suggest(name, ['random-search'])}"]
        return [
            f"{key!r} is no parameter of timefair:random-search: it has none" for key in parameters
        ]

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        return Algorithm(random_search)

    def source_files(self, name: str) -> list[Path]:
        return [Path(__file__)]
