"""Comparison of two algorithms within strata, such as kinds of machines, and by a quantile.

Only results of the same stratum are compared with each other. Smaller results are better, and `inf`
means that a result was not reached, as in `timefair.statistics.comparison`. With one stratum, each
function returns what its counterpart there returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb, prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from timefair.statistics.checks import check_confidence
from timefair.statistics.comparison import (
    Effect,
    a12,
    equal_ert,
    mann_whitney,
    superiority,
    win_rates,
)
from timefair.statistics.quantiles import sample_quantile

Strata: TypeAlias = Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]]
"""The results of both algorithms in each stratum."""


def strata_of(
    first: ArrayLike, second: ArrayLike, strata_first: ArrayLike, strata_second: ArrayLike
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """The results of both algorithms in each stratum that has results of both.

    - `first`, `second`, shape (m,) and (n,): Results of two algorithms.
    - `strata_first`, `strata_second`, shape (m,) and (n,): The stratum of each result.

    Returns: Empty if no stratum has results of both.
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    of_x, of_y = np.asarray(strata_first), np.asarray(strata_second)
    common = sorted(set(of_x.tolist()) & set(of_y.tolist()))
    return [(x[of_x == name], y[of_y == name]) for name in common]


def van_elteren(strata: Strata) -> float:
    """Two-sided p-value of van Elteren's test that two samples are equal within every stratum.

    - `strata`: Independent results, at least one of each algorithm in every stratum.

    Returns: With one stratum, `mann_whitney`. With several, the normal approximation of the sum of
    the rank sums, weighted by 1/(m + n + 1), corrected for ties, and never below the smallest
    p-value of a permutation within strata, ``2/prod(comb(m + n, m))``. 1 if all results of each
    stratum are equal; NaN without strata.

    Under equality, the test rejects at the nominal level 0.05 at a rate of 0.041 to 0.057 with 2 or
    3 strata of 3 to 30 runs each, and at a rate of 0.033 with 15 strata of one run each.

    Source: P. van Elteren, On the combination of independent two sample tests of Wilcoxon, Bulletin
    of the International Statistical Institute 37 (1960).
    """
    if len(strata) == 1:
        return mann_whitney(*strata[0])
    if not strata:
        return float("nan")
    score = variance = 0.0
    for x, y in strata:
        m, n, total = x.size, y.size, x.size + y.size
        ties = np.unique(np.concatenate([x, y]), return_counts=True)[1].astype(np.float64)
        weight = 1 / (total + 1)
        score += weight * m * n * (superiority(x, y) - 0.5)
        shrunk = total + 1 - float((ties**3 - ties).sum()) / (total * (total - 1))
        variance += weight**2 * m * n / 12 * shrunk
    if variance <= 1e-12:
        return 1.0
    least = 2 / prod(comb(x.size + y.size, x.size) for x, y in strata)
    p = 2 * float(stats.norm.sf(abs(score) / np.sqrt(variance)))
    return min(max(p, least), 1.0)


def superiority_within(strata: Strata) -> float:
    """A12 within strata: the mean of A12 over the strata, with the weights of `van_elteren`.

    Returns: In [0, 1]; 0.5 if all results of each stratum are equal, NaN without strata.
    """
    if not strata:
        return float("nan")
    values = [superiority(x, y) for x, y in strata]
    return float(np.average(values, weights=_weights(strata)))


def a12_within(strata: Strata, *, confidence: float) -> Effect:
    """`superiority_within` with its interval.

    - `strata`: As in `van_elteren`.
    - `confidence`: Nominal coverage of the interval, in (0, 1).

    Returns: With several strata, a normal interval with the variance of `a12` in each stratum; its
    middle is as close to 0.5 as that of `a12` for one stratum with all results. All values are NaN
    without strata. Raises ValueError if a sample has NaN, or `confidence` is outside (0, 1).

    With 2 or 3 strata of 3 to 30 runs each and an A12 of 0.76, the coverage of a nominal 0.95 is
    0.95 to 0.97. With 15 strata of one run each it is only 0.88, because one run does not show how
    much the runs of a stratum vary.
    """
    check_confidence(confidence)
    if len(strata) == 1:
        return a12(*strata[0], confidence=confidence)
    value = superiority_within(strata)
    if not strata:
        return Effect(value, value, value)
    weights = _weights(strata)
    variance = float(np.dot(weights**2, [win_rates(x, y).variance for x, y in strata]))
    m, n = sum(x.size for x, _ in strata), sum(y.size for _, y in strata)
    middle = value + (0.5 - value) * (1 - m * n / ((m + 2) * (n + 2)))
    reach = float(stats.norm.isf((1 - confidence) / 2) * np.sqrt(variance))
    return Effect(value, min(max(middle - reach, 0.0), value), max(min(middle + reach, 1.0), value))


