"""What two algorithms are compared by: one class for each kind of criterion.

A criterion looks at a pair of algorithms only. No other algorithm has an effect on its values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, inf, log10, nan, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from timefair.exhibits.campaign.resolution import of_times
from timefair.exhibits.comparisons.rankings import spent_until
from timefair.exhibits.comparisons.ranks import cases
from timefair.rundata.measures import quantile_name
from timefair.rundata.published import with_published
from timefair.rundata.runs import UNITS, Runs, Unit
from timefair.rundata.settings import Analysis
from timefair.rundata.standings import ProblemRuns, Space, precision_at_the_end, problems
from timefair.statistics.ert import ert
from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.targets import decisive_target
from timefair.statistics.within import (
    Strata,
    equal_ert_within,
    quantile_test,
    strata_of,
    superiority_within,
    van_elteren,
)

SHARES = (0.01, 0.1, 1.0)
"""Shares of the budget after which reached targets are counted."""

ERT, PRECISION, TARGETS = "ERT", "precision", "targets"


@dataclass(frozen=True)
class Pooled:
    """What all criteria read: the runs, with published data, and their machines."""

    runs: Runs
    analysis: Analysis
    machine: NDArray[Any]
    best: NDArray[np.float64]
    resolved: Mapping[tuple[str, int, str], float]

    @classmethod
    def of(cls, runs: Runs, analysis: Analysis) -> Pooled:
        """Read them; the resolved ratio of times is 1 where it is not known."""
        everyone = with_published(runs)
        table = of_times(runs, analysis)
        ratios = {
            (str(row["suite"]), int(row["dimension"]), str(row["function"])): ratio
            for row in table.to_dict("records")
            if (ratio := float(row["resolved_ratio"])) > 1 and ratio < inf
        }
        return cls(
            runs=everyone,
            analysis=analysis,
            machine=everyone.frame["machine"].to_numpy(dtype=object),
            best=np.maximum(precision_at_the_end(everyone), 0.0),
            resolved=ratios,
        )

    def strata(self, problem: ProblemRuns, a: str, b: str, *of_both: NDArray[Any]) -> Strata:
        """Results of both on each kind of machine that both ran on."""
        rows = problem.rows[problem.algorithms[a]], problem.rows[problem.algorithms[b]]
        return strata_of(*of_both, *(self.machine[mine] for mine in rows))

    def ratio(self, problem: ProblemRuns, unit: Unit) -> float:
        """The ratio of costs that the speed of the machine may explain, at least 1."""
        place = (*problem.space, str(problem.names["function"]))
        return self.resolved.get(place, 1.0) if unit == "seconds" else 1.0

    def timed(self, problem: ProblemRuns) -> list[str]:
        """The algorithms whose runs on a function all have times."""
        rows = problem.rows
        return [
            name for name, mine in problem.algorithms.items() if self.runs.timed[rows[mine]].all()
        ]

    def average_ranks(self, space: Space, measure: str, criterion: str) -> dict[str, float]:
        """The average ranks of the table `ranks`."""
        for case in cases(self.runs, self.analysis):
            names = case.names
            if (str(names["suite"]), int(names["dimension"])) == space and (
                names["measure"],
                names["criterion"],
            ) == (measure, criterion):
                return case.averages()
        return {}


class Tested(NamedTuple):
    """A pair of algorithms on one function.

    Attributes
    ----------
    values
        The results of both; NaN if unknown.
    p
        Two-sided p-value; NaN if there is no test.
    balance
        Positive if the first one is better, negative if the second one is, 0 if neither is.
    target
        The target of an ERT, NaN otherwise.
    strata
        The results of both on each kind of machine, if A12 of them is wanted.
    least
        Smallest p-value that a test of these results could have; 1 if all are equal.
    """

    values: tuple[float, float]
    p: float
    balance: float
    target: float = nan
    strata: Strata | None = None
    least: float = 1.0


class Criterion(ABC):
    """One criterion of a comparison, for all problems of a campaign."""

    measure: str
    name: str
    pooled: Pooled
    always_on_functions = True
    """Whether single functions are tested also if there are many of them."""

    def spaces(self) -> dict[Space, list[ProblemRuns]]:
        """The functions of each suite and dimension."""
        found: dict[Space, list[ProblemRuns]] = {}
        for problem in problems(self.pooled.runs):
            found.setdefault(problem.space, []).append(problem)
        return found

    def within(self, space: Space) -> float:
        """The cost within which results count; NaN if it is that of complete runs."""
        return nan

    @abstractmethod
    def algorithms(self, problem: ProblemRuns) -> list[str]:
        """The algorithms that have results on a function, in alphabetical order."""

    @abstractmethod
    def over_all(self, space: Space) -> dict[str, float]:
        """The result of each algorithm over the functions; small is better."""

    @abstractmethod
    def results(self, problem: ProblemRuns) -> dict[str, float]:
        """The result of each algorithm on a function; small is better."""

    @abstractmethod
    def gain(self, problem: ProblemRuns, a: str, b: str) -> float:
        """How much better the first one is on a function; comparable between functions."""

    @abstractmethod
    def tested(self, problem: ProblemRuns, a: str, b: str) -> Tested:
        """The test on a function."""


class Costs(Criterion):
    """The expected cost (ERT) to targets."""

    name = ERT

    def __init__(self, pooled: Pooled, unit: Unit) -> None:
        self.pooled, self.measure, self._unit = pooled, unit, unit
        self._spent = spent_until(pooled.runs, unit, pooled.analysis)
        self._targets = np.array(pooled.analysis.targets_from_easy)
        self._erts: dict[tuple[int, str], _Erts] = {}

    def algorithms(self, problem: ProblemRuns) -> list[str]:
        return self.pooled.timed(problem) if self._unit == "seconds" else list(problem.algorithms)

    def over_all(self, space: Space) -> dict[str, float]:
        return self.pooled.average_ranks(space, self.measure, ERT)

    def results(self, problem: ProblemRuns) -> dict[str, float]:
        """The ERT to the decisive target of all; without one, the median precisions."""
        known = {name: self._known(problem, name) for name in self.algorithms(problem)}
        target = decisive_target(self._targets, [one.rates for one in known.values()])
        if target is None:
            return Quantile(self.pooled, 0.5).results(problem)
        at = int(np.flatnonzero(self._targets == target)[0])
        return {name: float(one.pooled[at]) for name, one in known.items()}

    def gain(self, problem: ProblemRuns, a: str, b: str) -> float:
        """Share of the targets to which the first one has the smaller ERT, minus that of the other.

        Kinds of machines count equally, and ratios that the machine does not resolve are ties.
        """
        first, second = (self._known(problem, name).on_kinds for name in (a, b))
        ratio = self.pooled.ratio(problem, self._unit)
        wins = [
            np.mean((first[kind] * ratio < second[kind]).astype(float))
            - np.mean((second[kind] * ratio < first[kind]).astype(float))
            for kind in first.keys() & second.keys()
        ]
        return float(np.mean(wins)) if wins else 0.0

    def tested(self, problem: ProblemRuns, a: str, b: str) -> Tested:
        """The score test at the hardest target that half of the runs of one of them reached.

        If there is no such target, it is the hardest that a run of one of them reached; if there is
        none either, the test is that of the precisions at the end.
        """
        both = self._known(problem, a), self._known(problem, b)
        target = decisive_target(self._targets, [one.rates for one in both])
        if target is None:
            return self._at_the_end(problem, a, b)
        at = int(np.flatnonzero(self._targets == target)[0])
        first, second = (float(one.pooled[at]) for one in both)
        common = sorted(both[0].on_kinds.keys() & both[1].on_kinds.keys())
        cost, success = self._spent.cost[:, at], self._spent.success[:, at]
        strata = [
            tuple(of[one.rows[one.kinds == kind]] for one in both for of in (cost, success))
            for kind in common
        ]
        ratio = self.pooled.ratio(problem, self._unit)
        balance = float(second > first * ratio) - float(first > second * ratio)
        p = equal_ert_within(strata)
        least = 1.0 if p == 1 and first == second else _least(strata)
        return Tested((first, second), p, balance, target, least=least)

    def _at_the_end(self, problem: ProblemRuns, a: str, b: str) -> Tested:
        timed = set(self.pooled.timed(problem))
        if not {a, b} <= timed:
            return Tested((inf, inf), 1.0, 0.0)
        return Quantile(self.pooled, 0.5).tested(problem, a, b)._replace(strata=None)

    def _known(self, problem: ProblemRuns, name: str) -> _Erts:
        """The ERTs of an algorithm on a function; evaluations depend on no machine."""
        key = (id(problem), name)
        if key not in self._erts:
            rows = problem.rows[problem.algorithms[name]]
            kinds = self.pooled.machine[rows]
            if self._unit != "seconds":
                kinds = np.full(rows.size, "", dtype=object)
            cost, success = self._spent.cost[rows], self._spent.success[rows]
            on_kinds = {
                str(kind): ert(cost[kinds == kind], success[kinds == kind], axis=0)
                for kind in set(kinds.tolist())
            }
            rates = success.mean(axis=0)
            self._erts[key] = _Erts(rows, kinds, rates, ert(cost, success, axis=0), on_kinds)
        return self._erts[key]


class _Erts(NamedTuple):
    """The runs of an algorithm on a function: rows, kinds of machines, success rates, ERTs of all
    runs and of those on each kind; targets from easy to hard.
    """

    rows: NDArray[np.intp]
    kinds: NDArray[Any]
    rates: NDArray[np.float64]
    pooled: NDArray[np.float64]
    on_kinds: dict[str, NDArray[np.float64]]


class Quantile(Criterion):
    """A quantile of the precision at the end; runs that reached the final target are equal."""

    measure = PRECISION

    def __init__(self, pooled: Pooled, p: float) -> None:
        self.pooled, self._p, self.name = pooled, p, quantile_name(p)
        self.always_on_functions = p == 0.5
        self._known: dict[int, dict[str, float]] = {}

    def algorithms(self, problem: ProblemRuns) -> list[str]:
        return self.pooled.timed(problem)

    def over_all(self, space: Space) -> dict[str, float]:
        return self.pooled.average_ranks(space, self.measure, self.name)

    def results(self, problem: ProblemRuns) -> dict[str, float]:
        if id(problem) not in self._known:
            samples = problem.samples(self.pooled.best)
            names = self.algorithms(problem)
            self._known[id(problem)] = {
                name: float(sample_quantile(samples[name], self._p)) for name in names
            }
        return self._known[id(problem)]

    def gain(self, problem: ProblemRuns, a: str, b: str) -> float:
        """The difference of the decimal logarithms of the two quantiles."""
        results = self.results(problem)
        first, second = (log10(q) if q > 0 else -inf for q in (results[a], results[b]))
        return 0.0 if first == second else second - first

    def tested(self, problem: ProblemRuns, a: str, b: str) -> Tested:
        """The median is tested by the rank sum, other quantiles by `quantile_test`."""
        values = self.results(problem)[a], self.results(problem)[b]
        of_both = (self.pooled.best[problem.rows[problem.algorithms[name]]] for name in (a, b))
        strata = self.pooled.strata(problem, a, b, *of_both)
        if self._p == 0.5:
            balance = superiority_within(strata) - 0.5
            p, balance = van_elteren(strata), _agreed(balance, values)
            return Tested(values, p, balance, strata=strata, least=_least(strata))
        if len(strata) != 1:
            return Tested(values, nan, 0.0)
        test = quantile_test(*strata[0], self._p)
        return Tested(values, test.p, _agreed(test.balance, values), least=test.least)


class Reached(Criterion):
    """The share of the targets that a run reaches within a share of its budget."""

    measure = TARGETS
    always_on_functions = False

    def __init__(self, pooled: Pooled, share: float) -> None:
        self.pooled, self._share, self.name = pooled, share, f"{100 * share:g} %"
        timed = pooled.runs.frame["budget_s"].notna()
        self._unit: Unit = "seconds" if timed.any() else "evaluations"
        self._times = pooled.runs.runtimes(self._unit, pooled.analysis.targets_from_easy)
        self._within: dict[Space, float] = {}
        self._known: dict[tuple[int, str, float], NDArray[np.float64]] = {}
        spent = pooled.runs.spent(self._unit)
        allowed = pooled.runs.frame[
            "budget_s" if self._unit == "seconds" else "budget_evaluations"
        ].to_numpy(dtype=np.float64)
        own_clock = self._unit == "seconds" and pooled.analysis.time != "wall"
        longest = spent if own_clock else np.where(np.isnan(allowed), spent, allowed)
        for problem in problems(pooled.runs):
            known = longest[problem.rows]
            most = float(known[np.isfinite(known)].max(initial=0.0)) * share
            if self._unit == "evaluations":
                most = max(float(np.floor(most * (1 + 1e-12))), 1.0)
            self._within[problem.space] = max(most, self._within.get(problem.space, 0.0))

    def within(self, space: Space) -> float:
        return self._within[space]

    def algorithms(self, problem: ProblemRuns) -> list[str]:
        return self.pooled.timed(problem)

    def over_all(self, space: Space) -> dict[str, float]:
        shares: dict[str, list[float]] = {}
        for problem in problems(self.pooled.runs):
            if problem.space == space:
                for name, result in self.results(problem).items():
                    shares.setdefault(name, []).append(result)
        return {name: float(np.mean(of)) for name, of in shares.items()}

    def results(self, problem: ProblemRuns) -> dict[str, float]:
        """Minus the mean share of the targets."""
        names = self.algorithms(problem)
        return {name: -float(self._shares(problem, name).mean()) for name in names}

    def gain(self, problem: ProblemRuns, a: str, b: str) -> float:
        """The difference of the mean shares, if the speed of the machine does not explain it."""
        ratio = self.pooled.ratio(problem, self._unit)
        for sign, better, worse in ((1.0, a, b), (-1.0, b, a)):
            early = self._shares(problem, better, ratio).mean()
            gain = float(early - self._shares(problem, worse).mean())
            if gain > 0:
                return sign * gain
        return 0.0

    def tested(self, problem: ProblemRuns, a: str, b: str) -> Tested:
        """The rank sum of the shares of the runs."""
        first, second = self._shares(problem, a), self._shares(problem, b)
        strata = self.pooled.strata(problem, a, b, -first, -second)
        gain, effect = self.gain(problem, a, b), superiority_within(strata) - 0.5
        balance = gain if gain * effect > 0 else 0.0
        values = float(first.mean()), float(second.mean())
        return Tested(values, van_elteren(strata), balance, least=_least(strata))

    def _shares(self, problem: ProblemRuns, name: str, ratio: float = 1.0) -> NDArray[np.float64]:
        """Share of the targets that each run has reached, shape (runs,)."""
        key = (id(problem), name, ratio)
        if key not in self._known:
            mine = self._times[problem.rows[problem.algorithms[name]]]
            within = self._within[problem.space] / ratio
            self._known[key] = np.asarray((mine <= within * (1 + 1e-12)).mean(axis=1))
        return self._known[key]


def _least(strata: Sequence[Sequence[NDArray[Any]]]) -> float:
    """Smallest p-value of a test of the order of two samples in each stratum.

    1 if all results are equal. The first array of a stratum belongs to the first algorithm, the
    last one to the second.
    """
    every = np.concatenate([sample for both in strata for sample in both]) if strata else ()
    if len(np.unique(every)) < 2:
        return 1.0
    return min(2 / prod(comb(of[0].size + of[-1].size, of[0].size) for of in strata), 1.0)


def _agreed(balance: float, values: tuple[float, float]) -> float:
    """The balance of a test; 0 if the values have the opposite order."""
    first, second = values
    return 0.0 if (first > second and balance > 0) or (first < second and balance < 0) else balance


def number_of_criteria(analysis: Analysis, *, single_functions: bool = False) -> int:
    """Number of criteria under which a pair is tested over functions, or on each of many."""
    costs, quantiles = len(UNITS), len(analysis.quantiles)
    if single_functions:
        return costs + (0.5 in analysis.quantiles)
    return costs + len(SHARES) + quantiles


def criteria(runs: Runs, analysis: Analysis) -> list[Criterion]:
    """Every criterion of the table `comparison`, the costs first."""
    pooled = Pooled.of(runs, analysis)
    costs: list[Criterion] = [Costs(pooled, unit) for unit in UNITS]
    shares: list[Criterion] = [Reached(pooled, share) for share in SHARES]
    quantiles: list[Criterion] = [Quantile(pooled, p) for p in sorted(analysis.quantiles)]
    return [*costs, *shares, *quantiles]
