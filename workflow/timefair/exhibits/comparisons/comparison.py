"""Pairs of algorithms under every criterion: the table from which all verdicts follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import comb, inf, log10, nan, prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.words import ALL, percent
from timefair.exhibits import questions
from timefair.exhibits.campaign.outcomes import detectable, slowdowns
from timefair.exhibits.columns import (
    PAIR,
    column_names,
)
from timefair.exhibits.comparisons.ranks import ERT, cases
from timefair.exhibits.exhibit import Made, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.exhibits.unknown_optimum import refuted
from timefair.records.rundata.problems import (
    BUDGETS,
    KnownCosts,
    Listed,
    ProblemRuns,
    Space,
    Spent,
    in_order,
    limits,
    listed,
    planned,
    precision_at_the_end,
    problems,
    quantile_name,
)
from timefair.records.rundata.published import at_ends, with_published
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis
from timefair.statistics.comparison import (
    Strata,
    a12_within,
    equal_ert_within,
    in_agreement,
    quantile_test,
    strata_of,
    superiority_within,
    van_elteren,
    wilcoxon,
)
from timefair.statistics.ranks import hochberg
from timefair.statistics.runtimes import decisive_target
from timefair.statistics.samples import sample_quantile

SHARES = (0.01, 0.1, 1.0)  # shares of the budget after which reached targets are counted

PRECISION, TARGETS = "precision", "targets"


class Pooled:
    """What all criteria read: the runs, with published data, and their machines.

    `slowdowns` are those of the algorithms for which they are known. `wrong` has the suite,
    dimension and function of problems whose optimum a run has refuted.
    """

    def __init__(self, runs: Runs, analysis: Analysis) -> None:
        self.runs, self.analysis = with_published(runs), analysis
        self.machine = self.runs.frame["machine"].to_numpy(dtype=object)
        self.best = np.maximum(precision_at_the_end(self.runs), 0.0)
        self.wrong = {(one.suite, one.dimension, one.function) for one in refuted(self.runs)}
        rows = slowdowns(runs, analysis).dropna(subset="slowdown")
        names = runs.frame["algorithm"].loc[rows.index]
        self.slowdowns = {str(name): some for name, some in rows.groupby(names, observed=True)}
        self.detectable: dict[tuple[str, str], dict[tuple[str, int, str], float]] = {}

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


class _Criterion:
    """One criterion of a comparison, for all problems of a campaign.

    Besides, each has `results`: that of each algorithm on a function, small is better; `gain`: how
    much better the first one is on a function, comparable between functions; and `tested`: the test
    on a function. `always_on_functions` tells whether single functions are tested also if there are
    many of them.
    """

    measure: str
    name: str
    pooled: Pooled
    always_on_functions = True

    def spaces(self) -> dict[Space, list[ProblemRuns]]:
        found: dict[Space, list[ProblemRuns]] = {}
        for problem in problems(self.pooled.runs):
            found.setdefault(problem.space, []).append(problem)
        return found

    def within(self, space: Space) -> float:
        """The cost within which results count; NaN if it is that of complete runs."""
        return nan

    def algorithms(self, problem: ProblemRuns) -> list[str]:
        """The algorithms that have results on a function, in alphabetical order."""
        return self.pooled.known(problem, self.pooled.runs.ended)

    def over_all(self, space: Space) -> dict[str, float]:
        """The result of each algorithm over the functions, small is better: its average rank."""
        for case in cases(self.pooled.runs, self.pooled.analysis):
            suite, dimension, *key = case.names.values()
            if (str(suite), int(dimension)) == space and key == [self.measure, self.name]:
                return case.averages()
        return {}


class Costs(_Criterion):
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


class Quantile(_Criterion):
    """A quantile of the precision at the end; runs that reached the final target are equal."""

    measure = PRECISION

    def __init__(self, pooled: Pooled, p: float) -> None:
        self.pooled, self._p, self.name = pooled, p, quantile_name(p)
        self.always_on_functions = p == 0.5
        self._known: dict[int, dict[str, float]] = {}

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


class Reached(_Criterion):
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


Criterion: TypeAlias = Costs | Quantile | Reached


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
    pooled = Pooled(runs, analysis)
    costs: list[Criterion] = [Costs(pooled, unit) for unit in UNITS]
    frame = pooled.runs.frame[pooled.runs.ended]
    budgets = {unit: frame[BUDGETS[unit]] for unit in UNITS}
    unit = next((u for u, one in budgets.items() if one.notna().all() and one.max() > 0), None)
    shares: list[Criterion] = []
    if unit == "evaluations" or (unit == "seconds" and analysis.time == "wall"):
        shares = [Reached(pooled, share, unit) for share in SHARES if len(frame)]
    quantiles: list[Criterion] = [Quantile(pooled, p) for p in sorted(analysis.quantiles)]
    return [*costs, *shares, *quantiles]


Pair: TypeAlias = tuple[str, str]
Group: TypeAlias = dict[Any, dict[str, Any]]
"""The rows of a pair on one function, or over all, by the place of their criterion."""


def over_functions(functions: int, pairs: int, level: float) -> bool:
    """Whether Wilcoxon's test over so many functions could decide one of so many pairs."""
    return least_over(functions, pairs) <= level


