"""Power of the tests that verdicts are made of, at the level ``alpha/tests``.

The table `comparison` also adjusts the p-values of a pair over its criteria; the power is that of a
pair whose criteria agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count
from math import asin, comb, exp, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, gammainc, gammaincinv, gammaln, ndtr, ndtri, xlogy

from timefair.statistics.comparison import score_p
from timefair.statistics.rank_sum import EXACT_PAIRS, at_most

MOST_RUNS = 1_000_000
"""Runs of each algorithm up to which a number is looked for."""

TOLERANCE = 0.005
"""Relative width of the interval in which an effect is found."""


def smallest_effect(power_of: Callable[[float], float], high: float, power: float) -> float:
    """Smallest effect in (0, high] whose power is at least the given one.

    It is too large by at most `TOLERANCE`, and never too small; `inf` if even `high` does not have
    this power. `power_of` must not decrease.

    >>> round(smallest_effect(lambda effect: effect**2, 1.0, 0.25), 2)
    0.5
    """
    low = 0.0
    if power_of(high) < power:
        return inf
    while high - low > TOLERANCE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if power_of(middle) >= power else (middle, high)
    return high


def least_number(power_of: Callable[[int], float], power: float, most: int) -> int | None:
    """Smallest whole number, from 2, whose power is at least the given one; None if above `most`.

    Exact up to 200, within 0.5 % above. Except for noise, `power_of` must not decrease.

    >>> least_number(lambda n: 1 - 0.5**n, 0.9, most=100)
    4
    >>> least_number(lambda n: 0.5, 0.9, most=100)
    """
    low, high = 1, 2
    while power_of(high) < power:
        if high == most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle) >= power else (middle, high)
    return high


EXACT_RANKS = 40
"""Runs of each algorithm up to which the power is exact."""

GREATEST_ODDS = 1e6
"""Odds A12/(1 - A12) up to which an effect is looked for."""


def power_of_a12(a12: float, runs: int, level: float) -> float:
    """Probability that the Mann-Whitney test finds an A12 in [0.5, 1) with this number of runs.

    0 if the runs are too few for a p-value of the level. Results have no ties. Under Lehmann's
    alternative, a run of the better algorithm is distributed as the best of ``a12/(1 - a12)`` runs
    of the other one, for any distribution of the results. Exact for up to `EXACT_RANKS` runs; for
    more, U is treated as normal with its exact mean and variance, with an error of at most 0.01.

    Source: E. L. Lehmann, The power of rank tests, Annals of Mathematical Statistics 24 (1953).
    """
    limit = _critical_number(runs, level)
    if limit < 0:
        return 0.0
    odds = a12 / (1 - a12)
    if runs <= EXACT_RANKS:
        chance = _wrong_pairs(runs, odds)
        return float(chance[: limit + 1].sum() + chance[chance.size - limit - 1 :].sum())
    mean, deviation = _moments_of_wrong_pairs(runs, odds)
    below = (limit + 0.5 - mean) / deviation
    above = (mean - (runs * runs - limit - 0.5)) / deviation
    return float(ndtr(below) + ndtr(above))


def smallest_a12(runs: int, level: float, power: float) -> float:
    """Smallest A12, in (0.5, 1], that is found with this probability; `inf` if none is."""
    odds = smallest_effect(
        lambda odds: power_of_a12(_from_odds(exp(odds)), runs, level), log(GREATEST_ODDS), power
    )
    return _from_odds(exp(odds)) if odds < inf else inf


def runs_for_a12(a12: float, level: float, power: float) -> int | None:
    """Runs of each algorithm with which an A12 above 0.5 is found; None if above `MOST_RUNS`."""
    return least_number(lambda runs: power_of_a12(a12, runs, level), power, MOST_RUNS)


def least_for_mann_whitney(level: float) -> int:
    """Smallest number of runs of each algorithm with which the test can reach a level in (0, 1).

    The p-value is ``2/comb(2n, n)`` if all runs of one algorithm are better than those of the
    other.
    """
    return next(runs for runs in count(1) if level * comb(2 * runs, runs) >= 2)


def _from_odds(odds: float) -> float:
    return float(odds / (1 + odds))


def _critical_number(runs: int, level: float) -> int:
    """Largest U that is significant, -1 if not even 0 is."""
    pairs = runs * runs
    if pairs > EXACT_PAIRS:
        deviation = sqrt(pairs * (2 * runs + 1) / 12)
        return int(np.floor(pairs / 2 + ndtri(level / 2) * deviation - 0.5))
    significant = 2 * at_most(np.arange((pairs + 1) // 2), runs, runs) <= level
    return int(significant.sum()) - 1


def _wrong_pairs(runs: int, odds: float) -> NDArray[np.float64]:
    """P(U = u) for u = 0..runs², U the pairs in which the run of the better algorithm is worse."""
    fewer = [np.ones(1)] * (runs + 1)
    for i in range(1, runs + 1):
        row = [np.ones(1)]
        for j in range(1, runs + 1):
            right = i * odds / (i * odds + j)  # that the best of i and j runs is of the i
            chance = np.zeros(i * j + 1)
            chance[: fewer[j].size] = right * fewer[j]
            chance[i:] += (1 - right) * row[j - 1]
            row.append(chance)
        fewer = row
    return fewer[runs]


def _moments_of_wrong_pairs(runs: int, odds: float) -> tuple[float, float]:
    """Mean and standard deviation of U under Lehmann's alternative."""
    wrong = 1 / (1 + odds)
    both_of_better = 1 / (1 + 2 * odds)
    behind_both = 1 - 2 * odds / (1 + odds) + odds / (2 + odds)
    variance = wrong * (1 - wrong) + (runs - 1) * (both_of_better + behind_both - 2 * wrong**2)
    return runs**2 * wrong, runs * sqrt(variance)


