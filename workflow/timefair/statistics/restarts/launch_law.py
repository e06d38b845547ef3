"""Cost and success of launches up to a cutoff, estimated from the launches of runs.

The budget of its run, or a restart policy, may have cut a launch. The longest possible cost of a
launch was known when it began, so the censoring is independent of what the launch would have found
(Gill 1981). Launches are weighted by the inverse of the probability that they are not cut.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.restarts.launch_mixture import mixed

SHORTEST = 1e-6
"""Least mean cost of a failure, as a share of its cutoff: what is less is rounding."""


@dataclass(frozen=True)
class Launches:
    """Launches of one algorithm on one problem.

    - `hit`: Cost of each launch up to each target, from its own start; `inf` if it did not reach
      the target. Shape (launches, targets).
    - `length`: Cost up to which each launch was observed, shape (launches,); above 0 and finite.
    - `ended`: Whether the launch ended by itself at this cost; False if it was cut. Shape
      (launches,).
    - `run`: Run of each launch, counted from 0; shape (launches,).
    """

    hit: NDArray[np.float64]
    length: NDArray[np.float64]
    ended: NDArray[np.bool_]
    run: NDArray[np.intp]

    @classmethod
    def of(cls, hit: ArrayLike, length: ArrayLike, ended: ArrayLike, run: ArrayLike) -> Launches:
        """Check arrays, and store them in the types that the attributes need.

        Raises ValueError if shapes do not fit, a length is not positive and finite, or a target was
        reached after the end of its launch.
        """
        hits = np.asarray(hit, dtype=np.float64)
        lengths = np.asarray(length, dtype=np.float64)
        ends, runs = np.asarray(ended, dtype=np.bool_), np.asarray(run, dtype=np.intp)
        if hits.ndim != 2 or not hits.shape[:1] == lengths.shape == ends.shape == runs.shape:
            raise ValueError(
                "hit must have the shape (launches, targets) and the others (launches,), not "
                f"{hits.shape}, {lengths.shape}, {ends.shape} and {runs.shape}"
            )
        if not (np.isfinite(lengths) & (lengths > 0)).all():
            raise ValueError("lengths must be positive and finite")
        if not ((hits <= lengths[:, np.newaxis]) | np.isposinf(hits)).all():
            raise ValueError("a target must be reached before the end of its launch, or be inf")
        return cls(hits, lengths, ends, runs)

    @property
    def known_until(self) -> float:
        """The longest cutoff for which the launches were observed.

        `inf` if the longest launch ended by itself; 0 if there are no launches.
        """
        longest = self.length.max(initial=0.0)
        return float(np.inf if longest and self.ended[self.length == longest].all() else longest)


class NotObserved(ValueError):
    """A cutoff is longer than the longest observed launch."""


@dataclass(frozen=True)
class RunSums:
    """Sums over the launches of each run at each cutoff, from which `law` estimates a `Law`.

    - `cutoffs`: Rising, shape (cutoffs,).
    - `launches`: Number of launches of each run, shape (runs,).
    - `hits`, `hit_cost`, `cost`: Number of launches that reach the target within the cutoff; their
      cost up to the target; the cost of all launches up to the target, the cutoff or their own end.
      All are weighted for censoring, and have the shape (runs, cutoffs, targets).
    """

    cutoffs: NDArray[np.float64]
    launches: NDArray[np.float64]
    hits: NDArray[np.float64]
    hit_cost: NDArray[np.float64]
    cost: NDArray[np.float64]


def run_sums(launches: Launches, cutoffs: ArrayLike, runs: int) -> RunSums:
    """Sums of the successes and costs of the launches of each run within each cutoff.

    - `launches`: Launches of at most `runs` runs.
    - `cutoffs`, shape (cutoffs,): Rising and positive.
    - `runs`: Number of runs.

    Raises NotObserved if a cutoff is beyond `Launches.known_until`. Raises ValueError if the
    cutoffs are not rising and positive.

    With the Kaplan-Meier estimate G of the probability that a launch is not cut, a launch that
    reaches the target at t counts 1/G(t-), and each unit of cost at u counts 1/G(u). If no launch
    is cut before the cutoff, these are plain sums.

    Source: R. D. Gill, Testing with replacement and the product limit estimator, Annals of
    Statistics 9 (1981); J. M. Robins and A. Rotnitzky, Recovery of information and adjustment for
    dependent censoring using surrogate markers, 1992, for the weights.
    """
    at = np.asarray(cutoffs, dtype=np.float64)
    if at.ndim != 1 or not (np.diff(at, prepend=0.0) > 0).all():
        raise ValueError("cutoffs must be a vector of rising positive numbers")
    known = launches.known_until
    if at.size and at[-1] > known:
        raise NotObserved(f"cutoff {at[-1]:g}: launches were observed up to {known:g}")
    targets = launches.hit.shape[1]
    shape = (runs, at.size + 1, targets)
    weighting = _Weighting.of(launches)
    used = np.minimum(launches.hit, launches.length[:, np.newaxis])
    reached = np.isfinite(launches.hit)
    weight = np.where(reached, weighting.at(used), 0.0)
    cells = np.ravel_multi_index(
        (
            np.broadcast_to(launches.run[:, np.newaxis], used.shape),
            np.searchsorted(at, used),
            np.broadcast_to(np.arange(targets), used.shape),
        ),
        shape,
    ).ravel()

    def added(values: NDArray[np.float64]) -> NDArray[np.float64]:
        flat = np.bincount(cells, values.ravel().astype(np.float64), minlength=int(np.prod(shape)))
        return np.asarray(flat.reshape(shape), dtype=np.float64)

    over = added(np.ones(used.shape))
    longer = over.sum(axis=1, keepdims=True) - np.cumsum(over, axis=1)[:, :-1]
    ended_cost = np.cumsum(added(weighting.integral(used)), axis=1)[:, :-1]
    return RunSums(
        at,
        np.bincount(launches.run, minlength=runs).astype(np.float64),
        np.cumsum(added(weight), axis=1)[:, :-1],
        np.cumsum(added(weight * used), axis=1)[:, :-1],
        ended_cost + longer * weighting.integral(at)[:, np.newaxis],
    )


@dataclass(frozen=True)
class _Weighting:
    """The inverse of the probability that a launch is not cut, a step function of its length."""

    times: NDArray[np.float64]
    weights: NDArray[np.float64]
    integrals: NDArray[np.float64]

    @classmethod
    def of(cls, launches: Launches) -> _Weighting:
        cut = np.unique(launches.length[~launches.ended])
        every = np.sort(launches.length)
        ends = np.sort(launches.length[launches.ended])
        cuts = np.sort(launches.length[~launches.ended])
        at_risk = every.size - every.searchsorted(cut) - _count(ends, cut)
        kept = 1.0 - _count(cuts, cut) / at_risk
        if kept.size and kept[-1] <= 0:
            cut, kept = cut[:-1], kept[:-1]
        times = np.concatenate([[0.0], cut])
        weights = np.concatenate([[1.0], 1.0 / np.cumprod(kept)])
        steps = np.concatenate([[0.0], np.diff(times) * weights[:-1]])
        return cls(times, weights, np.cumsum(steps))

    def at(self, cost: NDArray[np.float64]) -> NDArray[np.float64]:
        """Just before a cost."""
        return np.asarray(self.weights[np.maximum(self.times.searchsorted(cost) - 1, 0)])

    def integral(self, cost: NDArray[np.float64]) -> NDArray[np.float64]:
        """From 0 to a cost."""
        place = self.times.searchsorted(cost, side="right") - 1
        beyond = (cost - self.times[place]) * self.weights[place]
        return np.asarray(self.integrals[place] + beyond)


def _count(values: NDArray[np.float64], at: NDArray[np.float64]) -> NDArray[np.intp]:
    """How many of some sorted values are equal to each number."""
    return values.searchsorted(at, side="right") - values.searchsorted(at, side="left")


@dataclass(frozen=True)
class Law:
    """Success and cost of a launch at each cutoff; shape (samples, strata, cutoffs, targets).

    - `cutoffs`: Shape (cutoffs,).
    - `chance`: Probability that the launch reaches the target within the cutoff.
    - `cost`: Expected cost up to the target, the cutoff or its own end.
    - `failure`: Expected cost of a launch that does not reach the target within the cutoff.
    - `alike`: Whether the law to a target is the same in all strata, shape (targets,).
    """

    cutoffs: NDArray[np.float64]
    chance: NDArray[np.float64]
    cost: NDArray[np.float64]
    failure: NDArray[np.float64]
    alike: NDArray[np.bool_]


def law(sums: RunSums, strata: ArrayLike, weights: ArrayLike) -> Law:
    """Estimate the success and the cost of a launch (its law) in each stratum.

    - `sums`: Sums of all runs.
    - `strata`, shape (runs,): The stratum of each run, from 0: its instance.
    - `weights`, shape (samples, runs): How often each run is in each sample. There is one estimate
      per sample.

    Returns: NaN if a sample has no launch. It has a single stratum if the law is the same in all
    strata.

    Strata are pooled in proportion to their similarity: the law of a stratum with n launches is a
    weighted mean of its own law, with the weight w = n r / (n r + 1 - r), and of the law of all
    strata, with the weight 1 - w. r is the intraclass correlation of successes, from the analysis
    of variance over all runs, at each cutoff and target. It is 0 if chance explains the differences
    between the strata, or if each stratum has one launch.

    Source: M. S. Ridout, C. G. B. Demétrio and D. Firth, Estimating intraclass correlation for
    binary data, Biometrics 55 (1999).
    """
    of_runs = np.asarray(weights, dtype=np.float64)
    _, stratum = np.unique(np.asarray(strata), return_inverse=True)
    own = _correlation(sums, stratum)
    if not own.any():
        stratum = np.zeros_like(stratum)
    members = np.eye(stratum.max(initial=-1) + 1)[stratum]
    in_strata = of_runs[:, np.newaxis, :] * members.T
    totals = np.stack(
        [in_strata @ one.reshape(len(one), -1) for one in (sums.hits, sums.hit_cost, sums.cost)]
    )
    longest = np.repeat(sums.cutoffs, own.shape[1])
    mixture = mixed(totals, in_strata @ sums.launches, own.ravel(), longest, SHORTEST)
    chance, cost, failure = (one.reshape(*in_strata.shape[:2], *own.shape) for one in mixture)
    return Law(sums.cutoffs, chance, cost, failure, (own == 0).all(axis=0))


def _correlation(sums: RunSums, stratum: NDArray[np.intp]) -> NDArray[np.float64]:
    """Of successes within strata, in [0, 1]; shape (cutoffs, targets)."""
    strata = stratum.max(initial=-1) + 1
    count = np.bincount(stratum, sums.launches)
    every = count.sum()
    if strata < 2 or every <= strata or (count == 0).any():
        return np.zeros(sums.hits.shape[1:])
    totals = np.stack([sums.hits[stratum == k].sum(axis=0) for k in range(strata)])
    size = count[:, np.newaxis, np.newaxis]
    rate = np.minimum(totals / size, 1.0)
    overall = totals.sum(axis=0) / every
    between = (size * (rate - overall) ** 2).sum(axis=0) / (strata - 1)
    within = (size * rate * (1.0 - rate)).sum(axis=0) / (every - strata)
    typical = (every - (count**2).sum() / every) / (strata - 1)
    spread = between + (typical - 1.0) * within
    own = np.divide(between - within, spread, out=np.zeros(spread.shape), where=spread > 0)
    return np.asarray(np.clip(own, 0.0, 1.0))
