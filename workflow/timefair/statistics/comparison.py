"""Two algorithms against each other: tests, and an effect size with its interval.

Small is better. `inf`, a result that was not reached, is worse than every number and equal to
itself; nothing here depends on more than the order of the results, except `equal_ert`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from timefair.statistics.checks import check_confidence
from timefair.statistics.ert import ert
from timefair.statistics.rank_sum import tails
from timefair.statistics.score_test import score_p

EXACT_PAIRS = 50
"""Pairs up to which Wilcoxon's p-value is exact."""


def mann_whitney(first: ArrayLike, second: ArrayLike) -> float:
    """Two-sided p-value of Mann and Whitney's test that two samples come from one law.

    Parameters
    ----------
    first, second : array_like, shape (m,) and (n,)
        Independent results of two algorithms, `inf` allowed.

    Returns
    -------
    float
        Twice the smaller tail of the permutation distribution, at most 1. Exact without ties up to
        141 runs each, with any ties up to 30 runs each, and beyond where few values differ; for
        the approximation elsewhere see `timefair.statistics.rank_sum.tails`. 1 where all results
        are equal (`inf` too) or each sample is one run; NaN without a run.

    Raises
    ------
    ValueError
        If a sample is not a vector or has NaN.

    Notes
    -----
    The smallest p-value that m and n runs can give is ``2/comb(m + n, m)``, without ties.

    References
    ----------
    H. B. Mann and D. R. Whitney, On a test of whether one of two random variables is
    stochastically larger than the other, Annals of Mathematical Statistics 18 (1947).

    Examples
    --------
    >>> round(mann_whitney([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, float("inf")]), 4)
    0.0286
    """
    x, y = _sample(first, "first"), _sample(second, "second")
    if x.size == 0 or y.size == 0:
        return float("nan")
    both = tails(x, y)
    return min(2 * min(both.lower, both.upper), 1.0)


@dataclass(frozen=True)
class SignedRank:
    """Wilcoxon's test over pairs.

    Attributes
    ----------
    p
        Two-sided p-value.
    balance
        Rank sum in favour of the first minus that in favour of the second, as a share of both, in
        [-1, 1]: positive where the first is better, 0 where all pairs are ties.
    """

    p: float
    balance: float


def wilcoxon(first: ArrayLike, second: ArrayLike) -> SignedRank:
    """Wilcoxon's signed-rank test that two algorithms are alike on the same problems.

    Parameters
    ----------
    first, second : array_like, shape (problems,)
        A result on each problem, in one order and comparable from problem to problem: logarithms
        of precisions rather than precisions. `inf` against `inf` is a tie, `inf` against a number
        the largest difference there is.

    Returns
    -------
    SignedRank
        Ties take part in the ranking and then count for nobody (Pratt), so that many of them speak
        for equality. p is exact for at most `EXACT_PAIRS` pairs, with ties too, and the normal
        approximation beyond; 1 where all pairs are ties, NaN without a pair.

    Raises
    ------
    ValueError
        If the samples are no vectors of one length or have NaN.

    References
    ----------
    F. Wilcoxon, Individual comparisons by ranking methods, Biometrics Bulletin 1 (1945).
    J. W. Pratt, Remarks on zeros and ties in the Wilcoxon signed rank procedures, Journal of the
    American Statistical Association 54 (1959). D. S. Kerby, The simple difference formula,
    Comprehensive Psychology 3 (2014), for the balance.

    Examples
    --------
    >>> test = wilcoxon([1.0, 2.0, 3.0, 4.0, 5.0], [1.5, 3.0, 5.0, 8.0, float("inf")])
    >>> test.p, test.balance
    (0.0625, 1.0)
    """
    x, y = _sample(first, "first"), _sample(second, "second")
    if x.size != y.size:
        raise ValueError(f"pairs need samples of one length, not {x.size} and {y.size}")
    if x.size == 0:
        return SignedRank(float("nan"), float("nan"))
    gain = np.subtract(y, x, out=np.zeros(x.size), where=x != y)
    if not gain.any():
        return SignedRank(1.0, 0.0)
    ranks = stats.rankdata(np.abs(gain))
    for_first, for_second = ranks[gain > 0].sum(), ranks[gain < 0].sum()
    if gain.size <= EXACT_PAIRS:
        p = _chance_of_balance(ranks[gain != 0], min(for_first, for_second))
    else:
        p = float(stats.wilcoxon(gain, zero_method="pratt").pvalue)
    return SignedRank(p, float((for_first - for_second) / (for_first + for_second)))


