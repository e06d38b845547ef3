"""Average ranks from the costs of runs to targets, and how certain they are.

The rules are those of the table `comparison`: two algorithms are compared on a function by the
targets to which each has the smaller ERT, within the cost up to which the runs of both are known,
and over functions by Wilcoxon's signed-rank test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from timefair.records.rundata.evaluation_cost import UsedByRuns
from timefair.statistics.comparison import wilcoxon
from timefair.statistics.evaluation_cost import at_cost, known_until

Floats = NDArray[np.float64]
EVALUATIONS = float("inf")
"""The evaluation cost beside which an algorithm's own time does not count."""
SAMPLES = 400


@dataclass(frozen=True)
class Standing:
    """Where an algorithm stands by one measure.

    - `labels`, `ranks`: Of all algorithms, with their average ranks.
    - `rank`, `low`, `high`: Its own average rank; the interval that has the rank of a second
      measurement on these functions, with other seeds. NaN for one run of a function.
    - `better`, `worse`: Those that it is significantly better than, and worse than.
    """

    labels: tuple[str, ...]
    ranks: Floats
    rank: float
    low: float
    high: float
    better: tuple[str, ...]
    worse: tuple[str, ...]

    @property
    def position(self) -> int:
        """Its place among all, 1 for the best."""
        return 1 + int((self.ranks < self.rank - 1e-9).sum())


class Costs:
    """What runs spent, by algorithm and function; shapes (algorithms, functions, runs[, targets]).

    - `used`: The runs of one suite and dimension, every algorithm on every function.
    """

    def __init__(self, used: UsedByRuns) -> None:
        problems = used.problems
        names = [set(problem.algorithms) for problem in problems]
        self.labels = tuple(sorted(set.intersection(*names)))
        self.functions = tuple(int(problem.names["function"]) for problem in problems)
        rows = [[p.rows[p.algorithms[label]] for p in problems] for label in self.labels]
        self.runs = np.array([[len(some) for some in of] for of in rows])
        places = np.zeros((*self.runs.shape, self.runs.max()), dtype=np.intp)
        self.there = np.arange(places.shape[-1]) < self.runs[..., np.newaxis]
        places[self.there] = np.concatenate([some for of in rows for some in of])
        reached = used.seconds.success
        self.seconds = np.where(reached, used.seconds.cost, np.inf)[places]
        self.evaluations = np.where(reached, used.rounds.cost, np.inf)[places]
        self.end_s, self.known_s = used.runs.spent("seconds")[places], used.observed_s[places]
        self.end = used.runs.spent("evaluations")[places]
        self.known = used.observed_rounds[places]

    def at(self, cost_s: float) -> At:
        """Costs of runs if an evaluation costs so many seconds more; `EVALUATIONS`: in these."""
        if cost_s == EVALUATIONS:
            times, ends, known = self.evaluations, self.end, self.known
        else:
            times = at_cost(self.seconds, self.evaluations, cost_s)
            ends = at_cost(self.end_s, self.end, cost_s)
            known = known_until(self.known_s.ravel(), self.known.ravel(), cost_s)
            known = known.reshape(ends.shape)
        known = np.where(self.there, known, np.inf)
        limits = known.min(axis=2)
        if cost_s == 0:  # a budget cuts all at the same time, and runs stamp it a little before
            cut = limits[np.isfinite(limits)]
            limits = np.where(limits > 0.95 * cut.max(initial=0), cut.max(initial=0), limits)
        return At(self, times, ends, limits)


