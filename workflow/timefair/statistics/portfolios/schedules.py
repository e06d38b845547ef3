"""Results of algorithms that share a budget, from runs of each algorithm alone.

The trace of a run up to s equals the trace of a run with the budget s, because nothing in a run
depends on its budget. Therefore one sample of runs is enough for every share of the budget. The
exceptions are algorithms that read the clock or their remaining budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Mode = Literal["in turn", "slices", "side by side"]
MODES: tuple[Mode, ...] = ("in turn", "slices", "side by side")


@dataclass(frozen=True)
class Schedule:
    """How the members of a portfolio share the budget T.

    - `mode`: ``in turn``: one member after the other, each for its share of T. ``slices``: the
      members alternate in short rounds, and each has its share of a round. ``side by side``: each
      member has its own core for all of T.
    - `shares`: Shares of T, one per member; each is 1 for ``side by side``.
    """

    mode: Mode
    shares: tuple[float, ...]

    @property
    def cores(self) -> int:
        """Number of cores that the schedule needs."""
        return len(self.shares) if self.mode == "side by side" else 1

    def own_time(self, at: ArrayLike) -> NDArray[np.float64]:
        """Time of each member when the portfolio has run for a share of T.

        - `at`, shape (points,): Shares of T, from 0 to 1.

        Returns, shape (members, points): Shares of T. At 1, they are equal to `shares` in every
        mode.
        """
        there = np.asarray(at, dtype=np.float64)
        each = np.array(self.shares)[:, np.newaxis]
        if self.mode == "in turn":
            start = np.cumsum(each, axis=0) - each
            return np.asarray(np.clip(there - start, 0.0, each))
        return np.asarray(each * there)


def share_reached(
    costs: ArrayLike, known_until: ArrayLike, at: ArrayLike, starts: ArrayLike = (0,)
) -> NDArray[np.float64]:
    """Share of the runs that have reached each target at each cost.

    - `costs`, shape (runs, targets): Cost of each run to each target; `inf` if the run did not
      reach it.
    - `known_until`, shape (runs,): Cost up to which each run was observed; `inf` if a longer run
      would have had the same result.
    - `at`, shape (points,): Costs.
    - `starts`, shape (samples,): Index of the first run of each sample, rising from 0; each sample
      has at least one run. By default, all runs are one sample.

    Returns, shape (points, samples * targets): The targets of the first sample, then those of the
    next one. NaN if a run of the sample did not reach the target and was not observed up to this
    cost, and if there are no runs.
    """
    reached = np.asarray(costs, dtype=np.float64)
    until = np.asarray(known_until, dtype=np.float64)[:, np.newaxis]
    points = np.asarray(at, dtype=np.float64)[:, np.newaxis, np.newaxis]
    if not len(reached):
        return np.full((len(points), reached.shape[1]), np.nan)
    first = np.asarray(starts, dtype=np.intp)
    count = np.diff(first, append=len(reached))[:, np.newaxis]
    hit = reached <= points
    hits = np.add.reduceat(hit, first, axis=1, dtype=np.intp)
    unknown = np.logical_or.reduceat(~hit & (until < points), first, axis=1)
    return np.asarray(np.where(unknown, np.nan, hits / count)).reshape(len(points), -1)


def reached_by_any(members: ArrayLike, axis: int = 0) -> NDArray[np.float64]:
    """Probability that at least one of several independent runs reaches a target.

    - `members`: Probability of each member, along `axis`.
    - `axis`: The axis of the members.

    Returns: 1 - (1 - p_1)(1 - p_2)...; NaN if a probability is NaN. It is unbiased if the
    probabilities are shares of independent samples of runs on one problem, because the product is
    linear in each of them. Do not pool the instances of a function beforehand: an instance may be
    hard for all members, so pooled successes of the members are not independent.
    """
    return np.asarray(1 - np.prod(1 - np.asarray(members, dtype=np.float64), axis=axis))


def prediction_interval(
    successes: Sequence[int],
    runs: Sequence[int],
    *,
    new_runs: int,
    confidence: float,
    rng: np.random.Generator,
    draws: int = 4000,
) -> tuple[float, float]:
    """Prediction interval of the share of new runs of a portfolio that reach a target.

    - `successes`, `runs`: Number of runs of each member that reached the target within its share of
      T, and number of all its runs.
    - `new_runs`: Number of new runs of the portfolio.
    - `confidence`: Probability that the share is in the interval, in (0, 1).
    - `rng`: Source of the draws.
    - `draws`: Number of draws of the members' probabilities.

    Returns low, high: The interval includes two errors: that of the probability of each member,
    which is known from few runs (Beta(successes + 1/2, failures + 1/2), Jeffreys' prior), and that
    of the new runs (binomial). Shares are multiples of 1/new_runs, so the actual coverage is above
    `confidence`.
    """
    hits, counts = np.asarray(successes), np.asarray(runs)
    chance = rng.beta(hits + 0.5, counts - hits + 0.5, size=(draws, hits.size))
    new = rng.binomial(new_runs, np.clip(reached_by_any(chance, axis=1), 0.0, 1.0))
    tail = (1 - confidence) / 2
    low, high = np.quantile(new, [tail, 1 - tail], method="inverted_cdf")
    return float(low / new_runs), float(high / new_runs)
