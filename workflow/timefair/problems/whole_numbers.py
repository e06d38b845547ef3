"""Refuses values of integer variables that are not whole numbers, instead of rounding them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from timefair.problems.base import ProblemName

Evaluate = Callable[[NDArray[np.float64]], float]


def refusing(
    evaluate: Evaluate,
    name: ProblemName,
    lower: NDArray[np.float64],
    upper: NDArray[np.float64],
    integer: NDArray[np.bool_],
) -> Evaluate:
    """Wrap an evaluation so that it refuses values that an integer variable cannot have.

    Rounding such a value would hide that an algorithm is for continuous variables.

    Returns
    -------
    callable
        The evaluation; it raises ValueError, with the variable and its values, if an integer
        variable is not a whole number within its bounds.
    """
    shape, places = integer.shape, np.flatnonzero(integer)
    least, most = lower[places], upper[places]

    def evaluate_whole(x: NDArray[np.float64]) -> float:
        if x.shape != shape:
            raise ValueError(f"{name} takes an array of shape {shape}, not {x.shape}")
        values = x[places]
        right = (values == np.rint(values)) & (values >= least) & (values <= most)
        if not right.all():
            k = int(np.argmin(right))
            raise ValueError(
                f"variable {places[k]} of {name} is {values[k]:g}: "
                f"it takes {_range(least[k], most[k])}"
            )
        return evaluate(x)

    return evaluate_whole


def _range(least: float, most: float) -> str:
    if (least, most) == (0, 1):
        return "0 or 1"
    return f"whole numbers from {least:g} to {most:g}"
