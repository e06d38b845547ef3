"""What a campaign can show with its design: the power of its tests, and lines of `timefair check`.
Powers are those of tests at the level ``alpha/tests``. The table `comparison` also adjusts the
p-values of a pair over its criteria; the power is that of a pair whose criteria agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from math import asin, comb, exp, inf, isinf, log, log1p, sqrt
from typing import TypeAlias

import numpy as np
from scipy import stats
from scipy.special import chdtrc, expit, ndtr, ndtri

from timefair.basics.words import counted
from timefair.campaign.configuration import Campaign
from timefair.statistics.rank_tests import critical_difference
from timefair.statistics.samples import Floats
from timefair.statistics.two_samples import EXACT_PRODUCT, at_most, score_p

Real: TypeAlias = Callable[[float], float]
TOLERANCE = 0.005  # relative width of the interval in which an effect is found


def smallest_effect(power_of: Real, high: float, power: float, scale: Real = float) -> float:
    """Smallest effect in (0, high] whose power, which must not decrease, is at least the given one:
    too large by at most `TOLERANCE`, and never too small; on a scale, and `inf` if even `high` does
    not have this power.

    >>> round(smallest_effect(lambda effect: effect**2, 1.0, 0.25), 2)
    0.5
    """
    low = 0.0
    if power_of(high) < power:
        return inf
    while high - low > TOLERANCE * high:
        middle = (low + high) / 2
        low, high = (low, middle) if power_of(middle) >= power else (middle, high)
    return float(scale(high))


EXACT_RANKS = 40  # runs of each algorithm up to which the power is exact

GREATEST_ODDS = 1e6  # odds A12/(1 - A12) up to which an effect is looked for


def power_of_a12(a12: float, runs: int, level: float) -> float:
    """Probability that the Mann-Whitney test finds an A12 in [0.5, 1) with this number of runs,
    without ties; 0 if they are too few for a p-value of the level. Under Lehmann's alternative, a
    run of the better algorithm is distributed as the best of ``a12/(1 - a12)`` runs of the other
    one. Exact for up to `EXACT_RANKS` runs; for more, U is treated as normal with its exact mean
    and variance, with an error of at most 0.01. Source: E. L. Lehmann, The power of rank tests,
    Annals of Mathematical Statistics 24 (1953).
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
    return smallest_effect(
        lambda odds: power_of_a12(float(expit(odds)), runs, level), log(GREATEST_ODDS), power, expit
    )


def least_for_mann_whitney(level: float) -> int:
    """Smallest number of runs of each algorithm with which p, 2/comb(2n, n), can reach a level."""
    return next(runs for runs in count(1) if level * comb(2 * runs, runs) >= 2)


