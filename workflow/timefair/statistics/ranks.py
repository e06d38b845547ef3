"""Ranks of algorithms on problems; small values are better."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats


def rank(values: ArrayLike, axis: int = -1) -> NDArray[np.float64]:
    """Ranks from 1 for the smallest value; ties share the average of their ranks.

    Parameters
    ----------
    values : array_like
        Any shape. `inf` ("not reached") and NaN ("n/a") are equally bad: they share the worst rank,
        which is the average of the last ranks.
    axis : int
        The axis of the algorithms, along which the values are ranked.

    Returns
    -------
    ndarray
        The shape of `values`. Along `axis`, of length k, the sum of the ranks is ``k (k + 1)/2``.

    Raises
    ------
    ValueError
        If `values` is a single number.

    References
    ----------
    Mathematics 2022, 10(22), 4364, doi 10.3390/math10224364, Tables 2 to 4 and 7 to 11.

    Examples
    --------
    >>> rank([2.0, 7.0, 2.0, float("inf"), float("nan")]).tolist()
    [1.5, 3.0, 1.5, 4.5, 4.5]
    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim == 0:
        raise ValueError("values must have at least one dimension")
    worst_for_none = np.where(np.isnan(x), np.inf, x)
    return np.asarray(stats.rankdata(worst_for_none, axis=axis), dtype=np.float64)


def average_ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Rank of each algorithm, averaged over the problems.

    Parameters
    ----------
    values : array_like, shape (problems, algorithms)
        Results, or ranks (ranking does not change ranks). `inf` and NaN as in `rank`.

    Returns
    -------
    ndarray, shape (algorithms,)
        NaN if there are no problems.

    Raises
    ------
    ValueError
        If `values` is not a matrix.

    References
    ----------
    Mathematics 2022, 10(22), 4364, Figures 1 and 3.

    Examples
    --------
    >>> average_ranks([[1.0, 2.0, 3.0], [5.0, 5.0, float("inf")]]).tolist()
    [1.25, 1.75, 3.0]
    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 2:
        raise ValueError(f"values must have the shape (problems, algorithms), not {x.shape}")
    if x.shape[0] == 0:
        return np.full(x.shape[1], np.nan)
    return np.asarray(rank(x, axis=1).mean(axis=0))
