"""The numbers that define a comparison of algorithms, and the differences that it can find."""

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

    - `functions`, `instances`, `runs`: Number of functions, of instances per function, and of runs
      of each algorithm per instance. All are at least 1.
    - `algorithms`: Number of algorithms, at least 1. All pairs are compared.
    - `targets`: Number of precisions at which ERTs are compared.
    - `alpha`: Error level of each family of tests, in (0, 1).
    """

    functions: int
    instances: int
    runs: int
    algorithms: int
    targets: int
    alpha: float = 0.05

    @property
    def pairs(self) -> int:
        """Number of pairs of algorithms."""
        return comb(self.algorithms, 2)

    @property
    def runs_on_function(self) -> int:
        """Number of runs of an algorithm on a function; the tests pool the instances."""
        return self.instances * self.runs

    @property
    def level_on_function(self) -> float:
        """Level of the smallest p-value of all pairs and functions, at the end of the runs."""
        return self.alpha / (self.pairs * self.functions)

    @property
    def level_at_target(self) -> float:
        """Level of the smallest p-value of all pairs, functions and targets."""
        return self.level_on_function / self.targets

    @property
    def level_over_functions(self) -> float:
        """Level of the smallest p-value of all pairs over the functions."""
        return self.alpha / self.pairs


@dataclass(frozen=True)
class Detectable:
    """The smallest differences that a design finds; `inf` if it does not even find the largest one.

    - `a12`: A12 on a function, by the precision at the end, with the Mann-Whitney test.
    - `success`: Difference of two success rates on a function, which have the same distance from
      0.5.
    - `ratios`: Ratio of two ERTs on a function at a target, for each success rate of the slower
      algorithm.
    - `share`: Share of all functions on which one algorithm is better, by the median precision at
      the end, with Wilcoxon's signed-rank test.
    - `mann_whitney`: Smallest number of runs of an algorithm on a function with which the test can
      reach its level.
    - `wilcoxon`, `friedman`, `nemenyi`: Smallest number of functions with which each of these tests
      can reach its level.
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
    """The smallest differences that a design can find.

    - `design`: A design with at least two algorithms.
    - `power`: Probability in (0, 1) with which a difference should be found.
    - `rng`: Source of simulated runs and functions.

    Returns: The power of each single difference. Raises ValueError if there is no pair of
    algorithms.
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
    """Smallest ratio of ERTs that is found on a function at a target, for exponential costs.

    - `design`, `power`, `rng`: As for `detectable`.
    - `success_rates`: Success rates of the slower algorithm, in (0, 1].

    Returns: A ratio above 1 for each success rate; `inf` if no ratio is found with this
    probability.
    """
    if design.runs_on_function < 2:
        return dict.fromkeys(success_rates, inf)
    return {
        rate: EqualErt(
            design.runs_on_function, CostLaw(rate), design.level_at_target, rng=rng
        ).smallest_ratio(power)
        for rate in success_rates
    }
