"""Number of functions that is needed to compare algorithms over functions."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr, ndtri, stdtrit
from scipy.special import nctdtr as noncentral_t

from timefair.statistics.power.search import least_number, smallest_effect

SAMPLES = 4000
"""Samples of functions from which a power is estimated."""

EXACT_FUNCTIONS = 50
"""Functions up to which Wilcoxon's p-value is exact, as in `comparison.wilcoxon`."""

MOST_FUNCTIONS = 1000
"""Functions up to which a number is looked for."""

EFFICIENCY = 0.86
"""Least efficiency of Wilcoxon's test compared with the t-test, for any symmetric law."""


def least_for_wilcoxon(level: float) -> int:
    """Smallest number of functions with which Wilcoxon's signed-rank test can reach a level.

    - `level`: Level of the test, in (0, 1); in a family of tests, the level of its smallest
      p-value.

    Returns: The smallest n with ``2**(1 - n) <= level``, the p-value if one algorithm is better on
    all functions.
    """
    functions = 1
    while 2.0 ** (1 - functions) > level:
        functions += 1
    return functions


def least_for_friedman(algorithms: int, alpha: float) -> int:
    """Smallest number of functions with which Friedman's χ² can reach a level.

    It reaches the level if all functions give the same order of the algorithms.

    - `algorithms`: At least 2.
    - `alpha`: In (0, 1).

    Returns: At least 2.

    Source: J. Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of
    Machine Learning Research 7 (2006), section 3.2.2, also for `least_for_nemenyi`.
    """
    functions = 2
    while chdtrc(algorithms - 1, functions * (algorithms - 1)) > alpha:
        functions += 1
    return functions


def least_for_nemenyi(algorithms: int, alpha: float) -> int:
    """Smallest number of functions with which average ranks can differ by Nemenyi's difference.

    - `algorithms`, `alpha`: As for `least_for_friedman`.

    Returns: At least 2. The critical difference is reached if one algorithm is the best on all
    functions, and the other one the worst.
    """
    functions = 2
    while (
        _chance_of_range((algorithms - 1) / _error_of_rank(algorithms, functions), algorithms)
        > alpha
    ):
        functions += 1
    return functions


class SignedRankPower:
    """Power of Wilcoxon's signed-rank test over functions.

    - `functions`: At least 1.
    - `level`: Level of the two-sided test, in (0, 1).
    - `rng`: Source of the simulated functions. All powers of one object use the same functions.

    The differences between two algorithms are normal over the functions. p is exact for up to
    `EXACT_FUNCTIONS` functions, and a normal approximation for more.
    """

    def __init__(self, functions: int, level: float, *, rng: np.random.Generator) -> None:
        self._limit = _critical_sum(functions, level)
        self._total = functions * (functions + 1) / 2
        if self._limit >= 0:
            self._noise = rng.standard_normal((SAMPLES, functions))

    def power(self, effect: float) -> float:
        """Probability of finding a mean difference, given in standard deviations.

        0 if the number of functions is too small for a p-value of this level.
        """
        if self._limit < 0:
            return 0.0
        gains = self._noise + effect
        ranks = np.abs(gains).argsort(axis=1).argsort(axis=1) + 1
        won = (ranks * (gains > 0)).sum(axis=1)
        return float((np.minimum(won, self._total - won) <= self._limit).mean())

    def smallest_share(self, power: float) -> float:
        """Smallest share of functions on which one algorithm is better that the test finds.

        In (0.5, 1]; `inf` if no difference is found with the given probability.
        """
        effect = smallest_effect(self.power, 0.0, 6.0, power)
        return float(ndtr(effect)) if effect < np.inf else np.inf


def functions_for_effect(
    effect: float, level: float, power: float, *, rng: np.random.Generator
) -> int | None:
    """Number of functions with which Wilcoxon's signed-rank test finds a difference.

    - `effect`: Mean difference in standard deviations over the functions, above 0.
    - `level`, `rng`: As for `SignedRankPower`.
    - `power`: In (0, 1).

    Returns: None if more than `MOST_FUNCTIONS` are needed.
    """
    seed = int(rng.integers(2**63))
    guess = functions_by_t(effect, level, power, efficiency=EFFICIENCY)
    return least_number(
        lambda n: SignedRankPower(n, level, rng=np.random.default_rng(seed)).power(effect),
        power,
        least=2,
        guess=guess,
        most=MOST_FUNCTIONS,
    )


def functions_by_t(effect: float, level: float, power: float, *, efficiency: float = 1.0) -> int:
    """Number of functions for a paired comparison by the formula of the t-test, as in CAISEr.

    - `effect`, `level`, `power`: As for `functions_for_effect`, which begins its search here.
    - `efficiency`: Efficiency of the test relative to the t-test, in (0, 1]: 1 for the t-test
      itself, `EFFICIENCY` for Wilcoxon's test, 0.637 for the sign test.

    Returns: The smallest number with which the t-test has the power, divided by the efficiency and
    rounded up. At most `MOST_FUNCTIONS` divided by the efficiency.

    Source: F. Campelo and F. Takahashi, Sample size estimation for power and accuracy in the
    experimental comparison of algorithms, Journal of Heuristics 25 (2019), section 3. F. Campelo
    and E. F. Wanner, Sample size calculations for the experimental comparison of multiple
    algorithms on multiple problem instances, Journal of Heuristics 26 (2020), for several
    algorithms.
    """
    low, high = 1.0, 2.0
    while _power_of_t(effect, high, level) < power and high < MOST_FUNCTIONS:
        low, high = high, 2 * high
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if _power_of_t(effect, middle, level) >= power else (middle, high)
    return ceil(min(high, MOST_FUNCTIONS) / efficiency - 1e-6)


def _power_of_t(effect: float, functions: float, level: float) -> float:
    """Of the two-sided paired t-test."""
    freedom, shift = functions - 1, effect * sqrt(functions)
    limit = stdtrit(freedom, 1 - level / 2)
    return float(1 - noncentral_t(freedom, shift, limit) + noncentral_t(freedom, shift, -limit))


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


def _error_of_rank(algorithms: int, functions: int) -> float:
    """Standard deviation that Nemenyi's studentized range counts in."""
    return sqrt(algorithms * (algorithms + 1) / (12 * functions))


def _chance_of_range(width: float, algorithms: int) -> float:
    """Probability that `algorithms` standard normal numbers have a range of at least `width`."""
    lowest = np.linspace(-9.0, 9.0, 2001)
    density = np.exp(-(lowest**2) / 2) / sqrt(2 * np.pi)
    within = (ndtr(lowest + width) - ndtr(lowest)) ** (algorithms - 1)
    return 1 - algorithms * float((density * within).sum() * (lowest[1] - lowest[0]))
