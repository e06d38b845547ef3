"""Expected running times as linear functions of the cost of an evaluation.

If each evaluation costs c additional seconds, a run with t seconds and e evaluations takes t + c e
seconds. The ERT in seconds is then ERT_s + c ERT_evaluations, which is a straight line in c.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.bootstrap import percentile_interval


def at_cost(seconds: ArrayLike, evaluations: ArrayLike, cost_s: ArrayLike) -> NDArray[np.float64]:
    """Seconds of a run, or ERT in seconds, at an additional cost per evaluation.

    - `seconds`, `evaluations`: Seconds and evaluations of a run, or the ERT in both units. Both are
      `inf` for an ERT without a success.
    - `cost_s`: Additional cost of an evaluation in seconds, at least 0 and finite. The shapes must
      be broadcastable.

    Returns: ``seconds + cost_s * evaluations``; exactly `seconds` where the cost is 0.
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
    """The evaluation cost at which two algorithms have the same ERT: where their lines cross.

    - `seconds_a`, `evaluations_a`, `seconds_b`, `evaluations_b`: ERT of each algorithm in seconds
      and in evaluations.

    Returns: In seconds, above 0. NaN if the order is the same at all costs above 0, for example for
    parallel lines and for an ERT of `inf`.
    """
    lines = (seconds_a, evaluations_a, seconds_b, evaluations_b)
    with np.errstate(divide="ignore", invalid="ignore"):
        time_a, count_a, time_b, count_b = (np.asarray(x, dtype=np.float64) for x in lines)
        cost = (time_b - time_a) / (count_a - count_b)
    return np.asarray(np.where(np.isfinite(cost) & (cost > 0), cost, np.nan))


def lowest_between(
    seconds: ArrayLike, evaluations: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The range of evaluation costs in which each of several lines is the lowest.

    - `seconds`, `evaluations`, shape (..., lines): ERT in seconds and in evaluations; `inf` if
      there is no line.

    Returns start, end, shape (..., lines): At costs from `start` to `end`, both included, no other
    line is lower. `end` is `inf` for the line with the fewest evaluations. Both are NaN for a line
    that is never the lowest. Where two lines cross, the range of both includes the cost of the
    crossing. Equal lines have equal ranges.

    Each line is compared with every other line, so the result does not depend on their order. The
    time is proportional to the square of the number of lines.
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
    """Share of the problems on which each algorithm has the lowest ERT, at each evaluation cost.

    - `seconds`, `evaluations`, shape (..., problems, algorithms): ERT in seconds and in
      evaluations; `inf` if no run succeeded.
    - `cost_s`, shape (costs,): Evaluation costs, as for `at_cost`.

    Returns, shape (..., costs, algorithms): If several algorithms have the lowest ERT, the problem
    is divided equally among them. Problems that no algorithm solves count for no algorithm, so the
    shares add up to the share of the problems that are solved. NaN if there are no problems.
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
    there, small = np.empty(time.shape), np.min_scalar_type(2 * max(algorithms, problems))
    for k, cost in enumerate(costs):
        np.multiply(cost, slope, out=there)
        there += time
        won = (there == there.min(axis=0)) & solved
        winners = won.view(np.uint8).sum(axis=0, dtype=small)
        if winners.max() <= 2:  # halves are added as integers, which is quicker and exact
            halves = won.view(np.uint8) * (3 - winners)
            shares[:, k] = halves.sum(axis=1, dtype=small) / 2
        else:
            each = 1 / np.maximum(winners, 1)
            shares[:, k] = np.einsum("ap...,p...->a...", won, each, optimize=False)
    return np.asarray(shares.T / problems)


def band_of_shares(
    share: NDArray[np.float64], samples: NDArray[np.float64], *, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limits of shares, from the shares in bootstrap samples.

    - `share`: The observed shares.
    - `samples`, shape (resamples, ...): The shares in each bootstrap sample of the runs.
    - `confidence`: Nominal coverage at each point, in (0, 1).

    Returns low, high: The percentile interval, extended so that it contains the observed share.
    """
    low, high = percentile_interval(samples, confidence)
    return np.minimum(low, share), np.maximum(high, share)
