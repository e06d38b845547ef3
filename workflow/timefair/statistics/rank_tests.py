"""Ranks of algorithms on problems, Friedman's test, and post-hoc tests; small is better."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from timefair.statistics.samples import Floats


def holm(p: ArrayLike) -> Floats:
    """Holm's adjusted p-values, which bound the probability of a false rejection in a family, at
    most 1, in the order of `p`. NaN: a test that could not be made; it stays NaN and does not
    count. Source: S. Holm, Scandinavian Journal of Statistics 6 (1979).
    """
    family, order = _family(p)
    return _step_down(family, order, np.arange(order.size, 0, -1))


def holm_levels(p: ArrayLike, alpha: float) -> Floats:
    """The level at which Holm's procedure tests each hypothesis in a family of the error level
    alpha: ``alpha/tests`` for the smallest p-value, and a larger level after each rejection; NaN
    stays NaN. Source: R. C. Serlin, Journal of Experimental Education 61 (1993), for intervals at
    them.
    """
    family, order = _family(p)
    rejected = int((holm(family)[order] <= alpha).sum())
    left = np.arange(order.size, 0, -1)
    left[rejected:] = order.size - rejected
    levels = np.full(family.shape, np.nan)
    levels[order] = alpha / left
    return levels


def shaffer(p: ArrayLike, algorithms: int) -> Floats:
    """Shaffer's static adjusted p-values for all pairs of algorithms, in any order, never above
    Holm's: if one pair differs, others must differ too. All or none are NaN. Source: J. P. Shaffer,
    Journal of the American Statistical Association 81 (1986), procedure S1.
    """
    family, order = _family(p)
    possible = np.array(sorted(_true_together(algorithms)))
    left = np.arange(order.size, 0, -1)
    return _step_down(family, order, possible[np.searchsorted(possible, left, side="right") - 1])


def hochberg(p: ArrayLike) -> Floats:
    """Hochberg's adjusted p-values, never above those of `holm`. They bound the probability of a
    false rejection if the tests are independent or positively dependent, as of the same runs by
    related criteria. Source: Y. Hochberg, Biometrika 75 (1988). S. K. Sarkar and C.-K. Chang,
    Journal of the American Statistical Association 92 (1997).
    """
    family, order = _family(p)
    adjusted = np.full(family.shape, np.nan)
    factors = np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum.accumulate((factors * family[order])[::-1])[::-1]
    return adjusted


def _family(p: ArrayLike) -> tuple[Floats, NDArray[np.intp]]:
    """The p-values, and the places of those that are known, from the smallest on."""
    family = np.asarray(p, dtype=np.float64)
    return family, np.argsort(family, kind="stable")[: np.count_nonzero(~np.isnan(family))]


def _step_down(family: Floats, order: NDArray[np.intp], factors: NDArray[np.int64]) -> Floats:
    """Multiply each p-value by its factor, from the smallest on; never decreasing, at most 1."""
    adjusted = np.full(family.shape, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * family[order]), 1.0)
    return adjusted


@cache
def _true_together(algorithms: int) -> frozenset[int]:
    """The possible numbers of pairs of equal algorithms, recursively over groups of equals."""
    if algorithms < 2:
        return frozenset({0})
    return frozenset(
        j * (j - 1) // 2 + others
        for j in range(1, algorithms + 1)
        for others in _true_together(algorithms - j)
    )


def rank(values: ArrayLike, axis: int = -1) -> Floats:
    """Ranks from 1 for the smallest value, along `axis`; ties share the average of their ranks, and
    `inf` ("not reached") and NaN ("n/a") the worst rank.

    Source: Mathematics 2022, 10(22), 4364, doi 10.3390/math10224364, Tables 2 to 4 and 7 to 11.

    >>> rank([2.0, 7.0, 2.0, float("inf"), float("nan")]).tolist()
    [1.5, 3.0, 1.5, 4.5, 4.5]
    """
    x = np.asarray(values, dtype=np.float64)
    worst_for_none = np.where(np.isnan(x), np.inf, x)
    return np.asarray(stats.rankdata(worst_for_none, axis=axis), dtype=np.float64)


def rank_within(limits: ArrayLike, values: Callable[[float, NDArray[np.intp]], Floats]) -> Floats:
    """Ranks of algorithms, each pair compared within the smaller limit of both, shape (algorithms,
    m): 1 plus the number of others that are better than an algorithm; ties count half.

    - `limits`, shape (algorithms,): The cost up to which each algorithm is known.
    - `values`: The results of some algorithms, given by their places, if every run ends at a limit;
      shape (places, m), as in `rank`.

    A third algorithm has no effect on the order of a pair, so the ranks may be circular: then they
    are equal.

    >>> cost = np.array([[7.0], [9.0], [3.0]])
    >>> rank_within([5, 10, 10], lambda t, k: np.where(cost[k] <= t, cost[k], np.inf)).tolist()
    [[2.5], [2.5], [1.0]]
    """
    until = np.asarray(limits, dtype=np.float64)
    ranks: Floats | None = None
    for limit in np.unique(until):
        among = np.flatnonzero(until >= limit)
        found = values(float(limit), among)
        ranks = np.ones((until.size, found.shape[1])) if ranks is None else ranks
        ends = until[among] == limit
        here = rank(found, axis=0)
        ranks[among[ends]] += here[ends] - 1
        ranks[among[~ends]] += here[~ends] - rank(found[~ends], axis=0)
    return np.empty((0, 0)) if ranks is None else ranks


def average_ranks(values: ArrayLike) -> Floats:
    """Rank of each algorithm, averaged over the problems; NaN without problems. `values`, shape
    (problems, algorithms): results, or ranks (ranking does not change ranks).

    >>> average_ranks([[1.0, 2.0, 3.0], [5.0, 5.0, float("inf")]]).tolist()
    [1.25, 1.75, 3.0]
    """
    x = np.asarray(values, dtype=np.float64)
    if x.shape[0] == 0:
        return np.full(x.shape[1], np.nan)
    return np.asarray(rank(x, axis=1).mean(axis=0))


@dataclass(frozen=True)
class Friedman:
    """Tests of the hypothesis that all algorithms have the same ranks.

    - `average_ranks`: Average rank of each algorithm, shape (algorithms,).
    - `chi2`, `p`: Friedman's statistic, corrected for ties, and its p-value from the chi-squared
      distribution; `chi2_uncorrected` is conservative.
    - `iman_davenport`, `iman_davenport_p`: Iman and Davenport's less conservative F from `chi2`;
      `inf` and 0 if all problems have the same order.
    - `kendall_w`: The agreement of the problems, corrected for ties, in [0, 1].
    """

    problems: int
    algorithms: int
    average_ranks: Floats
    chi2: float
    p: float
    iman_davenport: float
    iman_davenport_p: float
    kendall_w: float
    chi2_uncorrected: float


def friedman(values: ArrayLike) -> Friedman:
    """Friedman's test of several algorithms on the same problems, and what is derived from it.
    `values`, shape (problems, algorithms): results or ranks; `inf` and NaN share the worst rank.

    With fewer than two problems or two algorithms, every statistic is NaN. If all algorithms are
    tied on each problem, the statistics are 0 and the p-values are 1. W is the sum of squares
    between algorithms divided by the total one; ``chi2 = N (k - 1) W`` and ``F = (N - 1) W/(1 -
    W)`` for N problems and k algorithms.

    Source: M. Friedman, Journal of the American Statistical Association 32 (1937). R. L. Iman and
    J. M. Davenport, Communications in Statistics A 9 (1980). J. Demšar, Journal of Machine Learning
    Research 7 (2006), section 3.2.2.
    """
    ranks = rank(values, axis=-1)
    averages = average_ranks(ranks)
    n, k = ranks.shape
    from_mean = ranks - (k + 1) / 2
    between = float((from_mean.sum(axis=0) ** 2).sum()) / max(n, 1)
    w, uncorrected = (
        float("nan") if min(n, k) < 2 else between / total if total > 0 else 0.0
        for total in (float((from_mean**2).sum()), n * k * (k**2 - 1) / 12)
    )
    chi2 = n * (k - 1) * w
    f = (n - 1) * w / (1 - w) if w < 1 else w * np.inf
    return Friedman(
        problems=n,
        algorithms=k,
        average_ranks=averages,
        chi2=chi2,
        p=float(stats.chi2.sf(chi2, k - 1)),
        iman_davenport=f,
        iman_davenport_p=float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        kendall_w=w,
        chi2_uncorrected=n * (k - 1) * uncorrected,
    )


@dataclass(frozen=True)
class PostHoc:
    """Post-hoc tests of all pairs of algorithms, in the order (0, 1), (0, 2), ...; shape (pairs,).

    - `first`, `second`, `difference`: Columns of both, and the first average rank less the second.
    - `z`, `p`: The difference in standard errors, if all algorithms are equal, and its two-sided
      p-value; `p_holm`, `p_shaffer`: adjusted for all pairs.
    - `p_nemenyi`: p-value from the studentized range, for all pairs simultaneously.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    difference: Floats
    z: Floats
    p: Floats
    p_holm: Floats
    p_shaffer: Floats
    p_nemenyi: Floats