def least_over(functions: int, pairs: int) -> float:
    """The smallest p-value of that test times the number of pairs, at most 1."""
    return float(min(2.0 ** (1 - functions) * pairs, 1.0))


MOST_PERTURBED = 0.5  # share of runs of a cell with which verdicts are made again without them

VERDICT = ("suite", "dimension", "measure", "criterion", "function", "algorithm_a", "algorithm_b")

LIMITED = "Only pairs with the best algorithm or with those in `statistics.pairs` are listed."


@exhibit(
    "comparison",
    question=questions.BETTER,
    title="Pairs of algorithms under each criterion",
    caption="""
    Each pair of algorithms under each criterion, on each function and over all functions. All
    verdicts of the report follow from this table. A test uses the runs of its pair only. Its
    p-value is multiplied by the number of pairs and adjusted over the criteria of the pair, so that
    the results of other algorithms do not change the verdict on a pair. Quantiles other than the
    median, and shares of targets, are tested on single functions only if there are so few functions
    that no result over all of them could be significant. A function with a wrong optimum decides
    nothing. For more than 12 algorithms, only pairs with the best one under some criterion are
    listed, and on a function also those with the best one there; `statistics.pairs` adds pairs.
    """,
    columns=f"""
    SPACE
    measure (text): what is compared: `seconds` or `evaluations` to the targets, `{TARGETS}` that
        are reached within a cost, or `{PRECISION}` at the end of the run
    criterion (text): of a cost: `{ERT}`; of targets: the share of the budget; of a precision: a
        quantile such as `Q.50`
    FUNCTION_OR_ALL, TARGET
    within [s or evaluations]: for `{TARGETS}`: the cost within which targets count
    PAIR
    n_a: runs of `algorithm_a`; for `all`, functions that both ran and whose optimum is not wrong
    n_b: the same for `algorithm_b`
    value_a [s, evaluations, share, precision or rank]: result of `algorithm_a`: ERT to `target` (if
        `target` is empty, median precision), share of the targets, or quantile of the precision,
        where runs that reached the final target count as 0; costs count up to the cost that all
        runs of both were allowed; for `all`, the average rank (of the table `ranks`, or from the
        pairs if functions are incomplete), or the mean share
    value_b: the same for `algorithm_b`
    differences: number of functions on which the results differ; on a function, 1 if some runs
        differ, else 0
    a12: for `all`, share of the functions on which `algorithm_a` is better, where a tie counts
        half; on a function, for the median precision only, probability that a run of `algorithm_a`
        is better than one of `algorithm_b`
    a12_low: lower limit of the interval of `a12` at the level of the pair: it excludes 0.5 if and
        only if `better` names an algorithm; empty for `all`
    a12_high: upper limit of the interval of `a12` at the level of the pair: it excludes 0.5 if and
        only if `better` names an algorithm; empty for `all`
    p: p-value of the pair alone; for `all`, of Wilcoxon's signed-rank test over the functions; on a
        function, of the score test of equal ERTs, the Mann-Whitney test of runs, or Fisher's test
        at the quantile; within the kinds of machines if blocks mix several
    tests: number of tests in the family: pairs for `all`, pairs times functions for a function;
        pairs that are not listed count
    p_adjusted: 1 if the values and the test favour different algorithms, the ratio of times is
        within the timing noise, or the optimum of the function is wrong; else `p` times `tests`, at
        most 1 (Bonferroni), then adjusted over the criteria of the pair (Hochberg); criteria under
        which no result could be significant do not count (Tarone)
    better (label): the better algorithm if `p_adjusted` is at most 1 − confidence; empty otherwise
    """,
    layouts=[
        Layout(
            caption="Pairs of algorithms over all functions. A12: share of the functions on which "
            "the first is better. p: Wilcoxon's signed-rank test, times the number of pairs. "
            "Better: with {confidence} confidence.",
            values=(
                Value("a12", "A12", decimals=2),
                Value("p_adjusted", "p", decimals=4),
                Value("better", "Better"),
            ),
            rows=tuple(column_names(PAIR)),
            columns="criterion",
            parts=("suite", "dimension", "measure"),
            points=(Points("function", 1),),
        ),
        Layout(
            caption="Pairs of algorithms on each function, and on all functions. p: times the "
            "number of tests. Better: with {confidence} confidence.",
            values=(Value("p_adjusted", "p", decimals=3), Value("better", "Better")),
            rows=("function", *column_names(PAIR)),
            columns="criterion",
            parts=("suite", "dimension", "measure"),
            name="functions",
        ),
    ],
    default=True,
    comparing=True,
)
def pairwise(runs: Runs, analysis: Analysis) -> Made:
    rows, limited = decided(runs, analysis)
    return rows, {
        "pairs": LIMITED if limited else "",
        "unperturbed": _without_perturbed(rows, runs, analysis),
        "repeated": _repeated(runs),
    }


