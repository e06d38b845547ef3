"""Best-so-far precision over elapsed cost."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from timefair.statistics.checks import check_confidence
from timefair.statistics.quantiles import quantile_interval, sample_quantile
from timefair.statistics.traces import check_traces


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
    best = np.empty((cuts.size - 1, points.size))
    for run, (first, end) in enumerate(pairwise(cuts)):
        past = np.searchsorted(spent[first:end], points, side="right")
        best[run] = np.append(np.inf, reached[first:end])[past]
    return best


@dataclass(frozen=True)
class Band:
    """A trajectory of many runs together and its band: three arrays of shape (points,)."""

    curve: NDArray[np.float64]
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
    >>> band.low.tolist(), band.curve.tolist(), band.high.tolist()
    ([1.0], [2.0], [4.0])
    """
    values = _matrix(best)
    if low > high:
        raise ValueError(f"low must not be above high, got {low} and {high}")
    return Band(
        sample_quantile(values, 0.5, axis=0),
        sample_quantile(values, low, axis=0),
        sample_quantile(values, high, axis=0),
    )


def median_band(best: ArrayLike, confidence: float) -> Band:
    """Median over runs with its interval: how well so many runs tell the median.

    Parameters
    ----------
    best : array_like, shape (runs, points)
        From `best_so_far`; `inf` sorts last.
    confidence : float
        Nominal coverage in (0, 1), at each point by itself. The actual one is at least that for any
        law of the values; ties and runs in equal numbers on several instances raise it.

    Returns
    -------
    Band
        Order statistics over the runs, see `quantiles.quantile_interval`. ``high`` is `inf` where
        so many runs may have no value yet. NaN limits ("n/a") where the runs are too few for the
        confidence: fewer than 6 at 95 %. All NaN without a run.

    Raises
    ------
    ValueError
        If `best` is no matrix or has NaN, or `confidence` is out of range.

    Examples
    --------
    >>> band = median_band([[5.0], [1.0], [2.0], [8.0], [3.0], [9.0]], 0.95)
    >>> band.low.tolist(), band.curve.tolist(), band.high.tolist()
    ([1.0], [3.0], [9.0])
    """
    values = _matrix(best)
    interval = quantile_interval(values, 0.5, confidence, axis=0)
    limited = ~np.isneginf(interval.low)
    return Band(
        sample_quantile(values, 0.5, axis=0),
        np.where(limited, interval.low, np.nan),
        np.where(limited, interval.high, np.nan),
    )


def log_mean_band(best: ArrayLike, *, floor: float, confidence: float) -> Band:
    """Mean over runs of the decimal logarithm of the precision, with Student's interval.

    Parameters
    ----------
    best : array_like, shape (runs, points)
        From `best_so_far`, at least 0.
    floor : float
        Precisions below it, 0 among them, are raised to it. Positive; what is found beyond it
        counts as nothing.
    confidence : float
        Nominal coverage in (0, 1), at each point by itself, see Notes.

    Returns
    -------
    Band
        Logarithms. NaN until every run has a finite precision, and without a run; NaN limits
        ("n/a") for one run. No limit lies below the floor; no width where all runs agree, as when
        all have passed the floor.

    Raises
    ------
    ValueError
        If `best` is no matrix or has a NaN or a negative number, or `floor` or `confidence` is out
        of range.

    Notes
    -----
    Coverage of a nominal .95 at 5, 10 and 30 runs, for the logarithms' law: normal .95 at all;
    exponential .89, .89, .93; 30 % at the floor .84, .95, .94; Poisson (ties) .94, .94, .95. The
    percentile bootstrap covers .83, .90, .93; .78, .85, .91; .81, .91, .93; .83, .89, .93. Runs in
    equal numbers on several instances make the interval wider than these instances alone need.

    Examples
    --------
    >>> band = log_mean_band([[np.inf, 10.0], [1.0, 0.0]], floor=1e-3, confidence=0.95)
    >>> band.curve.tolist()
    [nan, -1.0]
    """
    values = _matrix(best)
    if np.isnan(values).any() or (values < 0).any():
        raise ValueError("best must not be NaN or negative")
    if not 0.0 < floor < np.inf:
        raise ValueError(f"floor must be positive and finite, not {floor}")
    check_confidence(confidence)
    runs, points = values.shape
    mean, half = np.full(points, np.nan), np.full(points, np.nan)
    defined = np.isfinite(values).all(axis=0) & (runs > 0)
    logarithms = np.log10(np.maximum(values[:, defined], floor))
    if defined.any():
        mean[defined] = logarithms.mean(axis=0)
    if defined.any() and runs > 1:
        error = logarithms.std(axis=0, ddof=1) / np.sqrt(runs)
        half[defined] = stdtrit(runs - 1, (1.0 + confidence) / 2.0) * error
    return Band(mean, np.maximum(mean - half, np.log10(floor)), mean + half)


def _matrix(best: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(best, dtype=np.float64)
    if values.ndim != 2:
        raise ValueError(f"best must have the shape (runs, points), not {values.shape}")
    return values
