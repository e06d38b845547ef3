"""Racing over a whole campaign: which pairs are decided, and where the next runs decide most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from timefair.statistics.run_count.over_functions import (
    MeanSequence,
    PairsOverFunctions,
    pairs_over_functions,
    usual_sequence,
)

CHANCE = 0.05
"""A pair is out of reach if its estimated probability of being decided with the greatest number of
runs is smaller."""

MARGIN = 0.9
"""Share of the present distance from 0.5 at which the next runs of a pair aim, because the distance
may turn out smaller."""

GROWTH = 2
"""The runs of an algorithm on a function at most double from look to look, because what says where
runs are needed is an estimate itself."""

FOCUS = 0.1
"""A pair waits for a later round if its value is a smaller share of that of the first pair."""

HALVINGS = 60

Samples = Sequence[Sequence[ArrayLike]]
"""For each function the results of each algorithm."""


class Why(StrEnum):
    """Why an algorithm has no further run on a function in a round."""

    DECIDED = "decided"  # all pairs of the algorithm are decided
    OUT_OF_REACH = "out of reach"  # the greatest number of runs hardly decides its other pairs
    ELSEWHERE = "elsewhere"  # runs on other functions decide its pairs sooner
    BUDGET = "budget"  # the core-seconds of the round are needed for other pairs
    CAP = "cap"  # it has the greatest number of runs
    NOT_ASKED = "not asked"  # the question is not about it


@dataclass(frozen=True)
class Standing:
    """The pairs of algorithms of a race after a look.

    Attributes
    ----------
    look
        Number of the look, from 1.
    estimates
        The mean A12 of the pairs, with variances.
    radius
        Distance of the limits of the confidence sequence from the mean A12, shape (pairs,).
    decided_at
        The look at which each pair was decided; 0 if it is not. Shape (pairs,).
    better
        1 where the first algorithm is stated to be better, -1 where the second one is, 0 where
        nothing is stated. Shape (pairs,).
    """

    look: int
    estimates: PairsOverFunctions
    radius: NDArray[np.float64]
    decided_at: NDArray[np.int64]
    better: NDArray[np.int64]

    @property
    def is_open(self) -> NDArray[np.bool_]:
        """Which pairs are not decided."""
        return np.asarray(self.decided_at == 0)


@dataclass(frozen=True)
class Grant:
    """The runs of the next round.

    Attributes
    ----------
    more
        Further runs of each algorithm on each function, shape (algorithms, functions).
    pair
        The first pair that needs these runs; -1 without runs. The same shape.
    why
        Reason (`Why`) if there are no runs; empty otherwise. The same shape.
    """

    more: NDArray[np.int64]
    pair: NDArray[np.int64]
    why: NDArray[np.str_]


@dataclass(frozen=True)
class CampaignRace:
    """Judge pairs of algorithms by their mean A12 over functions, at every look.

    A pair is decided at the first look at which the confidence sequence of its mean A12 does not
    contain 0.5.

    Parameters
    ----------
    pairs : tuple of (int, int)
        Indices of the two algorithms of each pair to decide.
    functions : int
        Number of functions.
    start : int
        Number of runs of each algorithm on each function at the first look, at least 2.
    confidence : float
        Probability, in (0, 1), that no pair is decided in the wrong order, over all looks. If the
        mean A12 of a pair is 0.5, each order is wrong.
    family : int, optional
        Number of pairs that share the error probability; by default, those of this race. It is
        larger if there are races in several dimensions.

    Notes
    -----
    The error probability is divided equally among the pairs (Bonferroni), which is valid for any
    dependence between them. The confidence sequences (`over_functions.MeanSequence`) are valid at
    all looks, asymptotically: they treat the mean A12 as normally distributed and its variance as
    known. This is proved for numbers of runs that do not depend on the results. In a race, the
    results so far determine the next runs; simulations show that this does not increase the error
    (``benchmarks/campaign_race.py``).
    """

    pairs: tuple[tuple[int, int], ...]
    functions: int
    start: int
    confidence: float = 0.95
    family: int | None = None

    @cached_property
    def sequence(self) -> MeanSequence:
        """The confidence sequence of each pair."""
        each = (1.0 - self.confidence) / max(self.family or len(self.pairs), 1)
        return usual_sequence(1.0 - each, self.functions, self.start)

    def look(self, samples: Samples, before: Standing | None = None) -> Standing:
        """The pairs after one more look.

        Parameters
        ----------
        samples
            For each function, the results of each algorithm so far, as in `pairs_over_functions`.
        before
            Result of the previous look; None at the first look.
        """
        found = pairs_over_functions(samples, self.pairs)
        radius = self.sequence.radius(found.variance)
        decided_at, better = np.zeros((2, len(self.pairs)), dtype=np.int64)
        look = 1
        if before is not None:
            look += before.look
            decided_at, better = before.decided_at.copy(), before.better.copy()
        new = (decided_at == 0) & (np.abs(found.a12 - 0.5) > radius)
        decided_at[new] = look
        better[new] = np.sign(found.a12[new] - 0.5).astype(np.int64)
        return Standing(look, found, radius, decided_at, better)

    def grant(
        self,
        standing: Standing,
        runs: ArrayLike,
        costs: ArrayLike,
        cap: int,
        budget: float = np.inf,
        block: int = 1,
    ) -> Grant:
        """Choose the runs of the next round.

        For each open pair, this method computes the cheapest runs that would decide the pair if its
        estimate did not change. The value of a pair is the estimated probability that at most `cap`
        runs decide it, divided by the cost of these runs. Pairs get their runs in the order of
        their values.

        Parameters
        ----------
        standing
            The latest look.
        runs
            Runs so far, shape (algorithms, functions).
        costs
            Cost of one run, positive, in any unit; the same shape.
        cap
            Greatest number of runs of an algorithm on a function.
        budget
            Largest cost of the next round, in the same unit.
        block
            Numbers of runs are multiples of this number, such as the number of instances.

        Returns
        -------
        Grant
            The chosen runs. There are none if all pairs are decided or out of reach.

        Notes
        -----
        The cheapest numbers of runs for which a mean over functions has a given variance are
        proportional to the square root of the variance of a run divided by its cost (Neyman 1934).
        Here, they are limited by the present number of runs and by the cap. The order of the pairs
        is a knowledge gradient (Frazier et al. 2008) of decisions instead of means.

        References
        ----------
        J. Neyman, On the two different aspects of the representative method, Journal of the Royal
        Statistical Society 97 (1934). P. I. Frazier, W. B. Powell and S. Dayanik, A
        knowledge-gradient policy for sequential information collection, SIAM Journal on Control and
        Optimization 47 (2008).
        """
        now, each = np.array(runs, dtype=np.int64), np.asarray(costs, dtype=np.float64)
        more, asked = np.zeros_like(now), np.full(now.shape, -1)
        left, served = budget, np.zeros(len(self.pairs), dtype=np.bool_)
        needs = self._needs(standing, now, each, cap)
        for place in needs.order:
            cells = np.array(self.pairs[place])
            least = np.minimum(needs.runs[place], np.minimum(GROWTH * now[cells], cap))
            blocks = np.ceil((least - now[cells]) / block).astype(np.int64)
            wanted = np.minimum(blocks * block, (cap - now[cells]) // block * block)
            extra = np.maximum(wanted - more[cells], 0)
            affordable = _affordable(extra, each[cells], left, block)
            newly = (more[cells] == 0) & (affordable > 0)
            asked[cells] = np.where(newly, place, asked[cells])
            more[cells] += affordable
            left -= float((affordable * each[cells]).sum())
            served[place] = True
            if (affordable < extra).any():
                break
        return Grant(more, asked, self._why(standing, now, more, cap, served, needs, block))

    def _needs(
        self,
        standing: Standing,
        now: NDArray[np.int64],
        costs: NDArray[np.float64],
        cap: int,
    ) -> _Needs:
        """What the open pairs need, and which of them is served first."""
        places = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        parts, distance = standing.estimates.parts, np.abs(standing.estimates.a12 - 0.5)
        have, cost = now[places].astype(np.float64), costs[places]
        most = np.maximum(have, cap)
        least_variance = (parts / most).sum(axis=(1, 2))
        spread = np.sqrt(np.maximum(standing.estimates.variance - least_variance, 1e-12))
        radius = self.sequence.radius(least_variance)
        chance = ndtr((distance - radius) / spread) + ndtr((-distance - radius) / spread)
        goal = np.array([self._goal(one) for one in MARGIN * distance])
        runs = _cheapest(parts, have, most, cost, goal)
        price = ((runs - have) * cost).sum(axis=(1, 2))
        in_reach = standing.is_open & (chance >= CHANCE) & (price > 0)
        value = np.divide(chance, price, out=np.zeros(price.shape), where=in_reach)
        return _Needs(runs, value)

    def _goal(self, distance: float) -> float:
        return self.sequence.variance_for(distance) if distance > 1e-6 else 0.0

    def _why(
        self,
        standing: Standing,
        now: NDArray[np.int64],
        more: NDArray[np.int64],
        cap: int,
        served: NDArray[np.bool_],
        needs: _Needs,
        block: int,
    ) -> NDArray[np.str_]:
        why = np.full(now.shape, Why.NOT_ASKED.value, dtype="U20")
        waiting = needs.value > 0
        places = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        for algorithm in range(len(now)):
            own = (places == algorithm).any(axis=1)
            if not own.any():
                continue
            if not (own & standing.is_open).any():
                why[algorithm] = Why.DECIDED
            elif not (own & waiting).any():
                why[algorithm] = Why.OUT_OF_REACH
            elif (own & served).any():
                why[algorithm] = Why.ELSEWHERE
            else:
                why[algorithm] = Why.BUDGET
            if (own & standing.is_open).any():
                why[algorithm][now[algorithm] + block > cap] = Why.CAP
        why[more > 0] = ""
        return why


@dataclass(frozen=True)
class _Needs:
    """What would decide the pairs.

    `runs` has the shape (pairs, 2, functions); `value`, of shape (pairs,), is the chance of a
    decision divided by its costs, and 0 for a pair that is decided or out of reach.
    """

    runs: NDArray[np.float64]
    value: NDArray[np.float64]

    @property
    def order(self) -> list[int]:
        """Pairs to serve, the best first."""
        least = FOCUS * self.value.max(initial=0.0)
        ranked = np.argsort(-self.value, kind="stable")
        return [int(k) for k in ranked if self.value[k] > 0 and self.value[k] >= least]


def _cheapest(
    parts: NDArray[np.float64],
    have: NDArray[np.float64],
    most: NDArray[np.float64],
    costs: NDArray[np.float64],
    goal: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The cheapest numbers of runs that give each pair at most the variance `goal`.

    All arrays have the shape (pairs, 2, functions), but `goal` has (pairs,). The runs are `most`
    where the goal cannot be reached.
    """
    ideal = np.sqrt(parts / costs)
    low, high = np.zeros((2, len(parts)))
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = np.where(ideal > 0, most / ideal, 0.0)
    high = bound.max(axis=(1, 2), initial=0.0)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        runs = np.clip(middle[:, None, None] * ideal, have, most)
        enough = (parts / runs).sum(axis=(1, 2)) <= goal
        high, low = np.where(enough, middle, high), np.where(enough, low, middle)
    return np.asarray(np.clip(high[:, None, None] * ideal, have, most))


def _affordable(
    extra: NDArray[np.int64], costs: NDArray[np.float64], budget: float, block: int
) -> NDArray[np.int64]:
    """As much of the wanted runs as the budget pays for, an equal share of each."""
    if float((extra * costs).sum()) <= budget:
        return extra
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        paid = np.floor(middle * extra / block) * block
        low, high = (middle, high) if float((paid * costs).sum()) <= budget else (low, middle)
    return np.asarray(np.floor(low * extra / block) * block, dtype=np.int64)


def ranking_race(
    algorithms: int, functions: int, dimensions: int, start: int, confidence: float
) -> CampaignRace:
    """The race of all pairs of algorithms in one dimension of a campaign.

    Parameters
    ----------
    algorithms, functions, dimensions
        Numbers of algorithms, functions and dimensions. The pairs of all dimensions share the error
        probability.
    start, confidence
        As for `CampaignRace`.
    """
    pairs = tuple(combinations(range(algorithms), 2))
    return CampaignRace(pairs, functions, start, confidence, family=len(pairs) * dimensions)
