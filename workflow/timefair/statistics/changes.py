"""How well runs follow a problem that changes: errors, recovery, and their intervals.

A run goes through environments of equal length, its *period*. It is described by the points that
improved on all earlier ones of their environment: the environment, the cost since its beginning,
and the error. Before the first of these, the error is that of a point that needs no information.

The environments of one run are not independent, because an algorithm carries its knowledge of one
to the next. Intervals are therefore from a bootstrap of whole runs.

References
----------
J. Branke and H. Schmeck, Designing evolutionary algorithms for dynamic optimization problems,
Advances in Evolutionary Computing, Springer 2003: the offline error.
K. Trojanowski and Z. Michalewicz, Searching for optima in non-stationary environments, IEEE CEC
1999: the best error before a change.
D. Yazdani, R. Cheng, D. Yazdani, J. Branke, Y. Jin and X. Yao, A survey of evolutionary continuous
dynamic optimization over two decades, IEEE Transactions on Evolutionary Computation 25 (2021).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.bootstrap import (
    percentile_interval,
    resampled_sums,
)


@dataclass(frozen=True)
class Followed:
    """What a run found in each environment.

    - `environment`: The environment of each improvement, from 0; shape ``(improvements,)``.
    - `since`: Cost of each improvement since the beginning of its environment; it never decreases
      within an environment; shape ``(improvements,)``.
    - `error`: Error of each improvement; it decreases within an environment; shape
      ``(improvements,)``.
    - `uninformed`: The error before the first improvement of each environment, shape
      ``(environments,)``. A point with a larger error does not count.
    """

    environment: NDArray[np.intp]
    since: NDArray[np.float64]
    error: NDArray[np.float64]
    uninformed: NDArray[np.float64]

    def steps(self, number: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The best error so far in one environment, as a step function.

        Returns: Shape ``(steps,)``: the cost since the change from which each error holds. The
        first one holds from 0.
        """
        here = self.environment == number
        first = self.uninformed[number]
        begins = np.concatenate([[0.0], self.since[here]])
        return begins, np.minimum.accumulate(np.concatenate([[first], self.error[here]]))


def best_before_change(run: Followed) -> NDArray[np.float64]:
    """The best error in each environment, shape ``(environments,)``.

    Trojanowski and Michalewicz (1999). An environment without any improvement has the error of
    `Followed.uninformed`.
    """
    best = run.uninformed.copy()
    np.minimum.at(best, run.environment, run.error)
    return best


def offline_errors(run: Followed, period: float) -> NDArray[np.float64]:
    """The mean over the cost of the best error since the change, in each environment.

    Branke and Schmeck (2003) have the mean over evaluations; the mean over time is the same for a
    cost in seconds.

    - `run`: Its `since` is the cost from which each error holds. For the mean over evaluations, the
      error of evaluation n since the change holds from n - 1.
    - `period`: The length of an environment. Errors that hold from a later cost do not count.

    Returns: The mean over the environments is the offline error of the run.
    """
    means = np.empty(run.uninformed.size)
    for number in range(means.size):
        begins, errors = run.steps(number)
        edges = np.clip(np.append(begins, period), 0.0, period)
        means[number] = np.sum(errors * np.diff(edges)) / period
    return means


def error_after(run: Followed, costs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The best error since the change after some costs, shape ``(environments, costs)``.

    - `run`: Its `since` is the cost at which each error was known.
    - `costs`: Since the change, shape ``(costs,)``.
    """
    found = np.empty((run.uninformed.size, costs.size))
    for number in range(len(found)):
        begins, errors = run.steps(number)
        found[number] = errors[np.maximum(np.searchsorted(begins, costs, side="right") - 1, 0)]
    return found


def recovery_times(run: Followed, targets: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cost from the change to the first error of at most each target.

    Only improvements count, not `Followed.uninformed`.

    - `targets`: Errors, shape ``(targets,)``.

    Returns: `inf` where the target was not reached before the next change.
    """
    times = np.full((run.uninformed.size, targets.size), np.inf)
    for place, target in enumerate(targets):
        reached = run.error <= target
        np.minimum.at(times[:, place], run.environment[reached], run.since[reached])
    return times


@dataclass(frozen=True)
class Estimate:
    """A value and the limits of its interval; all arrays have the same shape."""

    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def draws_of_runs(runs: int, *, resamples: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """How often each of some runs is in each bootstrap sample, shape ``(resamples, runs)``."""
    return resampled_sums(np.eye(runs), resamples=resamples, rng=rng)


def mean_over_runs(values: ArrayLike, draws: NDArray[np.float64], confidence: float) -> Estimate:
    """The mean over runs and changes, with its interval from a bootstrap of whole runs.

    - `values`: Shape ``(runs, environments)`` or ``(runs, environments, m)``, finite.
    - `draws`: As `draws_of_runs` makes them.

    Returns: Scalars, or arrays of shape ``(m,)``. With one run, both limits are the mean.
    """
    of_runs = np.asarray(values, dtype=np.float64).mean(axis=1)
    replicates = np.tensordot(draws, of_runs, axes=1) / len(of_runs)
    low, high = percentile_interval(replicates, confidence)
    return Estimate(np.asarray(of_runs.mean(axis=0)), low, high)


def recovered(
    times: ArrayLike, period: float, draws: NDArray[np.float64], confidence: float
) -> tuple[Estimate, Estimate]:
    """Expected cost until recovery, and the share of changes after which a run recovers.

    Every environment is a trial: its cost is the recovery time, or the period if the target was not
    reached. The expected cost is the sum of all costs divided by the number of successes, as the
    ERT is over runs.

    - `times`: Recovery times of each run, from `recovery_times`; shape ``(runs, environments,
      targets)``.
    - `period`: The length of an environment.
    - `draws`, `confidence`: As in `mean_over_runs`.

    Returns cost, share: Shape ``(targets,)``. The cost is `inf` without any success, and so is a
    limit whose samples have none.
    """
    reached = np.asarray(times, dtype=np.float64)
    successes = np.isfinite(reached)
    spent = np.where(successes, reached, period)
    sums = spent.sum(axis=1), successes.sum(axis=1).astype(np.float64)
    drawn = [np.tensordot(draws, of_runs, axes=1) for of_runs in sums]
    low, high = percentile_interval(_ratio(*drawn), confidence)
    total = [of_runs.sum(axis=0) for of_runs in sums]
    cost = Estimate(_ratio(*total), low, high)
    return cost, mean_over_runs(successes, draws, confidence)


def _ratio(spent: NDArray[np.float64], successes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cost per success; `inf` without one."""
    found = np.full(np.shape(spent), np.inf)
    np.divide(spent, successes, out=found, where=successes > 0)
    return found
