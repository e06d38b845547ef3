"""Welch's test of scores, for the hypothesis that two ERTs are equal."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr


def score_p(
    mean_first: ArrayLike,
    variance_first: ArrayLike,
    m: int,
    mean_second: ArrayLike,
    variance_second: ArrayLike,
    n: int,
) -> NDArray[np.float64]:
    """Two-sided p-values of Welch's test that two algorithms have the same mean score.

    `comparison.equal_ert` defines the score of a run. If two algorithms have the same ERT, the
    expectations of their scores are equal.

    - `mean_first`, `variance_first`, `mean_second`, `variance_second`: Mean and variance (divisor
      runs - 1) of the scores of each algorithm. The shapes must be broadcastable.
    - `m`, `n`: Number of runs of each algorithm, at least 2.

    Returns: Never below ``2/comb(m + n, m)``; 1 if all scores are equal.

    >>> score_p([0.0, 0.0], [1.0, 0.0], 5, [2.0, 0.0], [1.0, 0.0], 5).round(4).tolist()
    [0.0133, 1.0]
    """
    first, second = np.asarray(variance_first) / m, np.asarray(variance_second) / n
    difference = np.abs(np.asarray(mean_first) - np.asarray(mean_second))
    total = first + second
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = total**2 / (first**2 / (m - 1) + second**2 / (n - 1))
        p = 2 * stdtr(freedom, -difference / np.sqrt(total))
    p = np.where(total > 0, p, np.where(difference > 0, 0.0, 1.0))
    return np.asarray(np.maximum(p, _least_p(m, n)))


def _least_p(m: int, n: int) -> float:
    return min(2 / comb(m + n, m), 1.0)
