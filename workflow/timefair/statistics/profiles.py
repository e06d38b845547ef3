"""Performance and data profiles: the share of problems on which an algorithm is good enough."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.strata import stratified_sums


def performance_ratios(
    costs: ArrayLike, floor: float = 0.0, reference: int | None = None
) -> NDArray[np.float64]:
    """Cost of each algorithm on each problem, divided by the lowest cost on the problem.

    - `costs`, shape (..., problems, algorithms): Cost of solving a problem, such as an ERT in
      seconds; `inf` if it is not solved.
    - `floor`: Resolution of the timer, in the unit of `costs`. Costs below it are replaced by it.
    - `reference`: Column of a reference algorithm. Costs are then divided by its cost and not by
      the lowest cost. A ratio below 1 means better than the reference. It is 0 if the reference did
      not solve a problem that the algorithm solved.

    Returns, shape (..., problems, algorithms): At least 1 if there is no reference. Costs equal to
    the divisor have the ratio 1, also 0/0. c/0 is `inf`. If no algorithm solved a problem, all
    ratios are `inf`. Raises ValueError if `costs` is not a matrix with at least one algorithm, or a
    cost is NaN or negative, or the floor is. Raises IndexError if there is no column `reference`.

    Ratios to the lowest cost depend on the set of algorithms. Another algorithm changes the
    profiles of all algorithms, and can change which of two algorithms seems better. To compare two
    algorithms, use a profile of these two, ``costs[..., [i, j]]``, or a reference (Gould and Scott
    2016).

    Source: E. D. Dolan and J. J. Moré, Benchmarking optimization software with performance
    profiles, Mathematical Programming 91 (2002), equation (2.1). N. Gould and J. Scott, A note on
    performance profiles for benchmarking software, ACM Transactions on Mathematical Software 43
    (2016).
    """
    cost = np.asarray(costs, dtype=np.float64)
    if cost.ndim < 2 or cost.shape[-1] == 0:
        raise ValueError(f"costs must have the shape (problems, algorithms >= 1), not {cost.shape}")
    if np.isnan(cost).any() or (cost < 0).any():
        raise ValueError("costs must not be NaN or negative; a problem not solved is inf")
    if not 0.0 <= floor < np.inf:
        raise ValueError(f"floor must be finite and not negative, not {floor}")
    cost = np.maximum(cost, floor)
    divisor = cost.min(axis=-1) if reference is None else cost[..., reference]
    best = np.broadcast_to(divisor[..., np.newaxis], cost.shape)
    ratios = np.where(np.isinf(best) & np.isfinite(cost), 0.0, np.inf)
    np.divide(cost, best, out=ratios, where=(best > 0) & np.isfinite(best))
    ratios[np.isfinite(best) & (cost == best)] = 1.0
    return ratios


def performance_profile(ratios: ArrayLike, grid: ArrayLike) -> NDArray[np.float64]:
    """Share of the problems on which each algorithm's ratio is at most r.

    - `ratios`, shape (problems, algorithms): From `performance_ratios`. Problems that no algorithm
      solved count in the denominator.
    - `grid`, shape (points,): The factors r, never decreasing. r = 1 gives the share of problems on
      which the algorithm is best.

    Returns, shape (points, algorithms): In [0, 1]; NaN if there are no problems. At ``r = inf``, it
    is the share of problems that were solved, and not 1. Raises ValueError if `ratios` is not a
    matrix, a number is NaN, or the grid falls.

    Source: Dolan and Moré (2002), equation (2.2).
    """
    return _share_within(ratios, grid, "ratios")


def data_profile(costs: ArrayLike, grid: ArrayLike) -> NDArray[np.float64]:
    """Share of the problems that each algorithm solves with at most a given cost.

    Unlike a performance profile, a data profile does not depend on the other algorithms.

    - `costs`, shape (problems, algorithms): Cost of solving a problem, in a unit that is comparable
      between problems: simplex gradients, which are evaluations/(D + 1), as in the reference;
      seconds; or seconds/D. `inf` if the problem is not solved; it then counts in the denominator.
    - `grid`, shape (points,): Costs in the same unit, never decreasing.

    Returns, shape (points, algorithms): In [0, 1]; NaN if there are no problems. Raises ValueError
    if `costs` is not a matrix, a number is NaN, or the grid falls.

    Source: J. J. Moré and S. M. Wild, Benchmarking derivative-free optimization algorithms, SIAM
    Journal on Optimization 20 (2009), equation (2.8).
    """
    return _share_within(costs, grid, "costs")


def resampled_ert(
    spent: ArrayLike, success: ArrayLike, *, resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """ERT of bootstrap samples from the runs of one algorithm on one instance.

    - `spent`, shape (runs, targets): Cost of each run: up to the target for a success, up to the
      end of the run for a failure.
    - `success`, same shape: Whether the run reached the target.
    - `resamples`: Number of bootstrap samples. Each has runs - 1 whole runs, see `stratified_sums`.
    - `rng`: Source of the draws.

    Returns, shape (resamples, targets): In the unit of `spent`; `inf` for a sample without a
    success; NaN for fewer than two runs. Raises ValueError if the shapes differ, a cost is not
    finite, or `resamples` is below 1.
    """
    cost = np.asarray(spent, dtype=np.float64)
    reached = np.asarray(success, dtype=np.bool_)
    if cost.ndim != 2 or cost.shape != reached.shape:
        raise ValueError(
            "spent and success must both have the shape (runs, targets), "
            f"not {cost.shape} and {reached.shape}"
        )
    runs, targets = cost.shape
    if runs < 2:
        return np.full((resamples, targets), np.nan)
    sums = stratified_sums(np.hstack([cost, reached]), np.zeros(runs), resamples=resamples, rng=rng)
    total, successes = sums[:, :targets], sums[:, targets:]
    replicates = np.full(total.shape, np.inf)
    np.divide(total, successes, out=replicates, where=successes > 0)
    return replicates


@dataclass(frozen=True)
class ProfileBand:
    """Pointwise limits of profiles; arrays of shape (points, algorithms)."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def profile_band(
    fraction: ArrayLike, replicates: Iterable[ArrayLike], grid: ArrayLike, *, confidence: float
) -> ProfileBand:
    """Bootstrap limits of performance or data profiles.

    - `fraction`, shape (points, algorithms): The profiles, from `performance_profile` or
      `data_profile`.
    - `replicates`, shape (resamples, problems, algorithms): The costs of each bootstrap sample,
      from `resampled_ert` for every algorithm, or, for a performance profile, their
      `performance_ratios`. Each item contains a part of the problems, so the parts need not be in
      memory at the same time.
    - `grid`, shape (points,): Factors or costs, never decreasing.
    - `confidence`: Nominal coverage in (0, 1), separately at each point; for the actual coverage
      see Notes.

    Returns: ``fraction ± c`` within [0, 1], where c is the quantile of the distance between the
    profiles of the samples and `fraction` at that point. NaN ("n/a") if there are no problems, or
    if a replicate is NaN because an algorithm has only one run on a problem. The width is zero
    where all samples agree. Raises ValueError if there is no part, the shapes do not fit, the grid
    falls or has NaN, or `confidence` is out of range.

    The limits are symmetric because a profile of few runs is biased, and its bootstrap samples are
    biased too: a problem that one of five runs solved is unsolved in 41 % of the samples.

    Coverage of a nominal 0.95, averaged over the points, with 20 to 60 instances and two targets on
    each:

    ==================== ============ =================
    runs per instance    this band    percentile limits
    ==================== ============ =================
    5                    0.86 to 0.94 0.42 to 0.90
    15                   0.96         0.92 to 0.96
    50                   0.97         0.95 to 0.97
    ==================== ============ =================

    If runtimes vary more (logarithms with a standard deviation of 1.5, and a budget that stops a
    tenth of the runs), the coverage is 0.77 for 5 runs and 0.92 for 15 runs.

    The memory is O(resamples x algorithms x points).

    Source: P. Hall, On symmetric bootstrap confidence intervals, Journal of the Royal Statistical
    Society B 50 (1988).
    """
    observed = np.asarray(fraction, dtype=np.float64)
    points = _grid(grid)
    unknown = np.full(observed.shape, np.nan)
    counts, problems = None, 0
    for part in replicates:
        values = np.asarray(part, dtype=np.float64)
        if values.ndim != 3 or observed.shape != (points.size, values.shape[2]):
            raise ValueError(
                "replicates must have the shape (resamples, problems, algorithms) and fraction "
                f"(points, algorithms), not {values.shape} and {observed.shape}"
            )
        if np.isnan(values).any():
            return ProfileBand(unknown, unknown)
        if counts is None:
            counts = np.zeros((len(values), values.shape[2], points.size + 1), dtype=np.int32)
        _count(counts, values, points)
        problems += values.shape[1]
    if counts is None:
        raise ValueError("replicates must have at least one part")
    if problems == 0:
        return ProfileBand(unknown, unknown)
    width = np.empty(observed.shape)
    for algorithm, seen in enumerate(observed.T):  # one at a time: the samples of all are large
        shares = counts[:, algorithm].cumsum(axis=1)[:, :-1] / problems
        width[:, algorithm] = sample_quantile(np.abs(shares - seen), confidence, axis=0)
    return ProfileBand(np.maximum(observed - width, 0.0), np.minimum(observed + width, 1.0))


