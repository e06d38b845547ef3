"""Comparison of two algorithms: tests, and an effect size with its interval; also within strata,
such as kinds of machines, where only results of one stratum are compared with each other. Smaller
results are better; `inf` is worse than every number and equal to itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit, ndtr, ndtri, stdtr

from timefair.statistics.ert import ert
from timefair.statistics.samples import Floats, check_confidence, sample_quantile, vector

EXACT_PRODUCT = 20_000  # largest product of the sample sizes for an exact distribution without ties
EXACT_ADDITIONS = 3_400_000  # of an exact distribution with ties; about 3 ms
MOST_GROUPS = 1000  # different values for which an exact distribution with ties is considered
NEAR_THE_MEAN = 0.05  # standard deviations within which a saddlepoint is not resolved
NEWTON_STEPS = 100  # upper limit of the steps to a saddlepoint; 3 to 25 are usual
LONGEST_MOVE = 2.0  # largest change of a logit in one step, or half of the largest logit
CONVERGED = 1e-9  # length of a step below which the iteration has converged


def tails(first: ArrayLike, second: ArrayLike) -> tuple[float, float]:
    """Probabilities ``P(U <= u)`` and ``P(U >= u)`` of the observed u if the pooled values of two
    samples, at least one each, are assigned at random.

    U is the number of pairs in which the value of `first` is larger; ties count half. Both tails
    are 1 if all values are equal. The distribution is conditional on the ties. It is exact without
    ties for ``m n <= EXACT_PRODUCT``, with ties for up to 30 runs each, for more as long as
    `EXACT_ADDITIONS` suffice, and for complete separation. Otherwise it is the double saddlepoint
    approximation for a lattice, whose relative error is below 0.04 for 30 or more runs each, down
    to 1e-12.

    Source: H. B. Mann and D. R. Whitney, Annals of Mathematical Statistics 18 (1947). I. M.
    Skovgaard, Journal of Applied Probability 24 (1987), and R. W. Butler, Saddlepoint
    Approximations with Applications, 2007, chapter 4, for the approximation.
    """
    x, y = vector(first, "first"), vector(second, "second")
    m, n = x.size, y.size
    if m > n:
        return tails(y, x)[::-1]
    values, counts = np.unique(np.concatenate([x, y]), return_counts=True)
    of_first = np.bincount(np.searchsorted(values, x), minlength=values.size)
    of_second = counts - of_first
    doubled = int((of_first * (2 * np.cumsum(of_second) - of_second)).sum())
    if values.size == 1:
        return 1.0, 1.0
    if values.size == m + n and m * n <= EXACT_PRODUCT:
        u = doubled // 2
        return float(at_most(u, m, n)), float(at_most(m * n - u, m, n))
    ties = tuple(counts.tolist())
    if len(ties) <= MOST_GROUPS and (exact := _exact(ties, m, EXACT_ADDITIONS)):
        first, step, lower, upper = exact
        place = (doubled - first) // step
        return min(float(lower[place]), 1.0), min(float(upper[place]), 1.0)
    away = doubled - m * n
    return _approximate(counts, m, away), _approximate(counts[::-1], m, -away)


def at_most(u: ArrayLike, m: int, n: int) -> Floats:
    """``P(U <= u)``, u in 0..m n, for two samples of one continuous distribution; shape of `u`."""
    pairs = np.asarray(u, dtype=np.int64)
    below_half = _lower_half(min(m, n), max(m, n))
    mirrored = pairs >= below_half.size
    places = np.where(mirrored, m * n - pairs - 1, pairs)
    found = np.where(places < 0, 0.0, below_half[np.maximum(places, 0)])
    return np.where(mirrored, 1.0 - found, found)


@lru_cache(maxsize=1024)
def _lower_half(m: int, n: int) -> Floats:
    """P(U <= u) for u = 0..m n // 2, with m <= n. The number of ways to have each u are the
    coefficients of a Gaussian binomial, the product of (1 - q^(n+i)) / (1 - q^i) for i = 1..m.
    """
    size = m * n // 2 + 1
    ways = np.zeros(size, dtype=object)
    ways[0] = 1
    for i in range(1, m + 1):
        if n + i < size:
            ways[n + i :] -= ways[: size - n - i].copy()
        for residue in range(i):
            ways[residue::i] = np.add.accumulate(ways[residue::i])
    return np.asarray(np.add.accumulate(ways) / comb(m + n, m), dtype=np.float64)


@lru_cache(maxsize=256)
def _exact(
    ties: tuple[int, ...], m: int, additions: float
) -> tuple[int, int, Floats, Floats] | None:
    """P(2 U <= first + i step) and P(2 U >= first + i step) for i = 0, 1, ...: first, step and
    both, from the distribution of the doubled rank sum of m of the values; None if that takes more
    than some additions. ``ways[k, s]`` counts the choices of k values outside of two groups of
    equal ones with the sum s of shifts, the differences of their ranks to that of one group. These
    groups are counted in closed form: the largest one, and one by which there are few sums.
    """
    counts = np.array(ties, dtype=np.int64)
    ranks = _doubled_ranks(counts)
    total, step = int(counts.sum()), _step(ranks)
    large = np.lexsort((np.abs(ranks - total), counts))[-1]
    rest = counts.copy()
    rest[large] = 0
    costs = (np.abs(ranks[:, np.newaxis] - ranks) @ rest) * (rest.sum() - rest).astype(np.float64)
    costs[large] = np.inf
    base = int(np.argmin(costs))
    steps = (ranks - ranks[base]) // step
    others = np.delete(np.arange(counts.size), [base, large])
    shifts, shift = np.repeat(steps[others], counts[others]), int(steps[large])
    ordered = np.sort(shifts)
    lowest = int(np.minimum(ordered[:m], 0).sum())
    sums = int(np.maximum(ordered[::-1][:m], 0).sum()) - lowest + 1
    rows, most = min(m, shifts.size) + 1, min(int(counts[large]), m)
    if (shifts.size + most + 1) * rows * sums > additions:
        return None
    ways = np.zeros((rows, sums))
    ways[0, -lowest] = 1.0
    for moved in shifts:
        if moved > 0:
            ways[1:, moved:] += ways[:-1, :-moved]
        else:
            ways[1:, :moved] += ways[:-1, -moved:]
    chances = np.zeros(sums + most * abs(shift))
    least = most * min(shift, 0)
    of_large, of_base = int(counts[large]), int(counts[base])
    for taken in range(most + 1):
        weights = [
            comb(of_large, taken) * comb(of_base, m - taken - k) / comb(total, m)
            if taken + k <= m
            else 0.0
            for k in range(rows)
        ]
        place = taken * shift - least
        chances[place : place + sums] += np.array(weights) @ ways
    first = m * int(ranks[base]) + (least + lowest) * step - m * (m + 1)
    return first, step, np.cumsum(chances), np.cumsum(chances[::-1])[::-1]


def _approximate(counts: NDArray[np.int64], m: int, deviation: int) -> float:
    """P(D <= deviation), D = 2 U - m n; exact for the largest D, at least that of the least."""
    n = int(counts.sum()) - m
    below = np.cumsum(counts) - counts
    highest = np.clip(m + below + counts - m - n, 0, counts)  # how many of each are among the top m
    if deviation == int(_doubled_ranks(counts) @ highest) - m * (m + n + 1):
        return 1.0
    group = int(np.searchsorted(below + counts, m))
    least = comb(int(counts[group]), m - int(below[group])) / comb(m + n, m)
    return min(max(_saddlepoint(counts, m, deviation), least), 1.0)


def _saddlepoint(counts: NDArray[np.int64], m: int, deviation: int) -> float:
    """From independent choices, one per value, of which m are made, with a given sum of ranks."""
    total = int(counts.sum())
    ranks = _doubled_ranks(counts) - (total + 1)
    scale = float(np.sqrt((counts * ranks**2).sum() / total))
    step, x = _step(ranks) / scale, deviation / scale
    x += step / 2
    z = x / np.sqrt(m * (total - m) / (total - 1))
    if abs(z) < NEAR_THE_MEAN:
        return float(ndtr(z))
    units, sizes, given = ranks / scale, counts.astype(np.float64), np.array([m, x])
    powers = np.stack([np.ones(units.size), units])

    def excess(point: Floats) -> float:
        """Cumulant generating function minus its linear part; least at the saddlepoint."""
        return float(sizes @ np.logaddexp(0.0, point[0] + point[1] * units) - point @ given)

    def derivatives(point: Floats) -> tuple[Floats, Floats]:
        p = expit(point[0] + point[1] * units)
        return powers @ (sizes * p) - given, (powers * sizes * p * (1 - p)) @ powers.T

    start = np.array([float(logit(m / total)), 0.0])
    point = start
    for _ in range(NEWTON_STEPS):  # with limited steps
        gradient, hessian = derivatives(point)
        move = np.linalg.lstsq(hessian, gradient)[0]
        logits, change = (np.abs(at[0] + at[1] * units).max() for at in (point, move))
        move *= min(1.0, max(LONGEST_MOVE, logits / 2) / max(change, CONVERGED))
        here = excess(point)
        while excess(point - move) > here and np.abs(move).max() > CONVERGED:
            move /= 2
        point = point - move
        if np.abs(move).max() <= CONVERGED:
            break
    w = np.copysign(np.sqrt(2 * (excess(start) - excess(point))), point[1])
    spread = np.linalg.det(derivatives(point)[1]) / (m * (total - m) / total)
    u = 2 * np.sinh(point[1] * step / 2) / step * np.sqrt(spread)
    return float(ndtr(w) + np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi) * (1 / w - 1 / u))


def _doubled_ranks(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(2 * np.cumsum(counts) - counts + 1)


def _step(ranks: NDArray[np.int64]) -> int:
    return int(np.gcd.reduce(np.diff(ranks)))


def score_p(
    mean_first: ArrayLike,
    variance_first: ArrayLike,
    m: int,
    mean_second: ArrayLike,
    variance_second: ArrayLike,
    n: int,
) -> Floats:
    """Two-sided p-values of Welch's test that two algorithms have one mean score (`equal_ert`),
    from means and variances (divisor runs - 1), which can be broadcast, of m and n >= 2 runs. Never
    below ``2/comb(m + n, m)``; 1 if all scores are equal.

    >>> score_p([0.0, 0.0], [1.0, 0.0], 5, [2.0, 0.0], [1.0, 0.0], 5).round(4).tolist()
    [0.0133, 1.0]
    """
    first, second = np.asarray(variance_first) / m, np.asarray(variance_second) / n
    difference = np.abs(np.asarray(mean_first) - np.asarray(mean_second))
    total = first + second
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = total**2 / (first**2 / (m - 1) + second**2 / (n - 1))
        p = 2 * stdtr(freedom, -difference / np.sqrt(total))
    p = np.where(total > 0, p, np.where(difference > 0, 0.0, 1.0))
    return np.asarray(np.maximum(p, min(2 / comb(m + n, m), 1.0)))


EXACT_PAIRS = 50  # Wilcoxon's p-value is exact for at most this number of pairs


def mann_whitney(first: ArrayLike, second: ArrayLike) -> float:
    """Two-sided p-value of the Mann-Whitney test that two independent samples have the same
    distribution: twice the smaller tail of `tails`, at most 1 and, without ties, at least
    ``2/comb(m + n, m)``. 1 if all results are equal; NaN if a sample is empty.
    """
    x, y = vector(first, "first"), vector(second, "second")
    if x.size == 0 or y.size == 0:
        return float("nan")
    return min(2 * min(tails(x, y)), 1.0)


class Balanced(NamedTuple):
    """Two-sided p-value of a test, and the least one that such results could have. `balance`, in
    [-1, 1], is positive if the first one is better.
    """

    p: float
    balance: float
    least: float


def wilcoxon(first: ArrayLike, second: ArrayLike) -> Balanced:
    """Wilcoxon's signed-rank test that two algorithms are equally good on the same problems, by one
    result per problem, with comparable differences, such as logarithms of precisions. `inf` and a
    number have the largest possible difference.

    Ties are ranked, but count for neither algorithm (Pratt). p is exact for at most `EXACT_PAIRS`
    pairs; it is 1 if all pairs are ties, and NaN without pairs. `balance`: the difference of the
    rank sums divided by their sum.

    Source: J. W. Pratt, Journal of the American Statistical Association 54 (1959). D. S. Kerby,
    Comprehensive Psychology 3 (2014), for the balance.

    >>> test = wilcoxon([1.0, 2.0, 3.0, 4.0, 5.0], [1.5, 3.0, 5.0, 8.0, float("inf")])
    >>> test.p, test.balance
    (0.0625, 1.0)
    """
    from scipy import stats  # late: `timefair check` needs none of it, and it takes two seconds

    x, y = vector(first, "first"), vector(second, "second")
    if x.size == 0:
        return Balanced(float("nan"), float("nan"), 1.0)
    gain = np.subtract(y, x, out=np.zeros(x.size), where=x != y)
    if not gain.any():
        return Balanced(1.0, 0.0, 1.0)
    ranks = stats.rankdata(np.abs(gain))
    for_first, for_second = ranks[gain > 0].sum(), ranks[gain < 0].sum()
    if gain.size <= EXACT_PAIRS:
        p = _chance_of_balance(ranks[gain != 0], min(for_first, for_second))
    else:
        p = float(stats.wilcoxon(gain, zero_method="pratt").pvalue)
    balance = float((for_first - for_second) / (for_first + for_second))
    return Balanced(p, balance, 2.0 ** (1 - np.count_nonzero(gain)))


def superiority(first: ArrayLike, second: ArrayLike) -> float:
    """A12: chance that the first has the better result, ties half; NaN if a sample is empty."""
    x, y = vector(first, "first"), np.sort(vector(second, "second"))
    if x.size == 0 or y.size == 0:
        return float("nan")
    behind = 2 * y.size - np.searchsorted(y, x, "left") - np.searchsorted(y, x, "right")
    return float(behind.sum() / (2 * x.size * y.size))


@dataclass(frozen=True)
class Effect:
    """Effect size A12 with the limits of its interval, all in [0, 1]."""

    a12: float
    low: float
    high: float


def _variance(first: Floats, second: Floats) -> float:
    """DeLong's variance of A12, after each sample got one value better and one worse than all."""
    from scipy import stats

    places = stats.rankdata(np.concatenate([first, second]), method="dense").astype(np.float64)
    ends = np.array([0.0, places.size + 1.0])
    x, y = (np.append(of, ends) for of in np.split(places, [first.size]))
    won = wins(x, y)
    return float(won.mean(axis=1).var(ddof=1) / x.size + won.mean(axis=0).var(ddof=1) / y.size)


