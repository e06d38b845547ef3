"""Who is best where an evaluation costs c and the budget is B, and where that is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from timefair.statistics.checks import check_confidence
from timefair.statistics.evaluation_cost import at_cost
from timefair.statistics.friedman import critical_difference
from timefair.statistics.ranks import rank


def reached_within(
    seconds: ArrayLike, evaluations: ArrayLike, cost_s: float, budgets: ArrayLike
) -> NDArray[np.float64]:
    """Share of the targets that each run reaches within each budget at an evaluation cost.

    Parameters
    ----------
    seconds, evaluations : array_like, shape (runs, targets)
        What each run had used when it reached each target; `inf` for not reached.
    cost_s : float
        Seconds that each evaluation costs more.
    budgets : array_like, shape (budgets,)
        In seconds, evaluation cost included.

    Returns
    -------
    ndarray, shape (runs, budgets)
        It never falls as the budget grows, and never rises as the cost does.

    Examples
    --------
    >>> reached_within([[1.0, 2.0]], [[10.0, 500.0]], 0.1, [1.5, 2.0, 60.0]).tolist()
    [[0.0, 0.5, 1.0]]
    """
    there = at_cost(seconds, evaluations, cost_s)
    limits = np.asarray(budgets, dtype=np.float64)
    reached = np.zeros((there.shape[0], limits.size))
    for target in there.T:
        reached += target[:, np.newaxis] <= limits
    return np.asarray(reached / there.shape[1])


def known_until(seconds: ArrayLike, evaluations: ArrayLike, cost_s: float) -> NDArray[np.float64]:
    """Up to which budget each run is known at an evaluation cost.

    Parameters
    ----------
    seconds, evaluations : array_like, shape (runs,)
        Up to where each run was observed; evaluations `inf` for one that nothing could follow.
    cost_s : float
        Seconds that each evaluation costs more.

    Returns
    -------
    ndarray, shape (runs,)
        T + c E; `inf` for a run that nothing could follow.
    """
    count = np.asarray(evaluations, dtype=np.float64)
    observed = np.where(np.isinf(count), 0.0, count)
    return np.where(np.isinf(count), np.inf, at_cost(seconds, observed, cost_s))


def seconds_to_observe(
    seconds: ArrayLike, evaluations: ArrayLike, cost_s: float, budgets: ArrayLike
) -> NDArray[np.float64]:
    """What it takes to measure each run again up to each budget, without waiting for the cost.

    Parameters
    ----------
    seconds, evaluations : array_like, shape (runs,)
        As for `known_until`.
    cost_s : float
        Seconds that each evaluation costs more.
    budgets : array_like, shape (budgets,)
        In seconds, evaluation cost included.

    Returns
    -------
    ndarray, shape (runs, budgets)
        B T/(T + c E) if the run goes on at its pace; 0 where it is known up to the budget.

    Examples
    --------
    >>> seconds_to_observe([1.0], [9.0], 1.0, [10.0, 20.0]).tolist()
    [[0.0, 2.0]]
    """
    limits = np.asarray(budgets, dtype=np.float64)
    time = np.asarray(seconds, dtype=np.float64)[:, np.newaxis]
    until = known_until(seconds, evaluations, cost_s)[:, np.newaxis]
    pace = np.divide(time, until, out=np.ones(until.shape), where=until > 0)
    return np.where(limits > until, limits * pace, 0.0)


@dataclass(frozen=True)
class Leader:
    """Who leads at each budget.

    Attributes
    ----------
    best
        Place of the leading algorithm, of equal ones the first; -1 where nobody reached a target.
        Shape (budgets,).
    value
        What each algorithm has, shape (budgets, algorithms).
    tied
        Which algorithms the leader is not surely better than, itself among them; shape (budgets,
        algorithms). None where nobody reached a target.
    """

    best: NDArray[np.intp]
    value: NDArray[np.float64]
    tied: NDArray[np.bool_]


def leader_by_share(
    shares: Sequence[Sequence[NDArray[np.float64]]], *, confidence: float
) -> Leader:
    """The algorithm that reaches the largest share of the targets, averaged over the functions.

    Parameters
    ----------
    shares : sequence
        For each algorithm and function the shares of its runs, shape (runs, budgets).
    confidence : float
        At each budget, a leader without ties is the best algorithm with this probability at least.

    Returns
    -------
    Leader
        `value` is the average share. Nobody is surely better where an algorithm has a single run
        on a function.

    Raises
    ------
    ValueError
        If `confidence` lies outside (0, 1).

    Notes
    -----
    The runs are the sample, within each function: a lead holds for new runs on these functions. The
    leader is compared with each of the others by Welch's test of a sum over strata, one-sided, with
    the degrees of freedom of Satterthwaite, at the level (1 - confidence)/(algorithms - 1). If the
    leader is not the best algorithm, it beats the best one by chance, which happens at most so
    often for each of the others. p is never below what so few runs can give by their order.

    References
    ----------
    F. E. Satterthwaite, An approximate distribution of estimates of variance components,
    Biometrics Bulletin 2 (1946).
    """
    check_confidence(confidence)
    runs = np.array([[len(of) for of in functions] for functions in shares])
    value = np.array([[of.mean(axis=0) for of in functions] for functions in shares])
    average = value.mean(axis=1).T
    best = average.argmax(axis=1)
    reached = average.max(axis=1) > 0
    everyone = np.ones(average.shape, dtype=np.bool_)
    if runs.min() < 2:
        return _leader(average, best, everyone, reached)
    spread = np.array([[of.var(axis=0, ddof=1) / len(of) for of in each] for each in shares])
    error = spread.sum(axis=1).T
    parts = (spread**2 / (runs[..., np.newaxis] - 1)).sum(axis=1).T
    at = np.arange(best.size)
    difference = len(runs[0]) * (average[at, best][:, np.newaxis] - average)
    total = error + error[at, best][:, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = total**2 / (parts + parts[at, best][:, np.newaxis])
        p = stdtr(freedom, -difference / np.sqrt(total))
    p = np.where(total > 0, p, np.where(difference > 0, 0.0, 1.0))
    least = np.array([[_least(mine, others) for others in runs] for mine in runs])
    p = np.maximum(p, least[best])
    tied = p * max(len(shares) - 1, 1) > 1 - confidence
    tied[at, best] = True
    return _leader(average, best, tied, reached)


def leader_by_rank(shares: Sequence[Sequence[NDArray[np.float64]]], *, confidence: float) -> Leader:
    """The algorithm with the best average rank over the functions, by the share of the targets.

    Parameters
    ----------
    shares : sequence
        For each algorithm and function the shares of its runs, shape (runs, budgets).
    confidence : float
        Of Nemenyi's test.

    Returns
    -------
    Leader
        `value` is the average rank; algorithms are ranked on each function by the mean share of
        their runs. Functions are the sample: ties are all algorithms within the critical
        difference of the leader, everybody for fewer than two functions.

    References
    ----------
    J. Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine
    Learning Research 7 (2006).
    """
    value = np.array([[of.mean(axis=0) for of in functions] for functions in shares])
    average = rank(-value, axis=0).mean(axis=1).T
    best = average.argmin(axis=1)
    difference = critical_difference(len(value), value.shape[1], alpha=1 - confidence)
    behind = average - average.min(axis=1, keepdims=True)
    return _leader(average, best, ~(behind > difference), value.max(axis=(0, 1)) > 0)


def _leader(
    value: NDArray[np.float64],
    best: NDArray[np.intp],
    tied: NDArray[np.bool_],
    reached: NDArray[np.bool_],
) -> Leader:
    return Leader(np.where(reached, best, -1), value, tied & reached[:, np.newaxis])


def _least(runs: NDArray[np.int64], others: NDArray[np.int64]) -> float:
    """The smallest one-sided p-value of two algorithms by the order of their runs."""
    ways = 1.0
    for m, n in zip(runs.tolist(), others.tolist(), strict=True):
        ways *= comb(m + n, m)
    return 1 / ways
