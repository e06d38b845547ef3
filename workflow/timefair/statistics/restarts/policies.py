"""Cost of an algorithm under a restart policy, computed from the law of its launches.

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

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.restarts.launch_law import Law, NotObserved
from timefair.statistics.restarts.launch_sequences import Laws

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


def until_they_return(law: Law, budget: float) -> Outcome:
    """Independent restarts: each launch ends by itself.

    Raises NotObserved if the law ends before the budget.
    """
    _require(law, budget)
    last = int(np.searchsorted(law.cutoffs, budget))
    each = fixed_cutoffs(law, budget, np.array([last]))
    return Outcome(each.cost[:, :, 0], each.chance[:, :, 0])


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
