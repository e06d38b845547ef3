"""What other restart policies would have cost, from the launches that were measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.extensions.restart_prediction.launch_sequences import Laws

Array = NDArray[np.float64]

SHORTEST = 1e-6
"""Least mean cost of a failure, as a share of its cutoff: what is less is rounding."""


@dataclass(frozen=True)
class Launches:
    """Launches of one algorithm on one problem.

    - `hit`, shape (launches, targets): Cost of each up to each target, from its own start; `inf` if
      it did not reach the target.
    - `length`: Cost up to which each was observed; above 0 and finite.
    - `ended`: Whether each ended by itself at this cost; False if it was cut.
    - `run`: Run of each, counted from 0.
    """

    hit: Array
    length: Array
    ended: NDArray[np.bool_]
    run: NDArray[np.intp]

    @classmethod
    def of(cls, hit: ArrayLike, length: ArrayLike, ended: ArrayLike, run: ArrayLike) -> Launches:
        """Check arrays; ValueError if shapes do not fit, a length is not positive and finite, or a
        target was reached after the end of its launch.
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
        """The longest cutoff for which launches were observed: `inf` if the longest one ended by
        itself; 0 without launches.
        """
        longest = self.length.max(initial=0.0)
        return float(np.inf if longest and self.ended[self.length == longest].all() else longest)


class NotObserved(ValueError):
    """A cutoff is longer than the longest observed launch."""


@dataclass(frozen=True)
class RunSums:
    """Sums over the launches of each run at each cutoff, from which `law` estimates a `Law`.

    - `launches`: Number of launches of each run, shape (runs,).
    - `hits`, `hit_cost`, `cost`, shape (runs, cutoffs, targets): Number of launches that reach the
      target within the cutoff; their cost up to it; the cost of all launches up to the target, the
      cutoff or their own end. All are weighted for censoring.
    """

    cutoffs: Array
    launches: Array
    hits: Array
    hit_cost: Array
    cost: Array