def posthoc(values: ArrayLike) -> PostHoc:
    """Post-hoc tests of the average ranks of all pairs of algorithms; `values` as for `friedman`.
    Empty for fewer than two algorithms; with fewer than two problems, z and all p-values are NaN.
    With ties, the p-values are conservative. Source: P. B. Nemenyi, thesis, Princeton (1963). J.
    Demšar, Journal of Machine Learning Research 7 (2006), section 3.2.2. S. García and F. Herrera,
    the same journal, 9 (2008).
    """
    averages = average_ranks(values)
    n, k = np.shape(values)
    first, second = np.triu_indices(k, 1)
    difference = averages[first] - averages[second]
    z = difference / _standard_error(k, n) if n >= 2 else np.full(difference.shape, np.nan)
    p = 2 * stats.norm.sf(np.abs(z))
    return PostHoc(
        first=first,
        second=second,
        difference=difference,
        z=z,
        p=p,
        p_holm=holm(p),
        p_shaffer=shaffer(p, k),
        p_nemenyi=stats.studentized_range.sf(np.abs(z) * np.sqrt(2), k, np.inf),
    )


@cache
def critical_difference(algorithms: int, problems: int, alpha: float) -> float:
    """Nemenyi's critical difference, with the exact studentized range: a larger difference of
    average ranks is significant. NaN for fewer than two algorithms or problems.

    Source: J. Demšar, Journal of Machine Learning Research 7 (2006), section 3.2.2.

    >>> round(critical_difference(7, 20, alpha=0.05), 4)
    2.0141
    """
    if algorithms < 2 or problems < 2:
        return float("nan")
    range_at = float(stats.studentized_range.isf(alpha, algorithms, np.inf))
    return range_at / math.sqrt(2) * _standard_error(algorithms, problems)


def _standard_error(algorithms: int, problems: int) -> float:
    return math.sqrt(algorithms * (algorithms + 1) / (6 * problems))
