"""The numbers that define a comparison of algorithms, and what it can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, inf

import numpy as np

from timefair.statistics.power import over_functions, rank_sum
from timefair.statistics.power.ert_ratio import CostLaw, EqualErt
from timefair.statistics.power.success import SameRate

SUCCESS_RATES = (0.5, 0.9)
"""Success rates of the slower algorithm for which the smallest ratio of ERTs is found."""


@dataclass(frozen=True)
class Design:
    """A comparison on one suite in one dimension.

    Attributes
    ----------
    functions, instances, runs
        Instances of each function, runs of each algorithm on each instance. All at least 1.
    algorithms
        All pairs of them are compared. At least 1.
    targets
        Precisions at which ERTs are compared.
    alpha
        Error level of each family of tests, in (0, 1).
    """

    functions: int
    instances: int
    runs: int
    algorithms: int
    targets: int
    alpha: float = 0.05

    @property
    def pairs(self) -> int:
        """Pairs of algorithms."""
        return comb(self.algorithms, 2)

    @property
    def runs_on_function(self) -> int:
        """Runs of an algorithm on a function: the tests pool its instances."""
        return self.instances * self.runs

    @property
    def level_on_function(self) -> float:
        """Of the smallest of all p-values on functions at the end of the runs."""
        return self.alpha / (self.pairs * self.functions)

    @property
    def level_at_target(self) -> float:
        """Of the smallest p-value of all pairs, functions and targets."""
        return self.level_on_function / self.targets

    @property
    def level_over_functions(self) -> float:
        """Of the smallest p-value of all pairs over the functions."""
        return self.alpha / self.pairs


@dataclass(frozen=True)
class Detectable:
    """The smallest differences that a design finds; `inf` where it does not even find the largest.

    Attributes
    ----------
    a12
        On a function, by the precision at the end: of Mann and Whitney's test.
    success
        On a function: difference of two success rates at equal distance from 0.5.
    ratios
        On a function at a target: ratio of two ERTs, for each success rate of the slower algorithm.
    share
        Over all functions, by the median precision at the end: share of the functions on which one
        algorithm is better, of Wilcoxon's signed-rank test.
    mann_whitney
        Fewest runs of an algorithm on a function with which this test can reach its level at all.
    wilcoxon, friedman, nemenyi
        Fewest functions with which each of these tests can.
    """

    a12: float
    success: float
    ratios: dict[float, float]
    share: float
    mann_whitney: int
    wilcoxon: int
    friedman: int
    nemenyi: int


def detectable(design: Design, power: float = 0.8, *, rng: np.random.Generator) -> Detectable:
    """What a design can show.

    Parameters
    ----------
    design : Design
        Of at least two algorithms.
    power : float
        Probability in (0, 1) with which a difference is to be found.
    rng : numpy.random.Generator
        Source of simulated runs and functions.

    Returns
    -------
    Detectable
        Each difference is found even if it is the only one in its family; where others are found
        too, Holm's levels are larger.

    Raises
    ------
    ValueError
        If there is no pair of algorithms.

    Examples
    --------
    >>> design = Design(functions=24, instances=5, runs=3, algorithms=3, targets=8)
    >>> shown = detectable(design, rng=np.random.default_rng(1))
    >>> round(shown.a12, 2), round(shown.success, 2), shown.wilcoxon
    (0.9, 0.74, 7)
    """
    if design.algorithms < 2:
        raise ValueError(f"algorithms must be at least 2, not {design.algorithms}")
    runs, level = design.runs_on_function, design.level_on_function
    over_all = over_functions.SignedRankPower(
        design.functions, design.level_over_functions, rng=rng
    )
    return Detectable(
        a12=rank_sum.smallest_a12(runs, level, power),
        success=SameRate(runs, level).smallest_difference(power),
        ratios=smallest_ratios(design, SUCCESS_RATES, power, rng=rng),
        share=over_all.smallest_share(power),
        mann_whitney=rank_sum.least_for_mann_whitney(level),
        wilcoxon=over_functions.least_for_wilcoxon(design.level_over_functions),
        friedman=over_functions.least_for_friedman(design.algorithms, design.alpha),
        nemenyi=over_functions.least_for_nemenyi(design.algorithms, design.alpha),
    )


def smallest_ratios(
    design: Design, success_rates: Sequence[float], power: float, *, rng: np.random.Generator
) -> dict[float, float]:
    """Smallest ratio of ERTs that is found on a function at a target, exponential costs.

    Parameters
    ----------
    design, power, rng
        As for `detectable`.
    success_rates : sequence of float
        In (0, 1]: of the slower algorithm.

    Returns
    -------
    dict
        A ratio above 1 for each success rate; `inf` where no ratio is found so often.
    """
    if design.runs_on_function < 2:
        return dict.fromkeys(success_rates, inf)
    return {
        rate: EqualErt(
            design.runs_on_function, CostLaw(rate), design.level_at_target, rng=rng
        ).smallest_ratio(power)
        for rate in success_rates
    }
