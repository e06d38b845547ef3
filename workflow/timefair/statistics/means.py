"""The mean of results with its interval, wrong and right means, and where measures disagree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from timefair.statistics.bootstrap import percentile_interval, resampled_sums
from timefair.statistics.checks import Floats, check_confidence, vector

Method = Literal["bootstrap-t", "paper"]

_RANGE = float(np.finfo(np.float64).min), float(np.finfo(np.float64).max)

NO_SPREAD = 1e-12  # a resampled variance below this share of the sample variance counts as 0


@dataclass(frozen=True)
class MeanInterval:
    """A mean with its limits, in the unit of the values."""

    mean: float
    low: float
    high: float


def mean_interval(
    values: ArrayLike,
    *,
    confidence: float,
    method: Method = "bootstrap-t",
    resamples: int = 10_000,
    rng: np.random.Generator | None = None,
) -> MeanInterval:
    """Mean of the runs, with an interval for the uncertainty from the limited number of runs.

    - `values`, shape (n,): Results of runs; `inf` for a run without a result.
    - `method`: ``bootstrap-t``: percentiles of the studentised mean of resampled runs. ``paper``:
      mean ± z s/sqrt(n), with the divisor n in s. ``bootstrap-t`` needs `rng`.

    Returns: If a value is `inf`, the mean and the upper limit are `inf`, and the lower limit is
    NaN. The limits of a single value are NaN. Equal values have an interval of zero width. All
    numbers are NaN for an empty sample. A limit of ``bootstrap-t`` is infinite if many resamples
    have zero variance.

    Source: Mathematics 2022, 10(22), 4364, doi 10.3390/math10224364, section 4.5, Table 12 and
    Appendix B; B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993, section 12.5.
    """
    x = _sample(values)
    check_confidence(confidence)
    if x.size == 0:
        return MeanInterval(np.nan, np.nan, np.nan)
    if np.isinf(x).any():
        return MeanInterval(np.inf, np.nan, np.inf)
    mean, spread = mean_of(x), _standard_deviation(x)
    if x.size == 1:
        return MeanInterval(mean, np.nan, np.nan)
    if spread == 0:
        return MeanInterval(mean, mean, mean)
    z = (x - mean) / spread
    if rng is None or method == "paper":
        high = float(norm.isf((1.0 - confidence) / 2.0)) * x.size**-0.5
        low = -high
    else:
        low, high = _studentised_limits(z, confidence, resamples, rng)
    return MeanInterval(mean, mean + spread * low, mean + spread * high)


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


def _sample(values: ArrayLike) -> Floats:
    x = vector(values, "values")
    if (x == -np.inf).any():
        raise ValueError("values must not have -inf")
    return x


def _standard_deviation(x: Floats) -> float:
    """Standard deviation with the divisor n, scaled to avoid underflow and overflow."""
    scale = float(np.abs(x).max())
    return scale * float((x / scale).std()) if np.ptp(x) > 0 else 0.0


def _studentised_limits(
    z: Floats, confidence: float, resamples: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Limits of the mean of values with mean 0 and variance 1."""
    columns = np.column_stack([z, z**2])
    means, squares = resampled_sums(columns, resamples=resamples, rng=rng).T / z.size
    variances = squares - means**2
    flat = variances <= NO_SPREAD
    t = means / np.sqrt(np.where(flat, 1.0, variances))
    t[flat] = np.where(np.abs(means[flat]) > NO_SPREAD, np.copysign(np.inf, means[flat]), 0.0)
    below, above = percentile_interval(t, confidence)
    return -float(above), -float(below)


def mean_of_successes(costs: ArrayLike, axis: int = -1) -> Floats:
    """Mean cost of the runs that succeeded: misleading, and here to show how.

    - `costs`: Seconds or evaluations to the target; `inf` for a run that did not reach it.

    Returns: The shape of `costs` without `axis`. NaN if no run succeeded.

    Source: Mathematics 2022, 10(22), 4364, doi 10.3390/math10224364, Table 4.
    """
    cost = _costs(costs)
    reached = np.isfinite(cost)
    successes = reached.sum(axis=axis)
    total = np.where(reached, cost, 0.0).sum(axis=axis)
    mean = np.full(successes.shape, np.nan)
    np.divide(total, successes, out=mean, where=successes > 0)
    return mean


def mean_if_all_succeed(costs: ArrayLike, axis: int = -1) -> Floats:
    """Mean cost if every run succeeded; NaN ("n/a") if one failed, or without runs.

    Source: Mathematics 2022, 10(22), 4364, doi 10.3390/math10224364, Table 6.
    """
    cost = _costs(costs)
    return np.where(np.isfinite(cost).all(axis=axis), mean_of_successes(cost, axis), np.nan)


def _costs(costs: ArrayLike) -> Floats:
    cost = np.asarray(costs, dtype=np.float64)
    if cost.ndim == 0 or np.isnan(cost).any() or (cost < 0).any():
        raise ValueError("costs must be an array, not NaN and not negative; a failure is inf")
    return cost


def opposed_pairs(first: ArrayLike, second: ArrayLike) -> NDArray[np.intp]:
    """Pairs of algorithms whose order by one measure is opposite to their order by another.

    - `first`, `second`, shape (algorithms,): Two measures of the same algorithms, such as mean and
      median. Smaller is better; `inf` is worst and equal to itself.

    Returns, shape (pairs, 2): Sorted rows (a, b): a is better by the first measure, b by the
    second. A tie in either measure is not a disagreement.

    Source: Mathematics 2022, 10(22), 4364, doi 10.3390/math10224364, section 4.2 and Figure 2.
    """
    x, y = vector(first, "first"), vector(second, "second")
    return np.argwhere((x[:, np.newaxis] < x) & (y[:, np.newaxis] > y))


def smaller_gap(first: ArrayLike, second: ArrayLike, pairs: ArrayLike) -> Floats:
    """The smaller of two distances of each pair, by one measure and by the other, in decades.

    - `first`, `second`, shape (algorithms,): Two measures, not negative.
    - `pairs`, shape (pairs, 2): From `opposed_pairs`.

    Returns: Shape (pairs,). A ratio with 0 or `inf` is infinite.
    """
    x, y = vector(first, "first"), vector(second, "second")
    a, b = np.asarray(pairs, dtype=np.intp).reshape(-1, 2).T
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps = [np.abs(np.log10(m[a]) - np.log10(m[b])) for m in (x, y)]
    return np.asarray(np.nan_to_num(np.minimum(*gaps), nan=np.inf, posinf=np.inf))
