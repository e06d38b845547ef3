"""The race of a whole campaign: who gets the next runs on which function, by the mean A12."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import ndtr

from timefair.statistics.checks import check_confidence
from timefair.statistics.run_count.stopping import checked_values, equal_if_solved

PSEUDO_WINS = 4.0
"""Wins, and as many losses, that are added to the comparisons of a pair before its variance is
taken from its mean A12. With them, the standard error of a complete separation on one function is
within 15 % of that of the exact permutation test."""

USUAL_GROWTH = 3
"""The confidence sequence is narrowest when every algorithm has this multiple of its first runs."""


@dataclass(frozen=True)
class PairsOverFunctions:
    """The mean A12 of pairs of algorithms over functions.

    - `a12`: Mean over the functions of the probability that a run of the first algorithm is better
      than one of the second, plus half of that of a tie; shape (pairs,).
    - `variance`: Estimated variance of `a12`, shape (pairs,).
    - `parts`: Contribution of one run of each algorithm to the variance on each function, shape
      (pairs, 2, functions): `variance` is the sum of ``parts / runs``.
    """

    a12: NDArray[np.float64]
    variance: NDArray[np.float64]
    parts: NDArray[np.float64]


def pairs_over_functions(
    samples: Sequence[Sequence[ArrayLike]], pairs: Sequence[tuple[int, int]]
) -> PairsOverFunctions:
    """Estimate the mean A12 of pairs of algorithms, from any numbers of runs.

    - `samples`: For each function, the results of each algorithm. Smaller is better; `inf` is worst
      and equal to itself.
    - `pairs`: Indices of the two algorithms of each pair; may be empty.

    Raises ValueError if there is no function, a sample of a pair has fewer than 2 results, or a
    result is NaN or ``-inf``. The variance on a function is that of the placements (DeLong), at
    least that of an A12 to which `PSEUDO_WINS` wins and losses were added (Hanley and McNeil).

    Source: E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under two or
    more correlated receiver operating characteristic curves, Biometrics 44 (1988). J. A. Hanley and
    B. J. McNeil, The meaning and use of the area under a ROC curve, Radiology 143 (1982).
    """
    functions, places = len(samples), np.array(pairs, dtype=np.int64).reshape(-1, 2)
    if not functions:
        raise ValueError("a comparison over functions needs at least one function")
    involved = sorted(set(places.ravel().tolist()))
    within = {place: k for k, place in enumerate(involved)}
    first, second = (np.array([within[p] for p in side], dtype=np.int64) for side in places.T)
    means = np.empty((functions, len(places)))
    parts = np.empty((len(places), 2, functions))
    for f, results in enumerate(samples):
        field = _Placements([checked_values(results[place], dimensions=1) for place in involved])
        means[f] = field.mean[first, second]
        parts[:, :, f] = _parts(field, first, second, PSEUDO_WINS / functions)
    variance = np.zeros(len(places))
    for side, place in enumerate((first, second)):
        sizes = np.array([[len(results[involved[k]]) for results in samples] for k in place])
        variance += (parts[:, side] / sizes.reshape(len(places), functions)).sum(axis=1)
    a12 = means.mean(axis=0) if len(places) else np.empty(0)
    return PairsOverFunctions(a12, variance / functions**2, parts / functions**2)


class _Placements:
    """Where the runs of each algorithm are among those of each other one.

    `n` are the numbers of runs, shape (k,). Of shape (k, k) are: `mean`, the A12 of each algorithm
    against each other one, `variance`, that of the placements of the runs of the first among the
    second, and `untied`, the share of the comparisons that are no ties.
    """

    def __init__(self, samples: Sequence[NDArray[np.float64]]) -> None:
        self.n = np.array([sample.size for sample in samples])
        if (self.n < 2).any():
            raise ValueError("a comparison over functions needs at least 2 runs of an algorithm")
        ends = np.concatenate([[0], np.cumsum(self.n)])
        together, starts = np.concatenate(samples), ends[:-1]
        self.mean, self.variance, self.untied = np.empty((3, len(samples), len(samples)))
        for other, sample in enumerate(samples):
            ordered = np.sort(sample)
            not_above = np.searchsorted(ordered, together, "right") / sample.size
            below = np.searchsorted(ordered, together, "left") / sample.size
            better = 1.0 - 0.5 * (not_above + below)
            self.mean[:, other] = np.add.reduceat(better, starts) / self.n
            deviation = better - np.repeat(self.mean[:, other], self.n)
            self.variance[:, other] = np.add.reduceat(deviation**2, starts) / (self.n - 1)
            self.untied[:, other] = 1.0 - np.add.reduceat(not_above - below, starts) / self.n


def _parts(
    field: _Placements, first: NDArray[np.int64], second: NDArray[np.int64], pseudo: float
) -> NDArray[np.float64]:
    """Variance per run of both algorithms of each pair, shape (pairs, 2)."""
    m, n = field.n[first], field.n[second]
    own, others = field.variance[first, second], field.variance[second, first]
    size = 2 * m * n / (m + n)
    p = (size * field.mean[first, second] + pseudo) / (size + 2 * pseudo)
    untied = (size * field.untied[first, second] + 2 * pseudo) / (size + 2 * pseudo)
    per_run = 0.5 * p * (1 - p) * ((1 - p) / (2 - p) + p / (1 + p))
    least = untied * (p * (1 - p) + (m + n - 2) * per_run) / (m * n)
    short = own / m + others / n < least
    even = least * size / 2
    return np.stack([np.where(short, even, own), np.where(short, even, others)], axis=1)


@dataclass(frozen=True)
class MeanSequence:
    """A confidence sequence for an approximately normal mean: valid at all looks simultaneously.

    `confidence` is the probability that no interval of the sequence misses the mean,
    asymptotically. The intervals are narrowest at `usual_variance`, which must be chosen before the
    data. Neither the number of looks nor the reason to stop has to be known in advance.

    Source: H. Robbins, Statistical methods related to the law of the iterated logarithm, Annals of
    Mathematical Statistics 41 (1970). I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A.
    Ramdas, Time-uniform central limit theory and asymptotic confidence sequences, Annals of
    Statistics 52 (2024).
    """

    confidence: float
    usual_variance: float

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        if not 0.0 < self.usual_variance < math.inf:
            raise ValueError(f"usual_variance must be positive, not {self.usual_variance}")

    @cached_property
    def _mixture(self) -> float:
        """Information of the mixture's drifts."""
        doubled = 2.0 * math.log(1.0 / (1.0 - self.confidence))
        return 1.0 / (self.usual_variance * (doubled + math.log1p(doubled)))

    def radius(self, variance: ArrayLike) -> NDArray[np.float64]:
        """Distance of the limits from estimates with these variances; 0 for a variance of 0."""
        v = np.asarray(variance, dtype=np.float64)
        share = np.maximum(self._mixture * v, np.finfo(np.float64).tiny)
        log = np.log1p(1.0 / share) - 2.0 * math.log(1.0 - self.confidence)
        return np.asarray(np.sqrt(v * (1.0 + share) * log))

    def variance_for(self, distance: float) -> float:
        """The largest variance of an estimate for which `radius` is at most a positive distance."""
        high = distance**2
        return float(brentq(lambda v: float(self.radius(v)) - distance, 0.0, high, xtol=1e-12))