SIMULATED_COSTS = 600_000
"""Number of simulated costs of each algorithm for a power; a sample has one per run."""

MOST_SAMPLES = 4000
"""Samples at most; there are at least 2000, and a power of 0.8 has a standard error below 0.009."""

SIMULATED_RUNS = 300
"""Runs of each algorithm up to which the power is simulated."""

GREATEST_RATIO = 1000.0
"""Ratio of ERTs up to which an effect is looked for."""

SHAPES = (0.05, 400.0)
"""Smallest and largest shape of a law that is fitted to a spread."""


@dataclass(frozen=True)
class CostLaw:
    """Distribution of the cost to a target: a gamma distribution, cut off by the budget.

    - `success`: Probability in (0, 1] that a run reaches the target within the budget.
    - `shape`: Shape of the gamma distribution. 1 is the exponential distribution, as with restarts;
      the larger the shape, the more similar are the costs.
    """

    success: float
    shape: float = 1.0

    @classmethod
    def of_spread(cls, spread: float, success: float) -> CostLaw:
        """The distribution with this success rate whose `spread` is closest to the given one."""
        low, high = map(log, SHAPES)
        for _ in range(40):
            middle = (low + high) / 2
            wider = cls(success, exp(middle)).spread > spread
            low, high = (middle, high) if wider else (low, middle)
        return cls(success, exp(high))

    @cached_property
    def cut(self) -> float:
        """The budget in units of the gamma distribution's scale; `inf` if all runs succeed."""
        return float(gammaincinv(self.shape, self.success))

    @cached_property
    def ert(self) -> float:
        """Expected running time, in the same units."""
        return float(self.moments()[0][0] / self.success)

    @cached_property
    def spread(self) -> float:
        """Standard deviation of the logarithm of an ERT, times the root of the number of runs."""
        means, covariance = self.moments()
        weights = np.array([1.0, -self.ert])
        return sqrt(max(float(weights @ covariance @ weights), 0.0)) / float(means[0])

    def moments(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Means and covariances of the cost of a run and of its success (1 or 0)."""
        k, s = self.shape, self.success
        of_success = k * float(gammainc(k + 1, self.cut))
        square = k * (k + 1) * float(gammainc(k + 2, self.cut))
        mean = of_success
        if s < 1:
            mean += self.cut * (1 - s)
            square += self.cut**2 * (1 - s)
        across = of_success - mean * s
        covariance = np.array([[square - mean**2, across], [across, s * (1 - s)]])
        return np.array([mean, s]), covariance

    def faster(self, ratio: float) -> tuple[CostLaw, float]:
        """The distribution of the same shape with an ERT divided by `ratio`, under the same budget.

        The second value is the factor by which the scale is smaller.
        """
        low, high = 0.0, log(ratio) / min(self.shape, 1.0) + 1.0
        while high - low > 1e-9 * high:
            middle = (low + high) / 2
            enough = self._scaled(exp(middle)).ert * ratio <= self.ert * exp(middle)
            low, high = (low, middle) if enough else (middle, high)
        return self._scaled(exp(high)), exp(high)

    def _scaled(self, times: float) -> CostLaw:
        return CostLaw(float(gammainc(self.shape, self.cut * times)), self.shape)


class EqualErt:
    """The score test of equal ERTs for two algorithms whose costs have the same shape.

    `law` has the costs of the slower one of the two, each with at least 2 runs. For up to
    `SIMULATED_RUNS` runs, the power is the share of simulated samples in which
    `statistics.comparison.equal_ert` is at most the level; all powers of one object use the same
    samples. For more runs, the difference of the mean scores is treated as normal (delta method).
    At a power of 0.8, the error is then at most 0.03 for success rates from 0.1, levels down to
    1e-5 and shapes from 0.5 to 4.
    """

    def __init__(self, runs: int, law: CostLaw, level: float, *, rng: np.random.Generator) -> None:
        self.runs, self.law, self.level = runs, law, level
        if runs <= SIMULATED_RUNS:
            samples = min(SIMULATED_COSTS // runs, MOST_SAMPLES)
            slow, self._fast = rng.gamma(law.shape, size=(2, samples, runs))
            self._of_slow = self._sums(slow)

    def power(self, ratio: float) -> float:
        """Probability in [0, 1] that the test finds a ratio (at least 1) of the ERTs."""
        return self._simulated(ratio) if self.runs <= SIMULATED_RUNS else self._normal(ratio)

    def _simulated(self, ratio: float) -> float:
        _, times = self.law.faster(ratio)
        of_both = np.stack([self._of_slow, self._sums(self._fast, times)])
        spent, successes, squares, across = np.moveaxis(of_both, 1, 0)
        common = spent.sum(axis=0) / np.maximum(successes.sum(axis=0), 1)
        means = (spent - common * successes) / self.runs
        variances = squares - 2 * common * across + common**2 * successes - self.runs * means**2
        variances = np.maximum(variances, 0.0) / (self.runs - 1)
        p = score_p(means[0], variances[0], self.runs, means[1], variances[1], self.runs)
        return float(((p <= self.level) & successes.any(axis=0)).mean())

    def _sums(self, costs: NDArray[np.float64], times: float = 1.0) -> NDArray[np.float64]:
        """Over the runs of each sample: costs, successes, squared costs, costs of successes."""
        spent = np.minimum(costs / times, self.law.cut)
        success = (spent < self.law.cut).astype(np.float64)
        return np.stack(
            [
                spent.sum(axis=1),
                success.sum(axis=1),
                np.einsum("ij,ij->i", spent, spent),
                np.einsum("ij,ij->i", spent, success),
            ]
        )

    def _normal(self, ratio: float) -> float:
        fast, times = self.law.faster(ratio)
        scale = np.array([1 / times, 1.0])
        (x, s), of_slow = self.law.moments()
        (y, t), of_fast = fast.moments()[0] * scale, fast.moments()[1] * np.outer(scale, scale)
        score = np.array([1.0, -(x + y) / (s + t)])
        expected = score @ (x - y, s - t)
        error = sqrt(score @ (of_slow + of_fast) @ score / self.runs)
        slow_part = np.array([2 * t, -2 * y - expected]) / (s + t)
        fast_part = np.array([-2 * s, 2 * x - expected]) / (s + t)
        variance = slow_part @ of_slow @ slow_part + fast_part @ of_fast @ fast_part
        limit = -ndtri(self.level / 2) * error
        return float(ndtr((expected - limit) / sqrt(variance / self.runs)))

    def smallest_ratio(self, power: float) -> float:
        """Smallest ratio found with this probability; `inf` if above `GREATEST_RATIO`."""
        logarithm = smallest_effect(lambda size: self.power(exp(size)), log(GREATEST_RATIO), power)
        return exp(logarithm) if logarithm < inf else inf


def runs_for_ratio(
    ratio: float, law: CostLaw, level: float, power: float, *, rng: np.random.Generator
) -> int | None:
    """Runs of each algorithm with which a ratio of ERTs above 1 is found; None if too many.

    `law`, `level` and `rng` are as for `EqualErt`; too many are more than `MOST_RUNS`.
    """
    seed = int(rng.integers(2**63))
    return least_number(
        lambda runs: EqualErt(runs, law, level, rng=np.random.default_rng(seed)).power(ratio),
        power,
        MOST_RUNS,
    )


EXACT_BINOMIAL = 1000
"""Runs of each algorithm up to which the power is exact."""


class SameRate:
    """The Mann-Whitney test of successes and failures, which is Fisher's exact test, doubled.

    Its power is exact for up to `EXACT_BINOMIAL` runs. For more runs, the arcsines of the square
    roots of the observed rates are treated as normal.

    Source: R. A. Fisher, The logic of inductive inference, Journal of the Royal Statistical Society
    98 (1935). J. Cohen, Statistical power analysis for the behavioral sciences, 2nd edition, 1988,
    chapter 6, for the arcsine.
    """

    def __init__(self, runs: int, level: float) -> None:
        self.runs, self.level = runs, level
        if runs <= EXACT_BINOMIAL:
            self._ways = _log_binomials(runs)
            self._fewest = self._significant(level)

    def power(self, first: float, second: float) -> float:
        """Probability that the test finds a difference of two success rates in [0, 1]."""
        if self.runs > EXACT_BINOMIAL:
            distance = _arcsine_distance(first, second) * sqrt(self.runs / 2)
            limit = ndtri(self.level / 2)
            return float(ndtr(limit + distance) + ndtr(limit - distance))
        one, other = self._chances(first), self._chances(second)
        found = 0.0
        for total, number in enumerate(self._fewest):
            if number:
                few = slice(low := max(total - self.runs, 0), low + number)
                many = slice(total - low - number + 1, total - low + 1)
                found += float(one[few] @ other[many][::-1] + one[many][::-1] @ other[few])
        return found

    def smallest_difference(self, power: float) -> float:
        """Smallest difference of rates at equal distances from 0.5, where it is hardest to find;
        `inf` if even 1 is not found.
        """
        return smallest_effect(lambda d: self.power(0.5 - d / 2, 0.5 + d / 2), 1.0, power)

    def _significant(self, level: float) -> NDArray[np.int64]:
        """For each total of successes how many of its tables, the most uneven first, are found."""
        totals = _log_binomials(2 * self.runs)
        found = np.zeros(totals.size, dtype=np.int64)
        for total in range(totals.size):
            few = np.arange(max(total - self.runs, 0), (total + 1) // 2)
            chances = np.exp(self._ways[few] + self._ways[total - few] - totals[total])
            found[total] = (2 * np.cumsum(chances) <= level * (1 + 1e-12)).sum()
        return found

    def _chances(self, rate: float) -> NDArray[np.float64]:
        """Of each number of successes."""
        counts = np.arange(self.runs + 1)
        failures = self.runs - counts
        return np.asarray(np.exp(self._ways + xlogy(counts, rate) + xlogy(failures, 1 - rate)))


def runs_for_difference(first: float, second: float, level: float, power: float) -> int | None:
    """Runs of each algorithm with which two success rates differ; None if above `MOST_RUNS`."""
    return least_number(lambda runs: SameRate(runs, level).power(first, second), power, MOST_RUNS)


def _arcsine_distance(first: float, second: float) -> float:
    """Cohen's h."""
    return 2 * abs(asin(sqrt(first)) - asin(sqrt(second)))


def _log_binomials(n: int) -> NDArray[np.float64]:
    counts = np.arange(n + 1)
    return np.asarray(gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1))


