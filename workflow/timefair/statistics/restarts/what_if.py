"""What other restart policies would have cost, from the launches that were measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from timefair.statistics.checks import check_confidence
from timefair.statistics.restarts.launch_mixture import mixed
from timefair.statistics.restarts.launch_sequences import Laws

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


Array = NDArray[np.float64]


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


def one_launch(law: Law, budget: float) -> Outcome:
    """No restarts: a run is one launch, up to the budget.

    - `law`: Law of a launch; its last cutoff is at least the budget.
    - `budget`: Budget of a run.

    Raises NotObserved if the law ends before the budget.
    """
    _require(law, budget)
    run = Outcome(*_laws(law).once(budget))
    return Outcome(run.cost[:, :, 0], run.chance[:, :, 0])


def fixed_cutoffs(law: Law, budget: float, at: NDArray[np.intp] | None = None) -> Outcome:
    """Launches of one length, for each cutoff of the law.

    - `law`: Of a launch.
    - `budget`: Budget of a run.
    - `at`: Indices of the cutoffs; None for all cutoffs.

    Returns: Shape (samples, strata, cutoffs, targets). If the budget is a multiple of the cutoff,
    or very large, the ERT of a stratum is the cost of a launch divided by its probability of
    success: sum min(T_i, tau) / #(T_i <= tau).
    """
    return Outcome(*_laws(law).fixed(_chosen(law, at), budget))


def luby(law: Law, doubling: int, budget: float, at: NDArray[np.intp] | None = None) -> Outcome:
    """Launches of 1, 1, 2, 1, 1, 2, 4, ... units, for each cutoff as the unit.

    - `law`: Law of a launch. Each cutoff is twice the cutoff `doubling` indices before it; only the
      last one may be smaller, if it is the budget.
    - `doubling`: Number of cutoffs from one length to its double.
    - `budget`: Budget of a run, finite.
    - `at`: Indices of the cutoffs that are used as units; None for all cutoffs.

    Returns: Shape (samples, strata, cutoffs, targets). NaN if a launch would be longer than the
    longest observed launch.

    The first 2^m - 1 launches consist of the first 2^(m-1) - 1 launches, the same launches again,
    and one launch of 2^(m-1) units. Therefore the number of steps of the computation is
    proportional to the logarithm of the number of launches.

    Source: M. Luby, A. Sinclair and D. Zuckerman, Optimal speedup of Las Vegas algorithms,
    Information Processing Letters 47 (1993).
    """
    return Outcome(*_laws(law).luby(_chosen(law, at), budget, doubling))


def geometric(law: Law, budget: float, at: NDArray[np.intp] | None = None) -> Outcome:
    """Each launch twice as long as the previous one, for each cutoff as the first length.

    The law may have any cutoffs; the result has the form of that of `luby`.

    Source: T. Walsh, Search in a small world, IJCAI 1999.
    """
    return Outcome(*_laws(law).geometric(_chosen(law, at), budget))


def side_by_side(law: Law, copies: int, budget: float) -> Outcome:
    """Several copies of a run at the same time, until the first one reaches the target.

    - `law`: Law of complete runs; its last cutoff is at least the budget.
    - `copies`: Number of copies, each with the complete budget.
    - `budget`: Budget of a copy.

    Returns: Shape (samples, strata, targets). The cost is that of one copy, which is the time if
    each copy has its own core. All copies together cost `copies` times as much. Raises NotObserved
    if the law ends before the budget.
    """
    _require(law, budget)
    last = int(np.searchsorted(law.cutoffs, budget))
    return Outcome(*_laws(law).side_by_side(last, copies))


def _chosen(law: Law, at: NDArray[np.intp] | None) -> NDArray[np.intp]:
    return np.arange(law.cutoffs.size) if at is None else at


def _laws(law: Law) -> Laws:
    """The law in compiled form."""
    chance, cost, failure = map(np.ascontiguousarray, (law.chance, law.cost, law.failure))
    return Laws(np.ascontiguousarray(law.cutoffs), chance, cost, failure, law.alike)


def _require(law: Law, budget: float) -> None:
    last = law.cutoffs[-1] if law.cutoffs.size else 0.0
    if last < budget:
        raise NotObserved(f"budget {budget:g}: launches were observed up to {last:g}")


def best_option(gain: ArrayLike) -> NDArray[np.intp]:
    """The option with the largest mean gain, among the options that are known on all functions.

    - `gain`, shape (..., functions, options): Gains, for any number of samples.

    Returns, shape (...): Index of the option, the first one if several are equal; -1 if no option
    is known on all functions, or if there are no functions.
    """
    values = np.asarray(gain, dtype=np.float64)
    if not values.shape[-1] or not values.shape[-2]:
        return np.full(values.shape[:-2], -1, dtype=np.intp)
    mean = values.mean(axis=-2)
    known = np.where(np.isnan(mean), -np.inf, mean)
    return np.where(np.isfinite(known).any(axis=-1), known.argmax(axis=-1), -1).astype(np.intp)


@dataclass(frozen=True)
class CrossValidated:
    """Gain of a choice on functions that were not used for it.

    - `gain`: Mean logarithm of the factor; NaN with fewer than two functions.
    - `low`, `high`: Student's interval over the functions, for functions like these; NaN if `gain`
      is.
    """

    gain: float
    low: float
    high: float


def over_functions(gain: ArrayLike, *, confidence: float) -> CrossValidated:
    """Gain on each function of the option that is best on all other functions.

    - `gain`, shape (functions, options): Finite or NaN. If no option is known on all other
      functions, the gain is 0, because the measured policy is kept.
    - `confidence`: In (0, 1).
    """
    check_confidence(confidence)
    values = np.asarray(gain, dtype=np.float64)
    functions = len(values)
    if functions < 2:
        return CrossValidated(np.nan, np.nan, np.nan)
    held_out = np.zeros(functions)
    for k in range(functions):
        chosen = int(best_option(np.delete(values, k, axis=0)))
        if chosen >= 0 and not np.isnan(values[k, chosen]):
            held_out[k] = values[k, chosen]
    mean = float(held_out.mean())
    error = float(held_out.std(ddof=1) / np.sqrt(functions))
    reach = float(stdtrit(functions - 1, (1.0 + confidence) / 2.0)) * error
    return CrossValidated(mean, mean - reach, mean + reach)


def over_runs(chosen_on: ArrayLike, judged_on: ArrayLike) -> float:
    """Mean gain on some runs of the option that is best on the other runs.

    - `chosen_on`, `judged_on`, shape (folds, functions, options): Gains from all runs except those
      of each fold, and from the runs of each fold alone. The latter may be infinite.

    Returns: Mean over the folds and the functions; NaN if no fold has both gains.
    """
    first, second = np.asarray(chosen_on, np.float64), np.asarray(judged_on, np.float64)
    if not first.size:
        return float("nan")
    chosen = best_option(first)
    judged = np.take_along_axis(second, np.maximum(chosen, 0)[:, np.newaxis, np.newaxis], axis=2)
    found = judged[chosen >= 0]
    found = found[np.isfinite(found)]
    return float(found.mean()) if found.size else float("nan")


def interval_of_choice(
    gains: ArrayLike, values: ArrayLike, *, confidence: float
) -> tuple[float, float]:
    """Interval of the value of the best option, from bootstrap samples of runs.

    - `gains`, shape (samples, functions, options): Gains of each bootstrap sample of runs.
    - `values`, shape (options,): Value of each option, such as its cutoff.
    - `confidence`: In (0, 1).

    Returns: Percentiles of the values of the best options; NaN if no sample has a best option.
    """
    check_confidence(confidence)
    chosen = best_option(gains)
    best = np.asarray(values, dtype=np.float64)[chosen[chosen >= 0]]
    if not best.size:
        return float("nan"), float("nan")
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(best, [tail, 1.0 - tail], method="inverted_cdf")
    return float(low), float(high)


def deleted_groups(strata: ArrayLike, most: int) -> NDArray[np.float64]:
    """Weights of the runs in samples from each of which one group of runs is deleted.

    - `strata`, shape (runs,): The stratum of each run; the runs of a stratum are distributed over
      the groups.
    - `most`: Largest number of groups.

    Returns, shape (groups, runs): 0 for the runs of the deleted group, and 1 for all others.
    """
    of_runs = np.asarray(strata)
    groups = min(most, of_runs.size)
    order = np.argsort(of_runs, kind="stable")
    group = np.empty(of_runs.size, dtype=np.intp)
    group[order] = np.arange(of_runs.size) % max(groups, 1)
    return np.asarray(group != np.arange(groups)[:, np.newaxis], dtype=np.float64)


def jackknifed(
    value: ArrayLike, without: ArrayLike, *, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limits of a positive number by the delete-group jackknife of its logarithm.

    - `value`: The number, computed from all runs; may be infinite.
    - `without`, shape (groups, ...): The number, computed from all runs except those of each group.
    - `confidence`: In (0, 1).

    Returns low, high: Student's limits with groups - 1 degrees of freedom. `high` is infinite if
    the number is infinite without one of the groups. Both are NaN for fewer than two groups, and if
    the number from all runs is not finite.

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


def resampled_runs(
    strata: ArrayLike, *, resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Number of times that each run is drawn in each of several bootstrap samples.

    Runs are drawn within their strata. If any stratum has a single run, all runs are treated as one
    stratum.

    Returns, shape (resamples, runs): Whole numbers.
    """
    _, stratum, sizes = np.unique(np.asarray(strata), return_inverse=True, return_counts=True)
    if sizes.size and sizes.min() < 2:
        stratum = np.zeros_like(stratum)
    weights = np.zeros((resamples, stratum.size))
    for k in range(stratum.max(initial=-1) + 1):
        mine = np.flatnonzero(stratum == k)
        weights[:, mine] = rng.multinomial(mine.size, np.full(mine.size, 1 / mine.size), resamples)
    return weights
