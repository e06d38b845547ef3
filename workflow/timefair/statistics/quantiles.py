"""Sample quantiles as order statistics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from timefair.statistics.checks import Floats, check_confidence


def quantile_rank(n: int, p: float) -> int:
    """Rank ``ceil(n p)``, from 1, of the order statistic that is the p-quantile of n >= 1 values.

    A product that differs from a whole number only by rounding counts as that number.
    """
    # p, perhaps itself a difference, and the product are rounded: a relative error of some 2**-53.
    whole = np.ceil(n * p * (1.0 - 4 * np.finfo(np.float64).eps))
    return min(max(int(whole), 1), n)


def sample_quantile(values: ArrayLike, p: float, axis: int = -1) -> Floats:
    """The sample quantile ``x_(ceil(n p))`` of the sorted values; the minimum for p = 0.

    - `values`: Any shape. `inf` means "not reached" and is sorted last: a quantile of runtimes is
      finite if and only if at least ``ceil(n p)`` runs succeeded. NaN is refused.
    - `p`: Probability in [0, 1].

    Returns: The shape of `values` without `axis`. NaN for an empty sample.

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
    """Distribution-free interval of the p-quantile, between two order statistics.

    The quantile is below the lower limit with a probability of at most ``(1 - confidence)/2``, and
    above the upper limit with at most the same, for any distribution of the values.

    - `values`: Any shape. `inf` means "not reached", is sorted last, and may be a limit.

    Returns: The shape of `values` without `axis`. If the sample is too small for a limit, `low` is
    ``-inf`` or `high` is `inf`: at 95 %, for the median of fewer than 6 values. `coverage` is that
    for a continuous distribution; ties only increase it. All values are NaN for an empty sample.

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
