"""Sample quantiles as order statistics."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def quantile_rank(n: int, p: float) -> int:
    """Which order statistic is the p-quantile of n values: ``ceil(n p)``, counted from 1.

    A product that is a whole number but for rounding counts as that number.

    Parameters
    ----------
    n : int
        Number of values, at least 1.
    p : float
        Probability in [0, 1]; 0 gives the minimum.

    Returns
    -------
    int
        Rank in 1..n.

    Raises
    ------
    ValueError
        If `n` is smaller than 1 or `p` lies outside [0, 1].

    Examples
    --------
    >>> quantile_rank(10, 0.1), quantile_rank(101, 0.5), quantile_rank(100, 0.29)
    (1, 51, 29)
    """
    if n < 1:
        raise ValueError(f"n must be at least 1, not {n}")
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"p must lie in [0, 1], not {p}")
    # p, perhaps itself a difference, and the product are rounded: a relative error of some 2**-53.
    whole = np.ceil(n * p * (1.0 - 4 * np.finfo(np.float64).eps))
    return min(max(int(whole), 1), n)


def sample_quantile(values: ArrayLike, p: float, axis: int = -1) -> NDArray[np.float64]:
    """The sample quantile ``x_(ceil(n p))`` of the sorted values.

    Parameters
    ----------
    values : array_like
        Any shape. `inf` stands for "not reached" and sorts last, so that a quantile of runtimes is
        finite iff at least ``ceil(n p)`` runs succeeded.
    p : float
        Probability in [0, 1].
    axis : int
        The axis of the sample.

    Returns
    -------
    ndarray
        `values` without `axis`; NaN for an empty sample.

    Raises
    ------
    ValueError
        If a value is NaN or `p` lies outside [0, 1].

    References
    ----------
    Mathematics 2022, 10(22), 4364, doi 10.3390/math10224364. The same as
    ``numpy.quantile(..., method="inverted_cdf")``, with `inf` and rounding of ``n p`` looked after.

    Examples
    --------
    >>> float(sample_quantile([3.0, 1.0, float("inf"), 2.0], 0.5))
    2.0
    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim == 0:
        raise ValueError("values must have at least one dimension")
    if np.isnan(x).any():
        raise ValueError("values must not be NaN; a result that was not reached is inf")
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"p must lie in [0, 1], not {p}")
    n = x.shape[axis]
    if n == 0:
        return np.full(np.delete(x.shape, axis), np.nan)
    k = quantile_rank(n, p) - 1
    return np.asarray(np.take(np.partition(x, k, axis=axis), k, axis=axis))
