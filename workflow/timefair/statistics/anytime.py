"""Best-so-far precision over elapsed cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.traces import check_traces, count_within


def best_so_far(
    cost: ArrayLike, precision: ArrayLike, offsets: ArrayLike, grid: ArrayLike
) -> NDArray[np.float64]:
    """Best precision that each run had found at each cost of a grid.

    Parameters
    ----------
    cost : array_like, shape (events,)
        Seconds or evaluations since the run's start; never falls within a run.
    precision : array_like, shape (events,)
        Best precision so far; never rises within a run.
    offsets : array_like of int, shape (runs + 1,)
        The events of run i are ``offsets[i]:offsets[i + 1]``; a run may have none.
    grid : array_like, shape (points,)
        Costs to look at, in the unit of `cost`, in any order.

    Returns
    -------
    ndarray, shape (runs, points)
        `inf` before a run's first event. After a run's end its best stays what it was.

    Raises
    ------
    ValueError
        If lengths differ, offsets do not cut the events into runs, events are not in order, or a
        number is NaN.

    Examples
    --------
    >>> best_so_far([0.1, 0.4, 0.2], [5.0, 0.5, 7.0], [0, 2, 3], [0.1, 1.0]).tolist()
    [[5.0, 0.5], [inf, 7.0]]
    """
    spent, reached, cuts = check_traces(cost, precision, offsets)
    points = np.asarray(grid, dtype=np.float64)
    if points.ndim != 1 or np.isnan(points).any():
        raise ValueError("grid must be a vector without NaN")
    best = np.full((cuts.size - 1, points.size), np.inf)
    for j, point in enumerate(points):
        past = count_within(spent <= point, cuts)
        some = past > 0
        best[some, j] = reached[cuts[:-1][some] + past[some] - 1]
    return best


@dataclass(frozen=True)
class Band:
    """Trajectories of many runs in three curves, each of shape (points,)."""

    median: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def quantile_band(best: ArrayLike, low: float, high: float) -> Band:
    """Median and a band of sample quantiles over runs: how much single runs vary.

    Parameters
    ----------
    best : array_like, shape (runs, points)
        From `best_so_far`; `inf` sorts last.
    low, high : float
        Probabilities of the band's edges, ``0 <= low <= high <= 1``.

    Returns
    -------
    Band
        Order statistics over the runs; NaN without a run.

    Raises
    ------
    ValueError
        If `best` is no matrix or has NaN, or the probabilities are out of order.

    Examples
    --------
    >>> band = quantile_band([[4.0], [1.0], [2.0], [8.0]], 0.25, 0.75)
    >>> band.low.tolist(), band.median.tolist(), band.high.tolist()
    ([1.0], [2.0], [4.0])
    """
    values = np.asarray(best, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"best must have the shape (runs, points), not {values.shape}")
    if low > high:
        raise ValueError(f"low must not be above high, got {low} and {high}")
    return Band(
        sample_quantile(values, 0.5, axis=0),
        sample_quantile(values, low, axis=0),
        sample_quantile(values, high, axis=0),
    )
