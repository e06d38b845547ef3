"""Mann and Whitney's test of many samples against one of them, all at once."""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr


def p_worse(field: NDArray[np.float64], leader: int) -> NDArray[np.float64]:
    """One-sided Mann-Whitney p of each row against the leader's; small where values are larger.

    Parameters
    ----------
    field : ndarray, shape (algorithms, n)
        `inf` is worst and equal to its like; no NaN.
    leader : int
        The leader's row.

    Returns
    -------
    ndarray, shape (algorithms,)
        1 for the leader, and for a row whose values, with the leader's, are all equal.

    Notes
    -----
    Exact for a row that has no tie, with the leader or in itself. With ties the normal limit, with
    a correction for continuity and for the ties: as ``scipy.stats.mannwhitneyu`` has them.

    Examples
    --------
    >>> p_worse(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), 0).tolist()
    [1.0, 0.05]
    """
    algorithms, n = field.shape
    best = np.sort(field[leader])
    below = np.searchsorted(best, field, "left") + np.searchsorted(best, field, "right")
    greater = 0.5 * below.sum(axis=1)
    ties = _tie_terms(np.concatenate([field, np.broadcast_to(best, field.shape)], axis=1))
    tied = ties > 0.0
    p = np.ones(algorithms)
    p[~tied] = _exact_upper(n)[greater[~tied].astype(np.int64)]
    p[tied] = _normal_upper(greater[tied], ties[tied], n)
    p[leader] = 1.0
    return p


def _tie_terms(both: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of t³ − t over the groups of t equal values of each row, shape (rows, n) to (rows,)."""
    rows, n = both.shape
    ordered = np.sort(both, axis=1)
    first = np.ones((rows, n), dtype=np.bool_)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    starts = np.flatnonzero(first)
    sizes = np.diff(np.append(starts, rows * n)).astype(np.float64)
    sums = np.bincount(starts // n, weights=sizes**3 - sizes, minlength=rows)
    return np.asarray(sums, dtype=np.float64)


def _normal_upper(
    greater: NDArray[np.float64], ties: NDArray[np.float64], n: int
) -> NDArray[np.float64]:
    """The normal limit of `_exact_upper`; 1 where all values are equal."""
    total = 2 * n
    variance = n * n / 12 * ((total + 1) - ties / (total * (total - 1)))
    constant = ties == float(total) ** 3 - total
    deviation = np.sqrt(np.where(constant, 1.0, variance))
    return np.where(constant, 1.0, ndtr(-((greater - n * n / 2 - 0.5) / deviation)))


@lru_cache(maxsize=64)
def _exact_upper(n: int) -> NDArray[np.float64]:
    """P(U >= u) for u = 0..n² of two samples of n values of one law, without ties.

    Whole numbers up to the last division. The number of ways to have each u are the coefficients
    of a Gaussian binomial, the product of (1 - q^(n+i)) / (1 - q^i) for i = 1..n.
    """
    ways = np.zeros(n * n + 1, dtype=object)
    ways[0] = 1
    for i in range(1, n + 1):
        ways[n + i :] -= ways[: max(ways.size - n - i, 0)].copy()
        for residue in range(i):
            ways[residue::i] = np.add.accumulate(ways[residue::i])
    at_most = np.add.accumulate(ways)
    return np.asarray(at_most[::-1] / comb(2 * n, n), dtype=np.float64)
