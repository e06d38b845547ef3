"""Power of the Mann-Whitney test of two algorithms with equal numbers of runs."""

from __future__ import annotations

from math import ceil, comb, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from timefair.statistics.power.search import MOST_RUNS, least_number, smallest_effect
from timefair.statistics.rank_sum import EXACT_PAIRS, at_most

EXACT_RUNS = 40
"""Runs of each algorithm up to which the power is exact."""

GREATEST_ODDS = 1e6
"""Odds A12/(1 - A12) up to which an effect is looked for."""


def power_of_a12(a12: float, runs: int, level: float) -> float:
    """Probability that the Mann-Whitney test finds a difference.

    - `a12`: Probability, in [0.5, 1), that a run of the better algorithm has a better result than a
      run of the other algorithm.
    - `runs`: Number of runs of each algorithm, at least 1. The results have no ties.
    - `level`: Level of the two-sided test, in (0, 1).

    Returns: In [0, 1]; 0 if the number of runs is too small for a p-value of this level.

    Under Lehmann's alternative, a run of the better algorithm is distributed as the best of
    ``a12/(1 - a12)`` runs of the other one, for any distribution of the results. Exponential
    runtimes are an example: if the ratio of their means is r, A12 is r/(1 + r). The power is exact
    for up to `EXACT_RUNS` runs. For more runs, U is treated as normal with its exact mean and
    variance; the error of the power is at most 0.01.

    Source: E. L. Lehmann, The power of rank tests, Annals of Mathematical Statistics 24 (1953).
    """
    limit = _critical_number(runs, level)
    if limit < 0:
        return 0.0
    odds = a12 / (1 - a12)
    if runs <= EXACT_RUNS:
        chance = _wrong_pairs(runs, odds)
        return float(chance[: limit + 1].sum() + chance[chance.size - limit - 1 :].sum())
    mean, deviation = _moments_of_wrong_pairs(runs, odds)
    below = (limit + 0.5 - mean) / deviation
    above = (mean - (runs * runs - limit - 0.5)) / deviation
    return float(ndtr(below) + ndtr(above))


def smallest_a12(runs: int, level: float, power: float) -> float:
    """Smallest A12 that is found with a probability of at least `power`.

    - `runs`, `level`: As for `power_of_a12`.
    - `power`: In (0, 1).

    Returns: In (0.5, 1]; `inf` if no difference is found with this probability.
    """
    odds = smallest_effect(
        lambda log: power_of_a12(_from_odds(np.exp(log)), runs, level),
        0.0,
        float(np.log(GREATEST_ODDS)),
        power,
    )
    return _from_odds(np.exp(odds)) if odds < np.inf else np.inf


def runs_for_a12(a12: float, level: float, power: float) -> int | None:
    """Number of runs of each algorithm with which an A12 is found.

    - `a12`, `level`, `power`: As for `power_of_a12` and `smallest_a12`; a12 above 0.5.

    Returns: None if more than `MOST_RUNS` are needed.
    """
    return least_number(
        lambda runs: power_of_a12(a12, runs, level),
        power,
        least=2,
        guess=noether_runs(a12, level, power),
        most=MOST_RUNS,
    )


def least_for_mann_whitney(level: float) -> int:
    """Smallest number of runs of each algorithm with which the test can reach a level.

    - `level`: In (0, 1).

    Returns: The smallest n with ``2/comb(2n, n) <= level``, the p-value if all runs of one
    algorithm are better than those of the other.
    """
    runs = 1
    while level * comb(2 * runs, runs) < 2:
        runs += 1
    return runs


def noether_runs(a12: float, level: float, power: float) -> int:
    """Number of runs of each algorithm with which an A12 is found, by Noether's formula.

    - `a12`, `level`, `power`: As for `runs_for_a12`, which begins its search here.

    Returns: At least 2. The formula applies to A12 near 0.5 and many runs.

    Source: G. E. Noether, Sample size determination for some common nonparametric tests, Journal of
    the American Statistical Association 82 (1987), equation (3).
    """
    return max(ceil((ndtri(1 - level / 2) + ndtri(power)) ** 2 / (6 * (a12 - 0.5) ** 2)), 2)


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
    """P(U = u) for u = 0..runs², U the pairs in which the run of the better algorithm is worse.

    The next best of i runs of the better and j of the other algorithm is one of the better with
    probability ``i odds/(i odds + j)``. If it is one of the other, i pairs are wrong.
    """
    fewer = [np.ones(1)] * (runs + 1)
    for i in range(1, runs + 1):
        row = [np.ones(1)]
        for j in range(1, runs + 1):
            right = i * odds / (i * odds + j)
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
