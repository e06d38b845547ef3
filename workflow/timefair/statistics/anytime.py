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
    """Best precision that each run has found up to each cost of a grid.

    - `cost`, shape (events,): Seconds or evaluations since the start of the run. They must not
      decrease within a run.
    - `precision`, shape (events,): Best precision so far. It must not increase within a run.
    - `offsets`, shape (runs + 1,): The events of run i are ``offsets[i]:offsets[i + 1]``. A run may
      have no events.
    - `grid`, shape (points,): Costs at which the precision is wanted, in the unit of `cost`, in any
      order.

    Returns, shape (runs, points): `inf` before the first event of a run. After the end of a run,
    its last best precision. Raises ValueError if lengths differ, the offsets do not divide the
    events into runs, events are not in order, or a number is NaN.
    """
    spent, reached, cuts = check_traces(cost, precision, offsets)
    points = np.asarray(grid, dtype=np.float64)
    if points.ndim != 1 or np.isnan(points).any():
        raise ValueError("grid must be a vector without NaN")
    past = np.empty((cuts.size - 1, points.size), dtype=np.intp)
    for run, (first, end) in enumerate(pairwise(cuts)):
        past[run] = first + spent[first:end].searchsorted(points, side="right")
    before = past == cuts[:-1, np.newaxis]
    return np.where(before, np.inf, np.append(np.inf, reached)[past])


@dataclass(frozen=True)
class Band:
    """A curve that summarizes many runs, and its band: three arrays of shape (points,)."""

    curve: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def quantile_band(best: ArrayLike, low: float, high: float) -> Band:
    """Median over the runs, with a band between two sample quantiles.

    The band shows how much single runs vary.

    - `best`, shape (runs, points): From `best_so_far`; `inf` is sorted last.
    - `low`, `high`: Probabilities of the lower and the upper edge of the band, ``0 <= low <= high
      <= 1``.

    Returns: Order statistics over the runs; NaN if there are no runs. Raises ValueError if `best`
    is not a matrix or has NaN, or the probabilities are out of order.
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
    """Median over the runs, with its confidence interval.

    The interval shows how well the median is known from this number of runs.

    - `best`, shape (runs, points): From `best_so_far`; `inf` is sorted last.
    - `confidence`: Nominal coverage in (0, 1), separately at each point. The actual coverage is at
      least the nominal one, for any distribution of the values. Ties increase it, and so do equal
      numbers of runs on several instances.

    Returns: Order statistics over the runs, see `quantiles.quantile_interval`. ``high`` is `inf` if
    the upper order statistic belongs to a run without a value. The limits are NaN ("n/a") if there
    are too few runs for the confidence: fewer than 6 at 95 %. All values are NaN if there are no
    runs. Raises ValueError if `best` is not a matrix or has NaN, or `confidence` is out of range.
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
    """Mean over the runs of the decimal logarithm of the precision, with Student's interval.

    - `best`, shape (runs, points): From `best_so_far`, at least 0.
    - `floor`: Smallest precision that is distinguished; positive. Smaller precisions, including 0,
      are replaced by it.
    - `confidence`: Nominal coverage in (0, 1), separately at each point; for the actual coverage
      see Notes.

    Returns: Logarithms. NaN until every run has a finite precision, and if there are no runs. The
    limits are NaN ("n/a") for a single run. No limit is below the logarithm of the floor. The
    interval has zero width where all runs agree, for example if all have passed the floor. Raises
    ValueError if `best` is not a matrix or has a NaN or a negative number, or `floor` or
    `confidence` is out of range.

    Coverage of a nominal 0.95 at 5, 10 and 30 runs, for several distributions of the logarithms:

    ================= ================ ====================
    distribution      this interval    percentile bootstrap
    ================= ================ ====================
    normal            0.95, 0.95, 0.95 0.83, 0.90, 0.93
    exponential       0.89, 0.89, 0.93 0.78, 0.85, 0.91
    30 % at the floor 0.84, 0.95, 0.94 0.81, 0.91, 0.93
    Poisson (ties)    0.94, 0.94, 0.95 0.83, 0.89, 0.93
    ================= ================ ====================

    Equal numbers of runs on several instances make the interval wider than necessary for these
    instances.
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
