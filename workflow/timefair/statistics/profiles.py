"""Profiles: on what share of the problems an algorithm is good enough."""

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
    """Each algorithm's cost on a problem, divided by the least cost there.

    Parameters
    ----------
    costs : array_like, shape (..., problems, algorithms)
        Cost of solving, e.g. an ERT in seconds; `inf` for not solved.
    floor : float
        Costs below it are raised to it: the resolution of the timer, in the unit of `costs`.
    reference : int, optional
        The column of an algorithm to divide by instead of the least cost. Then ratios below 1 are
        better than the reference; 0 where it did not solve what another did.

    Returns
    -------
    ndarray, shape (..., problems, algorithms)
        At least 1 without a reference. All ties with what is divided by are 1, and so is 0/0; c/0
        is `inf`; a problem that nobody solved has `inf` for all.

    Raises
    ------
    ValueError
        If `costs` is not a matrix with at least one algorithm, or a cost is NaN or negative, or the
        floor is.
    IndexError
        If there is no column `reference`.

    Notes
    -----
    Ratios to the least cost depend on who takes part: another algorithm changes the profiles of
    all, and can change which of two looks better. A conclusion about two algorithms needs their
    own profile, ``costs[..., [i, j]]``, or one reference (Gould and Scott 2016).

    References
    ----------
    E. D. Dolan and J. J. Moré, Benchmarking optimization software with performance profiles,
    Mathematical Programming 91 (2002), equation (2.1). N. Gould and J. Scott, A note on performance
    profiles for benchmarking software, ACM Transactions on Mathematical Software 43 (2016).

    Examples
    --------
    >>> performance_ratios([[2.0, 6.0], [float("inf"), float("inf")]]).tolist()
    [[1.0, 3.0], [inf, inf]]
    >>> performance_ratios([[2.0, 6.0], [5.0, float("inf")]], reference=1).round(2).tolist()
    [[0.33, 1.0], [0.0, inf]]
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

    Parameters
    ----------
    ratios : array_like, shape (problems, algorithms)
        From `performance_ratios`. A problem that nobody solved stays in the denominator.
    grid : array_like, shape (points,)
        The factors r, never falling; 1 gives the share of problems on which the algorithm is best.

    Returns
    -------
    ndarray, shape (points, algorithms)
        In [0, 1]; NaN without a problem. At ``r = inf`` it is still the share that was solved.

    Raises
    ------
    ValueError
        If `ratios` is not a matrix, a number is NaN, or the grid falls.

    References
    ----------
    Dolan and Moré (2002), equation (2.2).

    Examples
    --------
    >>> performance_profile([[1.0, 3.0], [2.0, 1.0], [np.inf, np.inf]], [1.0, 4.0]).tolist()
    [[0.3333333333333333, 0.3333333333333333], [0.6666666666666666, 0.6666666666666666]]
    """
    return _share_within(ratios, grid, "ratios")


def data_profile(costs: ArrayLike, grid: ArrayLike) -> NDArray[np.float64]:
    """Share of the problems that each algorithm solves for at most a given cost.

    Unlike a performance profile it does not depend on the other algorithms.

    Parameters
    ----------
    costs : array_like, shape (problems, algorithms)
        Cost of solving in any unit that compares problems: evaluations/(D + 1), the simplex
        gradients of the reference; seconds; seconds/D. `inf` for not solved, which stays in the
        denominator.
    grid : array_like, shape (points,)
        Costs in the same unit, never falling.

    Returns
    -------
    ndarray, shape (points, algorithms)
        In [0, 1]; NaN without a problem.

    Raises
    ------
    ValueError
        If `costs` is not a matrix, a number is NaN, or the grid falls.

    References
    ----------
    J. J. Moré and S. M. Wild, Benchmarking derivative-free optimization algorithms, SIAM Journal on
    Optimization 20 (2009), equation (2.8).

    Examples
    --------
    >>> data_profile([[10.0, 30.0], [float("inf"), 50.0]], [20.0, 60.0]).tolist()
    [[0.5, 0.0], [0.5, 1.0]]
    """
    return _share_within(costs, grid, "costs")


def resampled_ert(
    spent: ArrayLike, success: ArrayLike, *, resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """ERT of samples drawn from the runs of one algorithm on one instance.

    Parameters
    ----------
    spent : array_like, shape (runs, targets)
        What each run cost, up to the target for a success, up to its own end for a failure.
    success : array_like of bool, same shape
        Whether the run reached the target.
    resamples : int
        Number of samples, each of runs - 1 whole runs, see `stratified_sums`.
    rng : numpy.random.Generator
        Source of the draws.

    Returns
    -------
    ndarray, shape (resamples, targets)
        In the unit of `spent`; `inf` for a sample without a success; NaN for fewer than two runs.

    Raises
    ------
    ValueError
        If the shapes differ, a cost is not finite, or `resamples` is below 1.

    Examples
    --------
    >>> rng = np.random.default_rng(2)
    >>> resampled_ert([[2.0], [2.0]], [[True], [True]], resamples=2, rng=rng).tolist()
    [[2.0], [2.0]]
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
    """Pointwise limits of profiles, arrays of shape (points, algorithms)."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def profile_band(
    fraction: ArrayLike, replicates: Iterable[ArrayLike], grid: ArrayLike, *, confidence: float
) -> ProfileBand:
    """Limits of performance or data profiles from the bootstrap.

    Parameters
    ----------
    fraction : array_like, shape (points, algorithms)
        The profiles: of `performance_profile` or `data_profile`.
    replicates : iterable of array_like, each of shape (resamples, problems, algorithms)
        For one part of the problems after the other, the ratios or costs of each sample: those of
        `resampled_ert` for every algorithm side by side, then `performance_ratios` of them for a
        performance profile. The parts need not be in memory together.
    grid : array_like, shape (points,)
        Factors or costs, never falling.
    confidence : float
        Nominal coverage in (0, 1), at each point by itself, see Notes.

    Returns
    -------
    ProfileBand
        ``fraction ± c`` within [0, 1], with c the quantile of the distance of the samples' profiles
        at that point. NaN ("n/a") without a problem or if a replicate is NaN, because an algorithm
        has one run only on some problem. No width where every sample agrees.

    Raises
    ------
    ValueError
        If there is no part, the shapes do not fit, the grid falls or has NaN, or `confidence` is
        out of range.

    Notes
    -----
    The limits are symmetric because a profile of few runs is biased, and so are its samples: a
    problem that one run of five solved is not solved by 41 % of them. Coverage of a nominal 0.95,
    averaged over points, with 20 to 60 instances and two targets on each: 0.86 to 0.94 for 5 runs an
    instance, 0.96 for 15, 0.97 for 50; percentile limits cover 0.42 to 0.90, 0.92 to 0.96 and 0.95 to 0.97.
    Where runtimes vary by more (a logarithm with the standard deviation 1.5, a budget that stops a
    tenth of the runs), 0.77 for 5 runs and 0.92 for 15.
    Memory is O(resamples x algorithms x points).

    References
    ----------
    P. Hall, On symmetric bootstrap confidence intervals, Journal of the Royal Statistical Society B
    50 (1988).

    Examples
    --------
    >>> samples = [[[[1.0]], [[3.0]], [[1.0]]], [[[2.0]], [[2.0]], [[2.0]]]]
    >>> band = profile_band([[0.5], [1.0]], samples, [1.0, 3.0], confidence=0.9)
    >>> band.low.tolist(), band.high.tolist()
    ([[0.0], [1.0]], [[1.0], [1.0]])
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

    What is above all points, or infinite, goes into the column behind the last point.
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
