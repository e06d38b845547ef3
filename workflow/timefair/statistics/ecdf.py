"""Empirical distribution of runtimes over targets, instances and runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def ecdf(runtimes: ArrayLike, grid: ArrayLike) -> NDArray[np.float64]:
    """Fraction of the (target, instance, run) triples with a runtime of at most b.

    Parameters
    ----------
    runtimes : array_like
        Any shape, seconds or evaluations; `inf` for a target that was not reached. Failures stay
        in the denominator.
    grid : array_like, shape (points,)
        The costs b, in the unit of `runtimes`.

    Returns
    -------
    ndarray, shape (points,)
        In [0, 1]; NaN when there is no runtime at all. At ``b = inf`` it is still the share that
        was reached.

    Raises
    ------
    ValueError
        If a number is NaN.

    References
    ----------
    J. J. Lian, "Time-Fair Benchmarking for Metaheuristics", 2025; the runtime distributions of
    N. Hansen et al., COCO, Optimization Methods and Software 36 (2021).

    Examples
    --------
    >>> ecdf([[1.0, 3.0], [2.0, float("inf")]], [0.5, 2.0, 10.0]).tolist()
    [0.0, 0.5, 0.75]
    """
    times = np.asarray(runtimes, dtype=np.float64).ravel()
    points = np.asarray(grid, dtype=np.float64)
    if np.isnan(times).any() or np.isnan(points).any():
        raise ValueError("runtimes and grid must not be NaN; a target not reached is inf")
    if times.size == 0:
        return np.full(points.shape, np.nan)
    reached = np.sort(times[np.isfinite(times)])
    return np.asarray(np.searchsorted(reached, points, side="right") / times.size)
