"""What a sample of n runs looks like, in numbers that a model can learn from."""

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
"""Ratios below it, and above its inverse, are not told apart."""


def features(
    samples: ArrayLike,
    counts: ArrayLike,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.float64]:
    """Numbers that describe the first n runs of each sample; none depends on the values' unit.

    - ``log_n``: number of runs;
    - ``log_cv``: standard deviation, relative to the absolute mean;
    - ``log_quartile_spread``, ``log_upper_tail``, ``log_lower_tail``: distance of the quartiles,
      of the greatest value from the median and of the median from the least one, relative to the
      absolute median;
    - ``skewness`` (absolute) and excess ``kurtosis``, ddof 0, both as ``log10(1 + .)`` of their
      size; 0 for constant values;
    - ``outlier_share``: beyond 1.5 interquartile ranges from the quartiles;
    - ``log_drift``: distance of the means of the first and the second half of the runs, relative
      to the absolute mean;
    - ``failure_share``: runs without a finite value. All others are about the finite ones.

    Parameters
    ----------
    samples : array_like, shape (samples, runs)
        Values in the order of the runs; `inf` for a run without a finite value.
    counts : array_like of int, shape (samples,)
        How many of the first runs are seen, in 1..runs.
    progress : callable, optional
        Called with (samples done, samples) after each sample.

    Returns
    -------
    ndarray, shape (samples, features)
        Finite: ratios are kept between 1e-16 and 1e16. A sample without a finite value has the
        least of every ratio.

    Raises
    ------
    ValueError
        If shapes or numbers do not fit, or a value is NaN or ``-inf``.

    Examples
    --------
    >>> row = features([[1.0, 3.0, 2.0, 4.0, 100.0]], [4])[0]
    >>> dict(zip(FEATURES, row.round(2).tolist()))["log_cv"]
    -0.35
    """
    values = checked_values(samples, dimensions=2)
    numbers = np.asarray(counts, dtype=np.int64)
    if numbers.shape != values.shape[:1]:
        raise ValueError(f"counts must be {values.shape[0]} numbers, not {numbers.shape}")
    if numbers.size and not (numbers.min() >= 1 and numbers.max() <= values.shape[1]):
        raise ValueError(f"counts must lie in 1..{values.shape[1]}")
    table = np.empty((values.shape[0], len(FEATURES)))
    for s, n in enumerate(numbers):
        table[s] = _row(values[s, :n])
        if progress is not None:
            progress(s + 1, len(table))
    return table


def _row(sample: NDArray[np.float64]) -> list[float]:
    seen = sample[np.isfinite(sample)]
    failures = 1.0 - seen.size / sample.size
    seen = seen / np.abs(seen).max() if seen.any() else np.zeros(max(seen.size, 1))
    low, middle, high = np.quantile(seen, [0.25, 0.5, 0.75])
    mean, reach = seen.mean(), 1.5 * (high - low)
    half = seen.size // 2
    drift = seen[half:].mean() - seen[:half].mean() if half else 0.0
    skewness, constant = kernels.skewness(np.sort(seen), 0, seen.size)
    return [
        np.log10(sample.size),
        _log_ratio(seen.std(), mean),
        _log_ratio(high - low, middle),
        _log_ratio(seen.max() - middle, middle),
        _log_ratio(middle - seen.min(), middle),
        np.log10(1.0 + abs(skewness)),
        0.0 if constant else _signed_log(float(np.nan_to_num(kurtosis(seen)))),
        np.mean((seen < low - reach) | (seen > high + reach)),
        _log_ratio(drift, mean),
        failures,
    ]


def _log_ratio(part: float, whole: float) -> float:
    part, whole = abs(part), abs(whole)
    if part <= LEAST * whole:
        return float(np.log10(LEAST))
    if whole <= LEAST * part:
        return -float(np.log10(LEAST))
    return float(np.log10(part / whole))


def _signed_log(value: float) -> float:
    return float(np.sign(value) * np.log10(1.0 + abs(value)))
