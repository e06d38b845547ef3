"""Curves of many runs or problems, with their bands: best-so-far precision, ECDF and profiles."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from timefair.statistics.hitting_times import trace_arrays
from timefair.statistics.samples import (
    Estimate,
    Floats,
    has_singles,
    per_success,
    percentile_interval,
    quantile_interval,
    sample_quantile,
    stratified_sums,
    vector,
)


def best_so_far(
    cost: ArrayLike, precision: ArrayLike, offsets: ArrayLike, grid: ArrayLike
) -> Floats:
    """Best precision that each run has found up to each cost of a grid in any order, shape (runs,
    points), from events as in `runtimes`: `inf` before the first event, and the last best precision
    after the end of the run.
    """
    spent, reached, cuts = trace_arrays(cost, precision, offsets)
    points = vector(grid, "grid")
    past = np.empty((cuts.size - 1, points.size), dtype=np.intp)
    for run, (first, end) in enumerate(pairwise(cuts)):
        past[run] = first + spent[first:end].searchsorted(points, side="right")
    before = past == cuts[:-1, np.newaxis]
    return np.where(before, np.inf, np.append(np.inf, reached)[past])


def median_band(best: ArrayLike, confidence: float) -> Estimate:
    """Median over the runs of `best_so_far`, with its confidence interval (`quantile_interval`) at
    each point, shape (points,). Limits are NaN if there are too few runs: fewer than 6 at 95 %.
    """
    values = np.asarray(best, dtype=np.float64)
    interval = quantile_interval(values, 0.5, confidence, axis=0)
    limited = ~np.isneginf(interval.low)
    return Estimate(
        sample_quantile(values, 0.5, axis=0),
        np.where(limited, interval.low, np.nan),
        np.where(limited, interval.high, np.nan),
    )


def ecdf(runtimes: ArrayLike, grid: ArrayLike) -> Floats:
    """Fraction of the (target, instance, run) triples with a runtime of at most b, shape (points,);
    NaN without runtimes. `runtimes`, any shape: `inf` for a target that was not reached, which
    counts in the denominator. `grid`: the costs b, in the same unit. Source: J. J. Lian, "Time-Fair
    Benchmarking for Metaheuristics", 2025; N. Hansen et al., COCO, Optimization Methods and
    Software 36 (2021).
    """
    times = np.asarray(runtimes, dtype=np.float64).ravel()
    points = np.asarray(grid, dtype=np.float64)
    if np.isnan(times).any() or np.isnan(points).any():
        raise ValueError("runtimes and grid must not be NaN; a target not reached is inf")
    if times.size == 0:
        return np.full(points.shape, np.nan)
    reached = np.sort(times[np.isfinite(times)])
    return np.asarray(np.searchsorted(reached, points, side="right") / times.size)


def ecdf_band(
    runtimes: ArrayLike,
    strata: ArrayLike,
    grid: ArrayLike,
    *,
    confidence: float,
    resamples: int,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """ECDF with bootstrap bands in [0, 1], for the uncertainty from the limited number of runs:
    `fraction`, `low` and `high`, which contain the true curve with the stated confidence at one
    cost that is chosen in advance, and `everywhere_low` and `everywhere_high`, at all costs; shape
    (points,).

    Whole runs of `runtimes`, shape (runs, targets), are resampled within `strata`, the problem of
    each. Problems and targets are fixed, so the bands are not valid for other problems. The
    pointwise band is the percentile interval of `stratified_sums`; the simultaneous one is
    ``fraction ± c``, where c is the quantile of the largest distance of a bootstrap curve. Limits
    are NaN if a stratum has only one run, and all values without runs or targets.

    Source: P. J. Bickel and D. A. Freedman, Annals of Statistics 9 (1981), Corollary 4.2.
    """
    times = np.asarray(runtimes, dtype=np.float64)
    points = np.asarray(grid, dtype=np.float64)
    labels = np.asarray(strata)
    fraction = ecdf(times, points)
    if times.size == 0 or points.size == 0 or has_singles(labels):
        ends = ("low", "high", "everywhere_low", "everywhere_high")
        return {"fraction": fraction} | dict.fromkeys(ends, np.full(points.shape, np.nan))
    reached = np.zeros((len(times), points.size))  # number of targets of each run
    for target in np.where(np.isfinite(times), times, np.nan).T:
        reached += target[:, np.newaxis] <= points
    sums = stratified_sums(reached, labels, resamples=resamples, rng=rng)
    curves = sums / times.size
    low, high = percentile_interval(curves, confidence)
    width = sample_quantile(np.abs(curves - fraction).max(axis=1), confidence)
    return {
        "fraction": fraction,
        "low": np.minimum(low, fraction),
        "high": np.minimum(np.maximum(high, fraction), 1.0),
        "everywhere_low": np.maximum(fraction - width, 0.0),
        "everywhere_high": np.minimum(fraction + width, 1.0),
    }


def performance_ratios(costs: ArrayLike, floor: float = 0.0) -> Floats:
    """Cost of each algorithm on each problem, shape (..., problems, algorithms), divided by the
    lowest cost on the problem: 1 for it, also 0/0; c/0 is `inf`, as are all ratios on a problem
    that no algorithm solved. Costs below `floor`, the resolution of the timer, are replaced by it.

    Source: E. D. Dolan and J. J. Moré, Mathematical Programming 91 (2002), equation (2.1). N. Gould
    and J. Scott, ACM Transactions on Mathematical Software 43 (2016).
    """
    cost = np.asarray(costs, dtype=np.float64)
    if np.isnan(cost).any() or (cost < 0).any():
        raise ValueError("costs must not be NaN or negative; a problem not solved is inf")
    cost = np.maximum(cost, floor)
    best = np.broadcast_to(cost.min(axis=-1, keepdims=True), cost.shape)
    ratios = np.full(cost.shape, np.inf)
    np.divide(cost, best, out=ratios, where=(best > 0) & np.isfinite(best))
    ratios[np.isfinite(best) & (cost == best)] = 1.0
    return ratios


def performance_profile(ratios: ArrayLike, grid: ArrayLike) -> Floats:
    """Share of the problems on which each algorithm's ratio is at most r, shape (points,
    algorithms), for factors r that never decrease; NaN without problems. Problems that no algorithm
    solved count. Source: Dolan and Moré (2002), equation (2.2).
    """
    value, points = np.asarray(ratios, dtype=np.float64), vector(grid, "grid")
    if not len(value):
        return np.full((points.size, value.shape[1]), np.nan)
    solved = np.where(np.isfinite(value), value, np.nan)
    return np.asarray((solved <= points[:, np.newaxis, np.newaxis]).mean(axis=1))


def resampled_ert(
    spent: ArrayLike, success: ArrayLike, *, resamples: int, rng: np.random.Generator
) -> Floats:
    """ERT, shape (resamples, targets), of bootstrap samples (`stratified_sums`) from the runs of
    one algorithm on one instance, shape (runs, targets); `inf` for a sample without a success, NaN
    for fewer than two runs.
    """
    cost = np.asarray(spent, dtype=np.float64)
    reached = np.asarray(success, dtype=np.bool_)
    runs, targets = cost.shape
    if runs < 2:
        return np.full((resamples, targets), np.nan)
    sums = stratified_sums(np.hstack([cost, reached]), np.zeros(runs), resamples=resamples, rng=rng)
    return per_success(sums[:, :targets], sums[:, targets:])


def profile_band(
    fraction: ArrayLike, replicates: Iterable[ArrayLike], grid: ArrayLike, *, confidence: float
) -> Estimate:
    """Pointwise bootstrap limits of performance or data profiles, shape (points, algorithms).

    - `replicates`, shape (resamples, problems, algorithms): Parts with the costs of each bootstrap
      sample, from `resampled_ert`, or their `performance_ratios`.
    - `grid`: Factors or costs, never decreasing.

    ``fraction ± c`` within [0, 1], where c is the quantile of the distance of the profiles of the
    samples at that point: symmetric, because a profile of few runs is biased. NaN without problems,
    or if an algorithm has only one run on a problem.

    Source: P. Hall, Journal of the Royal Statistical Society B 50 (1988).
    """
    observed = np.asarray(fraction, dtype=np.float64)
    points = vector(grid, "grid")
    unknown = np.full(observed.shape, np.nan)
    counts, problems = None, 0
    for part in replicates:
        values = np.asarray(part, dtype=np.float64)
        if np.isnan(values).any():
            return Estimate(observed, unknown, unknown)
        if counts is None:
            counts = np.zeros((len(values), values.shape[2], points.size + 1), dtype=np.int32)
        # Each value counts at the first point that is not below it.
        place = np.where(np.isfinite(values), np.searchsorted(points, values), points.size)
        sample, _, column = np.indices(values.shape, sparse=True)
        flat = np.ravel_multi_index((sample, column, place), counts.shape)
        np.add.at(counts.reshape(-1), flat.ravel(), np.int32(1))
        problems += values.shape[1]
    if counts is None or problems == 0:
        return Estimate(observed, unknown, unknown)
    width = np.empty(observed.shape)
    for algorithm, seen in enumerate(observed.T):  # one at a time: the samples of all are large
        shares = counts[:, algorithm].cumsum(axis=1)[:, :-1] / problems
        width[:, algorithm] = sample_quantile(np.abs(shares - seen), confidence, axis=0)
    low, high = np.maximum(observed - width, 0.0), np.minimum(observed + width, 1.0)
    return Estimate(observed, low, high)
