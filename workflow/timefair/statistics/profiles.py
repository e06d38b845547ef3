"""Performance profiles: how often an algorithm is within a factor of the best."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def performance_ratios(costs: ArrayLike, floor: float = 0.0) -> NDArray[np.float64]:
    """Each algorithm's cost on a problem, divided by the least cost there.

    Parameters
    ----------
    costs : array_like, shape (problems, algorithms)
        Cost of solving, e.g. an ERT in seconds; `inf` for not solved.
    floor : float
        Costs below it are raised to it: the resolution of the timer, in the unit of `costs`.

    Returns
    -------
    ndarray, shape (problems, algorithms)
        At least 1. All ties with the best are 1, and so is 0/0; c/0 is `inf`; a problem that
        nobody solved has `inf` for all.

    Raises
    ------
    ValueError
        If `costs` is no matrix with at least one algorithm, or a cost is NaN or negative, or the
        floor is.

    References
    ----------
    E. D. Dolan and J. J. Moré, Benchmarking optimization software with performance profiles,
    Mathematical Programming 91 (2002), equation (2.1).

    Examples
    --------
    >>> performance_ratios([[2.0, 6.0], [float("inf"), float("inf")]]).tolist()
    [[1.0, 3.0], [inf, inf]]
    """
    cost = np.asarray(costs, dtype=np.float64)
    if cost.ndim != 2 or cost.shape[1] == 0:
        raise ValueError(f"costs must have the shape (problems, algorithms >= 1), not {cost.shape}")
    if np.isnan(cost).any() or (cost < 0).any():
        raise ValueError("costs must not be NaN or negative; a problem not solved is inf")
    if not 0.0 <= floor < np.inf:
        raise ValueError(f"floor must be finite and not negative, not {floor}")
    cost = np.maximum(cost, floor)
    best = np.broadcast_to(cost.min(axis=1, keepdims=True), cost.shape)
    ratios = np.full(cost.shape, np.inf)
    np.divide(cost, best, out=ratios, where=(best > 0) & np.isfinite(best))
    ratios[np.isfinite(best) & (cost == best)] = 1.0
    return ratios


def performance_profile(ratios: ArrayLike, grid: ArrayLike) -> NDArray[np.float64]:
    """Share of the problems on which each algorithm's ratio is at most r.

    Parameters
    ----------
    ratios : array_like, shape (problems, algorithms)
        From `performance_ratios`. A problem that nobody solved stays in the denominator.
    grid : array_like, shape (points,)
        The factors r; 1 gives the share of problems on which the algorithm is best.

    Returns
    -------
    ndarray, shape (points, algorithms)
        In [0, 1]; NaN without a problem. At ``r = inf`` it is still the share that was solved.

    Raises
    ------
    ValueError
        If `ratios` is no matrix or a number is NaN.

    References
    ----------
    Dolan and Moré (2002), equation (2.2).

    Examples
    --------
    >>> performance_profile([[1.0, 3.0], [2.0, 1.0], [np.inf, np.inf]], [1.0, 4.0]).tolist()
    [[0.3333333333333333, 0.3333333333333333], [0.6666666666666666, 0.6666666666666666]]
    """
    ratio = np.asarray(ratios, dtype=np.float64)
    points = np.asarray(grid, dtype=np.float64)
    if ratio.ndim != 2 or points.ndim != 1:
        raise ValueError("ratios must have the shape (problems, algorithms), grid (points,)")
    if np.isnan(ratio).any() or np.isnan(points).any():
        raise ValueError("ratios and grid must not be NaN")
    problems, algorithms = ratio.shape
    if problems == 0:
        return np.full((points.size, algorithms), np.nan)
    ordered = np.sort(np.where(np.isfinite(ratio), ratio, np.inf), axis=0)
    solved = np.isfinite(ordered).sum(axis=0)
    counts = np.stack(
        [np.searchsorted(ordered[: solved[a], a], points, side="right") for a in range(algorithms)],
        axis=1,
    )
    return np.asarray(counts / problems)