def decided(runs: Runs, analysis: Analysis) -> tuple[list[dict[str, Any]], bool]:
    """The rows of the table, and whether some pairs are not listed; tables share the result."""
    return runs.once(("pairs", repr(analysis)), lambda: _at_all_ends(runs, analysis))


def _at_all_ends(runs: Runs, analysis: Analysis) -> tuple[list[dict[str, Any]], bool]:
    """The rows of the table; a verdict that a bridge between machines could change is none."""
    rows, limited = _rows(runs, analysis)
    for there in at_ends(runs, analysis.confidence):
        found = {tuple(row[name] for name in VERDICT): row for row in _rows(there, analysis)[0]}
        for row in rows:
            other = found.get(tuple(row[name] for name in VERDICT), row)
            row["p"] = max(row["p"], other["p"])
            row["p_adjusted"] = max(row["p_adjusted"], other["p_adjusted"])
            if row.get("better") != other.get("better"):
                row |= {"better": None, "p_adjusted": 1.0}
    return rows, limited


def _rows(
    runs: Runs, analysis: Analysis, *, single: bool = True
) -> tuple[list[dict[str, Any]], bool]:
    """The rows of the table, and whether some pairs are not listed.

    `single`: Whether to test on single functions also where there are enough for verdicts over all.
    """
    every = criteria(runs, analysis)
    spaces: dict[Space, list[ProblemRuns]] = {}
    for criterion in every:
        spaces |= criterion.spaces()
    of_criteria: list[list[dict[str, Any]]] = [[] for _ in every]
    limited = False
    for space, functions in spaces.items():
        contests = [_Contest(criterion, space, functions, analysis) for criterion in every]
        listed_here = _union(contest.listed() for contest in contests)
        limited |= listed_here.among is not None
        sample = max(contest.functions_compared for contest in contests)
        pairs = min((contest.pairs for contest in contests if contest.on), default=0)
        enough = over_functions(sample, pairs, 1 - analysis.confidence)
        every_pair = dict.fromkeys(pair for contest in contests for pair in contest.on)
        groups: list[Group] = [
            {k: one.over(pair) for k, one in enumerate(contests) if pair in one.on}
            for pair in every_pair
            if listed_here.has(*pair)
        ]
        alone = {k: one for k, one in enumerate(contests) if one.always_on_functions or not enough}
        for problem in functions if single or not enough else ():
            chosen = listed_here
            if chosen.among is not None:
                chosen = _union([chosen, *(one.listed_on(problem) for one in alone.values())])
            for pair in every_pair:
                there = {k: one for k, one in alone.items() if problem in one.on.get(pair, ())}
                if there and chosen.has(*pair):
                    groups.append({k: one.tested(problem, pair) for k, one in there.items()})
        for group in groups:
            for place, row in decide(group, 1 - analysis.confidence).items():
                of_criteria[place].append(row)
    return [row for of in of_criteria for row in of], limited


