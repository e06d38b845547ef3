"""What a design can show before it is measured, and its parts of variance in a pilot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.power.power import (
    CostLaw,
    EqualErt,
    SameRate,
    SignedRankPower,
    least_for_friedman,
    least_for_mann_whitney,
    least_for_nemenyi,
    least_for_wilcoxon,
    smallest_a12,
)

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
    over_all = SignedRankPower(design.functions, design.level_over_functions, rng=rng)
    return Detectable(
        a12=smallest_a12(runs, level, power),
        success=SameRate(runs, level).smallest_difference(power),
        ratios=smallest_ratios(design, SUCCESS_RATES, power, rng=rng),
        share=over_all.smallest_share(power),
        mann_whitney=least_for_mann_whitney(level),
        wilcoxon=least_for_wilcoxon(design.level_over_functions),
        friedman=least_for_friedman(design.algorithms, design.alpha),
        nemenyi=least_for_nemenyi(design.algorithms, design.alpha),
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


@dataclass(frozen=True)
class Components:
    """Variances of the difference between two algorithms.

    - `functions`: Variance of the true difference between functions; NaN if there is one function.
    - `instances`: Variance of the true difference between instances of a function. NaN if no
      function has two instances; it is then part of `functions`.
    - `runs`: Variance of the difference of one pair of runs on an instance.
    """

    functions: float
    instances: float
    runs: float

    def error(self, functions: int, instances: int, runs: int) -> float:
        """Standard deviation of the mean difference over functions."""
        return self.deviation(instances, runs) / sqrt(functions)

    def deviation(self, instances: int, runs: int) -> float:
        """Standard deviation, between functions, of the measured differences."""
        between = 0.0 if np.isnan(self.instances) else self.instances
        return sqrt(self.functions + (between + self.runs / runs) / instances)


def components(differences: ArrayLike, of_run: ArrayLike, runs: int) -> Components:
    """Estimate the variances from a pilot, by the method of moments.

    - `differences`, shape (functions, instances): Difference between two algorithms on each
      instance; NaN if it is not known.
    - `of_run`, same shape: Variance that each difference would have with one run of each algorithm.
    - `runs`: Number of runs of each algorithm on each instance from which the differences come.

    Returns: Variances of at least 0; all NaN if no difference is known. Raises ValueError if the
    arrays are not matrices of the same shape.

    Source: S. R. Searle, G. Casella and C. E. McCulloch, Variance components, 1992, section 3.6,
    for nested classes of unequal size.
    """
    d, variance = np.asarray(differences, dtype=np.float64), np.asarray(of_run, dtype=np.float64)
    if d.ndim != 2 or d.shape != variance.shape:
        raise ValueError(f"expected two matrices of one shape, not {d.shape} and {variance.shape}")
    known = np.isfinite(d) & np.isfinite(variance)
    of_functions = [
        (row[kept], own[kept]) for row, own, kept in zip(d, variance, known, strict=True)
    ]
    of_functions = [(row, own) for row, own in of_functions if row.size]
    if not of_functions:
        return Components(np.nan, np.nan, np.nan)
    noise = float(np.concatenate([own for _, own in of_functions]).mean())
    within = [row.var(ddof=1) for row, _ in of_functions if row.size > 1]
    instances = max(float(np.mean(within)) - noise / runs, 0.0) if within else np.nan
    if len(of_functions) < 2:
        return Components(np.nan, instances, noise)
    means = np.array([row.mean() for row, _ in of_functions])
    between = 0.0 if np.isnan(instances) else instances
    of_mean = np.mean([(between + noise / runs) / row.size for row, _ in of_functions])
    return Components(max(float(means.var(ddof=1) - of_mean), 0.0), instances, noise)


@dataclass(frozen=True)
class Split:
    """Number of functions, of instances per function, and of runs per instance."""

    functions: int
    instances: int
    runs: int

    @property
    def total(self) -> int:
        """Number of runs of an algorithm."""
        return self.functions * self.instances * self.runs


def splits(
    variances: Components, total: int, *, functions: range, instances: int, least_runs: int = 2
) -> list[Split]:
    """For each number of functions, the split with the smallest error of the mean difference.

    - `variances`: Variances; `functions` and `runs` must not be NaN.
    - `total`: Largest number of runs of an algorithm.
    - `functions`: Numbers of functions to consider.
    - `instances`: Largest number of instances of a function.
    - `least_runs`: Smallest number of runs on an instance. With two, the variance between runs can
      be estimated.

    Returns: In the order of increasing error; if errors are equal, fewer functions first. Empty if
    `total` is too small for every number of functions.
    """
    best = []
    for number in functions:
        each = total // number
        allowed = range(1, min(instances, each // least_runs) + 1)
        if allowed:
            best.append(
                min(
                    (Split(number, count, each // count) for count in allowed),
                    key=lambda split: (_error(variances, split), split.instances),
                )
            )
    return sorted(best, key=lambda split: (_error(variances, split), split.functions))


def _error(variances: Components, split: Split) -> float:
    return variances.error(split.functions, split.instances, split.runs)


def log_ratio_variance(
    spent: NDArray[np.float64], success: NDArray[np.bool_]
) -> tuple[float, float]:
    """Logarithm of an ERT, and the variance that it would have with one run.

    - `spent`, `success`, shape (runs,): As for `timefair.statistics.ert.ert`.

    Returns: NaN for fewer than two runs, if no run succeeded, and if the cost is 0.
    """
    total, successes = spent.sum(), success.sum()
    if spent.size < 2 or not successes or not total:
        return np.nan, np.nan
    ert = total / successes
    variance = ((spent - ert * success) ** 2).sum() / (spent.size - 1)
    return float(np.log(ert)), float(variance / spent.mean() ** 2)
