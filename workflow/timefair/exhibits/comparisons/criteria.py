"""What two algorithms are compared by: one class for each kind of criterion.

A criterion looks at a pair of algorithms only. No other algorithm has an effect on its values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import comb, inf, log10, nan, prod
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits.campaign.timing_noise import detectable, slowdowns
from timefair.exhibits.comparisons.ranks import ERT, cases
from timefair.exhibits.unknown_optimum import refuted
from timefair.records.rundata.frames import quantile_name
from timefair.records.rundata.problems import (
    BUDGETS,
    KnownCosts,
    ProblemRuns,
    Space,
    Spent,
    limits,
    precision_at_the_end,
    problems,
)
from timefair.records.rundata.published import with_published
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis
from timefair.statistics.comparison import (
    Strata,
    equal_ert_within,
    quantile_test,
    strata_of,
    superiority_within,
    van_elteren,
)
from timefair.statistics.runtimes import decisive_target
from timefair.statistics.samples import sample_quantile

SHARES = (0.01, 0.1, 1.0)  # shares of the budget after which reached targets are counted

PRECISION, TARGETS = "precision", "targets"


@dataclass(frozen=True)
class Pooled:
    """What all criteria read: the runs, with published data, and their machines.

    `wrong` has the suite, dimension and function of problems whose optimum a run has refuted.
    """

    runs: Runs
    analysis: Analysis
    machine: NDArray[Any]
    best: NDArray[np.float64]
    slowdowns: Mapping[str, pd.DataFrame]
    wrong: frozenset[tuple[str, int, int]]
    detectable: dict[tuple[str, str], dict[tuple[str, int, str], float]] = field(
        default_factory=dict
    )

    @classmethod
    def of(cls, runs: Runs, analysis: Analysis) -> Pooled:
        """Read them; slowdowns are those of the algorithms for which they are known."""
        everyone = with_published(runs)
        rows = slowdowns(runs, analysis).dropna(subset="slowdown")
        names = runs.frame["algorithm"].loc[rows.index]
        return cls(
            runs=everyone,
            analysis=analysis,
            machine=everyone.frame["machine"].to_numpy(dtype=object),
            best=np.maximum(precision_at_the_end(everyone), 0.0),
            wrong=frozenset((one.suite, one.dimension, one.function) for one in refuted(everyone)),
            slowdowns={str(name): some for name, some in rows.groupby(names, observed=True)},
        )

    def strata(self, problem: ProblemRuns, a: str, b: str, *of_both: NDArray[Any]) -> Strata:
        """Results of both on each kind of machine that both ran on."""
        rows = problem.rows[problem.algorithms[a]], problem.rows[problem.algorithms[b]]
        return strata_of(*of_both, *(self.machine[mine] for mine in rows))

    def ratio(self, problem: ProblemRuns, unit: Unit, a: str, b: str) -> float:
        """The ratio of two costs that the speed of the machine may explain, at least 1."""
        if unit != "seconds" or a not in self.slowdowns or b not in self.slowdowns:
            return 1.0
        if (a, b) not in self.detectable:
            rows = pd.concat([self.slowdowns[a], self.slowdowns[b]])
            self.detectable[a, b] = {
                (str(row["suite"]), int(row["dimension"]), str(row["function"])): ratio
                for row in detectable(rows, self.analysis.confidence).to_dict("records")
                if (ratio := float(row["detectable_ratio"])) > 1 and ratio < inf
            }
        place = (*problem.space, str(problem.names["function"]))
        return self.detectable[a, b].get(place, 1.0)

    def known(self, problem: ProblemRuns, runs: NDArray[np.bool_]) -> list[str]:
        """The algorithms of which all runs on a function are among some runs."""
        rows = problem.rows
        return [name for name, mine in problem.algorithms.items() if runs[rows[mine]].all()]


class Tested(NamedTuple):
    """A pair of algorithms on one function.

    - `values`: The results of both; NaN if unknown.
    - `p`: Two-sided p-value; NaN if there is no test.
    - `balance`: Positive if the first one is better, negative if the second one is, else 0.
    - `target`: The target of an ERT, NaN otherwise.
    - `strata`: The results of both on each kind of machine, if A12 of them is wanted.
    - `least`: Smallest p-value that a test of these results could have; 1 if all are equal.
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

    def over_all(self, space: Space) -> dict[str, float]:
        """The result of each algorithm over the functions, small is better: its average rank."""
        for case in cases(self.pooled.runs, self.pooled.analysis):
            suite, dimension, *key = case.names.values()
            if (str(suite), int(dimension)) == space and key == [self.measure, self.name]:
                return case.averages()
        return {}

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
    """The expected cost (ERT) to targets, of a pair within the smaller of their `limits`."""

    name = ERT

    def __init__(self, pooled: Pooled, unit: Unit) -> None:
        self.pooled, self.measure, self._unit = pooled, unit, unit
        runs, analysis = pooled.runs, pooled.analysis
        self._targets = np.array(analysis.targets_from_easy)
        self._costs = KnownCosts.of(runs, unit, analysis.targets_from_easy)
        self._limits: dict[int, dict[str, float]] = {}
        self._erts: dict[tuple[int, str, float], _Erts] = {}

    def algorithms(self, problem: ProblemRuns) -> list[str]:
        return self.pooled.known(problem, self.pooled.runs.known_in(self._unit))

    def results(self, problem: ProblemRuns) -> dict[str, float]:
        """The ERT to the decisive target of all; without one, the median precisions."""
        names = self.algorithms(problem)
        limit = self._limit(problem, *names)
        known = {name: self._known(problem, name, limit) for name in names}
        target = decisive_target(self._targets, [one.rates for one in known.values()])
        if target is None:
            return Quantile(self.pooled, 0.5).results(problem)
        at = int(np.flatnonzero(self._targets == target)[0])
        return {name: float(one.pooled[at]) for name, one in known.items()}

    def gain(self, problem: ProblemRuns, a: str, b: str) -> float:
        """Share of the targets to which the first one has the smaller ERT, minus that of the other.

        Kinds of machines count equally, and ratios within the timing noise are ties.
        """
        first, second = (one.on_kinds for one in self._both(problem, a, b))
        ratio = self.pooled.ratio(problem, self._unit, a, b)
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
        both = self._both(problem, a, b)
        target = decisive_target(self._targets, [one.rates for one in both])
        if target is None:
            return self._at_the_end(problem, a, b)
        at = int(np.flatnonzero(self._targets == target)[0])
        first, second = (float(one.pooled[at]) for one in both)
        spent = [self._spent(problem, name, self._limit(problem, a, b)) for name in (a, b)]
        strata = [
            tuple(
                of[kinds == kind, at] for kinds, each in spent for of in (each.cost, each.success)
            )
            for kind in sorted(both[0].on_kinds.keys() & both[1].on_kinds.keys())
        ]
        ratio = self.pooled.ratio(problem, self._unit, a, b)
        balance = float(second > first * ratio) - float(first > second * ratio)
        p = equal_ert_within(strata)
        least = 1.0 if p == 1 and first == second else _least(strata)
        return Tested((first, second), p, balance, target, least=least)

    def _at_the_end(self, problem: ProblemRuns, a: str, b: str) -> Tested:
        if self._unit != "seconds" or not {a, b} <= set(self.algorithms(problem)):
            return Tested((inf, inf), 1.0, 0.0)
        return Quantile(self.pooled, 0.5).tested(problem, a, b)._replace(strata=None)

    def _limit(self, problem: ProblemRuns, *names: str) -> float:
        if id(problem) not in self._limits:
            self._limits[id(problem)] = limits(problem, self._costs.known)
        return min((self._limits[id(problem)][name] for name in names), default=inf)

    def _both(self, problem: ProblemRuns, a: str, b: str) -> tuple[_Erts, _Erts]:
        limit = self._limit(problem, a, b)
        return self._known(problem, a, limit), self._known(problem, b, limit)

    def _spent(self, problem: ProblemRuns, name: str, limit: float) -> tuple[NDArray[Any], Spent]:
        """Kinds of machines and costs of the runs; evaluations depend on no machine."""
        rows = problem.rows[problem.algorithms[name]]
        seconds = self._unit == "seconds"
        kinds = self.pooled.machine[rows] if seconds else np.full(rows.size, "", dtype=object)
        return kinds, self._costs.spent.of(rows).within(limit)

    def _known(self, problem: ProblemRuns, name: str, limit: float) -> _Erts:
        """The ERTs of an algorithm on a function within a cost."""
        key = (id(problem), name, limit)
        if key not in self._erts:
            kinds, spent = self._spent(problem, name, limit)
            on_kinds = {str(kind): spent.of(kinds == kind).ert for kind in set(kinds.tolist())}
            self._erts[key] = _Erts(spent.success.mean(axis=0), spent.ert, on_kinds)
        return self._erts[key]