def wins(x: Floats, y: Floats) -> Floats:
    """1 if the result of a row, of x, is better than that of a column, of y; ties: 0.5."""
    left, right = x[:, np.newaxis], y[np.newaxis, :]
    return np.asarray((left < right) + 0.5 * (left == right))


def in_agreement(effect: Effect, p: float, level: float, *, rejected: bool) -> Effect:
    """The effect with an interval that excludes 0.5 if and only if the test rejects equality.

    `effect` is of `a12` with the confidence ``1 - level``; `p` and `rejected` are of `mann_whitney`
    at that level. If they do not agree, the limit on the side of 0.5 becomes A12 - (A12 - 0.5)
    z(level)/z(p), with the normal quantiles z (O. S. Miettinen, American Journal of Epidemiology
    103, 1976).
    """
    side = float(np.sign(effect.a12 - 0.5))
    facing = effect.low if side > 0 else effect.high
    if not side or rejected == (side * (facing - 0.5) > 0):
        return effect
    ratio = float(ndtri(level / 2) / ndtri(p / 2)) if p < 1 else np.inf
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
    """Two-sided p-value of a score test that two algorithms have the same ERT to a target, from the
    costs and successes of their runs, as for `timefair.statistics.ert.ert`.

    Welch's test compares the scores of the runs: the cost, minus the ERT of all runs of both if the
    run succeeded. Unlike the Mann-Whitney test, it is valid when runs end at different costs. Never
    below ``2/comb(m + n, m)``. 1 if no run succeeded or if all runs are equal; NaN if an algorithm
    has fewer than two runs.

    >>> fast, slow = [1.0, 1.2, 0.9, 1.1, 1.0], [5.0, 5.2, 4.7, 5.1, 5.0]
    >>> round(equal_ert(fast, [True] * 5, slow, [True, True, False, True, True]), 4)
    0.0079
    """
    x, y = vector(spent_first, "spent"), vector(spent_second, "spent")
    success = np.concatenate([success_first, success_second]).astype(np.bool_)
    common = float(ert(np.concatenate([x, y]), success))
    if x.size < 2 or y.size < 2:
        return float("nan")
    if not success.any():
        return 1.0
    scores = x - common * success[: x.size], y - common * success[x.size :]
    (mean_x, variance_x), (mean_y, variance_y) = ((s.mean(), s.var(ddof=1)) for s in scores)
    return float(score_p(mean_x, variance_x, x.size, mean_y, variance_y, y.size))


