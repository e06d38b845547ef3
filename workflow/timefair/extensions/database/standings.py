"""Average ranks from the costs of runs to targets, and how certain they are.

The rules are those of the table `comparison`: two algorithms are compared on a function by the
targets to which each has the smaller ERT, within the cost up to which the runs of both are known;
ratios of seconds within the timing noise are ties.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from timefair.basics.optimum import lengthened
from timefair.exhibits.campaign.outcomes import JOB, slowdowns
from timefair.records.integrity import machine_kinds
from timefair.records.rundata.problems import UsedByRuns
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.evaluation_cost import at_cost, known_until
from timefair.statistics.samples import Floats, per_success

EVALUATIONS = float("inf")
"""The evaluation cost beside which an algorithm's own time does not count."""
SAMPLES = 400


class Standing(NamedTuple):
    """Where an algorithm stands by one measure on some functions.

    - `labels`, `ranks`: Of all algorithms, itself first, with their average ranks.
    - `low`, `high`: The interval that has the average rank of a second measurement on these
      functions, with other seeds. NaN for one run of a function.
    - `gains`, shape (functions, others): By which share of the targets it is better than each.
    """

    labels: tuple[str, ...]
    ranks: Floats
    low: float
    high: float
    gains: Floats

    @property
    def rank(self) -> float:
        return float(self.ranks[0])

    @property
    def position(self) -> int:
        return 1 + int((self.ranks < self.rank - 1e-9).sum())


def spaces(runs: Runs, analysis: Analysis) -> Iterator[Costs]:
    """The costs of the runs of each suite and dimension, or of a suite whose functions each have a
    dimension of their own."""
    slowness = _slowness_of_jobs(runs, analysis)
    for _, of_suite in runs.frame.groupby("suite", sort=False):
        dimensions = of_suite["dimension"]
        own = (dimensions.groupby(of_suite["function"]).nunique() == 1).all()
        for _, rows in of_suite.groupby(dimensions * (not own), sort=False):
            costs = Costs(UsedByRuns.of(runs.where(runs.frame.index.isin(rows.index)), analysis))
            costs.noise, costs.ties = _noise(slowness, costs, analysis.confidence)
            yield costs


def _slowness_of_jobs(runs: Runs, analysis: Analysis) -> Any:
    """The logarithm of the machine's speed in each job, as in the table `timing_noise`."""
    kinds = {name: str(machine_kinds([one])) for name, one in runs.origins.items()}
    machine = runs.frame["algorithm"].map(kinds)
    slow = (
        slowdowns(runs.where((machine == kind).to_numpy()), analysis)
        for kind in sorted(set(kinds.values()))
    )
    known = pd.concat(slow).dropna(subset="slowdown")
    return np.log(known["slowdown"]).groupby([known[name] for name in JOB]).mean()


def _noise(slowness: Any, costs: Costs, confidence: float) -> tuple[Floats, Floats]:
    labels, functions = costs.labels, costs.functions
    by_algorithm = (slowness.pow(k).groupby("algorithm").sum() for k in range(3))
    moments = [one.reindex(labels).to_numpy(np.float64) for one in by_algorithm]
    places = pd.MultiIndex.from_tuples(
        [
            (costs.suite, d, f, label)
            for f, d in zip(functions, costs.dimensions, strict=True)
            for label in labels
        ]
    )
    counts = slowness.groupby(JOB[:4]).size().reindex(places).to_numpy(np.float64)
    jobs = counts.reshape(len(functions), len(labels))
    noise = _deviation(*moments) / np.sqrt(jobs)
    both = [np.add.outer(one, one) for one in moments]
    freedom = stats.t.isf((1 - confidence) / 2, both[0] - 1)
    least = np.minimum(jobs[:, :, np.newaxis], jobs[:, np.newaxis])
    ties = np.exp(freedom * _deviation(*both) * np.sqrt(2 / least))
    return np.nan_to_num(noise), np.nan_to_num(ties, nan=1.0)


