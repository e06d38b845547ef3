"""What a design can show before it is measured, and its parts of variance in a pilot."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.campaign.configuration import Campaign


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

    @classmethod
    def of(cls, campaign: Campaign) -> Design:
        """The comparison of a campaign in each dimension; the largest one."""
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

    def deviation(self, instances: int, runs: int) -> float:
        """Standard deviation, between functions, of the measured differences."""
        between = 0.0 if np.isnan(self.instances) else self.instances
        return sqrt(self.functions + (between + self.runs / runs) / instances)


def components(differences: ArrayLike, of_run: ArrayLike, runs: int) -> Components:
    """Estimate the variances from a pilot, by the method of moments; NaN for what is unknown.

    - `differences`, shape (functions, instances): Between two algorithms; NaN if not known.
    - `of_run`, same shape: Variance that each difference would have with one run of each algorithm.
    - `runs`: Runs of each algorithm on each instance from which the differences come.

    Source: S. R. Searle, G. Casella and C. E. McCulloch, Variance components, 1992, section 3.6,
    for nested classes of unequal size.
    """
    d, variance = np.asarray(differences, dtype=np.float64), np.asarray(of_run, dtype=np.float64)
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