def _critical_number(runs: int, level: float) -> int:
    """Largest U that is significant, -1 if not even 0 is."""
    pairs = runs * runs
    if pairs > EXACT_PRODUCT:
        deviation = sqrt(pairs * (2 * runs + 1) / 12)
        return int(np.floor(pairs / 2 + ndtri(level / 2) * deviation - 0.5))
    significant = 2 * at_most(np.arange((pairs + 1) // 2), runs, runs) <= level
    return int(significant.sum()) - 1


def _wrong_pairs(runs: int, odds: float) -> Floats:
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
    wrong = 1 / (1 + odds)
    both_of_better = 1 / (1 + 2 * odds)
    behind_both = 1 - 2 * odds / (1 + odds) + odds / (2 + odds)
    variance = wrong * (1 - wrong) + (runs - 1) * (both_of_better + behind_both - 2 * wrong**2)
    return runs**2 * wrong, runs * sqrt(variance)


SIMULATED_COSTS = 600_000
"""Number of simulated costs of each algorithm for a power; a sample has one per run."""

LEAST_SAMPLES, MOST_SAMPLES = 200, 4000
"""With 2000 samples, for 300 runs, a power of 0.8 has a standard error of 0.009."""

GREATEST_RATIO = 1000.0  # ratio of ERTs up to which an effect is looked for


class EqualErt:
    """The score test of equal ERTs for two algorithms with exponential costs, as with restarts,
    which are cut off by a budget that the slower one keeps with the probability `success`, in (0,
    1). The power is the share of simulated samples in which `statistics.comparison.equal_ert` is at
    most the level; all powers of one object use the same samples. At least 2 runs.
    """

    def __init__(
        self, runs: int, success: float, level: float, *, rng: np.random.Generator
    ) -> None:
        self.runs, self.level, self._cut = runs, level, -log1p(-success)
        samples = min(max(SIMULATED_COSTS // runs, LEAST_SAMPLES), MOST_SAMPLES)
        slow, self._fast = rng.standard_exponential((2, samples, runs))
        self._of_slow = self._sums(slow)

    def power(self, ratio: float) -> float:
        of_both = np.stack([self._of_slow, self._sums(self._fast / ratio)])
        spent, successes, squares, across = np.moveaxis(of_both, 1, 0)
        common = spent.sum(axis=0) / np.maximum(successes.sum(axis=0), 1)
        means = (spent - common * successes) / self.runs
        variances = squares - 2 * common * across + common**2 * successes - self.runs * means**2
        variances = np.maximum(variances, 0.0) / (self.runs - 1)
        p = score_p(means[0], variances[0], self.runs, means[1], variances[1], self.runs)
        return float(((p <= self.level) & successes.any(axis=0)).mean())

    def _sums(self, costs: Floats) -> Floats:
        """Over the runs of each sample: costs, successes, squared costs, costs of successes."""
        spent = np.minimum(costs, self._cut)
        success = (spent < self._cut).astype(np.float64)
        squares, across = (np.einsum("ij,ij->i", spent, other) for other in (spent, success))
        return np.stack([spent.sum(axis=1), success.sum(axis=1), squares, across])

    def smallest_ratio(self, power: float) -> float:
        """Smallest ratio found with this probability; `inf` if above `GREATEST_RATIO`."""
        return smallest_effect(lambda s: self.power(exp(s)), log(GREATEST_RATIO), power, exp)


EXACT_BINOMIAL = 1000  # runs of each algorithm up to which the power is exact


class SameRate:
    """The Mann-Whitney test of successes and failures, which is Fisher's exact test, doubled. Its
    power is exact for up to `EXACT_BINOMIAL` runs. For more, the arcsines of the square roots of
    the observed rates are treated as normal. Source: R. A. Fisher, The logic of inductive
    inference, Journal of the Royal Statistical Society 98 (1935). J. Cohen, Statistical power
    analysis for the behavioral sciences, 2nd edition, 1988, chapter 6, for the arcsine.
    """

    def __init__(self, runs: int, level: float) -> None:
        self.runs, self.level = runs, level
        # for each total of successes how many of its tables, the most uneven first, are found
        self._fewest = np.zeros(2 * runs + 1 if runs <= EXACT_BINOMIAL else 0, dtype=np.int64)
        logs = (stats.binom.logpmf(np.arange(n + 1), n, 0.5) for n in (runs, 2 * runs))
        ways, totals = map(np.asarray, logs)
        for total in range(self._fewest.size):
            few = np.arange(max(total - runs, 0), (total + 1) // 2)
            chances = np.exp(ways[few] + ways[total - few] - totals[total])
            self._fewest[total] = (2 * np.cumsum(chances) <= level * (1 + 1e-12)).sum()

    def power(self, first: float, second: float) -> float:
        if self.runs > EXACT_BINOMIAL:
            h = 2 * abs(asin(sqrt(first)) - asin(sqrt(second)))  # Cohen's
            distance = h * sqrt(self.runs / 2)
            limit = ndtri(self.level / 2)
            return float(ndtr(limit + distance) + ndtr(limit - distance))
        counts = np.arange(self.runs + 1)
        one, other = (stats.binom.pmf(counts, self.runs, rate) for rate in (first, second))
        found = 0.0
        for total, number in enumerate(self._fewest):
            if number:
                few = slice(low := max(total - self.runs, 0), low + number)
                many = slice(total - low - number + 1, total - low + 1)
                found += float(one[few] @ other[many][::-1] + one[many][::-1] @ other[few])
        return found

    def smallest_difference(self, power: float) -> float:
        return smallest_effect(lambda d: self.power(0.5 - d / 2, 0.5 + d / 2), 1.0, power)


SAMPLES = 4000  # samples of functions from which a power is estimated

EXACT_FUNCTIONS = 50
"""Functions up to which Wilcoxon's p-value is exact, as in `comparison.wilcoxon`."""


def least_for_wilcoxon(level: float) -> int:
    return next(n for n in count(1) if 2.0 ** (1 - n) <= level)


def least_for_friedman(algorithms: int, alpha: float) -> int:
    """Smallest number of functions, at least 2, with which Friedman's χ² can reach a level: if all
    functions give the same order of the algorithms (at least 2). Source: J. Demšar, Statistical
    comparisons of classifiers over multiple data sets, Journal of Machine Learning Research 7
    (2006), section 3.2.2, also for `least_for_nemenyi`.
    """
    others = algorithms - 1
    return next(n for n in count(2) if chdtrc(others, n * others) <= alpha)


def least_for_nemenyi(algorithms: int, alpha: float) -> int:
    return next(n for n in count(2) if critical_difference(algorithms, n, alpha) <= algorithms - 1)


class SignedRankPower:
    """Power of Wilcoxon's signed-rank test if differences are normal over the functions; p is exact
    for up to `EXACT_FUNCTIONS`, else a normal approximation.
    """

    def __init__(self, functions: int, level: float, *, rng: np.random.Generator) -> None:
        self._limit = _critical_sum(functions, level)
        self._total = functions * (functions + 1) / 2
        if self._limit >= 0:
            self._noise = rng.standard_normal((SAMPLES, functions))

    def power(self, effect: float) -> float:
        if self._limit < 0:
            return 0.0
        gains = self._noise + effect
        ranks = np.abs(gains).argsort(axis=1).argsort(axis=1) + 1
        won = (ranks * (gains > 0)).sum(axis=1)
        return float((np.minimum(won, self._total - won) <= self._limit).mean())

    def smallest_share(self, power: float) -> float:
        return smallest_effect(self.power, 6.0, power, ndtr)


def _critical_sum(functions: int, level: float) -> float:
    """Largest sum of ranks on the side of fewer that is significant; -1 if not even 0 is."""
    if functions > EXACT_FUNCTIONS:
        deviation = sqrt(functions * (functions + 1) * (2 * functions + 1) / 24)
        return functions * (functions + 1) / 4 + float(ndtri(level / 2)) * deviation
    chance: Floats = np.ones(1)
    for rank in range(1, functions + 1):
        chance = (np.pad(chance, (rank, 0)) + np.pad(chance, (0, rank))) / 2
    return int((2 * np.cumsum(chance) <= level * (1 + 1e-12)).sum()) - 1


POWER = 0.8  # probability with which a difference is found

SUCCESS_RATES = (0.5, 0.9)
"""Success rates of the slower algorithm for which the smallest ratio of ERTs is found."""


@dataclass(frozen=True)
class Design:
    """A comparison of all pairs of algorithms on one suite in one dimension: instances per
    function, runs of each algorithm per instance, precisions at which ERTs are compared, and the
    error level of each family of tests.
    """

    functions: int
    instances: int
    runs: int
    algorithms: int
    targets: int
    alpha: float = 0.05

    @classmethod
    def of(cls, campaign: Campaign) -> Design:
        problems = campaign.problems
        dimensions = [dimension for _, dimension in problems.spaces]
        return cls(
            functions=max(map(dimensions.count, problems.dimensions)),
            instances=len(problems.instances),
            runs=campaign.runs,
            algorithms=len(campaign.algorithms),
            targets=len(campaign.target_values or campaign.targets),
            alpha=1 - campaign.statistics.confidence,
        )

    @property
    def pairs(self) -> int:
        return comb(self.algorithms, 2)

    @property
    def runs_on_function(self) -> int:
        return self.instances * self.runs

    @property
    def level_on_function(self) -> float:
        return self.alpha / (self.pairs * self.functions)

    @property
    def level_at_target(self) -> float:
        return self.level_on_function / self.targets

    @property
    def level_over_functions(self) -> float:
        return self.alpha / self.pairs


def check(campaign: Campaign) -> Iterator[str]:
    design = Design.of(campaign)
    if design.algorithms < 2:
        return
    rng = np.random.default_rng(campaign.seed)
    yield (
        f"can show      with {100 * POWER:g} % probability, after Bonferroni over "
        f"{counted(design.pairs, 'pair')} of algorithms, differences of at least"
    )
    share = SignedRankPower(design.functions, design.level_over_functions, rng=rng)
    yield _on_function(design, "" if campaign.stopping.rule == "fixed" else "at most ", rng)
    yield _over_functions(design, share.smallest_share(POWER))
    friedman = least_for_friedman(design.algorithms, design.alpha)
    nemenyi = least_for_nemenyi(design.algorithms, design.alpha)
    if design.functions < max(friedman, nemenyi):
        yield (
            "  ranks       this design cannot detect any difference in average ranks: "
            f"Friedman's test needs {friedman} functions, Nemenyi's {nemenyi}"
        )


def _on_function(design: Design, at_most: str, rng: np.random.Generator) -> str:
    runs, level = design.runs_on_function, design.level_on_function
    if runs < (least := least_for_mann_whitney(level)):
        return (
            "  function    this design cannot detect any difference on a function: "
            f"{counted(runs, 'run')} of each algorithm, "
            f"{counted(design.pairs * design.functions, 'test')}; the Mann-Whitney test needs "
            f"{least} runs"
        )
    a12, apart = smallest_a12(runs, level, POWER), SameRate(runs, level).smallest_difference(POWER)
    ratios = {
        rate: EqualErt(runs, rate, design.level_at_target, rng=rng).smallest_ratio(POWER)
        for rate in SUCCESS_RATES
    }
    return (
        f"  function    {'no A12' if isinf(a12) else f'A12 {a12:.2f}'}; "
        f"{'no success rates' if isinf(apart) else f'success rates {apart:.2f} apart'}; "
        f"{_ratios(ratios)} ({at_most}{counted(runs, 'run')})"
    )


def _over_functions(design: Design, share: float) -> str:
    if not isinf(share):
        return f"  all         an algorithm that is better on {100 * share:.0f} % of all functions"
    if design.functions < (least := least_for_wilcoxon(design.level_over_functions)):
        return (
            "  all         this design cannot detect any difference in final precision: "
            f"{counted(design.functions, 'function')}, {counted(design.pairs, 'pair')}; "
            f"Wilcoxon's test needs {least} functions"
        )
    return f"  all         none over {design.functions} functions"


def _ratios(smallest: dict[float, float]) -> str:
    if all(map(isinf, smallest.values())):
        return "no ratio of ERTs at a target"
    each = (
        f"{'none' if isinf(ratio) else f'{ratio:.3g}'} at success rate {rate:g}"
        for rate, ratio in smallest.items()
    )
    return f"ratio of ERTs {', '.join(each)}"
