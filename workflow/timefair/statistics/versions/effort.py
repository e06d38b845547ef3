"""Up to which precision, and within how many evaluations, the runs of two versions are compared."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.float64]

REACHED = 0.5
"""Share of the runs of the better version that reach the target at least."""


def common_target(baseline: ArrayLike, candidate: ArrayLike, hardest: float) -> float | None:
    """The hardest precision that at least half of the runs of one of the versions reached.

    Parameters
    ----------
    baseline, candidate : array_like, shape (runs,)
        Best precision at the end of each run; `inf` for a run that found no value.
    hardest : float
        A harder precision is replaced by this one.

    Returns
    -------
    float or None
        The smaller of the two medians, each an order statistic; None if both are infinite or
        there are no runs.

    Examples
    --------
    >>> common_target([4.0, 1.0, 3.0, 2.0, 9.0], [6.0, 6.0, 6.0, 6.0, 6.0], 1e-8)
    3.0
    >>> common_target([0.0, 0.0], [1.0, 1.0], 1e-8), common_target([np.inf], [np.inf], 1e-8)
    (1e-08, None)
    """
    found = np.inf
    for of_version in (baseline, candidate):
        precision = np.sort(np.asarray(of_version, dtype=np.float64))
        if precision.size:
            found = min(found, float(precision[ceil(REACHED * precision.size) - 1]))
    return max(found, hardest) if np.isfinite(found) else None


def affordable(
    evaluations: ArrayLike, seconds: ArrayLike, budget_s: ArrayLike, budget_evaluations: ArrayLike
) -> Numbers:
    """How many evaluations the budget of each run allows at the speed of the run.

    Parameters
    ----------
    evaluations, seconds : array_like, shape (runs,)
        Evaluations and seconds of the complete run.
    budget_s, budget_evaluations : array_like, shape (runs,)
        Budgets of the run; NaN without such a budget.

    Returns
    -------
    ndarray, shape (runs,)
        A run that ended before T, for example at the final target, could have made more than it
        did. `inf` without budgets, and without evaluations or times if there is only T.

    Examples
    --------
    >>> affordable([100, 100, 50], [2.0, 1.0, 1.0], [2.0, 2.0, 2.0], [np.nan, np.nan, 80]).tolist()
    [100.0, 200.0, 80.0]
    """
    made, spent = np.asarray(evaluations, dtype=np.float64), np.asarray(seconds, dtype=np.float64)
    limit, most = np.asarray(budget_s, np.float64), np.asarray(budget_evaluations, np.float64)
    usable = (made > 0) & (spent > 0) & ~np.isnan(limit)
    in_time = np.full(made.shape, np.inf)
    in_time[usable] = made[usable] * limit[usable] / spent[usable]
    return np.asarray(np.fmin(in_time, most), dtype=np.float64)


def common_budgets(
    baseline: Numbers, candidate: Numbers, *, paired: bool
) -> tuple[Numbers, Numbers]:
    """The evaluations within which the runs of both versions have to reach the target.

    With the same seconds, the slower version makes fewer evaluations, and a run that cannot reach
    the target costs the same seconds in both versions. Then their expected running times hardly
    differ if many runs fail. With the same evaluations, the ratio of the expected running times is
    the ratio of the evaluations times the ratio of the seconds per evaluation.

    Parameters
    ----------
    baseline, candidate : ndarray, shape (runs,)
        From `affordable`; as pairs they have the same length.
    paired : bool
        Whether run i of both versions has the same problem and seed.

    Returns
    -------
    baseline, candidate : ndarray, shape (runs,)
        For pairs, the smaller number of each pair; else the smaller one of both medians, for all.

    Examples
    --------
    >>> baseline, candidate = np.array([100.0, 90.0]), np.array([80.0, 95.0])
    >>> [one.tolist() for one in common_budgets(baseline, candidate, paired=True)]
    [[80.0, 90.0], [80.0, 90.0]]
    """
    if paired:
        least = np.minimum(baseline, candidate)
        return least, least
    medians = [float(np.median(one)) for one in (baseline, candidate) if one.size]
    least_median = min(medians, default=np.inf)
    return np.full(baseline.shape, least_median), np.full(candidate.shape, least_median)
