"""Cost of an algorithm under a restart policy, from the law of its launches, without simulation.

A run makes launches until one reaches the target or the budget is used up. The cost of a failed
launch is replaced by the mean cost of such failures, so that the number of launches of a run is
fixed. This is exact if launches end only at their cutoffs, and for large budgets (Wald's identity).
If launches end by themselves within a small budget, it is an approximation.

References: M. Luby, A. Sinclair and D. Zuckerman, Optimal speedup of Las Vegas algorithms,
Information Processing Letters 47 (1993); M. Gagliolo and J. Schmidhuber, Learning restart
strategies, IJCAI 2007; J.-H. Lorenz, Runtime distributions and criteria for restarts,
arXiv:1709.10405, 2017.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.launch_law import Law, NotObserved

Array = NDArray[np.float64]

ROUNDING = 1e-12
"""Relative difference of two costs that is taken for rounding."""


@dataclass(frozen=True)
class Outcome:
    """Cost and success of runs under a policy; arrays of shape (samples, strata, ..., targets).

    Attributes
    ----------
    cost
        Expected cost of a run, up to the target or to its own end.
    chance
        Probability that a run reaches the target within the budget.
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

    Parameters
    ----------
    law : Law
        Law of a launch; its last cutoff is at least the budget.
    budget : float
        Budget of a run.

    Raises
    ------
    NotObserved
        If the law ends before the budget.
    """
    _require(law, budget)
    whole = np.full_like(law.chance[:, :, :1], budget)
    chance, cost, _ = _Within(law)(whole, np.ones(whole.shape, np.bool_))
    return Outcome(cost[:, :, 0], chance[:, :, 0])


def until_they_return(law: Law, budget: float) -> Outcome:
    """Independent restarts: each launch ends by itself.

    Raises
    ------
    NotObserved
        If the law ends before the budget.
    """
    _require(law, budget)
    last = int(np.searchsorted(law.cutoffs, budget))
    each = fixed_cutoffs(law, budget, np.array([last]))
    return Outcome(each.cost[:, :, 0], each.chance[:, :, 0])


def fixed_cutoffs(law: Law, budget: float, at: NDArray[np.intp] | None = None) -> Outcome:
    """Launches of one length, for each cutoff of the law.

    Parameters
    ----------
    law : Law
        Of a launch.
    budget : float
        Budget of a run.
    at : ndarray of int, optional
        Indices of the cutoffs; None for all cutoffs.

    Returns
    -------
    Outcome
        Shape (samples, strata, cutoffs, targets). If the budget is a multiple of the cutoff, or
        very large, the ERT of a stratum is the cost of a launch divided by its probability of
        success: sum min(T_i, tau) / #(T_i <= tau).

    Examples
    --------
    >>> from timefair.statistics.launch_law import Launches, law, run_sums
    >>> launches = Launches.of([[3.0], [9.0]], [10.0, 10.0], [False, False], [0, 1])
    >>> of = law(run_sums(launches, [4.0, 10.0], 2), [0, 0], np.ones((1, 2)))
    >>> fixed_cutoffs(of, budget=40.0).pooled([1]).ert[0, :, 0].tolist()
    [7.0, 6.0]
    """
    each = _chosen(law, at)
    room = np.maximum(budget - each.cutoffs[:, np.newaxis], 0.0)  # for failures before the last one
    made = np.floor(room / each.failure * (1 + ROUNDING)) + (each.cutoffs <= budget)[:, np.newaxis]
    alive = (1.0 - each.chance) ** made
    launches = np.divide(1.0 - alive, each.chance, out=made.copy(), where=each.chance > 0)
    begun = _Budgeted.begun(each, budget)
    left = np.maximum(budget - made * each.failure, 0.0)
    run = replace(begun, outcome=Outcome(each.cost * launches, 1.0 - alive), left=left)
    return run.to_the_end(_Within(law), lambda _: each.cutoffs).outcome


def luby(law: Law, doubling: int, budget: float, at: NDArray[np.intp] | None = None) -> Outcome:
    """Launches of 1, 1, 2, 1, 1, 2, 4, ... units, for each cutoff as the unit.

    Parameters
    ----------
    law : Law
        Law of a launch. Each cutoff is twice the cutoff `doubling` indices before it; only the
        last one may be smaller, if it is the budget.
    doubling : int
        Number of cutoffs from one length to its double.
    budget : float
        Budget of a run, finite.
    at : ndarray of int, optional
        Indices of the cutoffs that are used as units; None for all cutoffs.

    Returns
    -------
    Outcome
        Shape (samples, strata, cutoffs, targets). NaN if a launch would be longer than the longest
        observed launch.

    Notes
    -----
    The first 2^m - 1 launches consist of the first 2^(m-1) - 1 launches, the same launches again,
    and one launch of 2^(m-1) units. Therefore the number of steps of the computation is
    proportional to the logarithm of the number of launches.

    References
    ----------
    M. Luby, A. Sinclair and D. Zuckerman, Optimal speedup of Las Vegas algorithms, Information
    Processing Letters 47 (1993).
    """
    levels = _Levels(law, doubling, budget, at)
    blocks = [_Run.of(levels[0])]
    while (blocks[-1].length < budget).any():
        last = blocks[-1]
        blocks.append(last.then(last).then(_Run.of(levels[len(blocks)])))
    run, within = _Budgeted.begun(_chosen(law, at), budget), _Within(law)
    for block in blocks[::-1]:
        once = run.fits(block)
        run = run.then(block, once)
        twice = once & run.fits(block)
        run = run.then(block, twice).cut(within, twice)
    return run.cut(within, run.open).outcome


def geometric(law: Law, budget: float, at: NDArray[np.intp] | None = None) -> Outcome:
    """Each launch twice as long as the previous one, for each cutoff as the first length.

    The law may have any cutoffs; the result has the form of that of `luby`.

    References
    ----------
    T. Walsh, Search in a small world, IJCAI 1999.
    """
    each = _chosen(law, at)
    run = _Budgeted.begun(each, budget)
    return run.to_the_end(_Within(law), lambda made: each.cutoffs * 2.0**made).outcome


MOST_LAST = 16
"""Launches at the end of a run that are followed one by one; what is left goes to one more."""


def side_by_side(law: Law, copies: int, budget: float) -> Outcome:
    """Several copies of a run at the same time, until the first one reaches the target.

    Parameters
    ----------
    law : Law
        Law of complete runs; its last cutoff is at least the budget.
    copies : int
        Number of copies, each with the complete budget.
    budget : float
        Budget of a copy.

    Returns
    -------
    Outcome
        Shape (samples, strata, targets). The cost is that of one copy, which is the time if each
        copy has its own core. All copies together cost `copies` times as much.

    Raises
    ------
    NotObserved
        If the law ends before the budget.

    Examples
    --------
    >>> from timefair.statistics.launch_law import Launches, law, run_sums
    >>> runs = Launches.of([[4.0], [np.inf]], [4.0, 8.0], [True, False], [0, 1])
    >>> of = law(run_sums(runs, [2.0, 4.0, 8.0], 2), [0, 0], np.ones((1, 2)))
    >>> side_by_side(of, 2, budget=8.0).chance.ravel().tolist()
    [0.75]
    """
    _require(law, budget)
    last = int(np.searchsorted(law.cutoffs, budget))
    at = np.concatenate([[0.0], law.cutoffs[: last + 1]])
    zero = np.zeros_like(law.chance[:, :, :1])
    chance = np.concatenate([zero, law.chance[:, :, : last + 1]], axis=2)
    cost = np.concatenate([zero, law.cost[:, :, : last + 1]], axis=2)
    running = np.diff(cost, axis=2) / np.diff(at)[:, np.newaxis]
    reached = (chance[:, :, 1:] + chance[:, :, :-1]) / 2
    ended = np.clip(1.0 - running - reached, 0.0, 1.0)
    some = (running + ended) ** copies - ended**copies
    spent = (some * np.diff(at)[:, np.newaxis]).sum(axis=2)
    return Outcome(spent, 1.0 - (1.0 - chance[:, :, -1]) ** copies)


@dataclass(frozen=True)
class _Run:
    """Some launches one after the other; all arrays have the same shape.

    Attributes
    ----------
    cost, chance
        As in `Outcome`.
    length
        Cost of the launches if none of them reaches the target; `inf` if it was not observed.
    """

    cost: Array
    chance: Array
    length: Array

    @classmethod
    def of(cls, law: Law) -> _Run:
        """One launch of each cutoff."""
        return cls(law.cost, law.chance, law.failure)

    def then(self, other: _Run) -> _Run:
        """These, and unless the target has been reached, others."""
        alive = 1.0 - self.chance
        return _Run(
            self.cost + alive * other.cost,
            self.chance + alive * other.chance,
            self.length + other.length,
        )


@dataclass(frozen=True)
class _Budgeted:
    """Runs that have not ended yet; all arrays have the same shape.

    Attributes
    ----------
    outcome
        Of the launches so far.
    left
        Rest of the budget if none of these launches reached the target.
    open
        Whether launches follow.
    """

    outcome: Outcome
    left: Array
    open: NDArray[np.bool_]

    @classmethod
    def begun(cls, law: Law, budget: float) -> _Budgeted:
        """Without a launch."""
        zero = np.zeros(law.chance.shape)
        return cls(Outcome(zero, zero), np.full(zero.shape, budget), np.ones(zero.shape, np.bool_))

    def fits(self, run: _Run) -> NDArray[np.bool_]:
        """Where there is room for some launches."""
        return np.asarray(self.open & (run.length <= self.left * (1 + ROUNDING)))

    def then(self, run: _Run, where: NDArray[np.bool_]) -> _Budgeted:
        """With some launches, where they fit."""
        left = np.maximum(self.left - np.where(where, run.length, 0.0), 0.0)
        return replace(self, outcome=self._with(run.cost, run.chance, where), left=left)

    def cut(self, within: _Within, where: NDArray[np.bool_]) -> _Budgeted:
        """With a last launch, somewhere, that has what is left of the budget."""
        chance, cost, _ = within(self.left, where)
        return replace(self, outcome=self._with(cost, chance, where), open=self.open & ~where)

    def to_the_end(
        self, within: _Within, cutoffs: Callable[[int], NDArray[np.float64]]
    ) -> _Budgeted:
        """With launches of some cutoffs, by their number here, each cut when the budget ends."""
        run = self
        for made in range(MOST_LAST):
            run = replace(run, open=run.open & (run.left > 0))
            if not run.open.any():
                return run
            most = np.minimum(cutoffs(made)[:, np.newaxis], run.left)
            chance, cost, failure = within(most, run.open)
            after = np.maximum(run.left - failure, 0.0)
            rounded = np.where(after > ROUNDING * run.left, after, 0.0)
            run = replace(run, outcome=run._with(cost, chance, run.open), left=rounded)
        return run.cut(within, run.open)

    def _with(self, cost: Array, chance: Array, where: NDArray[np.bool_]) -> Outcome:
        alive = 1.0 - self.outcome.chance
        return Outcome(
            np.where(where, self.outcome.cost + alive * cost, self.outcome.cost),
            np.where(where, self.outcome.chance + alive * chance, self.outcome.chance),
        )


class _Levels:
    """The law of launches of 1, 2, 4, ... units, each cutoff being a unit.

    A launch that may take the whole budget is one of the last cutoff if that is known of; else its
    length is `inf`.
    """

    def __init__(self, law: Law, doubling: int, budget: float, at: NDArray[np.intp] | None) -> None:
        self._law, self._doubling = law, doubling
        self._at = np.arange(law.cutoffs.size) if at is None else at
        self._known = bool(law.cutoffs.size and law.cutoffs[-1] >= budget)

    def __getitem__(self, level: int) -> Law:
        law, last = self._law, self._law.cutoffs.size - 1
        place = self._at + level * self._doubling
        launch = law.part(np.minimum(place, last))
        if self._known:
            return launch
        return replace(
            launch, failure=np.where((place > last)[:, np.newaxis], np.inf, launch.failure)
        )


class _Within:
    """The law up to any cost, on straight lines between its cutoffs; NaN beyond the last one."""

    def __init__(self, law: Law) -> None:
        self._at = np.concatenate([[0.0], law.cutoffs])
        zero = np.zeros_like(law.chance[:, :, :1])
        three = (law.chance, law.cost, law.failure)
        self._of = np.stack([np.concatenate([zero, one], axis=2) for one in three], axis=-1)

    def __call__(self, cost: Array, where: NDArray[np.bool_]) -> tuple[Array, Array, Array]:
        """Probability of success, cost, and cost of a failure, each of the shape of `cost`.

        The shape of `cost` is that of the law, with any number of cutoffs. All values are 0 where
        `where` is False.
        """
        wanted = np.flatnonzero(where)
        most = cost.ravel()[wanted]
        known = most <= self._at[-1] * (1 + ROUNDING)
        place = np.clip(self._at.searchsorted(most), 1, self._at.size - 1)
        low, high = self._at[place - 1], self._at[place]
        share = np.where(known, np.clip((most - low) / (high - low), 0.0, 1.0), np.nan)
        _, _, cutoffs, targets = cost.shape
        row = wanted // (cutoffs * targets) * self._at.size + place
        cell = row * targets + wanted % targets  # of the law: sample and stratum, cutoff, target
        of = self._of.reshape(-1, 3)
        found = of[cell - targets] * (1.0 - share)[:, np.newaxis] + of[cell] * share[:, np.newaxis]
        three = np.zeros((3, cost.size))
        three[:, wanted] = found.T
        chance, spent, failure = three.reshape(3, *cost.shape)
        return chance, spent, failure


def _chosen(law: Law, at: NDArray[np.intp] | None) -> Law:
    return law if at is None else law.part(at)


def _require(law: Law, budget: float) -> None:
    last = law.cutoffs[-1] if law.cutoffs.size else 0.0
    if last < budget:
        raise NotObserved(f"budget {budget:g}: launches were observed up to {last:g}")