def _deviation(count: Floats, total: Floats, squares: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt(np.maximum(squares - total**2 / count, 0) / (count - 1)))


class Costs:
    """What runs spent, by algorithm and function; shapes (algorithms, functions, runs[, targets]).

    - `used`: The runs of one suite, every algorithm on every function.
    - `dimensions`: That of each function.
    - `noise`: Standard deviation of the logarithm of the machine's speed, (functions, algorithms).
    - `ties`: The largest ratio of seconds that is a tie, shape (functions, algorithms, algorithms).
    - `factors`, shape (algorithms,): What seconds are multiplied by.
    """

    def __init__(self, used: UsedByRuns) -> None:
        problems = used.problems
        names = [set(problem.algorithms) for problem in problems]
        self.labels = tuple(sorted(set.intersection(*names)))
        self.suite = str(problems[0].names["suite"])
        self.functions, self.dimensions = (
            tuple(int(problem.names[key]) for problem in problems)
            for key in ("function", "dimension")
        )
        rows = [[p.rows[p.algorithms[label]] for p in problems] for label in self.labels]
        self.runs = np.array([[len(some) for some in of] for of in rows])
        places = np.zeros((*self.runs.shape, self.runs.max()), dtype=np.intp)
        self.there = np.arange(places.shape[-1]) < self.runs[..., np.newaxis]
        places[self.there] = np.concatenate([some for of in rows for some in of])
        reached = used.seconds.success
        self.seconds = np.where(reached, used.seconds.cost, np.inf)[places]
        self.evaluations = np.where(reached, used.rounds.cost, np.inf)[places]
        self.end_s = used.runs.spent("seconds")[places]
        self.end = used.runs.spent("evaluations")[places]
        self.known = used.observed_rounds[places]
        self.ties = np.ones((len(self.functions), len(self.labels), len(self.labels)))
        self.noise = np.zeros(self.ties.shape[:2])
        self.factors = np.ones(len(self.labels))

    @property
    def dimension(self) -> int:
        """The dimension, or the geometric mean of several."""
        return round(float(stats.gmean(self.dimensions)))

    @property
    def title(self) -> str:
        ends = sorted({min(self.dimensions), max(self.dimensions)})
        return f"{self.suite}, D = {' to '.join(map(str, ends))}"

    def times(self, factors: Mapping[str, float]) -> Costs:
        changed = copy.copy(self)
        changed.factors = np.array([factors.get(label, 1.0) for label in self.labels])
        return changed

    def at(self, cost_s: float) -> At:
        """Costs of runs if an evaluation costs so many seconds more; `EVALUATIONS`: in these."""
        if cost_s == EVALUATIONS:
            times, ends, known = self.evaluations, self.end, self.known
            noise, ties = np.zeros_like(self.noise), np.ones_like(self.ties)
        else:
            factors = self.factors[:, np.newaxis, np.newaxis]
            known_s = self.end_s * factors
            if cost_s == 0:  # a budget cuts all at the same time, and runs stamp it a little before
                cut = self.end_s[np.isfinite(self.known)].max(initial=0)
                known_s = np.where(self.end_s > 0.95 * cut, cut, self.end_s) * factors
            times = at_cost(self.seconds * factors[..., np.newaxis], self.evaluations, cost_s)
            ends = at_cost(self.end_s * factors, self.end, cost_s)
            known = known_until(known_s.ravel(), self.known.ravel(), cost_s).reshape(ends.shape)
            # Only the share of seconds that were measured is longer on a slow machine.
            real = ((self.end_s * factors * self.there).sum(2) / (ends * self.there).sum(2)).T
            noise = self.noise * real
            ties = lengthened(self.ties, np.maximum(real[:, :, np.newaxis], real[:, np.newaxis]))
        return At(self, times, ends, np.where(self.there, known, np.inf).min(axis=2), noise, ties)