def _without_perturbed(rows: Sequence[Mapping[str, Any]], runs: Runs, analysis: Analysis) -> str:
    """A sentence on the verdicts that change without the perturbed runs, or with corrected times if
    too few runs are left; empty without any.
    """
    perturbed = pd.Series(runs.perturbed)
    keys = ("suite", "dimension", "function", "algorithm")
    cells = perturbed.groupby([runs.frame[name] for name in keys], observed=True).mean()
    if not perturbed.any():
        return ""
    few = cells.max() > MOST_PERTURBED
    how = "With times divided by their slowdowns" if few else "Without them"
    others = _at_full_speed(runs, analysis) if few else runs.where(~runs.perturbed)
    if others is None:
        function, algorithm = list(cells.index[int(cells.argmax())])[2:]
        return (
            "What they change cannot be told, because too few runs are left without them: "
            f"{percent(cells.max())} of the runs of {algorithm} on f{function} are perturbed."
        )
    level = 1 - analysis.confidence
    before = _verdicts(rows, level)
    after = _verdicts(_rows(others, analysis, single=False)[0], level)
    changed = [key for key, better in before.items() if after.get(key, better) != better]
    of = f"of {len(before)} verdicts on a pair of algorithms (table comparison)"
    if not changed:
        return f"{how}, none {of} changes."
    measure, criterion, function, a, b = changed[0][2:]
    on = "" if function == ALL else f" on f{function}"
    verb = "changes" if len(changed) == 1 else "change, for example"
    return f"{how}, {len(changed)} {of} {verb}: {a} and {b}{on} by {criterion} ({measure})."


def _repeated(runs: Runs) -> list[str]:
    """The algorithms whose runs on a problem have the same result after as many evaluations, on
    every problem with several runs.
    """
    frame, names = runs.frame, ["algorithm", "suite", "dimension", "function", "instance"]
    found = frame[["best_f"]].assign(at=runs.at_the_best()["evaluations"])
    found = found[np.isfinite(found).all(axis=1)]
    of_problems = found.groupby([frame[name] for name in names], observed=True)
    different = of_problems.nunique().max(axis=1)[of_problems.size() > 1]
    most = different.groupby("algorithm", observed=True).max()
    return [str(name) for name in most.index[most == 1]]


def _at_full_speed(runs: Runs, analysis: Analysis) -> Runs | None:
    """The runs with times without waiting, at the best speed of their core; None if unknown."""
    rows = slowdowns(runs, analysis)
    if rows["slowdown"].isna().all():
        return None
    share = (rows["real_s"] / rows["clock_s"]).clip(upper=1.0)
    factor = (1.0 - share + share / rows["slowdown"]).fillna(1.0)
    return runs.costing(runs.spent("seconds") * factor.to_numpy(dtype=np.float64))


def _verdicts(rows: Sequence[Mapping[str, Any]], level: float) -> dict[tuple[Any, ...], Any]:
    """The better algorithm, or None, of each pair and criterion that the report may cite."""
    of_spaces: defaultdict[Space, list[tuple[int, int]]] = defaultdict(list)
    for row in rows:
        if row["function"] == ALL:
            of_spaces[row["suite"], row["dimension"]].append((row["n_a"], row["tests"]))
    enough = {
        space: over_functions(max(n for n, _ in of), min(pairs for _, pairs in of), level)
        for space, of in of_spaces.items()
    }
    return {
        tuple(row[name] for name in VERDICT): row.get("better")
        for row in rows
        if (row["function"] == ALL) == enough[row["suite"], row["dimension"]]
    }


