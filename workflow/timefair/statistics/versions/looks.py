"""Looking at the runs several times, and stopping when the answer is decided."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from timefair.statistics.checks import check_confidence


def look_levels(level: float, looks: int) -> NDArray[np.float64]:
    """Level at which the changes are judged at each look; the levels add up to the given one.

    The probability that any look gives a wrong answer is at most the sum of the levels, whatever
    the dependence between the looks. Later looks have more runs and get more of the level, in
    proportion to their number.

    Parameters
    ----------
    level : float
        Level of all looks together, in (0, 1).
    looks : int
        Number of planned looks, at least 1.

    Returns
    -------
    ndarray, shape (looks,)
        Positive and increasing.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> look_levels(0.05, 4).round(3).tolist()
    [0.005, 0.01, 0.015, 0.02]
    """
    check_confidence(1 - level)
    if looks < 1:
        raise ValueError(f"looks must be at least 1, not {looks}")
    numbers = np.arange(1, looks + 1)
    return np.asarray(level * numbers / numbers.sum())
