"""Expected running times as straight lines in the cost of an evaluation.

With c seconds more for each evaluation, a run that used t seconds and e evaluations takes t + c e
seconds. Its ERT in seconds is then ERT_s + c ERT_evaluations: a straight line in c.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.bootstrap import percentile_interval


def at_cost(seconds: ArrayLike, evaluations: ArrayLike, cost_s: ArrayLike) -> NDArray[np.float64]:
    """Seconds of lines or runs where each evaluation costs so many seconds more.

    Parameters
    ----------
    seconds, evaluations : array_like
        Of a run, or the ERT in either unit; `inf` in both for an ERT without a success.
    cost_s : array_like
        Evaluation costs, at least 0 and finite; it broadcasts with the others.

    Returns
    -------
    ndarray
        `seconds` to the bit where the cost is 0.

    Examples
    --------
    >>> at_cost(2.0, 100.0, [0.0, 0.5]).tolist()
    [2.0, 52.0]
    >>> at_cost(float("inf"), float("inf"), [0.0, 0.5]).tolist()
    [inf, inf]
    """
    time, count, cost = np.broadcast_arrays(
        np.asarray(seconds, dtype=np.float64),
        np.asarray(evaluations, dtype=np.float64),
        np.asarray(cost_s, dtype=np.float64),
    )
    waited = np.multiply(cost, count, out=np.zeros(cost.shape), where=cost > 0)
    return np.asarray(time + waited)


def turning_cost(
    seconds_a: ArrayLike, evaluations_a: ArrayLike, seconds_b: ArrayLike, evaluations_b: ArrayLike
) -> NDArray[np.float64]:
    """The evaluation cost at which two lines cross.

    Parameters
    ----------
    seconds_a, evaluations_a, seconds_b, evaluations_b : array_like
        The lines: ERT in seconds and in evaluations.

    Returns
    -------
    ndarray
        In seconds, above 0; NaN where the order is the same at all costs above 0, as with parallel
        lines and with an ERT of `inf`.

    Examples
    --------
    >>> float(turning_cost(1.0, 1000.0, 10.0, 100.0))
    0.01
    >>> float(turning_cost(1.0, 100.0, 10.0, 1000.0))
    nan
    """
    lines = (seconds_a, evaluations_a, seconds_b, evaluations_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        time_a, count_a, time_b, count_b = (np.asarray(x, dtype=np.float64) for x in lines)
        cost = (time_b - time_a) / (count_a - count_b)
    return np.asarray(np.where(np.isfinite(cost) & (cost > 0), cost, np.nan))


def lowest_between(
    seconds: ArrayLike, evaluations: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The evaluation costs between which each of several lines is the lowest: their envelope.

    Parameters
    ----------
    seconds, evaluations : array_like, shape (..., lines)
        ERT in either unit, `inf` where there is no line.

    Returns
    -------
    start, end : ndarray, shape (..., lines)
        At costs from `start` to `end`, both included, no line is lower. `end` is `inf` for the line
        with the fewest evaluations. NaN for a line that is nowhere the lowest. Lines that meet
        share the cost at which they do, and equal lines have equal limits.

    Notes
    -----
    Each line is compared with every other one, in time proportional to the square of their number,
    so that the result does not depend on their order.

    Examples
    --------
    >>> start, end = lowest_between([1.0, 10.0, 50.0], [1000.0, 100.0, 99.0])
    >>> start.tolist(), end.tolist()
    ([0.0, 0.01, 40.0], [0.01, 40.0, inf])
    """
    time = np.asarray(seconds, dtype=np.float64)
    count = np.asarray(evaluations, dtype=np.float64)
    mine_s, others_s = time[..., :, np.newaxis], time[..., np.newaxis, :]
    mine, others = count[..., :, np.newaxis], count[..., np.newaxis, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        meet = (others_s - mine_s) / (mine - others)
    compared = np.isfinite(others_s) & np.isfinite(mine_s)
    steeper, flatter = compared & (mine > others), compared & (mine < others)
    start = np.where(flatter, meet, 0.0).max(axis=-1, initial=0.0)
    end = np.where(steeper, meet, np.inf).min(axis=-1, initial=np.inf)
    above = (compared & (mine == others) & (mine_s > others_s)).any(axis=-1)
    lowest = np.isfinite(time) & ~above & (start <= end)
    return np.where(lowest, start, np.nan), np.where(lowest, end, np.nan)


def shares_won(
    seconds: ArrayLike, evaluations: ArrayLike, cost_s: ArrayLike
) -> NDArray[np.float64]:
    """Share of the problems on which each algorithm has the least ERT, at each evaluation cost.

    Parameters
    ----------
    seconds, evaluations : array_like, shape (..., problems, algorithms)
        ERT in either unit; `inf` without a success.
    cost_s : array_like, shape (costs,)
        Evaluation costs, as for `at_cost`.

    Returns
    -------
    ndarray, shape (..., costs, algorithms)
        Algorithms that are equal share a problem. Problems that no algorithm solves count for
        nobody, so that shares add up to the share of the problems that are solved. NaN without a
        problem.

    Examples
    --------
    >>> shares_won([[1.0, 10.0], [1.0, 1.0]], [[1000.0, 100.0], [5.0, 5.0]], [0.0, 1.0]).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    # The last axis of an array is the quickest where it is long: that of the samples.
    time = np.ascontiguousarray(np.asarray(seconds, dtype=np.float64).T)
    count = np.ascontiguousarray(np.asarray(evaluations, dtype=np.float64).T)
    algorithms, problems = time.shape[:2]
    costs = np.asarray(cost_s, dtype=np.float64)
    if problems == 0:
        return np.full((*time.shape[:1:-1], costs.size, algorithms), np.nan)
    slope = np.where(np.isfinite(count), count, 0.0)  # where time is infinite too
    solved = np.isfinite(time).any(axis=0)
    shares = np.empty((algorithms, costs.size, *time.shape[2:]))
    for k, cost in enumerate(costs):
        there = time + cost * slope
        won = there == there.min(axis=0)
        each = solved / won.sum(axis=0, dtype=np.uint16)
        shares[:, k] = np.einsum("ap...,p...->a...", won, each, optimize=False) / problems
    return np.ascontiguousarray(shares.T)


def band_of_shares(
    share: NDArray[np.float64], samples: NDArray[np.float64], *, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limits of shares from those of bootstrap samples.

    Parameters
    ----------
    share : ndarray
        The shares themselves.
    samples : ndarray, shape (resamples, ...)
        The same of each sample of the runs.
    confidence : float
        Nominal coverage at each point, in (0, 1).

    Returns
    -------
    low, high : ndarray
        The percentile interval, extended to hold the share itself.
    """
    low, high = percentile_interval(samples, confidence)
    return np.minimum(low, share), np.maximum(high, share)
