"""Power of the exact test that two algorithms have the same success rate."""

from __future__ import annotations

from math import asin, ceil, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtr, ndtri, xlogy

from timefair.statistics.power.search import MOST_RUNS, least_number, smallest_effect

EXACT_RUNS = 1000
"""Runs of each algorithm up to which the power is exact."""


class SameRate:
    """The Mann-Whitney test of successes and failures. It is Fisher's exact test.

    - `runs`: Number of runs of each algorithm, at least 1.
    - `level`: Level of the two-sided test, in (0, 1): twice the smaller tail.

    The power is exact for up to `EXACT_RUNS` runs. For more runs, the arcsines of the square roots
    of the observed rates are treated as normal.

    Source: R. A. Fisher, The logic of inductive inference, Journal of the Royal Statistical Society
    98 (1935). J. Cohen, Statistical power analysis for the behavioral sciences, 2nd edition, 1988,
    chapter 6, for the arcsine.
    """

    def __init__(self, runs: int, level: float) -> None:
        self.runs, self.level = runs, level
        if runs <= EXACT_RUNS:
            self._ways = _log_binomials(runs)
            self._fewest = self._significant(level)

    def power(self, first: float, second: float) -> float:
        """Probability that the test finds a difference of two success rates in [0, 1]."""
        if self.runs > EXACT_RUNS:
            distance = _arcsine_distance(first, second) * sqrt(self.runs / 2)
            limit = ndtri(self.level / 2)
            return float(ndtr(limit + distance) + ndtr(limit - distance))
        one, other = self._chances(first), self._chances(second)
        found = 0.0
        for total, count in enumerate(self._fewest):
            if count:
                few = slice(low := max(total - self.runs, 0), low + count)
                many = slice(total - low - count + 1, total - low + 1)
                found += float(one[few] @ other[many][::-1] + one[many][::-1] @ other[few])
        return found

    def smallest_difference(self, power: float) -> float:
        """Smallest difference of rates at equal distances from 0.5; `inf` if even 1 is not found.

        The same difference is found more often if both rates are near 0 or near 1.
        """
        return smallest_effect(
            lambda width: self.power(0.5 - width / 2, 0.5 + width / 2), 0.0, 1.0, power
        )

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
    """Number of runs of each algorithm with which a difference of success rates is found.

    - `first`, `second`: Rates in [0, 1] that are not equal.
    - `level`: Level of the test, in (0, 1).
    - `power`: In (0, 1).

    Returns: None if more than `MOST_RUNS` are needed.
    """
    width = float(ndtri(1 - level / 2) + ndtri(power)) / _arcsine_distance(first, second)
    return least_number(
        lambda runs: SameRate(runs, level).power(first, second),
        power,
        least=2,
        guess=ceil(2 * width**2),
        most=MOST_RUNS,
    )


def _arcsine_distance(first: float, second: float) -> float:
    """Cohen's h."""
    return 2 * abs(asin(sqrt(first)) - asin(sqrt(second)))


def _log_binomials(n: int) -> NDArray[np.float64]:
    counts = np.arange(n + 1)
    return np.asarray(gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1))