def usual_sequence(confidence: float, functions: int, start: int) -> MeanSequence:
    """The confidence sequence for a mean A12 that is narrowest when each algorithm has
    `USUAL_GROWTH` times `start` runs on each function.
    """
    n = USUAL_GROWTH * start
    return MeanSequence(confidence, (2 * n + 1) / (12 * n * n * functions))


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


@dataclass(frozen=True)
class Standing:
    """The pairs of algorithms of a race after a look.

    Of shape (pairs,) are `radius`, the distance of the limits of the confidence sequence from the
    mean A12, `decided_at`, the look at which the pair was decided (0 if it is not), and `better`: 1
    if the first algorithm is stated to be better, -1 if the second one is, 0 without a statement.
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
    """The runs of the next round, in arrays of shape (algorithms, functions).

    `pair` is the first pair that needs them (-1 without runs), and `why` the reason (`Why`) if
    there are none.
    """

    more: NDArray[np.int64]
    pair: NDArray[np.int64]
    why: NDArray[np.str_]


@dataclass(frozen=True)
class CampaignRace:
    """Judge pairs of algorithms by their mean A12 over functions, at every look.

    A pair is decided at the first look at which the confidence sequence of its mean A12 does not
    contain 0.5.

    - `start`: Number of runs of each algorithm on each function at the first look, at least 2.
    - `confidence`: Probability that no pair is decided in the wrong order, over all looks; it is
      divided equally among the pairs (Bonferroni).
    - `family`: Number of pairs that share the error probability; by default, those of this race. It
      is larger if there are races in several dimensions.
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
        """The pairs after one more look at the results so far, as in `pairs_over_functions`."""
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
        """Choose the runs of the next round; none if all pairs are decided or out of reach.

        Each open pair has the cheapest runs that would decide it if its estimate did not change.
        The value of a pair is the probability that at most `cap` runs decide it, divided by the
        cost of these runs; pairs get their runs in the order of their values.

        - `runs`, `costs`: Runs so far, and positive cost of one, shape (algorithms, functions).
        - `cap`: Greatest number of runs of an algorithm on a function.
        - `budget`: Largest cost of the next round, in the same unit.
        - `block`: Numbers of runs are multiples of this number, such as the number of instances.

        Source: J. Neyman, On the two different aspects of the representative method, Journal of the
        Royal Statistical Society 97 (1934). P. I. Frazier, W. B. Powell and S. Dayanik, A
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
        why = np.full(now.shape, "", dtype="U20")
        waiting = needs.value > 0
        places = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        for algorithm in range(len(now)):
            own = (places == algorithm).any(axis=1)
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
    """The race of all pairs of algorithms in one of several dimensions, which share the error."""
    pairs = tuple(combinations(range(algorithms), 2))
    return CampaignRace(pairs, functions, start, confidence, family=len(pairs) * dimensions)


LEAST_RUNS = 2
"""Number of runs of an algorithm on a function that a round needs to be judged."""


def judged(
    runs: Any,
    algorithms: Sequence[str],
    confidence: float,
    final_target: float | None,
    family: int | None = None,
) -> tuple[CampaignRace, Standing] | None:
    """The race of all pairs of some algorithms, from the columns of their runs in one dimension.

    The pairs are indices of `algorithms`. None if one of these has fewer than `LEAST_RUNS` runs on
    a function in the first round.
    """
    functions = np.unique(np.asarray(runs["function"]))
    if not functions.size:
        return None
    start = min(len(own) for row in results_at(1, runs, functions, algorithms, None) for own in row)
    if start < LEAST_RUNS:
        return None
    pairs = tuple(combinations(range(len(algorithms)), 2))
    race = CampaignRace(pairs, len(functions), start, confidence, family)
    standing = None
    for look in range(1, int(np.max(runs["round"])) + 1):
        standing = race.look(results_at(look, runs, functions, algorithms, final_target), standing)
    assert standing is not None
    return race, standing


def results_at(
    look: int,
    runs: Any,
    functions: ArrayLike,
    algorithms: Sequence[str],
    final_target: float | None,
) -> list[list[NDArray[np.float64]]]:
    """For each function, the results of each algorithm in the rounds up to one.

    `runs` has the columns algorithm, function, instance, round, best_precision, and f_opt, NaN
    where the optimum is unknown.
    """
    seen = np.asarray(runs["round"]) <= look
    names = ("algorithm", "function", "instance", "best_precision", "f_opt")
    algorithm, function, instance, precision, f_opt = (np.asarray(runs[k])[seen] for k in names)
    results = pooled_results(
        precision, np.isnan(f_opt), np.stack([function, instance]), final_target
    )
    return [
        [results[(function == f) & (algorithm == label)] for label in algorithms]
        for f in np.asarray(functions)
    ]


def pooled_results(
    precision: ArrayLike, unknown: ArrayLike, problems: ArrayLike, final_target: float | None
) -> NDArray[np.float64]:
    """Results by which runs are compared; results on several instances can be pooled.

    Where the optimum is unknown, the best value of these runs on the same problem is subtracted.
    The result of a run therefore depends on which runs there are.

    - `precision`, `unknown`, `final_target`: As for `equal_if_solved`.
    - `problems`, shape (numbers, runs): Numbers that identify the problem of each run.
    """
    best = np.asarray(precision, dtype=np.float64)
    _, problem = np.unique(np.asarray(problems), axis=1, return_inverse=True)
    least = np.full(problem.max(initial=-1) + 1, np.inf)
    np.fmin.at(least, problem.ravel(), best)
    reference = np.where(np.isfinite(least), least, 0.0)[problem.ravel()]
    return equal_if_solved(best - np.where(unknown, reference, 0.0), unknown, final_target)
