"""Probabilities that the first of two algorithms is better, practically equal or worse."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Practical(NamedTuple):
    """Three probabilities with the sum 1, or NaN where nothing is known.

    - `better`: The first algorithm is better by more than what matters.
    - `equal`: The two differ by no more than what matters.
    - `worse`: The second algorithm is better by more than what matters.
    """

    better: float
    equal: float
    worse: float


UNKNOWN = Practical(np.nan, np.nan, np.nan)


def compared(first: ArrayLike, second: ArrayLike, ratio: float) -> Practical:
    """Compare draws of the costs of two algorithms.

    - `first`, `second`, shape (draws,): Draws of the ERT of each algorithm, `inf` allowed. If both
      are `inf`, the draw counts as equal.
    - `ratio`: The largest ratio of costs that does not matter, at least 1.

    Returns: The shares of the draws. Raises ValueError if `ratio` is below 1.
    """
    check_ratio(ratio)
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    better, worse = float(np.mean(ratio * a < b)), float(np.mean(ratio * b < a))
    return Practical(better, 1.0 - better - worse, worse)


def check_ratio(ratio: float) -> None:
    """Raise ValueError unless a ratio that matters is at least 1 and finite."""
    if not 1.0 <= ratio < np.inf:
        raise ValueError(f"ratio must be at least 1 and finite, not {ratio}")