SAMPLES = 4000
"""Samples of functions from which a power is estimated."""

EXACT_FUNCTIONS = 50
"""Functions up to which Wilcoxon's p-value is exact, as in `comparison.wilcoxon`."""

MOST_FUNCTIONS = 1000
"""Functions up to which a number is looked for."""


def least_for_wilcoxon(level: float) -> int:
    """Smallest number of functions with which Wilcoxon's test can reach a level.

    p is ``2**(1 - n)`` if one algorithm is better on all n functions.
    """
    return next(n for n in count(1) if 2.0 ** (1 - n) <= level)


def least_for_friedman(algorithms: int, alpha: float) -> int:
    """Smallest number of functions, at least 2, with which Friedman's χ² can reach a level.

    It does if all functions give the same order of the algorithms (at least 2).

    Source: J. Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of
    Machine Learning Research 7 (2006), section 3.2.2, also for `least_for_nemenyi`.
    """
    others = algorithms - 1
    return next(n for n in count(2) if chdtrc(others, n * others) <= alpha)


def least_for_nemenyi(algorithms: int, alpha: float) -> int:
    """Smallest number of functions with which average ranks can differ by Nemenyi's difference.

    They do if one algorithm is the best on all functions, and another one the worst.
    """

    def chance(functions: int) -> float:
        error_of_rank = sqrt(algorithms * (algorithms + 1) / (12 * functions))
        return _chance_of_range((algorithms - 1) / error_of_rank, algorithms)

    return next(n for n in count(2) if chance(n) <= alpha)


