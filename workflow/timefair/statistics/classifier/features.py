"""Numbers that describe a sample of n runs, as features of a model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import kurtosis

from timefair.statistics.run_count import kernels
from timefair.statistics.run_count.stopping import checked_values

FEATURES = (
    "log_n",
    "log_cv",
    "log_quartile_spread",
    "log_upper_tail",
    "log_lower_tail",
    "skewness",
    "kurtosis",
    "outlier_share",
    "log_drift",
    "failure_share",
)
"""Columns of `features`; logarithms are decimal."""

LEAST = 1e-16
"""Ratios are limited to this value and its inverse."""

BLOCK = 1000
"""Number of samples in one block. Blocks limit the memory."""


def features(
    samples: ArrayLike,
    counts: ArrayLike,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.float64]:
    """Features of the first n runs of each sample. They do not depend on the unit of the values.

    - ``log_n``: number of runs;
    - ``log_cv``: standard deviation, relative to the absolute mean;
    - ``log_quartile_spread``: distance between the quartiles; ``log_upper_tail``: distance of the
      largest value from the median; ``log_lower_tail``: distance of the median from the smallest
      value; all relative to the absolute median;
    - ``skewness`` and excess ``kurtosis`` (ddof 0), as ``log10(1 + .)`` of their absolute values;
      0 for constant values;
    - ``outlier_share``: share of the values more than 1.5 interquartile ranges from the quartiles;
    - ``log_drift``: difference of the means of the first and the second half of the runs, relative
      to the absolute mean;
    - ``failure_share``: share of the runs without a finite value. All other features except
      ``log_n`` use only the finite values.

    - `samples`, shape (samples, runs): Values in the order of the runs; `inf` for a run without a
      finite value.
    - `counts`, shape (samples,): Number n of first runs that are used, in 1..runs.
    - `progress`: Called with (samples done, samples) from time to time, and at the end.

    Returns, shape (samples, features): Finite numbers: ratios are limited to 1e-16 to 1e16. A
    sample without a finite value has the smallest value of every ratio. Raises ValueError if shapes
    or numbers do not fit, or a value is NaN or ``-inf``.
    """
    values = checked_values(samples, dimensions=2)
    numbers = np.asarray(counts, dtype=np.int64)
    if numbers.shape != values.shape[:1]:
        raise ValueError(f"counts must be {values.shape[0]} numbers, not {numbers.shape}")
    if numbers.size and not (numbers.min() >= 1 and numbers.max() <= values.shape[1]):
        raise ValueError(f"counts must lie in 1..{values.shape[1]}")
    table = np.empty((values.shape[0], len(FEATURES)))
    for first in range(0, len(table), BLOCK):
        rows = slice(first, first + BLOCK)
        table[rows] = _rows(values[rows], numbers[rows])
        if progress is not None:
            progress(min(first + BLOCK, len(table)), len(table))
    return table


def _rows(samples: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Features of the first n values of each sample, grouped by the number of finite values."""
    seen = np.isfinite(samples) & (np.arange(samples.shape[1]) < counts[:, np.newaxis])
    sizes = seen.sum(axis=1)
    table = np.empty((len(samples), len(FEATURES)))
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        finite = samples[rows][seen[rows]].reshape(rows.size, size)
        table[rows, 0] = np.log10(counts[rows])
        table[rows, 1:-1] = _shapes(finite if size else np.zeros((rows.size, 1)))
        table[rows, -1] = 1.0 - size / counts[rows]
    return table


def _shapes(seen: NDArray[np.float64]) -> NDArray[np.float64]:
    """All features except the first and the last, from finite values of shape (samples, n)."""
    unit = np.abs(seen).max(axis=1, keepdims=True)
    seen = seen / np.where(unit > 0.0, unit, 1.0)
    low, middle, high = np.quantile(seen, [0.25, 0.5, 0.75], axis=1)
    mean, reach = seen.mean(axis=1), 1.5 * (high - low)
    least, most = low - reach, high + reach
    half = seen.shape[1] // 2
    drift = (
        seen[:, half:].mean(axis=1) - seen[:, :half].mean(axis=1) if half else np.zeros_like(mean)
    )
    skewness, constant = kernels.skewness(np.sort(seen, axis=1))
    excess = np.zeros_like(mean)
    if not constant.all():
        excess[~constant] = np.nan_to_num(kurtosis(seen[~constant], axis=1))
    outside = (seen < least[:, np.newaxis]) | (seen > most[:, np.newaxis])
    return np.column_stack(
        [
            _log_ratio(seen.std(axis=1), mean),
            _log_ratio(high - low, middle),
            _log_ratio(seen.max(axis=1) - middle, middle),
            _log_ratio(middle - seen.min(axis=1), middle),
            np.log10(1.0 + np.abs(skewness)),
            np.sign(excess) * np.log10(1.0 + np.abs(excess)),
            outside.mean(axis=1),
            _log_ratio(drift, mean),
        ]
    )


def _log_ratio(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    part, whole = np.abs(part), np.abs(whole)
    small, large = part <= LEAST * whole, whole <= LEAST * part
    ratio = np.divide(part, whole, out=np.ones_like(part), where=~(small | large))
    least = np.log10(LEAST)
    return np.where(small, least, np.where(large, -least, np.log10(ratio)))
