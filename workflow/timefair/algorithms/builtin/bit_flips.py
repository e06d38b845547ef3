"""Algorithms on strings of 0 and 1, which flip variables and keep a string that is not worse.

With `resample`, a mutation that flips nothing is drawn again and not evaluated: the (1+1) EA>0 of
E. Carvalho Pinto and C. Doerr, "Towards a More Practice-Aware Runtime Analysis of Evolutionary
Algorithms", 2018.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Objective

Places = NDArray[np.integer]


def one_plus_one(
    objective: Objective,
    rng: np.random.Generator,
    *,
    rate: float | None = None,
    resample: bool = False,
) -> None:
    """Improve a random string without end, by standard bit mutation.

    - `rate`: Probability of each flip, above 0 and at most 1; by default 1 over the dimension.
    - `resample`: Whether a mutation that flips nothing is drawn again.
    """
    dimension = objective.dimension
    chance = 1 / dimension if rate is None else rate

    def draw_places() -> Places:
        count = rng.binomial(dimension, chance)
        while resample and not count:
            count = rng.binomial(dimension, chance)
        return rng.choice(dimension, size=count, replace=False, shuffle=False)

    climb(objective, rng, draw_places)


def faults(rate: object = None, resample: object = False) -> list[str]:
    lines = []
    if rate is not None and (
        isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate <= 1
    ):
        lines.append(f"'rate' of timefair:OnePlusOneEA is a number above 0, up to 1, not {rate!r}")
    if not isinstance(resample, bool):
        lines.append(f"'resample' of timefair:OnePlusOneEA is true or false, not {resample!r}")
    return lines


def climb(
    objective: Objective, rng: np.random.Generator, draw_places: Callable[[], Places]
) -> None:
    """Evaluate a random string, then flips of the best one, without end.

    - `draw_places`: Draws the different indices at which the next string differs from the best.
    """
    best = rng.integers(2, size=objective.dimension).astype(float)
    value = objective(best)
    while True:
        places = draw_places()
        best[places] = 1.0 - best[places]
        flipped = objective(best)
        if flipped <= value:
            value = flipped
        else:
            best[places] = 1.0 - best[places]


def local_search(objective: Objective, rng: np.random.Generator) -> None:
    """Improve a random string without end, one variable at a time, up to a local optimum."""
    dimension = objective.dimension
    climb(objective, rng, lambda: rng.integers(dimension, size=1))
