"""Runs and ERTs at another cost of an evaluation, and which algorithm is best at each budget. If
each evaluation costs c additional seconds, a run with t seconds and e evaluations takes t + c e; so
the ERT in seconds is ERT_s + c ERT_evaluations, a straight line in c.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, prod
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import ndtr, stdtr

from timefair.statistics.rank_tests import rank
from timefair.statistics.samples import Floats, check_confidence, floats


def at_cost(seconds: ArrayLike, evaluations: ArrayLike, cost_s: ArrayLike) -> Floats:
    """Seconds of a run, or ERT in seconds (`inf` without a success), at an additional cost per
    evaluation of at least 0 seconds; exactly `seconds` where it is 0. All can be broadcast.
    """
    time, count, cost = np.broadcast_arrays(*floats(seconds, evaluations, cost_s))
    waited = np.multiply(cost, count, out=np.zeros(cost.shape), where=cost > 0)
    return np.asarray(time + waited)


def reached_within(
    seconds: ArrayLike, evaluations: ArrayLike, cost_s: float, budgets: ArrayLike
) -> Floats:
    """Share of the targets that each run reaches within each budget in seconds, including the
    evaluation cost, shape (runs, budgets), from its costs to them, shape (runs, targets); `inf`:
    not reached.
    """
    there = at_cost(seconds, evaluations, cost_s)
    limits = np.asarray(budgets, dtype=np.float64)
    order = np.argsort(limits)
    runs, targets = there.shape
    first = np.searchsorted(limits[order], there)  # budget that is large enough
    cell = first + (limits.size + 1) * np.arange(runs)[:, np.newaxis]
    count = np.bincount(cell.ravel(), minlength=runs * (limits.size + 1)).reshape(runs, -1)
    reached = np.empty((runs, limits.size))
    reached[:, order] = count[:, :-1].cumsum(axis=1)
    return np.asarray(reached / targets)


def known_until(seconds: ArrayLike, evaluations: ArrayLike, cost_s: float) -> Floats:
    """The budget T + c E up to which each run is known, shape (runs,), from the seconds T and the
    evaluations E up to which it was observed; `inf` if E is: a longer run could not have changed
    the result.
    """
    count = np.asarray(evaluations, dtype=np.float64)
    observed = np.where(np.isinf(count), 0.0, count)
    return np.where(np.isinf(count), np.inf, at_cost(seconds, observed, cost_s))


def seconds_to_observe(
    seconds: ArrayLike, evaluations: ArrayLike, cost_s: float, budgets: ArrayLike
) -> Floats:
    """Seconds to measure each run again up to each budget B, without waiting for the evaluation
    cost, shape (runs, budgets): B T/(T + c E), if the run continues at the same pace; 0 if it is
    known up to the budget. Arguments as for `known_until`.
    """
    limits = np.asarray(budgets, dtype=np.float64)
    time = np.asarray(seconds, dtype=np.float64)[:, np.newaxis]
    until = known_until(seconds, evaluations, cost_s)[:, np.newaxis]
    pace = np.divide(time, until, out=np.ones(until.shape), where=until > 0)
    return np.where(limits > until, limits * pace, 0.0)


def moments(runs: ArrayLike, shares: Floats) -> Moments:
    """Moments of shares, shape (runs, budgets), in the order of algorithms, then functions, with
    the numbers of runs of each algorithm on each function, at least 1.
    """
    sizes = np.asarray(runs, dtype=np.int64)
    here = np.arange(sizes.max()) < sizes[..., np.newaxis]
    each, count = np.zeros((*here.shape, shares.shape[1])), sizes[..., np.newaxis]
    each[here] = shares
    mean = each.sum(axis=2) / count
    away = np.where(here[..., np.newaxis], each - mean[:, :, np.newaxis], 0.0)
    with np.errstate(invalid="ignore"):
        return Moments(sizes, mean, (away * away).sum(axis=2) / (count - 1))


@dataclass(frozen=True)
class Moments:
    """Of the shares of runs, (algorithms, functions, budgets); variance: NaN for one run."""

    runs: NDArray[np.int64]
    mean: Floats
    variance: Floats


Leader: TypeAlias = tuple[NDArray[np.intp], Floats, NDArray[np.bool_]]
"""The leading algorithm at each budget: its index, shape (budgets,), the first of equal ones, -1 if
none reached a target; the share or rank of each algorithm, shape (budgets, algorithms); and whether
it is not significantly worse than the leader, same shape; all False if none reached a target.
"""


def leader_by_share(shares: Moments, *, confidence: float) -> Leader:
    """The algorithm that reaches the largest share of the targets, averaged over the functions.

    A leader without ties is the best algorithm with at least the probability `confidence`, for new
    runs on the same functions: it is compared with each other algorithm by a one-sided Welch test
    of a sum over strata (the functions), with Satterthwaite's degrees of freedom, at the level (1 -
    confidence)/(algorithms - 1). p is never below the smallest one that a test of the order of
    these runs can have. If an algorithm has only one run on a function, all are tied.

    Source: F. E. Satterthwaite, Biometrics Bulletin 2 (1946).
    """
    check_confidence(confidence)
    runs = shares.runs
    average = shares.mean.mean(axis=1).T
    best = average.argmax(axis=1)
    reached = average.max(axis=1) > 0
    spread = shares.variance / runs[..., np.newaxis]
    error = spread.sum(axis=1).T
    parts = (spread**2 / np.maximum(runs[..., np.newaxis] - 1, 1)).sum(axis=1).T
    at = np.arange(best.size)
    difference = len(runs[0]) * (average[at, best][:, np.newaxis] - average)
    total = error + error[at, best][:, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = total**2 / (parts + parts[at, best][:, np.newaxis])
        p = stdtr(freedom, -difference / np.sqrt(total))
    p = np.where(total > 0, p, np.where(difference > 0, 0.0, 1.0))
    least = np.array([[_least(mine, others) for others in runs] for mine in runs])
    p = np.maximum(p, least[best])
    tied = (p * max(len(runs) - 1, 1) > 1 - confidence) | (runs.min() < 2)
    tied[at, best] = True
    return _leader(average, best, tied, reached)


def leader_by_rank(shares: Moments, *, confidence: float) -> Leader:
    """The algorithm with the best average rank over the functions, by the mean share of the
    targets.

    An algorithm is tied with the leader unless Wilcoxon's signed-rank test of their mean shares, at
    the level (1 - confidence)/(pairs of algorithms), finds the leader better. p comes from the
    normal approximation, and is never below 2^(1 - functions). Source: A. Benavoli, G. Corani and
    F. Mangili, Journal of Machine Learning Research 17 (2016).
    """
    value = shares.mean
    average = rank(-value, axis=0).mean(axis=1).T
    best = average.argmin(axis=1)
    leading = np.take_along_axis(value, best[np.newaxis, np.newaxis], axis=0)
    p = _signed_rank_p(leading - value).T
    level = (1 - confidence) / max(comb(len(value), 2), 1)
    return _leader(average, best, p > level, value.max(axis=(0, 1)) > 0)


def _signed_rank_p(gain: Floats) -> Floats:
    """Two-sided, over axis 1, with ties (Pratt); 1 where the balance is not positive."""
    ranks = stats.rankdata(np.abs(gain), axis=1) * (gain != 0)
    balance, spread = (ranks * np.sign(gain)).sum(axis=1), np.sqrt((ranks**2).sum(axis=1))
    z = np.divide(balance, spread, out=np.zeros(balance.shape), where=spread > 0)
    p = np.maximum(2 * ndtr(-z), 2.0 ** (1 - gain.shape[1]))
    return np.where(z > 0, np.minimum(p, 1.0), 1.0)


def _leader(
    value: Floats, best: NDArray[np.intp], tied: NDArray[np.bool_], reached: NDArray[np.bool_]
) -> Leader:
    return np.where(reached, best, -1), value, tied & reached[:, np.newaxis]


def _least(runs: NDArray[np.int64], others: NDArray[np.int64]) -> float:
    """The smallest one-sided p-value that a test of the order of two samples can have."""
    pairs = zip(runs.tolist(), others.tolist(), strict=True)
    return 1 / prod(comb(m + n, m) for m, n in pairs)
