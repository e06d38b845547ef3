"""What launches of one length would have cost, from the launches that were measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from timefair.statistics.checks import check_confidence

Array = NDArray[np.float64]

SHORTEST = 1e-6
"""Least mean cost of a failure, as a share of its cutoff: what is less is rounding."""


class Launches(NamedTuple):
    """Launches of one algorithm on one function; arrays of shape (launches,).

    - `hit`: Cost of each up to the target, from its own start; `inf` if it did not reach it.
    - `length`: Cost up to which each was observed; above 0 and finite, and at least `hit`.
    - `ended`: Whether each ended by itself at this cost; False if it was cut.
    - `run`: Run of each, counted from 0.
    """

    hit: Array
    length: Array
    ended: NDArray[np.bool_]
    run: NDArray[np.intp]

    @property
    def known_until(self) -> float:
        """The longest cutoff for which launches were observed: `inf` if the longest one ended by
        itself; 0 without launches.
        """
        longest = self.length.max(initial=0.0)
        return float(np.inf if longest and self.ended[self.length == longest].all() else longest)


class Predicted(NamedTuple):
    """Runs whose launches end at each cutoff; both arrays of shape (samples, cutoffs).

    - `cost`: Expected cost of a run, up to the target or the end of its budget.
    - `success`: Probability that it reaches the target.
    """

    cost: Array
    success: Array

    @property
    def ert(self) -> Array:
        """Expected running time; `inf` if the target is never reached."""
        never = np.where(np.isnan(self.success), np.nan, np.inf)
        return np.divide(self.cost, self.success, out=never, where=self.success > 0)


def predicted(
    launches: Launches, strata: ArrayLike, weights: ArrayLike, cutoffs: ArrayLike, budget: float
) -> Predicted:
    """Predict runs of a budget whose launches end at each of some cutoffs, for samples of runs.

    - `strata`, shape (runs,): The stratum of each run: its instance.
    - `weights`, shape (samples, runs): How often each run is in each sample.
    - `cutoffs`, shape (cutoffs,): Rising, positive, and at most `Launches.known_until`.

    A run has so many launches as their failures fit into the budget, at least one: with the chance
    p and the cost c of a launch, k of them succeed with P = 1 - (1 - p)^k and cost c P / p. The
    costs and successes of strata are averaged by their numbers of runs. NaN for strata without a
    launch.

    Source: M. Luby, A. Sinclair and D. Zuckerman, Optimal speedup of Las Vegas algorithms,
    Information Processing Letters 47 (1993).
    """
    at = np.asarray(cutoffs, dtype=np.float64)
    _, stratum, runs = np.unique(np.asarray(strata), return_inverse=True, return_counts=True)
    law = _law(_run_sums(launches, at, stratum.size), stratum, np.asarray(weights, np.float64))
    count = np.maximum(budget / law.failure, 1.0)
    success = 1.0 - (1.0 - law.chance) ** count
    cost = law.cost * np.divide(success, law.chance, out=count.copy(), where=law.chance > 0)
    if cost.shape[1] > 1:
        share = (runs / runs.sum())[:, np.newaxis]
        return Predicted((cost * share).sum(axis=1), (success * share).sum(axis=1))
    return Predicted(cost[:, 0], success[:, 0])


class _RunSums(NamedTuple):
    """Sums over the launches of each run: their number, shape (runs,), and at each cutoff, shape
    (runs, cutoffs), those that reach the target, their cost up to it, and the cost of all launches
    up to the target, the cutoff or their own end; weighted for censoring.
    """

    launches: Array
    hits: Array
    hit_cost: Array
    cost: Array


def _run_sums(launches: Launches, at: Array, runs: int) -> _RunSums:
    """Launches that were cut are weighted by Kaplan and Meier's estimate.

    Source: J. M. Robins and A. Rotnitzky, Recovery of information and adjustment for dependent
    censoring using surrogate markers, 1992.
    """
    weighting = _Weighting.of(launches)
    used = np.minimum(launches.hit, launches.length)
    weight = np.where(np.isfinite(launches.hit), weighting.at(used), 0.0)
    shape = (runs, at.size + 1)
    cells = np.ravel_multi_index((launches.run, np.searchsorted(at, used)), shape)

    def until(values: Array) -> Array:
        """Summed over the launches of each run that use at most each cutoff."""
        added = np.bincount(cells, values, minlength=runs * (at.size + 1)).reshape(shape)
        return np.cumsum(added, axis=1)

    within = until(np.ones(used.shape))
    longer = within[:, -1:] - within[:, :-1]
    cost = until(weighting.integral(used))[:, :-1] + longer * weighting.integral(at)
    return _RunSums(within[:, -1], until(weight)[:, :-1], until(weight * used)[:, :-1], cost)


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


class _Law(NamedTuple):
    """A launch that ends at each cutoff, shape (samples, strata, cutoffs): its chance of success,
    its expected cost, and its expected cost if it does not succeed.
    """

    chance: Array
    cost: Array
    failure: Array


def _law(sums: _RunSums, stratum: NDArray[np.intp], weights: Array) -> _Law:
    """Strata are pooled in proportion to their similarity, the intraclass correlation of successes.

    Source: M. S. Ridout, C. G. B. Demétrio and D. Firth, Estimating intraclass correlation for
    binary data, Biometrics 55 (1999).
    """
    own = _correlation(sums, stratum)
    members = np.eye(stratum.max(initial=-1) + 1)[stratum]
    in_strata = weights[:, np.newaxis, :] * members.T
    totals = np.stack([in_strata @ one for one in (sums.hits, sums.hit_cost, sums.cost)])
    launches = (in_strata @ sums.launches)[..., np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = launches * own / (launches * own + 1.0 - own)
        every = totals.sum(axis=2, keepdims=True) / launches.sum(axis=1, keepdims=True)
        mean = np.where(share > 0, share * (totals / launches) + (1.0 - share) * every, every)
        chance, hit_cost, cost = mean
        failure = (cost - hit_cost) / (1.0 - chance)
    least = SHORTEST * np.nanmax(cost, initial=0.0)
    failure = np.where(chance < 1.0, np.fmax(failure, least), np.fmax(cost, least))
    return _Law(np.minimum(chance, 1.0), cost, failure)


def _correlation(sums: _RunSums, stratum: NDArray[np.intp]) -> Array:
    """Of successes within strata, in [0, 1]; shape (cutoffs,)."""
    strata = stratum.max(initial=-1) + 1
    count = np.bincount(stratum, sums.launches)
    every = count.sum()
    if strata < 2 or every <= strata or (count == 0).any():
        return np.zeros(sums.hits.shape[1])
    totals = np.stack([sums.hits[stratum == k].sum(axis=0) for k in range(strata)])
    size = count[:, np.newaxis]
    rate = np.minimum(totals / size, 1.0)
    overall = totals.sum(axis=0) / every
    between = (size * (rate - overall) ** 2).sum(axis=0) / (strata - 1)
    within = (size * rate * (1.0 - rate)).sum(axis=0) / (every - strata)
    typical = (every - (count**2).sum() / every) / (strata - 1)
    spread = between + (typical - 1.0) * within
    own = np.divide(between - within, spread, out=np.zeros(spread.shape), where=spread > 0)
    return np.asarray(np.clip(own, 0.0, 1.0))


def best_option(gain: ArrayLike) -> int:
    """Index of the option with the largest mean gain, shape (functions, options); the first one if
    several are equal; -1 if no option is known on all functions.
    """
    values = np.asarray(gain, dtype=np.float64)
    if not values.size:
        return -1
    mean = values.mean(axis=0)
    known = np.where(np.isnan(mean), -np.inf, mean)
    return int(known.argmax()) if np.isfinite(known).any() else -1


def over_functions(gain: ArrayLike, *, confidence: float) -> tuple[float, float, float]:
    """Mean gain on each function of the option that is best on all other functions, with limits.

    - `gain`, shape (functions, options): Logarithms of factors, or NaN. If no option is known on
      all other functions, the gain is 0, because the measured policy is kept.

    Returns the gain and Student's interval, for functions like these; NaN with fewer than two.
    """
    check_confidence(confidence)
    values = np.asarray(gain, dtype=np.float64)
    functions = len(values)
    if functions < 2:
        return np.nan, np.nan, np.nan
    held_out = np.zeros(functions)
    for k in range(functions):
        chosen = best_option(np.delete(values, k, axis=0))
        if chosen >= 0 and not np.isnan(values[k, chosen]):
            held_out[k] = values[k, chosen]
    mean = float(held_out.mean())
    error = float(held_out.std(ddof=1) / np.sqrt(functions))
    reach = float(stdtrit(functions - 1, (1.0 + confidence) / 2.0)) * error
    return mean, mean - reach, mean + reach


def deleted_groups(strata: ArrayLike, most: int) -> Array:
    """Weights of the runs, shape (groups, runs), in samples that lack a group of runs each.

    The runs of a stratum are distributed over the groups, of which there are at most `most`.
    """
    of_runs = np.asarray(strata)
    groups = min(most, of_runs.size)
    group = np.empty(of_runs.size, dtype=np.intp)
    group[np.argsort(of_runs, kind="stable")] = np.arange(of_runs.size) % max(groups, 1)
    return np.asarray(group != np.arange(groups)[:, np.newaxis], dtype=np.float64)


def jackknifed(value: ArrayLike, without: ArrayLike, *, confidence: float) -> tuple[Array, Array]:
    """Limits of a positive number by the delete-group jackknife of its logarithm: low, high.

    - `value`: The number, from all runs; may be infinite.
    - `without`, shape (groups, ...): The same without each group of runs.

    `high` is infinite if the number is without one of the groups. Both are NaN for fewer than two
    groups, and if the number is not finite.

    Source: J. Shao and D. Tu, The Jackknife and Bootstrap, 1995, section 2.3.
    """
    check_confidence(confidence)
    number, parts = np.asarray(value, np.float64), np.asarray(without, np.float64)
    groups = len(parts)
    if groups < 2:
        return np.full(number.shape, np.nan), np.full(number.shape, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(parts)
        finite = np.isfinite(logs)
        count = np.maximum(finite.sum(axis=0), 1)
        mean = np.where(finite, logs, 0.0).sum(axis=0) / count
        squares = np.where(finite, (logs - mean) ** 2, 0.0).sum(axis=0)
        reach = stdtrit(groups - 1, (1.0 + confidence) / 2.0) * np.sqrt(
            (groups - 1) / count * squares
        )
        low, high = number * np.exp(-reach), number * np.exp(reach)
    high = np.where(np.isposinf(parts).any(axis=0), np.inf, high)
    known = np.isfinite(number)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)
