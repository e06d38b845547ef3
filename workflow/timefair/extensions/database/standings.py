"""Average ranks from the costs of runs to targets, and how certain they are.

The rules are those of the table `comparison`: two algorithms are compared on a function by the
targets to which each has the smaller ERT, within the cost up to which the runs of both are known,
and over functions by Wilcoxon's signed-rank test.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from timefair.records.rundata.evaluation_cost import UsedByRuns
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
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


def spaces(runs: Runs, analysis: Analysis) -> Iterator[tuple[str, int, Costs]]:
    """Each suite and dimension, with the costs of its runs."""
    for suite, dimension in runs.frame[["suite", "dimension"]].drop_duplicates().to_numpy():
        here = (runs.frame["suite"] == suite) & (runs.frame["dimension"] == dimension)
        used = UsedByRuns.of(runs.where(here.to_numpy()), analysis)
        yield str(suite), int(dimension), Costs(used)


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

    def _within(
        self, who: int | NDArray[np.intp], function: int, limits: Floats
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Cost and success of algorithms' runs within limits, their shape and (runs, targets)."""
        limit = limits[..., np.newaxis, np.newaxis]
        times = self.times[who, function]
        there = self.of.there[who, function][..., np.newaxis]
        success = (times <= np.minimum(limit, np.finfo(np.float64).max)) & there
        end = np.minimum(self.ends[who, function][..., np.newaxis], limit)
        return np.where(success, times, end) * there, success

    @cached_property
    def gains(self) -> Floats:
        """By how many of the targets, as a share, the first is better than the second, less those
        by which it is worse; shape (functions, algorithms, algorithms)."""
        every = np.arange(len(self.of.labels))
        found = np.empty((len(self.of.functions), every.size, every.size))
        for k in range(len(found)):
            limits = self.limits[:, k]
            costs, success = self._within(every[np.newaxis], k, limits[:, np.newaxis])
            erts = _ert(costs.sum(axis=2), success.sum(axis=2))  # (limits, algorithms, targets)
            lower = limits[:, np.newaxis] <= limits[np.newaxis]
            pair = np.where(lower, every[:, np.newaxis], every[np.newaxis])  # whose limit it is
            first, second = erts[pair, every[:, np.newaxis]], erts[pair, every[np.newaxis]]
            found[k] = (first < second).mean(axis=2) - (second < first).mean(axis=2)
        return found

    def standings(
        self,
        label: str,
        among: Sequence[str],
        groups: Mapping[str, Sequence[int]],
        confidence: float,
        rng: np.random.Generator,
    ) -> dict[str, Standing]:
        """Where an algorithm stands among others on each group of functions."""
        labels = self.of.labels
        me = labels.index(label)
        others = np.array([k for k, name in enumerate(labels) if k != me and name in among])
        drawn = self._drawn(me, others, rng)
        found = {}
        for name, functions in groups.items():
            on = [k for k, f in enumerate(self.of.functions) if f in functions]
            runs = self.of.runs[me, on].mean()
            # n runs drawn from n have (n - 1)/n of the variance; two measurements have twice that
            # of one.
            wider = np.sqrt(2 * runs / (runs - 1)) if runs > 1 else np.nan
            spread = float(drawn[on].mean(axis=0).std(ddof=1) * wider)
            found[name] = self._standing([me, *others], on, spread, confidence)
        return found

    def _standing(
        self, chosen: list[int], on: list[int], spread: float, confidence: float
    ) -> Standing:
        """That of the first of some algorithms on some functions."""
        gains = self.gains[np.ix_(on, chosen, chosen)]
        ranks = 0.5 + (1 - _wins(gains).mean(axis=0)).sum(axis=1)
        level = (1 - confidence) / max(len(chosen) - 1, 1)
        sure: dict[float, list[str]] = {1.0: [], -1.0: []}
        for k, name in enumerate(self.of.labels[other] for other in chosen[1:]):
            gain = gains[:, 0, k + 1]
            test, side = wilcoxon(-gain, np.zeros(gain.size)), np.sign(_wins(gain).mean() - 0.5)
            if test.p <= level and side * test.balance > 0:
                sure[float(side)].append(name)
        reach = -ndtri((1 - confidence) / 2) * spread
        return Standing(
            labels=tuple(self.of.labels[k] for k in chosen),
            ranks=ranks,
            rank=float(ranks[0]),
            low=float(np.maximum(ranks[0] - reach, 1.0)),
            high=float(np.minimum(ranks[0] + reach, len(chosen))),
            better=tuple(sure[1.0]),
            worse=tuple(sure[-1.0]),
        )

    def _drawn(self, me: int, others: NDArray[np.intp], rng: np.random.Generator) -> Floats:
        """Ranks on each function with the runs of the algorithm drawn again, (functions, draws)."""
        ranks = np.empty((len(self.of.functions), SAMPLES))
        for k in range(len(ranks)):
            limits = np.minimum(self.limits[others, k], self.limits[me, k])
            n = int(self.of.runs[me, k])
            drawn = rng.multinomial(n, np.full(n, 1 / n), SAMPLES).astype(np.float64)
            parts = (part[:, :n].astype(np.float64) for part in self._within(me, k, limits))
            mine = _ert(*(np.einsum("sr,ort->sot", drawn, part) for part in parts))
            theirs = _ert(*(part.sum(axis=1) for part in self._within(others, k, limits)))
            gains = (mine < theirs).mean(axis=2) - (theirs < mine).mean(axis=2)
            ranks[k] = 1 + (1 - _wins(gains)).sum(axis=1)
        return ranks


def _ert(cost: Floats, successes: NDArray[Any]) -> Floats:
    """Sums of costs over numbers of successes; `inf` without one."""
    none = np.full(cost.shape, np.inf)
    return np.asarray(np.divide(cost, successes, out=none, where=successes > 0))


def _wins(gains: Floats) -> Floats:
    """1 where a gain is positive, 0.5 where it is 0."""
    return np.asarray((gains > 0) + 0.5 * (gains == 0))
