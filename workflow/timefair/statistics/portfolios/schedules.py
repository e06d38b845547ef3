"""What several algorithms reach that share a budget, from runs of each of them alone.

A run's trace up to s is what a run with the budget s would have given, because nothing in a run
depends on how long it may go on. The exceptions are algorithms that read the clock or ask for the
rest of their budget. So one sample of runs answers for every share of the budget.
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

    Attributes
    ----------
    mode
        ``in turn``: one after the other, each for its share of T. ``slices``: in short rounds, of
        which each has its share. ``side by side``: each on a core of its own, and for all of T.
    shares
        Of T, one per member; for ``side by side`` each is 1.
    """

    mode: Mode
    shares: tuple[float, ...]

    @property
    def cores(self) -> int:
        """Cores that it takes."""
        return len(self.shares) if self.mode == "side by side" else 1

    def own_time(self, at: ArrayLike) -> NDArray[np.float64]:
        """What each member has had when the portfolio has run for a share of T.

        Parameters
        ----------
        at : array_like, shape (points,)
            Shares of T, from 0 to 1.

        Returns
        -------
        ndarray, shape (members, points)
            As shares of T. At 1 it is `shares` in every mode.

        Examples
        --------
        >>> Schedule("in turn", (0.25, 0.75)).own_time([0.2, 0.5, 1.0]).tolist()
        [[0.2, 0.25, 0.25], [0.0, 0.25, 0.75]]
        >>> Schedule("slices", (0.25, 0.75)).own_time([0.2, 1.0]).tolist()
        [[0.05, 0.25], [0.15000000000000002, 0.75]]
        """
        there = np.asarray(at, dtype=np.float64)
        each = np.array(self.shares)[:, np.newaxis]
        if self.mode == "in turn":
            start = np.cumsum(each, axis=0) - each
            return np.asarray(np.clip(there - start, 0.0, each))
        return np.asarray(each * there)


def share_reached(costs: ArrayLike, known_until: ArrayLike, at: ArrayLike) -> NDArray[np.float64]:
    """Share of the runs that have reached each target at each cost.

    Parameters
    ----------
    costs : array_like, shape (runs, targets)
        Cost of each run to each target; `inf` where it was not reached.
    known_until : array_like, shape (runs,)
        Up to which cost each run was observed; `inf` for one that nothing could follow.
    at : array_like, shape (points,)
        Costs.

    Returns
    -------
    ndarray, shape (points, targets)
        NaN where a run neither reached the target nor was observed so long: what is unknown is not
        filled. NaN without runs.

    Examples
    --------
    >>> share_reached([[1.0, 4.0], [3.0, np.inf]], [5.0, 5.0], [2.0, 5.0, 6.0]).tolist()
    [[0.5, 0.0], [1.0, 0.5], [1.0, nan]]
    """
    reached = np.asarray(costs, dtype=np.float64)
    until = np.asarray(known_until, dtype=np.float64)[:, np.newaxis]
    points = np.asarray(at, dtype=np.float64)
    share = np.empty((points.size, reached.shape[1]))
    for k, point in enumerate(points):
        hit = reached <= point
        unknown = (~hit & (until < point)).any(axis=0) | (len(reached) == 0)
        share[k] = np.where(unknown, np.nan, hit.sum(axis=0) / max(len(reached), 1))
    return share


def reached_by_any(members: ArrayLike, axis: int = 0) -> NDArray[np.float64]:
    """Probability that at least one of several independent runs reaches a target.

    Parameters
    ----------
    members : array_like
        Probability of each member, along `axis`.
    axis : int
        The axis of the members.

    Returns
    -------
    ndarray
        1 - (1 - p_1)(1 - p_2)...; NaN where a probability is. From shares of independent samples of
        runs on one problem it has no bias, as the product is linear in each of them. Do not pool
        the instances of a function before: what is hard for all members on one instance is not
        independent over instances.

    Examples
    --------
    >>> reached_by_any([0.5, 0.5]).item()
    0.75
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
    """Where the share of new runs of a portfolio is expected that reach a target.

    Parameters
    ----------
    successes, runs : sequence of int
        How many of the runs of each member reached the target within the member's share.
    new_runs : int
        Runs of the portfolio to come.
    confidence : float
        Probability that the share lies in the interval, in (0, 1).
    rng : numpy.random.Generator
        Source of the draws.
    draws : int
        Draws of the members' probabilities.

    Returns
    -------
    low, high : float
        It holds the noise of both sides: the probability of each member is known from few runs
        (Beta(successes + 1/2, failures + 1/2), Jeffreys' prior), and the new runs are few as well
        (binomial). Shares are multiples of 1/new_runs, so that it covers more than it promises.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> low, high = prediction_interval([15, 0], [15, 15], new_runs=15, confidence=0.95, rng=rng)
    >>> low > 0.7, high
    (True, 1.0)
    """
    hits, counts = np.asarray(successes), np.asarray(runs)
    chance = rng.beta(hits + 0.5, counts - hits + 0.5, size=(draws, hits.size))
    new = rng.binomial(new_runs, np.clip(reached_by_any(chance, axis=1), 0.0, 1.0))
    tail = (1 - confidence) / 2
    low, high = np.quantile(new, [tail, 1 - tail], method="inverted_cdf")
    return float(low / new_runs), float(high / new_runs)