@dataclass(frozen=True)
class At:
    """Costs of runs at one evaluation cost, and the cost up to which those of a cell are known."""

    of: Costs
    times: Floats
    ends: Floats
    limits: Floats

    def _within(self, function: int, who: slice | int, limits: Floats) -> tuple[Floats, Floats]:
        """Cost and success of some algorithms' runs within limits, (limits, algorithms, ...)."""
        limit = limits[:, np.newaxis, np.newaxis, np.newaxis]
        times = self.times[who, function][np.newaxis]
        success = times <= np.minimum(limit, np.finfo(np.float64).max)
        end = np.minimum(self.ends[who, function][np.newaxis, ..., np.newaxis], limit)
        there = self.of.there[who, function][np.newaxis, ..., np.newaxis]
        return np.where(success, times, end) * there, success & there

    @cached_property
    def gains(self) -> Floats:
        """By how many of the targets, as a share, the first is better than the second, less those
        by which it is worse; shape (functions, algorithms, algorithms)."""
        every = np.arange(len(self.of.labels))
        found = np.empty((len(self.of.functions), every.size, every.size))
        for k in range(len(found)):
            limits = self.limits[:, k]
            costs, success = self._within(k, slice(None), limits)
            erts = _ert(costs.sum(axis=2), success.sum(axis=2))  # (limits, algorithms, targets)
            lower = limits[:, np.newaxis] <= limits[np.newaxis]
            pair = np.where(lower, every[:, np.newaxis], every[np.newaxis])  # whose limit it is
            first, second = erts[pair, every[:, np.newaxis]], erts[pair, every[np.newaxis]]
            found[k] = (first < second).mean(axis=2) - (second < first).mean(axis=2)
        return found

    def standing(
        self,
        label: str,
        *,
        among: Sequence[str] = (),
        functions: Sequence[int] = (),
        confidence: float,
        rng: np.random.Generator,
    ) -> Standing:
        """Where an algorithm stands.

        - `among`: The others, by default all. - `functions`: Numbers, by default all.
        """
        of = self.of
        me = of.labels.index(label)
        others = [k for k, name in enumerate(of.labels) if k != me and (not among or name in among)]
        on = [k for k, f in enumerate(of.functions) if not functions or f in functions]
        chosen = [me, *others]
        gains = self.gains[np.ix_(on, chosen, chosen)]
        ranks = 0.5 + (1 - _wins(gains).mean(axis=0)).sum(axis=1)
        tests = [wilcoxon(-gains[:, 0, k], np.zeros(len(on))) for k in range(1, len(chosen))]
        level = (1 - confidence) / max(len(others), 1)
        shares = _wins(gains[:, 0]).mean(axis=0)[1:]
        sure = [test.p <= level and (s - 0.5) * test.balance > 0
                for test, s in zip(tests, shares, strict=True)]  # fmt: skip
        names = [of.labels[k] for k in others]
        won = [s > 0.5 for s in shares]
        spread = self._spread(me, others, on, rng)
        reach = -ndtri((1 - confidence) / 2) * spread
        return Standing(
            labels=tuple(of.labels[k] for k in chosen),
            ranks=ranks,
            rank=float(ranks[0]),
            low=float(max(ranks[0] - reach, 1.0)),
            high=float(min(ranks[0] + reach, len(chosen))),
            better=tuple(n for n, s, w in zip(names, sure, won, strict=True) if s and w),
            worse=tuple(n for n, s, w in zip(names, sure, won, strict=True) if s and not w),
        )

    def _spread(
        self, me: int, others: Sequence[int], on: Sequence[int], rng: np.random.Generator
    ) -> float:
        """Standard deviation of the difference of the average ranks of two measurements.

        The runs of the algorithm are drawn again on each function; n runs drawn from n have (n -
        1)/n of the variance, and the difference has twice that of one measurement.
        """
        won = np.zeros((SAMPLES, len(others)))
        runs = self.of.runs[me, on]
        if runs.min() < 2:
            return float("nan")
        for k in on:
            n = int(self.of.runs[me, k])
            drawn = rng.multinomial(n, np.full(n, 1 / n), SAMPLES).astype(np.float64)
            limits = np.minimum(self.limits[others, k], self.limits[me, k])
            costs, success = (part[:, 0, :n] for part in self._within(k, slice(me, me + 1), limits))
            mine = _ert(
                np.einsum("sr,ort->sot", drawn, costs),
                np.einsum("sr,ort->sot", drawn, success.astype(np.float64)),
            )
            theirs = np.empty_like(mine[0])
            for place, (other, limit) in enumerate(zip(others, limits, strict=True)):
                spent, reached = self._within(k, slice(other, other + 1), limit[np.newaxis])
                theirs[place] = _ert(spent[0, 0].sum(axis=0), reached[0, 0].sum(axis=0))
            won += _wins((mine < theirs).mean(axis=2) - (theirs < mine).mean(axis=2))
        ranks = (1 - won / len(on)).sum(axis=1)
        return float(ranks.std(ddof=1) * np.sqrt(2 * (n_mean := runs.mean()) / (n_mean - 1)))


def _ert(cost: Floats, successes: Floats) -> Floats:
    """Sums of costs over numbers of successes; `inf` without one."""
    return np.divide(cost, successes, out=np.full(cost.shape, np.inf), where=successes > 0)


def _wins(gains: Floats) -> Floats:
    """1 where a gain is positive, 0.5 where it is 0."""
    return np.asarray((gains > 0) + 0.5 * (gains == 0))