@dataclass(frozen=True)
class At:
    """Costs of runs at one evaluation cost, the cost up to which those of a cell are known;
    `noise` and `ties` as in `Costs`."""

    of: Costs
    times: Floats
    ends: Floats
    limits: Floats
    noise: Floats
    ties: Floats

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
            erts = per_success(
                costs.sum(axis=2), success.sum(axis=2)
            )  # (limits, algorithms, targets)
            lower = limits[:, np.newaxis] <= limits[np.newaxis]
            pair = np.where(lower, every[:, np.newaxis], every[np.newaxis])  # whose limit it is
            first, second = erts[pair, every[:, np.newaxis]], erts[pair, every[np.newaxis]]
            found[k] = _better(first, second, self.ties[k])
        return found

    def standings(
        self,
        label: str,
        among: Sequence[str],
        groups: Mapping[str, Sequence[int]],
        confidence: float,
        rng: np.random.Generator,
    ) -> dict[str, Standing]:
        labels = self.of.labels
        me = labels.index(label)
        others = np.array([k for k, name in enumerate(labels) if k != me and name in among])
        chosen, found, runs = [me, *others], {}, self.of.runs[me].astype(np.float64)
        names = tuple(labels[k] for k in chosen)
        # n runs drawn from n have (n - 1)/n of the variance; the difference of two measurements has
        # twice that of one. Few functions have most of it: Satterthwaite's degrees of freedom.
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = self._drawn(me, others, rng).var(axis=1, ddof=1) * 2 * runs / (runs - 1)
            parts = variance**2 / (runs - 1)
        for name, functions in groups.items():
            on = [k for k, f in enumerate(self.of.functions) if f in functions]
            reach = np.sqrt(total := variance[on].sum()) / len(on)
            if reach > 0:
                reach *= stats.t.isf((1 - confidence) / 2, total**2 / parts[on].sum())
            gains = self.gains[np.ix_(on, chosen, chosen)]
            ranks = ranks_of(gains)
            low = np.maximum(ranks[0] - reach, 1.0)
            high = np.minimum(ranks[0] + reach, len(chosen))
            found[name] = Standing(names, ranks, float(low), float(high), gains[:, 0, 1:])
        return found

    def _drawn(self, me: int, others: NDArray[np.intp], rng: np.random.Generator) -> Floats:
        """Ranks on each function with the runs of the algorithm drawn again, (functions, draws)."""
        ranks = np.empty((len(self.of.functions), SAMPLES))
        for k in range(len(ranks)):
            limits = np.minimum(self.limits[others, k], self.limits[me, k])
            n = int(self.of.runs[me, k])
            drawn = rng.multinomial(n, np.full(n, 1 / n), SAMPLES).astype(np.float64)
            parts = (part[:, :n].astype(np.float64) for part in self._within(me, k, limits))
            mine = per_success(*(np.einsum("sr,ort->sot", drawn, part) for part in parts))
            theirs = per_success(*(part.sum(axis=1) for part in self._within(others, k, limits)))
            slower = np.sqrt((n - 1) / n) * self.noise[k, me] * rng.standard_normal(SAMPLES)
            mine *= np.exp(slower)[:, np.newaxis, np.newaxis]
            ranks[k] = 1 + (1 - _wins(_better(mine, theirs, self.ties[k, me, others]))).sum(axis=1)
        return ranks


def ranks_of(gains: Floats) -> Floats:
    return np.asarray(0.5 + (1 - _wins(gains).mean(axis=0)).sum(axis=1))


def _better(first: Floats, second: Floats, ties: Floats) -> Floats:
    """The share of targets (last axis) with the smaller ERT, less those with the larger one."""
    ratio = ties[..., np.newaxis]
    return np.asarray(
        (first * ratio < second).mean(axis=-1) - (second * ratio < first).mean(axis=-1)
    )


def _wins(gains: Floats) -> Floats:
    return np.asarray((gains > 0) + 0.5 * (gains == 0))
