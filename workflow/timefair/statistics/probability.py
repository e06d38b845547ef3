"""Means and probabilities of results, wrong means, and the best of several executions."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import beta, norm

from timefair.statistics.samples import (
    Estimate,
    Floats,
    check_confidence,
    floats,
    per_success,
    percentile_interval,
    resampled_sums,
    sample_quantile,
    vector,
)

_RANGE = float(np.finfo(np.float64).min), float(np.finfo(np.float64).max)

NO_SPREAD = 1e-12  # a resampled variance below this share of the sample variance counts as 0


def mean_interval(
    values: ArrayLike,
    *,
    confidence: float,
    resamples: int = 10_000,
    rng: np.random.Generator | None = None,
) -> tuple[float, float]:
    """Limits of the mean (`mean_of`), for the uncertainty from the limited number of runs.

    With `rng`: percentiles of the studentised mean of resampled runs (bootstrap-t), infinite if
    many resamples have zero variance. Without, as in the paper: mean ± z s/sqrt(n), with the
    divisor n in s. If a value is `inf` (a run without a result), the lower limit is NaN and the
    upper one `inf`; both are NaN for fewer than two values, and equal for equal values.

    Source: Mathematics 2022, 10(22), 4364, doi 10.3390/math10224364, section 4.5, Table 12 and
    Appendix B; B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993, section 12.5.
    """
    x = vector(values, "values")
    check_confidence(confidence)
    if (x == -np.inf).any():
        raise ValueError("values must not have -inf")
    if np.isinf(x).any():
        return np.nan, np.inf
    if x.size < 2:
        return np.nan, np.nan
    mean, spread = mean_of(x), _standard_deviation(x)
    if spread == 0:
        return mean, mean
    if rng is None:
        high = float(norm.isf((1.0 - confidence) / 2.0)) * x.size**-0.5
        low = -high
    else:
        low, high = _studentised_limits((x - mean) / spread, confidence, resamples, rng)
    return mean + spread * low, mean + spread * high


def mean_of(values: Floats) -> float:
    """Mean of a sample; that of finite values is finite. NaN for an empty sample."""
    with np.errstate(over="ignore"):
        mean = float(values.mean())
    if np.isinf(mean) and np.isfinite(values).all():
        return float(np.clip((values / values.size).sum(), *_RANGE))
    return mean


def deviation_of(values: Floats) -> float:
    """Standard deviation of a sample of finite values, with the divisor n - 1."""
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = float(np.std(values, ddof=1))
    if np.isfinite(deviation):
        return deviation
    stretch = float(np.sqrt(values.size / (values.size - 1)))
    return min(_standard_deviation(values) * stretch, _RANGE[1])


def _standard_deviation(x: Floats) -> float:
    """Standard deviation with the divisor n, scaled to avoid underflow and overflow."""
    scale = float(np.abs(x).max())
    return scale * float((x / scale).std()) if np.ptp(x) > 0 else 0.0


def _studentised_limits(
    z: Floats, confidence: float, resamples: int, rng: np.random.Generator
) -> tuple[float, float]:
    columns = np.column_stack([z, z**2])
    means, squares = resampled_sums(columns, resamples=resamples, rng=rng).T / z.size
    variances = squares - means**2
    flat = variances <= NO_SPREAD
    t = means / np.sqrt(np.where(flat, 1.0, variances))
    t[flat] = np.where(np.abs(means[flat]) > NO_SPREAD, np.copysign(np.inf, means[flat]), 0.0)
    below, above = percentile_interval(t, confidence)
    return -float(above), -float(below)


def mean_of_successes(costs: ArrayLike, axis: int = -1) -> Floats:
    """Mean cost of the runs that succeeded: misleading, and here to show how. Shape without `axis`;
    `inf` for a run that missed the target, NaN if no run succeeded. Source: Mathematics 2022,
    10(22), 4364, doi 10.3390/math10224364, Table 4.
    """
    cost = _costs(costs)
    reached = np.isfinite(cost)
    mean = per_success(np.where(reached, cost, 0.0).sum(axis=axis), reached.sum(axis=axis))
    return np.where(reached.any(axis=axis), mean, np.nan)


def mean_if_all_succeed(costs: ArrayLike, axis: int = -1) -> Floats:
    """Mean cost if every run succeeded; NaN ("n/a") if one failed, or without runs. Source:
    Mathematics 2022, 10(22), 4364, doi 10.3390/math10224364, Table 6.
    """
    cost = _costs(costs)
    return np.where(np.isfinite(cost).all(axis=axis), mean_of_successes(cost, axis), np.nan)


def _costs(costs: ArrayLike) -> Floats:
    cost = np.asarray(costs, dtype=np.float64)
    if cost.ndim == 0 or np.isnan(cost).any() or (cost < 0).any():
        raise ValueError("costs must be an array, not NaN and not negative; a failure is inf")
    return cost


def opposed_pairs(first: ArrayLike, second: ArrayLike) -> NDArray[np.intp]:
    """Pairs of algorithms whose order by one measure is opposite to their order by another: sorted
    rows (a, b), shape (pairs, 2), where a is better by the first measure, b by the second. Smaller
    is better; `inf` is worst and equal to itself. A tie is not a disagreement. Source: Mathematics
    2022, 10(22), 4364, doi 10.3390/math10224364, section 4.2 and Figure 2.
    """
    x, y = vector(first, "first"), vector(second, "second")
    return np.argwhere((x[:, np.newaxis] < x) & (y[:, np.newaxis] > y))


def smaller_gap(first: ArrayLike, second: ArrayLike, pairs: ArrayLike) -> Floats:
    """The smaller of two distances of each of `opposed_pairs`, by one measure and by the other, in
    decades, shape (pairs,). Measures are not negative; a ratio with 0 or `inf` is infinite.
    """
    x, y = vector(first, "first"), vector(second, "second")
    a, b = np.asarray(pairs, dtype=np.intp).reshape(-1, 2).T
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps = [np.abs(np.log10(m[a]) - np.log10(m[b])) for m in (x, y)]
    return np.asarray(np.nan_to_num(np.minimum(*gaps), nan=np.inf, posinf=np.inf))


def probability_of_quantile(
    values: ArrayLike, p: float, *, confidence: float
) -> tuple[Estimate, Estimate]:
    """Probability F(Q_p) that another run is at least as good as the p-quantile Q_p of the sample:
    by `beta_interval`, and by `paper_interval`, which does not keep its coverage in small samples
    and near p = 1.

    The estimate depends on the number k of values at or below Q_p, which is larger than ``ceil(n
    p)`` if Q_p is tied. All values, of shape (), are NaN for an empty sample, and if Q_p is `inf`.
    Source: Mathematics 2022, 10(22), 4364, doi 10.3390/math10224364, section 4.5 and Tables 13-15.
    """
    x = vector(values, "values")
    quantile = sample_quantile(x, p)
    if not np.isfinite(quantile):
        check_confidence(confidence)
        nothing = np.asarray(np.nan)
        return (Estimate(nothing, nothing, nothing),) * 2
    count, tied = int((x <= quantile).sum()), int((x == quantile).sum()) > 1
    exact = _beta_interval(count, x.size, confidence, tied=tied)
    return exact, _paper_interval(count, x.size, confidence)


def beta_interval(
    count: ArrayLike, n: ArrayLike, confidence: float, *, tied: ArrayLike = False
) -> Estimate:
    """Exact interval of F(X_(k)) for the rank k = `count`, in 1..n: Beta(k, n + 1 - k) if F is
    continuous. If X_(k) is `tied` with another value, the upper limit is that of k + 1, or 1.
    Source: H. A. David and H. N. Nagaraja, Order Statistics, 3rd edition, 2003, section 2.1.
    """
    k, size = np.broadcast_arrays(np.asarray(count), np.asarray(n))
    low, high = _beta_limits(k, k + np.asarray(tied, dtype=np.int64), size, confidence)
    return Estimate(np.asarray(k / (size + 1)), low, high)


def paper_interval(count: ArrayLike, n: ArrayLike, confidence: float) -> Estimate:
    """The interval of the paper: (k - 1)/(n - 1) ± ``z sqrt(q (1 - q)/n)`` with q = k/n, within [0,
    1]. For k = n, the value and both limits are 1. NaN for n = 1. Source: Mathematics 2022, 10(22),
    4364, doi 10.3390/math10224364, Tables 13-15.
    """
    k, size = np.broadcast_arrays(np.asarray(count), np.asarray(n))
    check_confidence(confidence)
    q, value = k / size, np.full(k.shape, np.nan)
    np.divide(k - 1, size - 1, out=value, where=size > 1)
    half = norm.isf((1.0 - confidence) / 2.0) * np.sqrt(q * (1 - q) / size)
    low, high = np.clip(value - half, 0.0, 1.0), np.clip(value + half, 0.0, 1.0)
    return Estimate(value, low, high)


def success_interval(successes: ArrayLike, runs: ArrayLike, confidence: float) -> Estimate:
    """Success rate with the exact interval of Clopper and Pearson, as scipy's, for arrays.

    >>> interval = success_interval([0, 5, 10], 10, 0.95)
    >>> interval.low.round(3).tolist(), interval.high.round(3).tolist()
    ([0.0, 0.187, 0.692], [0.308, 0.813, 1.0])
    """
    s, size = np.broadcast_arrays(np.asarray(successes), np.asarray(runs))
    low, high = _beta_limits(s, s + 1, size, confidence)
    return Estimate(np.asarray(s / size), low, high)


_beta_interval, _paper_interval = lru_cache(beta_interval), lru_cache(paper_interval)
"""Of single samples, which often have the same ranks."""


def multirun_probability(p: ArrayLike, runs: ArrayLike) -> Floats:
    """Probability ``1 - (1 - p)**n`` that at least one of n >= 0 independent runs succeeds. Source:
    Mathematics 2022, 10(22), 4364, doi 10.3390/math10224364, Table 1.
    """
    single, n = np.broadcast_arrays(*floats(p, runs))
    with np.errstate(divide="ignore"):  # the logarithm is -inf for a run that never fails
        failed = np.multiply(n, np.log1p(-single), out=np.zeros(n.shape), where=n > 0)
    return np.asarray(-np.expm1(failed))


def runs_needed(p: ArrayLike, wanted: ArrayLike) -> Floats:
    """Smallest number of independent runs of which at least one succeeds with a wanted probability:
    ``ceil(ln(1 - wanted)/ln(1 - p))``, but for rounding. 0 if `wanted` is 0, 1 if p is 1, and `inf`
    if p is 0 or if `wanted` is 1 and p < 1. Source: Mathematics 2022, 10(22), 4364, doi
    10.3390/math10224364, the inverse of Table 1.
    """
    single, goal = np.broadcast_arrays(*floats(p, wanted))
    never = (single == 0) | ((goal == 1) & (single < 1))
    open_case = ~never & (goal > 0) & (single < 1)
    n = np.where(goal == 0, 0.0, np.where(never, np.inf, 1.0))
    single, goal = single[open_case], goal[open_case]
    runs = np.maximum(np.ceil(np.log1p(-goal) / np.log1p(-single)), 1.0)  # a tiny goal underflows
    enough = goal * (1.0 - 4 * np.finfo(np.float64).eps)
    n[open_case] = runs - (multirun_probability(single, runs - 1) >= enough)
    return n


def _beta_limits(
    lower: NDArray[np.int64], upper: NDArray[np.int64], n: NDArray[np.int64], confidence: float
) -> tuple[Floats, Floats]:
    """Quantiles of F(X_(lower)) and F(X_(upper)); rank 0 is at 0, rank n + 1 at 1."""
    check_confidence(confidence)
    tail = (1.0 - confidence) / 2.0
    first, last = np.maximum(lower, 1), np.minimum(upper, n)
    low = np.where(lower < 1, 0.0, beta.ppf(tail, first, n + 1 - first))
    high = np.where(upper > n, 1.0, beta.isf(tail, last, n + 1 - last))
    return low, high


def best_of_mean(values: ArrayLike, k: int) -> Floats:
    """Unbiased estimate of the expected best (smallest) of k >= 1 results from R (U-statistic),
    shape (..., R) to (...). NaN for ``k > R`` and without runs; `inf` if and only if a draw of k
    runs without a result (`inf`) is possible. Source: J. J. Lian, "Time-Fair Benchmarking for
    Metaheuristics", 2025, Definition 2. W. Hoeffding, Annals of Mathematical Statistics 19 (1948).
    """
    x = np.asarray(values, dtype=np.float64)
    runs = x.shape[-1]
    if k > runs:
        return np.full(x.shape[:-1], np.nan)
    i = np.arange(1, runs)  # the weights are C(R - i, k - 1)/C(R, k) for i = 1..R
    weights = np.append(k / runs, np.maximum(runs - i - k + 1, 0) / (runs - i)).cumprod()
    drawn = np.sort(x, axis=-1)[..., : np.count_nonzero(weights)]
    return np.asarray((drawn * weights[: drawn.shape[-1]]).sum(axis=-1))


def best_of_quantile(values: ArrayLike, p: float, k: int) -> Floats:
    """The p-quantile of the best of k runs: that of single runs at ``1 - (1 - p)**(1/k)``, shape
    (..., R) to (...); NaN for ``k > R`` and without runs. The inverse of Mathematics 2022, 10(22),
    4364, Table 1.
    """
    x = np.asarray(values, dtype=np.float64)
    single = 1.0 if p == 1.0 else float(-np.expm1(np.log1p(-p) / k))
    quantile = sample_quantile(x, single)
    return np.full(quantile.shape, np.nan) if k > x.shape[-1] else quantile


def affordable_runs(budget: ArrayLike, tau: ArrayLike) -> Floats:
    """Number ``floor(T/tau)`` of runs of mean length tau > 0 that fit into a budget T; NaN if `tau`
    is. Source: J. J. Lian, "Time-Fair Benchmarking for Metaheuristics", 2025, Definition 2.
    """
    time, single = floats(budget, tau)
    # Both numbers and their ratio are rounded: a relative error of some 2**-52.
    return np.asarray(np.floor(time / single * (1.0 + 4 * np.finfo(np.float64).eps)))