def superiority(first: ArrayLike, second: ArrayLike) -> float:
    """A12 alone: the probability that the first algorithm's result is better, ties counted half.

    Parameters
    ----------
    first, second : array_like, shape (m,) and (n,)
        Independent results of two algorithms, `inf` allowed.

    Returns
    -------
    float
        In [0, 1], 0.5 where all results are equal; NaN without a run.

    Raises
    ------
    ValueError
        If a sample is no vector or has NaN.

    Examples
    --------
    >>> superiority([1.0, 2.0], [2.0, float("inf")])
    0.875
    """
    x, y = _sample(first, "first"), np.sort(_sample(second, "second"))
    if x.size == 0 or y.size == 0:
        return float("nan")
    behind = 2 * y.size - np.searchsorted(y, x, "left") - np.searchsorted(y, x, "right")
    return float(behind.sum() / (2 * x.size * y.size))


@dataclass(frozen=True)
class Effect:
    """Effect size A12 and the limits of its interval, all in [0, 1]."""

    a12: float
    low: float
    high: float


def a12(first: ArrayLike, second: ArrayLike, *, confidence: float) -> Effect:
    """Probability that the first algorithm's result is better, ties counted half.

    Parameters
    ----------
    first, second : array_like, shape (m,) and (n,)
        Independent results of two algorithms, `inf` allowed.
    confidence : float
        Nominal coverage of the interval, in (0, 1).

    Returns
    -------
    Effect
        0.5 where all results are equal; all NaN without a run. The interval holds A12 and is never
        of zero width.

    Raises
    ------
    ValueError
        If a sample is no vector or has NaN, or `confidence` lies outside (0, 1).

    Notes
    -----
    A normal interval with DeLong's variance, after each sample was joined by one value better and
    one value worse than all others, as Agresti and Caffo do with proportions. Of a nominal .95 it
    covers .95 to 1.00 at 5 to 30 runs, for A12 from .5 to .98, with unequal spreads, ties and
    failures; the percentile bootstrap .59 to .96.

    References
    ----------
    A. Vargha and H. D. Delaney, A critique and improvement of the CL common language effect size,
    Journal of Educational and Behavioral Statistics 25 (2000). E. R. DeLong, D. M. DeLong and
    D. L. Clarke-Pearson, Comparing the areas under two or more correlated receiver operating
    characteristic curves, Biometrics 44 (1988). A. Agresti and B. Caffo, Simple and effective
    confidence intervals for proportions, American Statistician 54 (2000).

    Examples
    --------
    >>> effect = a12([1.0, 2.0, 3.0], [2.0, 4.0, float("inf")], confidence=0.95)
    >>> round(effect.a12, 3), round(effect.low, 3), round(effect.high, 3)
    (0.833, 0.224, 1.0)
    """
    x, y = _sample(first, "first"), _sample(second, "second")
    check_confidence(confidence)
    if x.size == 0 or y.size == 0:
        return Effect(float("nan"), float("nan"), float("nan"))
    places = stats.rankdata(np.concatenate([x, y]), method="dense").astype(np.float64)
    value = superiority(x, y)
    ends = np.array([0.0, places.size + 1.0])
    wins = _wins(np.append(places[: x.size], ends), np.append(places[x.size :], ends))
    m, n = wins.shape
    variance = wins.mean(axis=1).var(ddof=1) / m + wins.mean(axis=0).var(ddof=1) / n
    reach = float(stats.norm.isf((1 - confidence) / 2) * np.sqrt(variance))
    middle = float(wins.mean())
    return Effect(value, min(max(middle - reach, 0.0), value), max(min(middle + reach, 1.0), value))


def in_agreement(effect: Effect, p: float, level: float, *, rejected: bool) -> Effect:
    """The effect with an interval that excludes 0.5 if and only if the test rejects equality.

    Parameters
    ----------
    effect : Effect
        As `a12` gives it, with an interval of the confidence ``1 - level``.
    p : float
        p-value of `mann_whitney` for the same samples, not adjusted.
    level : float
        The level at which it is tested, in (0, 1); in a family, that of `corrections.holm_levels`.
    rejected : bool
        The decision of the test.

    Returns
    -------
    Effect
        `effect` itself if its interval agrees with the decision. Otherwise the limit on the side
        of 0.5 is the test-based one: A12 minus its distance from 0.5 times the ratio of two normal
        quantiles, that of the level over that of p.

    Notes
    -----
    Where A12 is 0.5, the interval covers exactly as often as the test does not reject. Of a nominal
    .95 it covers .93 to 1.00 at 5 to 30 runs, for A12 from .5 to .98, with unequal spreads, ties
    and failures, as the interval of `a12` does; only where A12 is .5 and one algorithm spreads five
    times as far does it cover .92, because the test errs as often there.

    References
    ----------
    O. S. Miettinen, Estimability and estimation in case-referent studies, American Journal of
    Epidemiology 103 (1976), for test-based limits.

    Examples
    --------
    >>> first, second = [1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]
    >>> p, effect = mann_whitney(first, second), a12(first, second, confidence=0.95)
    >>> moved = in_agreement(effect, p, 0.05, rejected=p <= 0.05)
    >>> round(effect.low, 2), round(moved.low, 2)
    (0.37, 0.55)
    """
    side = float(np.sign(effect.a12 - 0.5))
    facing = effect.low if side > 0 else effect.high
    if not side or rejected == (side * (facing - 0.5) > 0):
        return effect
    ratio = float(stats.norm.isf(level / 2) / stats.norm.isf(p / 2)) if p < 1 else np.inf
    moved = min(max(effect.a12 - (effect.a12 - 0.5) * ratio, 0.0), 1.0)
    if rejected == (side * (moved - 0.5) <= 0):  # p and level are equal but for rounding
        moved = float(np.nextafter(0.5, effect.a12)) if rejected else 0.5
    if side > 0:
        return Effect(effect.a12, moved, effect.high)
    return Effect(effect.a12, effect.low, moved)