class _Erts(NamedTuple):
    """Success rates and ERTs of all runs, ERTs by kind of machine; targets from easy to hard."""

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
        return self.pooled.known(problem, self.pooled.runs.ended)

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

    def __init__(self, pooled: Pooled, share: float, unit: Unit) -> None:
        self.pooled, self.name, self._unit = pooled, f"{100 * share:g} %", unit
        self._times = pooled.runs.runtimes(unit, pooled.analysis.targets_from_easy)
        self._within: dict[Space, float] = {}
        self._known: dict[tuple[int, str, float], NDArray[np.float64]] = {}
        budgets = pooled.runs.frame[BUDGETS[unit]].to_numpy(dtype=np.float64)
        for problem in problems(pooled.runs):
            whole = float(np.nanmax(budgets[problem.rows]))
            most = whole * share
            if unit == "evaluations":
                most = max(float(np.floor(most * (1 + 1e-12))), 1.0)
            self._within[problem.space] = max(most, self._within.get(problem.space, 0.0))

    def within(self, space: Space) -> float:
        return self._within[space]

    def algorithms(self, problem: ProblemRuns) -> list[str]:
        return self.pooled.known(problem, self.pooled.runs.ended)

    def over_all(self, space: Space) -> dict[str, float]:
        """Minus the mean share over the functions that all algorithms ran on, or else its own."""
        results = [self.results(problem) for problem in self.spaces()[space]]
        names = {name for of in results for name in of}
        complete = [of for of in results if len(of) == len(names)] or results
        return {
            name: float(np.mean([of[name] for of in complete if name in of]))
            for name in sorted(names)
        }

    def results(self, problem: ProblemRuns) -> dict[str, float]:
        """Minus the mean share of the targets."""
        names = self.algorithms(problem)
        return {name: -float(self._shares(problem, name).mean()) for name in names}

    def gain(self, problem: ProblemRuns, a: str, b: str) -> float:
        """The difference of the mean shares, if the speed of the machine does not explain it."""
        ratio = self.pooled.ratio(problem, self._unit, a, b)
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
    """Smallest p-value of a test of the order of two samples in each stratum; 1 if all are equal.

    The first array of a stratum belongs to the first algorithm, the last one to the second.
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
    """Every criterion of the table `comparison`, the costs first.

    Without a budget of all runs on the clock of the tables, there is no share of it.
    """
    pooled = Pooled.of(runs, analysis)
    costs: list[Criterion] = [Costs(pooled, unit) for unit in UNITS]
    frame = pooled.runs.frame[pooled.runs.ended]
    budgets = {unit: frame[BUDGETS[unit]] for unit in UNITS}
    unit = next((u for u, one in budgets.items() if one.notna().all() and one.max() > 0), None)
    shares: list[Criterion] = []
    if unit == "evaluations" or (unit == "seconds" and analysis.time == "wall"):
        shares = [Reached(pooled, share, unit) for share in SHARES if len(frame)]
    quantiles: list[Criterion] = [Quantile(pooled, p) for p in sorted(analysis.quantiles)]
    return [*costs, *shares, *quantiles]