class SignedRankPower:
    """Power of Wilcoxon's signed-rank test if the differences are normal over the functions.

    All powers of one object use the same simulated functions. p is exact for up to
    `EXACT_FUNCTIONS` functions, and a normal approximation for more.
    """

    def __init__(self, functions: int, level: float, *, rng: np.random.Generator) -> None:
        self._limit = _critical_sum(functions, level)
        self._total = functions * (functions + 1) / 2
        if self._limit >= 0:
            self._noise = rng.standard_normal((SAMPLES, functions))

    def power(self, effect: float) -> float:
        """Probability of finding a mean difference, given in standard deviations."""
        if self._limit < 0:
            return 0.0
        gains = self._noise + effect
        ranks = np.abs(gains).argsort(axis=1).argsort(axis=1) + 1
        won = (ranks * (gains > 0)).sum(axis=1)
        return float((np.minimum(won, self._total - won) <= self._limit).mean())

    def smallest_share(self, power: float) -> float:
        """Smallest share of functions, above 0.5, on which one is better; `inf` for none."""
        effect = smallest_effect(self.power, 6.0, power)
        return float(ndtr(effect)) if effect < inf else inf


def functions_for_effect(
    effect: float, level: float, power: float, *, rng: np.random.Generator
) -> int | None:
    """Functions with which Wilcoxon's test finds a mean difference; None if too many.

    `effect` is in standard deviations over the functions, above 0; `level` and `rng` are as for
    `SignedRankPower`; too many are more than `MOST_FUNCTIONS`.
    """
    seed = int(rng.integers(2**63))
    return least_number(
        lambda n: SignedRankPower(n, level, rng=np.random.default_rng(seed)).power(effect),
        power,
        MOST_FUNCTIONS,
    )


@lru_cache(maxsize=256)
def _critical_sum(functions: int, level: float) -> float:
    """Largest sum of ranks on the side of fewer that is significant; -1 if not even 0 is."""
    if functions > EXACT_FUNCTIONS:
        deviation = sqrt(functions * (functions + 1) * (2 * functions + 1) / 24)
        return functions * (functions + 1) / 4 + float(ndtri(level / 2)) * deviation
    chance: NDArray[np.float64] = np.ones(1)
    for rank in range(1, functions + 1):
        chance = (np.pad(chance, (rank, 0)) + np.pad(chance, (0, rank))) / 2
    return int((2 * np.cumsum(chance) <= level * (1 + 1e-12)).sum()) - 1


def _chance_of_range(width: float, algorithms: int) -> float:
    """Probability that `algorithms` standard normal numbers have a range of at least `width`."""
    lowest = np.linspace(-9.0, 9.0, 2001)
    density = np.exp(-(lowest**2) / 2) / sqrt(2 * np.pi)
    within = (ndtr(lowest + width) - ndtr(lowest)) ** (algorithms - 1)
    return 1 - algorithms * float((density * within).sum() * (lowest[1] - lowest[0]))