def equal_ert(
    spent_first: ArrayLike,
    success_first: ArrayLike,
    spent_second: ArrayLike,
    success_second: ArrayLike,
) -> float:
    """Two-sided p-value of a score test that two algorithms have the same ERT to a target.

    Parameters
    ----------
    spent_first, success_first : array_like, shape (m,)
        What each run of the first algorithm cost, and whether it reached the target, as for
        `timefair.statistics.ert.ert`.
    spent_second, success_second : array_like, shape (n,)
        The same for the second.

    Returns
    -------
    float
        Never below ``2/comb(m + n, m)``, the smallest p-value that so few runs can give by their
        order. 1 where no run of either succeeded or all runs are alike; NaN where an algorithm has
        fewer than two runs.

    Raises
    ------
    ValueError
        If shapes differ or are no vectors, or a cost is negative or not finite.

    Notes
    -----
    If both have the ERT that their runs have together, each run's cost minus that ERT for a success
    is zero on average; Welch's test compares these scores. Unlike Mann and Whitney's test on
    runtimes with failures as `inf`, it holds when the algorithms' runs ended at different costs, as
    evaluations do under a budget of seconds. At a nominal .05 it rejects equal ERTs at a rate of
    .001 to .07 for exponential, geometric and lognormal runtimes, 5 to 30 runs; where one
    algorithm is cut after a tenth of its ERT, Mann and Whitney's rejects up to 1.00.

    References
    ----------
    ERT: J. J. Lian, "Time-Fair Benchmarking for Metaheuristics", 2025, equation (1). B. L. Welch,
    The generalization of "Student's" problem when several different population variances are
    involved, Biometrika 34 (1947).

    Examples
    --------
    >>> fast, slow = [1.0, 1.2, 0.9, 1.1, 1.0], [5.0, 5.2, 4.7, 5.1, 5.0]
    >>> round(equal_ert(fast, [True] * 5, slow, [True, True, False, True, True]), 4)
    0.0079
    """
    x, y = _sample(spent_first, "spent"), _sample(spent_second, "spent")
    if (x.shape, y.shape) != (np.shape(success_first), np.shape(success_second)):
        raise ValueError("spent and success must have one number for each run")
    success = np.concatenate([success_first, success_second]).astype(np.bool_)
    common = float(ert(np.concatenate([x, y]), success))
    if x.size < 2 or y.size < 2:
        return float("nan")
    if not success.any():
        return 1.0
    scores = x - common * success[: x.size], y - common * success[x.size :]
    (mean_x, variance_x), (mean_y, variance_y) = ((s.mean(), s.var(ddof=1)) for s in scores)
    return float(score_p(mean_x, variance_x, x.size, mean_y, variance_y, y.size))


def _chance_of_balance(ranks: NDArray[np.float64], smaller: float) -> float:
    """Two-sided chance of a rank sum as small as that if each rank takes either side evenly."""
    chance = np.ones(1)  # of each sum of half ranks
    for halves in np.rint(2 * ranks).astype(np.int64):
        away, here = np.pad(chance, (halves, 0)), np.pad(chance, (0, halves))
        chance = (away + here) / 2
    return min(2 * float(chance[: round(2 * smaller) + 1].sum()), 1.0)


def _wins(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 where the one of a row is better than the one of a column, half for a tie."""
    left, right = x[:, np.newaxis], y[np.newaxis, :]
    return np.asarray((left < right) + 0.5 * (left == right))


def _sample(values: ArrayLike, name: str) -> NDArray[np.float64]:
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1:
        raise ValueError(f"{name} must be a vector, not of the shape {x.shape}")
    if np.isnan(x).any():
        raise ValueError(f"{name} must not have NaN; a result that was not reached is inf")
    return x
