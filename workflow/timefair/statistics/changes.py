"""How well runs follow a problem that changes: errors, recovery, and their intervals, from a
bootstrap of whole runs. A run goes through environments of equal length, its *period*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.samples import (
    Estimate,
    Floats,
    per_success,
    percentile_interval,
)


@dataclass(frozen=True)
class Followed:
    """What a run found in each environment: the points that improved on all earlier ones of it.

    - `environment`, `since`, `error`, shape ``(improvements,)``: The environment, from 0, the cost
      since its beginning, which never decreases, and the error, which decreases.
    - `uninformed`, shape ``(environments,)``: The error before the first improvement; larger ones
      do not count.
    """

    environment: NDArray[np.intp]
    since: Floats
    error: Floats
    uninformed: Floats

    def steps(self) -> Iterator[tuple[Floats, Floats]]:
        """The best error so far in each environment: costs since the change, from 0, and errors."""
        for number, first in enumerate(self.uninformed):
            here = self.environment == number
            begins = np.concatenate([[0.0], self.since[here]])
            yield begins, np.minimum.accumulate(np.concatenate([[first], self.error[here]]))


def best_before_change(run: Followed) -> Floats:
    """The best error in each environment (K. Trojanowski and Z. Michalewicz, IEEE CEC 1999)."""
    best = run.uninformed.copy()
    np.minimum.at(best, run.environment, run.error)
    return best


def offline_errors(run: Followed, period: float) -> Floats:
    """The mean over the cost of the best error since the change, shape ``(environments,)``. Of
    evaluation n, an error holds from the cost n - 1 (`run.since`); `period` is the length of an
    environment. Source: J. Branke and H. Schmeck, Advances in Evolutionary Computing, Springer
    2003. D. Yazdani et al., IEEE Transactions on Evolutionary Computation 25 (2021).
    """
    means = []
    for begins, errors in run.steps():
        lasting = np.diff(np.clip(np.append(begins, period), 0.0, period))
        means.append(np.sum(errors * lasting) / period)
    return np.array(means)


def error_after(run: Followed, costs: Floats) -> Floats:
    """The best error some costs (a vector) after the change, shape ``(environments, costs)``."""
    each = ((errors, np.searchsorted(begins, costs, "right")) for begins, errors in run.steps())
    return np.array([errors[np.maximum(after - 1, 0)] for errors, after in each])


def recovery_times(run: Followed, targets: Floats) -> Floats:
    """The cost from the change to the first improvement with an error of at most each target, shape
    ``(environments, targets)``; `inf` if there was none before the next change.
    """
    times = np.full((run.uninformed.size, targets.size), np.inf)
    for place, target in enumerate(targets):
        reached = run.error <= target
        np.minimum.at(times[:, place], run.environment[reached], run.since[reached])
    return times


def mean_over_runs(values: ArrayLike, draws: Floats, confidence: float) -> Estimate:
    """The mean over runs and changes of finite values, shape ``(runs, environments)`` or ``(runs,
    environments, m)``, with its interval from a bootstrap of whole runs: scalars, or arrays of
    shape ``(m,)``. `draws`, shape ``(resamples, runs)``: how often each run is in each sample. With
    one run, both limits are the mean.
    """
    of_runs = np.asarray(values, dtype=np.float64).mean(axis=1)
    replicates = np.tensordot(draws, of_runs, axes=1) / len(of_runs)
    low, high = percentile_interval(replicates, confidence)
    return Estimate(np.asarray(of_runs.mean(axis=0)), low, high)


def recovered(
    times: ArrayLike, period: float, draws: Floats, confidence: float
) -> tuple[Estimate, Estimate]:
    """Expected cost until recovery, and the share of changes after which a run recovers, shape
    ``(targets,)``, from `recovery_times`, shape ``(runs, environments, targets)``. Every
    environment is a trial, as runs are for the ERT: its cost is the recovery time, or the period.
    The cost is `inf` without any success, and so is a limit whose samples have none.
    """
    reached = np.asarray(times, dtype=np.float64)
    successes = np.isfinite(reached)
    spent = np.where(successes, reached, period)
    sums = spent.sum(axis=1), successes.sum(axis=1).astype(np.float64)
    drawn = [np.tensordot(draws, of_runs, axes=1) for of_runs in sums]
    low, high = percentile_interval(per_success(*drawn), confidence)
    total = [of_runs.sum(axis=0) for of_runs in sums]
    cost = Estimate(per_success(*total), low, high)
    return cost, mean_over_runs(successes, draws, confidence)