def over(gains: NDArray[np.float64]) -> dict[str, Any]:
    """The test of a pair over functions, from how much better the first one is on each."""
    test, share = wilcoxon(-gains, np.zeros(gains.size)), _share(gains)
    differences = int(np.count_nonzero(gains))
    return {
        "n_a": gains.size,
        "n_b": gains.size,
        "a12": share,
        "p": test.p,
        "differences": differences,
        "balance": test.balance if (share - 0.5) * test.balance >= 0 else 0.0,
        "least": 2.0 ** (1 - max(differences, 1)),
        "strata": None,
    }


def decide(group: Group, alpha: float) -> Group:
    """Add the decisions: p-values times the number of tests, adjusted over the criteria.

    A criterion whose smallest possible p-value is too large cannot be decided, and does not count.
    """
    for row in group.values():
        row["p_adjusted"] = min(row["p"] * row["tests"], 1.0) if row["balance"] else 1.0
    counted = [row for row in group.values() if not row["least"] * row["tests"] > alpha]
    adjusted = hochberg([row["p_adjusted"] for row in counted])
    for row, p in zip(counted, adjusted.tolist(), strict=True):
        row["p_adjusted"] = p
    for row in group.values():
        if row["p_adjusted"] <= alpha and row["balance"] != 0:
            row["better"] = row["algorithm_a" if row["balance"] > 0 else "algorithm_b"]
        if row["strata"]:
            row |= _superiority(row, alpha)
    return group


def _superiority(row: Mapping[str, Any], alpha: float) -> dict[str, float]:
    """A12 with an interval at the level at which the pair was tested."""
    times = row["p_adjusted"] / row["p"] if 0 < row["p_adjusted"] < 1 else row["tests"]
    level = alpha / max(times, 1.0)
    measured = a12_within(row["strata"], confidence=1 - level)
    effect = in_agreement(measured, row["p"], level, rejected=row.get("better") is not None)
    return {"a12": effect.a12, "a12_low": effect.low, "a12_high": effect.high}