def _share_within(values: ArrayLike, grid: ArrayLike, name: str) -> NDArray[np.float64]:
    """Share of the rows in which each column is finite and at most each point of the grid."""
    value = np.asarray(values, dtype=np.float64)
    points = _grid(grid)
    if value.ndim != 2:
        raise ValueError(f"{name} must have the shape (problems, algorithms), not {value.shape}")
    if np.isnan(value).any():
        raise ValueError(f"{name} must not be NaN")
    problems, algorithms = value.shape
    if problems == 0:
        return np.full((points.size, algorithms), np.nan)
    counts = np.zeros((1, algorithms, points.size + 1), dtype=np.int32)
    _count(counts, value[np.newaxis], points)
    return np.asarray(counts[0].cumsum(axis=1)[:, :-1].T / problems)


def _count(
    counts: NDArray[np.int32], values: NDArray[np.float64], points: NDArray[np.float64]
) -> None:
    """Add each value (sample, problem, algorithm) to the first point that is not below it.

    Values above all points and infinite values are added to the column behind the last point.
    """
    place = np.where(np.isfinite(values), np.searchsorted(points, values), points.size)
    sample, _, algorithm = np.indices(values.shape, sparse=True)
    flat = np.ravel_multi_index((sample, algorithm, place), counts.shape)
    np.add.at(counts.reshape(-1), flat.ravel(), np.int32(1))


def _grid(grid: ArrayLike) -> NDArray[np.float64]:
    points = np.asarray(grid, dtype=np.float64)
    if points.ndim != 1 or np.isnan(points).any() or (np.diff(points) < 0).any():
        raise ValueError("grid must be a vector without NaN that never falls")
    return points
