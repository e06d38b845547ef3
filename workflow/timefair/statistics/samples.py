"""Samples of runs: checks of arguments, quantiles, and resampling of whole runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]  # an array of numbers


@dataclass(frozen=True)
class Estimate:
    """A value and the limits of its interval; all arrays have the same shape."""

    value: Floats
    low: Floats
    high: Floats


def floats(*values: ArrayLike) -> list[Floats]:
    return [np.asarray(each, dtype=np.float64) for each in values]


def per_success(spent: Floats, successes: ArrayLike) -> Floats:
    """Costs divided by numbers of successes; `inf` without a success."""
    found = np.full(np.shape(spent), np.inf)
    np.divide(spent, successes, out=found, where=np.asarray(successes) > 0)
    return found


def check_confidence(confidence: float) -> None:
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie in (0, 1), not {confidence}")


def vector(values: ArrayLike, name: str) -> Floats:
    """The values as an array; ValueError unless they are a vector without NaN."""
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1:
        raise ValueError(f"{name} must be a vector, not of the shape {x.shape}")
    if np.isnan(x).any():
        raise ValueError(f"{name} must not have NaN; a result that was not reached is inf")
    return x


def quantile_rank(n: int, p: float) -> int:
    """Rank ``ceil(n p)``, from 1, of the order statistic that is the p-quantile of n >= 1 values; a
    product that differs from a whole number only by rounding counts as that number.
    """
    # p, perhaps itself a difference, and the product are rounded: a relative error of some 2**-53.
    whole = np.ceil(n * p * (1.0 - 4 * np.finfo(np.float64).eps))
    return min(max(int(whole), 1), n)


def sample_quantile(values: ArrayLike, p: float, axis: int = -1) -> Floats:
    """The sample quantile ``x_(ceil(n p))`` of the sorted values, shape without `axis`; the minimum
    for p = 0, NaN for an empty sample. `inf` means "not reached" and is sorted last; NaN is
    refused.

    Source: Mathematics 2022, 10(22), 4364, doi 10.3390/math10224364. The same as
    ``numpy.quantile(..., method="inverted_cdf")``, except for `inf` and the rounding of ``n p``.

    >>> float(sample_quantile([3.0, 1.0, float("inf"), 2.0], 0.5))
    2.0
    """
    x = _sample(values, p)
    n = x.shape[axis]
    if n == 0:
        return np.full(np.delete(x.shape, axis), np.nan)
    k = quantile_rank(n, p) - 1
    return np.asarray(np.take(np.partition(x, k, axis=axis), k, axis=axis))


@dataclass(frozen=True)
class QuantileInterval:
    """Limits of a quantile in the unit of the values, and the coverage of these limits."""

    low: Floats
    high: Floats
    coverage: float


def quantile_interval(
    values: ArrayLike, p: float, confidence: float, axis: int = -1
) -> QuantileInterval:
    """Distribution-free interval of the p-quantile between two order statistics, shape without
    `axis`: it is below the lower limit, and above the upper one, with a probability of at most ``(1
    - confidence)/2`` each. `inf` is sorted last. If the sample is too small for a limit, `low` is
    ``-inf`` or `high` is `inf`: at 95 %, for the median of fewer than 6 values. `coverage` is that
    for a continuous distribution; ties only increase it. All are NaN for an empty sample.

    Source: H. A. David and H. N. Nagaraja, Order Statistics, 3rd edition, 2003, section 7.1. The
    limits are those of `scipy.stats.quantile_test`.
    """
    x = _sample(values, p)
    check_confidence(confidence)
    n = x.shape[axis]
    if n == 0:
        nothing = np.full(np.delete(x.shape, axis), np.nan)
        return QuantileInterval(nothing, nothing, np.nan)
    lower, upper, coverage = _limit_ranks(n, p, confidence)
    edge = np.full(np.insert(np.delete(x.shape, axis), axis % x.ndim, 1), np.inf)
    ordered = np.concatenate([-edge, np.sort(x, axis=axis), edge], axis=axis)
    return QuantileInterval(
        low=np.asarray(np.take(ordered, lower, axis=axis)),
        high=np.asarray(np.take(ordered, upper, axis=axis)),
        coverage=coverage,
    )


@lru_cache
def _limit_ranks(n: int, p: float, confidence: float) -> tuple[int, int, float]:
    """Ranks of the limits (0 and n + 1 if there is none), and their coverage."""
    from scipy.stats import binom  # slow to import, and most tables need no interval of a quantile

    tail = (1.0 - confidence) / 2.0
    lower, upper = int(binom.ppf(tail, n, p)), int(binom.isf(tail, n, p)) + 1
    return lower, upper, float(binom.cdf(upper - 1, n, p) - binom.cdf(lower - 1, n, p))


def _sample(values: ArrayLike, p: float) -> Floats:
    x = np.asarray(values, dtype=np.float64)
    if x.ndim == 0:
        raise ValueError("values must have at least one dimension")
    if np.isnan(x).any():
        raise ValueError("values must not be NaN; a result that was not reached is inf")
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"p must lie in [0, 1], not {p}")
    return x


BLOCK_DRAWS = 2_000_000  # draws that are held in memory at a time


def resampled_sums(columns: ArrayLike, *, resamples: int, rng: np.random.Generator) -> Floats:
    """Column sums, shape (resamples, m), of samples drawn with replacement from the rows of
    `columns`, finite numbers of shape (n, m). The draws need memory for at most `BLOCK_DRAWS`
    numbers (or one sample). Source: B. Efron, Annals of Statistics 7 (1979).
    """
    rows = _rows(columns, resamples)
    n = rows.shape[0]
    return sums_of_draws(rows, resamples, lambda samples: rng.integers(n, size=(samples, n)))


def _rows(columns: ArrayLike, resamples: int) -> Floats:
    rows = np.asarray(columns, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] == 0:
        raise ValueError(f"columns must have the shape (n >= 1, m), not {rows.shape}")
    if not np.isfinite(rows).all():
        raise ValueError("columns must be finite")
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, not {resamples}")
    return rows


def sums_of_draws(rows: Floats, resamples: int, draw: Callable[[int], NDArray[np.int64]]) -> Floats:
    """Column sums, (resamples, m), of the rows whose indices ``draw(samples)`` gives, in blocks."""
    n = rows.shape[0]
    sums = np.empty((resamples, rows.shape[1]))
    block = max(1, BLOCK_DRAWS // n)
    for first in range(0, resamples, block):
        samples = min(block, resamples - first)
        drawn = draw(samples) + n * np.arange(samples)[:, np.newaxis]
        counts = np.bincount(drawn.ravel(), minlength=samples * n).reshape(samples, n)
        np.matmul(counts.astype(np.float64), rows, out=sums[first : first + samples])
    return sums


def percentile_interval(replicates: ArrayLike, confidence: float) -> tuple[Floats, Floats]:
    """Limits of the central percentile interval of bootstrap replicates, shape (resamples, ...),
    not NaN. Order statistics, so that `inf` is never combined with finite numbers.
    """
    check_confidence(confidence)
    tail = (1.0 - confidence) / 2.0
    low, high = (sample_quantile(replicates, p, axis=0) for p in (tail, 1.0 - tail))
    return low, high


def stratified_sums(
    columns: ArrayLike, strata: ArrayLike, *, resamples: int, rng: np.random.Generator
) -> Floats:
    """Column sums, shape (resamples, m), of samples that are drawn within each stratum.

    From a stratum of n >= 2 rows, n - 1 are drawn with replacement, and their sum is scaled to n
    rows: the variance of the sums is then an unbiased estimate of that over new runs. `columns`:
    finite, shape (runs, m); `strata`, shape (runs,), such as the instance of each run. Source: J.
    N. K. Rao and C. F. J. Wu, Journal of the American Statistical Association 83 (1988).
    """
    rows, labels = _rows(columns, resamples), np.asarray(strata)
    if labels.shape != rows.shape[:1]:
        raise ValueError(f"strata {labels.shape} must be one label per row of columns {rows.shape}")
    _, stratum, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    if sizes.min() < 2:
        raise ValueError("strata must have at least two runs each")
    scaled = (rows * (sizes / (sizes - 1))[stratum, np.newaxis])[np.argsort(stratum, kind="stable")]
    first = np.repeat(np.cumsum(sizes) - sizes, sizes - 1)
    size = np.repeat(sizes, sizes - 1)
    return sums_of_draws(
        scaled,
        resamples,
        lambda samples: first + (rng.random((samples, first.size)) * size).astype(np.int64),
    )


def has_singles(strata: ArrayLike) -> bool:
    """Whether resampling is impossible: there are no runs, or a stratum has only one run."""
    counts = np.unique(np.asarray(strata), return_counts=True)[1]
    return bool(counts.size == 0 or counts.min() < 2)