def run_sums(launches: Launches, cutoffs: ArrayLike, runs: int) -> RunSums:
    """Sums over the launches of each of some runs within each cutoff, rising and positive.

    Raises NotObserved if a cutoff is beyond `Launches.known_until`, ValueError if cutoffs do not
    rise from above 0. Launches that were cut are weighted by Kaplan and Meier's estimate.

    Source: J. M. Robins and A. Rotnitzky, Recovery of information and adjustment for dependent
    censoring using surrogate markers, 1992.
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

    def added(values: Array) -> Array:
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

    times: Array
    weights: Array
    integrals: Array

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

    def at(self, cost: Array) -> Array:
        """Just before a cost."""
        return np.asarray(self.weights[np.maximum(self.times.searchsorted(cost) - 1, 0)])

    def integral(self, cost: Array) -> Array:
        """From 0 to a cost."""
        place = self.times.searchsorted(cost, side="right") - 1
        beyond = (cost - self.times[place]) * self.weights[place]
        return np.asarray(self.integrals[place] + beyond)


def _count(values: Array, at: Array) -> NDArray[np.intp]:
    """How many of some sorted values are equal to each number."""
    return values.searchsorted(at, side="right") - values.searchsorted(at, side="left")


@dataclass(frozen=True)
class Law:
    """Success and cost of a launch at each cutoff; shape (samples, strata, cutoffs, targets).

    - `chance`: Probability that the launch reaches the target within the cutoff.
    - `cost`: Expected cost up to the target, the cutoff or its own end.
    - `failure`: Expected cost of a launch that does not reach the target within the cutoff.
    - `alike`, shape (targets,): Whether the law to a target is the same in all strata.
    """

    cutoffs: Array
    chance: Array
    cost: Array
    failure: Array
    alike: NDArray[np.bool_]

    @property
    def compiled(self) -> Laws:
        """For the policies."""
        chance, cost, failure = map(np.ascontiguousarray, (self.chance, self.cost, self.failure))
        return Laws(np.ascontiguousarray(self.cutoffs), chance, cost, failure, self.alike)

    def chosen(self, at: NDArray[np.intp] | None) -> NDArray[np.intp]:
        """Some indices of cutoffs, or all."""
        return np.arange(self.cutoffs.size) if at is None else at


def law(sums: RunSums, strata: ArrayLike, weights: ArrayLike) -> Law:
    """The law of a launch in each stratum, for each sample of runs; NaN if it has no launch.

    - `strata`, shape (runs,): The stratum of each run: its instance.
    - `weights`, shape (samples, runs): How often each run is in each sample.

    Strata are pooled in proportion to their similarity, the intraclass correlation of successes: a
    single stratum remains if chance explains the differences, or if each has one launch.

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
    totals = totals.reshape(3, *in_strata.shape[:2], *own.shape)
    launches = (in_strata @ sums.launches)[..., np.newaxis, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = launches * own / (launches * own + 1.0 - own)
        every = totals.sum(axis=2, keepdims=True) / launches.sum(axis=1, keepdims=True)
        mean = np.where(share > 0, share * (totals / launches) + (1.0 - share) * every, every)
        chance, hit_cost, cost = mean
        longest = np.broadcast_to(sums.cutoffs[:, np.newaxis], chance.shape)
        failure = np.fmax((cost - hit_cost) / (1.0 - chance), SHORTEST * longest)
    failure = np.where(chance < 1.0, np.fmin(failure, longest), longest)
    return Law(sums.cutoffs, np.minimum(chance, 1.0), cost, failure, (own == 0).all(axis=0))


def _correlation(sums: RunSums, stratum: NDArray[np.intp]) -> Array:
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


@dataclass(frozen=True)
class Outcome:
    """Cost and success of runs under a policy; arrays of shape (samples, strata, ..., targets).

    - `cost`: Expected cost of a run, up to the target or to its own end.
    - `chance`: Probability that a run reaches the target within the budget.
    """

    cost: Array
    chance: Array

    def pooled(self, weights: ArrayLike) -> Outcome:
        """Mean over the strata, weighted by their shares of the runs; removes this axis."""
        share = np.asarray(weights, dtype=np.float64)
        share = (share / share.sum()).reshape(1, -1, *[1] * (self.cost.ndim - 2))
        return Outcome((self.cost * share).sum(axis=1), (self.chance * share).sum(axis=1))

    @property
    def ert(self) -> Array:
        """Expected cost divided by the probability of success; `inf` if this probability is 0."""
        never = np.where(np.isnan(self.chance), np.nan, np.inf)
        ratio: Array = np.divide(self.cost, self.chance, out=never, where=self.chance > 0)
        return ratio


def fixed_cutoffs(law: Law, budget: float, at: NDArray[np.intp] | None = None) -> Outcome:
    """Launches of one length, for each cutoff, or those `at` some indices.

    Returns: Shape (samples, strata, cutoffs, targets). If the budget is a multiple of the cutoff,
    or very large, the ERT of a stratum is the cost of a launch divided by its probability of
    success: sum min(T_i, tau) / #(T_i <= tau).
    """
    return Outcome(*law.compiled.fixed(law.chosen(at), budget))


def luby(law: Law, doubling: int, budget: float, at: NDArray[np.intp] | None = None) -> Outcome:
    """Launches of 1, 1, 2, 1, 1, 2, 4, ... units, for each cutoff as the unit, as `fixed_cutoffs`.

    Each cutoff is twice the one `doubling` indices before it; only the last one may be smaller, if
    it is the budget, which is finite. NaN if a launch would be longer than the longest observed
    one.

    Source: M. Luby, A. Sinclair and D. Zuckerman, Optimal speedup of Las Vegas algorithms,
    Information Processing Letters 47 (1993).
    """
    return Outcome(*law.compiled.luby(law.chosen(at), budget, doubling))


def geometric(law: Law, budget: float, at: NDArray[np.intp] | None = None) -> Outcome:
    """Each launch twice as long as the previous one, from any first cutoff; NaN as for `luby`.

    Source: T. Walsh, Search in a small world, IJCAI 1999.
    """
    return Outcome(*law.compiled.geometric(law.chosen(at), budget))
