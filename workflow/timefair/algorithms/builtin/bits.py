"""Strings of 0 and 1, and a search that keeps the better of two strings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Objective

Places = NDArray[np.integer]


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
