"""How well runs follow a problem that changes: errors, recovery, and their intervals, from a
bootstrap of whole runs. A run goes through environments of equal length, its *period*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.samples import (
    Estimate,
    Floats,
    per_success,
    percentile_interval,
    resampled_sums,
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

    def steps(self, number: int) -> tuple[Floats, Floats]:
        """The best error so far in one environment: costs since the change, from 0, and errors."""
        here = self.environment == number
        first = self.uninformed[number]
        begins = np.concatenate([[0.0], self.since[here]])
        return begins, np.minimum.accumulate(np.concatenate([[first], self.error[here]]))


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
    means = np.empty(run.uninformed.size)
    for number in range(means.size):
        begins, errors = run.steps(number)
        edges = np.clip(np.append(begins, period), 0.0, period)
        means[number] = np.sum(errors * np.diff(edges)) / period
    return means


def error_after(run: Followed, costs: Floats) -> Floats:
    """The best error some costs (a vector) after the change, shape ``(environments, costs)``."""
    found = np.empty((run.uninformed.size, costs.size))
    for number in range(len(found)):
        begins, errors = run.steps(number)
        found[number] = errors[np.maximum(np.searchsorted(begins, costs, side="right") - 1, 0)]
    return found


def recovery_times(run: Followed, targets: Floats) -> Floats:
    """The cost from the change to the first improvement with an error of at most each target, shape
    ``(environments, targets)``; `inf` if there was none before the next change.
    """
    times = np.full((run.uninformed.size, targets.size), np.inf)
    for place, target in enumerate(targets):
        reached = run.error <= target
        np.minimum.at(times[:, place], run.environment[reached], run.since[reached])
    return times


def draws_of_runs(runs: int, *, resamples: int, rng: np.random.Generator) -> Floats:
    """How often each of some runs is in each bootstrap sample, shape ``(resamples, runs)``."""
    return resampled_sums(np.eye(runs), resamples=resamples, rng=rng)


def mean_over_runs(values: ArrayLike, draws: Floats, confidence: float) -> Estimate:
    """The mean over runs and changes of finite values, shape ``(runs, environments)`` or ``(runs,
    environments, m)``, with its interval from a bootstrap of whole runs (`draws_of_runs`): scalars,
    or arrays of shape ``(m,)``. With one run, both limits are the mean.
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