def _chance_of_balance(ranks: Floats, smaller: float) -> float:
    """Two-sided probability of a rank sum of at most `smaller`, if both signs are alike likely."""
    chance = np.ones(1)  # of each sum of half ranks
    for halves in np.rint(2 * ranks).astype(np.int64):
        away, here = np.pad(chance, (halves, 0)), np.pad(chance, (0, halves))
        chance = (away + here) / 2
    return min(2 * float(chance[: round(2 * smaller) + 1].sum()), 1.0)


Strata: TypeAlias = Sequence[tuple[Floats, Floats]]
"""The results of both algorithms in each stratum."""


def strata_of(
    first: ArrayLike, second: ArrayLike, strata_first: ArrayLike, strata_second: ArrayLike
) -> list[tuple[Floats, Floats]]:
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    of_x, of_y = np.asarray(strata_first), np.asarray(strata_second)
    common = sorted(set(of_x.tolist()) & set(of_y.tolist()))
    return [(x[of_x == name], y[of_y == name]) for name in common]


def van_elteren(strata: Strata) -> float:
    """Two-sided p-value of van Elteren's test that two samples are equal within every stratum.

    With one stratum, `mann_whitney`. With several, the normal approximation of the sum of the rank
    sums, weighted by 1/(m + n + 1), corrected for ties, and never below the smallest p-value of a
    permutation within strata. 1 if all results of each stratum are equal; NaN without strata.
    Source: P. van Elteren, Bulletin of the International Statistical Institute 37 (1960).
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
    p = 2 * float(ndtr(-abs(score) / np.sqrt(variance)))
    return min(max(p, least), 1.0)


def superiority_within(strata: Strata) -> float:
    """The mean of A12 over strata, with the weights of `van_elteren`; NaN without strata."""
    if not strata:
        return float("nan")
    values = [superiority(x, y) for x, y in strata]
    return float(np.average(values, weights=_weights(strata)))


def a12(strata: Strata, *, confidence: float) -> Effect:
    """`superiority_within` with a normal interval that contains it and never has the width zero;
    NaN without strata. The middle is that of one stratum with one additional result of each that is
    better, and one that is worse, than all others.

    Source: A. Vargha and H. D. Delaney, Journal of Educational and Behavioral Statistics 25 (2000).
    E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Biometrics 44 (1988). A. Agresti and B.
    Caffo, American Statistician 54 (2000).
    """
    check_confidence(confidence)
    value = superiority_within(strata)
    if not strata:
        return Effect(value, value, value)
    weights = _weights(strata)
    variance = float(np.dot(weights**2, [_variance(x, y) for x, y in strata]))
    m, n = sum(x.size for x, _ in strata), sum(y.size for _, y in strata)
    middle = value + (0.5 - value) * (1 - m * n / ((m + 2) * (n + 2)))
    reach = float(-ndtri((1 - confidence) / 2) * np.sqrt(variance))
    return Effect(value, min(max(middle - reach, 0.0), value), max(min(middle + reach, 1.0), value))


def mean_ratio(ratios: ArrayLike, weights: ArrayLike) -> float:
    """Geometric mean of the ratios of several strata with positive weights. A stratum with NaN is
    omitted; `inf` or 0 if a ratio is; NaN if there are both, or only NaN.
    """
    values, parts = np.asarray(ratios, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    known = ~np.isnan(values)
    if not known.any():
        return float("nan")
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.exp(np.average(np.log(values[known]), weights=parts[known])))


def equal_ert_within(
    strata: Sequence[tuple[Floats, NDArray[np.bool_], Floats, NDArray[np.bool_]]],
) -> float:
    """Two-sided p-value of the test that two algorithms have the same ERT in every stratum.

    With one stratum, `equal_ert`. With several, Stouffer's combination of the one-sided p-values,
    weighted by the roots of the harmonic means of the numbers of runs. NaN without strata, or if a
    stratum has a single run of an algorithm.

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
        scores.append(float(-sign * ndtri(p / 2)))
        weights.append(float(np.sqrt(1 / (1 / cost_a.size + 1 / cost_b.size))))
    z = np.dot(scores, weights) / np.linalg.norm(weights)
    return float(2 * ndtr(-abs(z)))