class _Contest:
    """All pairs under one criterion in one suite and dimension.

    - `on`: For each pair, the functions that both ran.
    - `pairs`: The number of pairs in the smallest family of tests over the functions.
    - `functions_compared`: The largest number of functions over which a pair is tested.
    """

    def __init__(
        self,
        criterion: Criterion,
        space: Space,
        functions: Sequence[ProblemRuns],
        analysis: Analysis,
    ) -> None:
        self._criterion, self._space, self.functions = criterion, space, functions
        self._analysis = analysis
        self.on: defaultdict[Pair, list[ProblemRuns]] = defaultdict(list)
        for problem in functions:
            for pair in combinations(criterion.algorithms(problem), 2):
                self.on[pair].append(problem)
        self.always_on_functions = criterion.always_on_functions
        of_pairs = (sum(not self._is_wrong(one) for one in on) for on in self.on.values())
        self.functions_compared = max(of_pairs, default=0)
        self._gains: dict[Pair, NDArray[np.float64]] = {}
        complete = len({tuple(criterion.algorithms(problem)) for problem in functions}) == 1
        in_pairs = criterion.measure != TARGETS and not complete
        self._values = {} if in_pairs else criterion.over_all(space)
        self._values = self._values or self._ranks_in_pairs()
        self._planned = Listed(planned(analysis))
        named = {pair: len(on) for pair, on in self.on.items() if self._planned.has(*pair)}
        self._families = {
            True: (len(named), sum(named.values())),
            False: (len(self.on), sum(map(len, self.on.values()))),
        }
        self.pairs = min(count for count, _ in self._families.values() if count or not self.on)
        self._over: dict[Pair, dict[str, Any]] = {}

    def listed(self) -> Listed:
        return self._with_the_best(listed(self._analysis, self._values), self._values, self.over)

    def listed_on(self, problem: ProblemRuns) -> Listed:
        results = self._criterion.results(problem)
        return self._with_the_best(Listed(frozenset()), results, partial(self.tested, problem))

    def _with_the_best(
        self,
        chosen: Listed,
        results: Mapping[str, float],
        tested: Callable[[Pair], Mapping[str, Any]],
    ) -> Listed:
        """Also the pairs with the best algorithms, up to one that is worse than no other."""
        if chosen.among is None or not results:
            return chosen
        alpha = 1 - self._analysis.confidence
        among = set(chosen.among)
        for name in in_order(results):
            among.add(name)
            pairs = [pair for pair in self.on if name in pair and set(pair) <= set(results)]
            rows = [(tested(pair), 1 if pair[0] == name else -1) for pair in pairs]
            losses = (row["p"] * row["tests"] <= alpha and row["balance"] * side < 0
                      for row, side in rows)  # fmt: skip
            if not any(losses):
                break
        return Listed(frozenset(among))

    def over(self, pair: Pair) -> dict[str, Any]:
        if pair not in self._over:
            row = self._row(pair, ALL, [abs(self._values.get(name, np.nan)) for name in pair])
            tests = self._tests(pair, on_functions=False)
            self._over[pair] = row | over(self._gains_of(pair)) | {"tests": tests}
        return dict(self._over[pair])

    def tested(self, problem: ProblemRuns, pair: Pair) -> dict[str, Any]:
        test = self._criterion.tested(problem, *pair)
        if self._is_wrong(problem):
            test = Tested(test.values, np.nan, 0.0, test.target)
        row = self._row(pair, problem.names["function"], test.values)
        n_a, n_b = (problem.algorithms[name].size for name in pair)
        row |= {"n_a": n_a, "n_b": n_b, "target": test.target, "p": test.p}
        row |= {"differences": int(test.least < 1)}
        return row | {"tests": self._tests(pair, on_functions=True), "balance": test.balance,
                      "least": test.least, "strata": test.strata}  # fmt: skip

    def _gains_of(self, pair: Pair) -> NDArray[np.float64]:
        if pair not in self._gains:
            on = (problem for problem in self.on[pair] if not self._is_wrong(problem))
            gains = [self._criterion.gain(problem, *pair) for problem in on]
            self._gains[pair] = np.array(gains)
        return self._gains[pair]

    def _is_wrong(self, problem: ProblemRuns) -> bool:
        return (*problem.space, int(problem.names["function"])) in self._criterion.pooled.wrong

    def _ranks_in_pairs(self) -> dict[str, float]:
        """1 plus the sum over the others of the shares of functions on which they are better."""
        names = {name for pair in self.on for name in pair}
        ranks = dict.fromkeys(sorted(names), 1.0)
        for pair in self.on:
            share = _share(self._gains_of(pair))
            ranks[pair[0]] += 1 - share
            ranks[pair[1]] += share
        return ranks

    def _row(self, pair: Pair, function: object, values: Iterable[float]) -> dict[str, Any]:
        suite, dimension = self._space
        return {
            "suite": suite,
            "dimension": dimension,
            "measure": self._criterion.measure,
            "criterion": self._criterion.name,
            "function": str(function),
            "within": self._criterion.within(self._space),
            **dict(zip(column_names(PAIR), pair, strict=True)),
            **dict(zip(("value_a", "value_b"), values, strict=True)),
        }

    def _tests(self, pair: Pair, *, on_functions: bool) -> int:
        """Number of tests in the family of a pair; planned pairs are a family of their own."""
        return self._families[self._planned.has(*pair)][on_functions]


def _share(gains: NDArray[np.float64]) -> float:
    """Share of the functions on which the first algorithm is better; ties count half."""
    if not gains.size:
        return 0.5
    return float(np.mean((gains > 0) + 0.5 * (gains == 0)))


def _union(every: Iterable[Listed]) -> Listed:
    among = [one.among for one in every]
    if any(one is None for one in among):
        return Listed()
    return Listed(frozenset().union(*(one for one in among if one is not None)))