def mean_ratio(ratios: ArrayLike, weights: ArrayLike) -> float:
    """Geometric mean of the ratios of several strata.

    - `ratios`, shape (strata,): Ratios at least 0; `inf` is allowed. A stratum with NaN is omitted.
    - `weights`, shape (strata,): Positive weights.

    Returns: `inf` or 0 if a ratio is `inf` or 0; NaN if there are both, or if all ratios are NaN.
    """
    values, parts = np.asarray(ratios, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    known = ~np.isnan(values)
    if not known.any():
        return float("nan")
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.exp(np.average(np.log(values[known]), weights=parts[known])))


def equal_ert_within(
    strata: Sequence[
        tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64], NDArray[np.bool_]]
    ],
) -> float:
    """Two-sided p-value of the test that two algorithms have the same ERT in every stratum.

    - `strata`: Costs and successes of the first algorithm, and of the second, in each stratum, as
      for `equal_ert`.

    Returns: With one stratum, `equal_ert`. With several, Stouffer's combination of the one-sided
    p-values, weighted by the roots of the harmonic means of the numbers of runs. NaN without
    strata, or if a stratum has a single run of an algorithm.

    Source: S. A. Stouffer et al., The American Soldier, volume 1, 1949, for the combination.

    >>> fast, slow, every = np.arange(1.0, 6.0), np.arange(11.0, 16.0), np.ones(5, dtype=bool)
    >>> round(equal_ert_within([(fast, every, slow, every), (slow, every, fast, every)]), 6)
    1.0
    """
    if len(strata) == 1:
        return equal_ert(*strata[0])
    if not strata:
        return float("nan")
    scores, weights = [], []
    for cost_a, success_a, cost_b, success_b in strata:
        p = equal_ert(cost_a, success_a, cost_b, success_b)
        # The ERT of a is smaller if it has fewer costs for each success.
        sign = np.sign(cost_b.sum() * success_a.sum() - cost_a.sum() * success_b.sum())
        scores.append(float(sign * stats.norm.isf(p / 2)))
        weights.append(float(np.sqrt(1 / (1 / cost_a.size + 1 / cost_b.size))))
    z = np.dot(scores, weights) / np.linalg.norm(weights)
    return float(2 * stats.norm.sf(abs(z)))


class QuantileTest(NamedTuple):
    """Result of `quantile_test`.

    - `p`: Two-sided p-value.
    - `balance`: Share of the first sample at or below the quantile of both, minus that of the
      second. Positive if the first one is better.
    - `least`: Smallest p-value with this number of results at or below the quantile.
    """

    p: float
    balance: float
    least: float


def quantile_test(first: ArrayLike, second: ArrayLike, p: float) -> QuantileTest:
    """Test that two samples come from one distribution, which rejects if a quantile differs.

    - `first`, `second`, shape (m,) and (n,): Independent results of two algorithms, `inf` allowed;
      small is better.
    - `p`: Probability of the quantile, in (0, 1].

    Returns: Fisher's exact test of the numbers of results at or below the quantile of all results
    together (for the median, Mood's test). p and its least value are NaN if a sample is empty.

    The test needs many runs for extreme quantiles: with 10 runs each and the quantile 0.1, two
    results are at or below it, and p is never below 0.47.

    Source: A. M. Mood, Introduction to the Theory of Statistics, 1950, section 16.4. R. A. Johnson,
    S. Verrill and D. H. Moore, Two-sample rank tests for detecting changes that occur in a small
    proportion of the treated population, Biometrics 43 (1987), for other quantiles.
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if x.size == 0 or y.size == 0:
        return QuantileTest(float("nan"), 0.0, float("nan"))
    at = float(sample_quantile(np.concatenate([x, y]), p))
    below, others = int((x <= at).sum()), int((y <= at).sum())
    both = below + others
    ends = (min(both, x.size), max(both - y.size, 0))
    least = min(_fisher(end, x.size, both - end, y.size) for end in ends)
    p = _fisher(below, x.size, others, y.size)
    return QuantileTest(p, below / x.size - others / y.size, least)


@lru_cache(maxsize=4096)
def _fisher(below: int, m: int, others: int, n: int) -> float:
    table = np.array([[below, m - below], [others, n - others]])
    return float(stats.fisher_exact(table).pvalue)


def _weights(strata: Strata) -> NDArray[np.float64]:
    """The weight of each stratum; the sum is 1."""
    sizes = np.array([x.size * y.size / (x.size + y.size + 1) for x, y in strata])
    return np.asarray(sizes / sizes.sum())