def quantile_test(first: ArrayLike, second: ArrayLike, p: float) -> Balanced:
    """Fisher's exact test that as many results of both samples are at or below a common quantile:
    that of all results together with the probability `p` in (0, 1]; 0.5: Mood's test. p and its
    least value are NaN if a sample is empty. `balance`: the share of the first sample there, minus
    that of the second. Source: R. A. Johnson, S. Verrill and D. H. Moore, Biometrics 43 (1987).
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if x.size == 0 or y.size == 0:
        return Balanced(float("nan"), 0.0, float("nan"))
    at = float(sample_quantile(np.concatenate([x, y]), p))
    below, others = int((x <= at).sum()), int((y <= at).sum())
    both = below + others
    ends = (min(both, x.size), max(both - y.size, 0))
    least = min(_fisher(end, x.size, both - end, y.size) for end in ends)
    p = _fisher(below, x.size, others, y.size)
    return Balanced(p, below / x.size - others / y.size, least)


@lru_cache(maxsize=4096)
def _fisher(below: int, m: int, others: int, n: int) -> float:
    from scipy import stats

    table = np.array([[below, m - below], [others, n - others]])
    return float(stats.fisher_exact(table).pvalue)


def _weights(strata: Strata) -> Floats:
    sizes = np.array([x.size * y.size / (x.size + y.size + 1) for x, y in strata])
    return np.asarray(sizes / sizes.sum())
