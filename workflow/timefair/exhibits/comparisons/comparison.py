"""Pairs of algorithms: all verdicts under every criterion, and orders that time reverses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import combinations, groupby
from math import comb, inf, log10, nan, prod
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.words import ALL, percent
from timefair.exhibits import questions
from timefair.exhibits.campaign.outcomes import detectable, slowdowns, timing_noise
from timefair.exhibits.columns import PAIR, column_names
from timefair.exhibits.comparisons.ranks import ERT, FIXED_BUDGET, FIXED_TARGET, cases, median
from timefair.exhibits.exhibit import Made, exhibit
from timefair.exhibits.layout import Layout, Points
from timefair.exhibits.unknown_optimum import refuted
from timefair.records.rundata import problems as rundata
from timefair.records.rundata.problems import KnownCosts, Listed, ProblemRuns, Space
from timefair.records.rundata.published import at_ends, with_published
from timefair.records.rundata.runs import UNITS, Runs, Unit
from timefair.records.rundata.settings import Analysis
from timefair.statistics import two_samples as statistics
from timefair.statistics.hitting_times import decisive_target
from timefair.statistics.rank_tests import hochberg
from timefair.statistics.samples import sample_quantile

SHARES = (0.01, 0.1, 1.0)  # shares of the budget after which reached targets are counted

PRECISION, TARGETS = "precision", "targets"


class Pooled:
    """What all criteria read: the runs, with published data, and their machines; `slowdowns` of the
    algorithms for which they are known; and the `wrong` optima, which a run has refuted.
    """

    def __init__(self, runs: Runs, analysis: Analysis) -> None:
        self.runs, self.analysis = with_published(runs), analysis
        self.machine = self.runs.frame["machine"].to_numpy(dtype=object)
        self.best = np.maximum(rundata.precision_at_the_end(self.runs), 0.0)
        self.wrong = {(one.suite, one.dimension, one.function) for one in refuted(self.runs)}
        rows = slowdowns(runs, analysis).dropna(subset="slowdown")
        names = runs.frame["algorithm"].loc[rows.index]
        self.slowdowns = {str(name): some for name, some in rows.groupby(names, observed=True)}
        self.detectable = cache(self._detectable)
        self.spaces: defaultdict[Space, list[ProblemRuns]] = defaultdict(list)
        for problem in rundata.problems(self.runs):
            self.spaces[problem.space].append(problem)

    def strata(
        self, problem: ProblemRuns, a: str, b: str, *of_both: NDArray[Any]
    ) -> statistics.Strata:
        """Results of both on each kind of machine that both ran on."""
        rows = (problem.rows[problem.algorithms[name]] for name in (a, b))
        return statistics.strata_of(*of_both, *(self.machine[mine] for mine in rows))

    def ratio(self, problem: ProblemRuns, unit: Unit, a: str, b: str) -> float:
        """The ratio of two costs that the speed of the machine may explain, at least 1."""
        if unit != "seconds" or a not in self.slowdowns or b not in self.slowdowns:
            return 1.0
        return self.detectable(a, b).get((*problem.space, str(problem.names["function"])), 1.0)

    def _detectable(self, a: str, b: str) -> dict[tuple[str, int, str], float]:
        rows = pd.concat([self.slowdowns[a], self.slowdowns[b]])
        return {
            (str(row["suite"]), int(row["dimension"]), str(row["function"])): ratio
            for row in detectable(rows, self.analysis.confidence).to_dict("records")
            if 1 < (ratio := float(row["detectable_ratio"])) < inf
        }

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
    strata: statistics.Strata | None = None
    least: float = 1.0


class _Criterion:
    """One criterion of a comparison. Each has the `results` of the algorithms on a function, small
    is better; the `gain`, how much better the first one is there, comparable between functions; and
    the test there. Single functions are tested also if there are many, or are not."""

    measure: str
    name: str
    pooled: Pooled
    always_on_functions = True

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
        self._limits = cache(partial(rundata.limits, known=self._costs.known))
        self._known = cache(self._erts)

    def algorithms(self, problem: ProblemRuns) -> list[str]:
        return self.pooled.known(problem, self.pooled.runs.known_in(self._unit))

    def results(self, problem: ProblemRuns) -> dict[str, float]:
        """The ERT to the decisive target of all; without one, the median precisions."""
        names = self.algorithms(problem)
        known = self._within(problem, *names)
        at = self._decisive(known)
        if at is None:
            return Quantile(self.pooled, 0.5).results(problem)
        return {name: float(one.pooled[at]) for name, one in zip(names, known, strict=True)}

    def gain(self, problem: ProblemRuns, a: str, b: str) -> float:
        """Share of the targets to which the first one has the smaller ERT, minus that of the other;
        kinds of machines count equally, and ratios within the timing noise are ties."""
        first, second = (one.on_kinds for one in self._within(problem, a, b))
        ratio = self.pooled.ratio(problem, self._unit, a, b)
        wins = [
            np.mean((first[kind] * ratio < second[kind]).astype(float))
            - np.mean((second[kind] * ratio < first[kind]).astype(float))
            for kind in first.keys() & second.keys()
        ]
        return float(np.mean(wins)) if wins else 0.0

    def tested(self, problem: ProblemRuns, a: str, b: str) -> Tested:
        """The score test at the hardest target that half of the runs of one of them reached; else
        at the hardest that a run of one of them reached; else that of the precisions at the end."""
        both = self._within(problem, a, b)
        at = self._decisive(both)
        if at is None:
            if self._unit != "seconds" or not {a, b} <= set(self.algorithms(problem)):
                return Tested((inf, inf), 1.0, 0.0)
            return Quantile(self.pooled, 0.5).tested(problem, a, b)._replace(strata=None)
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
        p = statistics.equal_ert_within(strata)
        least = 1.0 if p == 1 and first == second else _least(strata)
        return Tested((first, second), p, balance, float(self._targets[at]), least=least)

    def _decisive(self, known: Sequence[_Erts]) -> int | None:
        """The place of the `decisive_target`, or None."""
        target = decisive_target(self._targets, [one.rates for one in known])
        return None if target is None else int(np.flatnonzero(self._targets == target)[0])

    def _limit(self, problem: ProblemRuns, *names: str) -> float:
        return min((self._limits(problem)[name] for name in names), default=inf)

    def _within(self, problem: ProblemRuns, *names: str) -> list[_Erts]:
        limit = self._limit(problem, *names)
        return [self._known(problem, name, limit) for name in names]

    def _spent(
        self, problem: ProblemRuns, name: str, limit: float
    ) -> tuple[NDArray[Any], rundata.Spent]:
        """Kinds of machines and costs of the runs; evaluations depend on no machine."""
        rows = problem.rows[problem.algorithms[name]]
        seconds = self._unit == "seconds"
        kinds = self.pooled.machine[rows] if seconds else np.full(rows.size, "", dtype=object)
        return kinds, self._costs.spent.of(rows).within(limit)

    def _erts(self, problem: ProblemRuns, name: str, limit: float) -> _Erts:
        kinds, spent = self._spent(problem, name, limit)
        on_kinds = {str(kind): spent.of(kinds == kind).ert for kind in set(kinds.tolist())}
        return _Erts(spent.success.mean(axis=0), spent.ert, on_kinds)


class _Erts(NamedTuple):
    """Success rates and ERTs of all runs, ERTs by kind of machine; targets from easy to hard."""

    rates: NDArray[np.float64]
    pooled: NDArray[np.float64]
    on_kinds: dict[str, NDArray[np.float64]]


class Quantile(_Criterion):
    """A quantile of the precision at the end; runs that reached the final target are equal."""

    measure = PRECISION

    def __init__(self, pooled: Pooled, p: float) -> None:
        self.pooled, self._p, self.name = pooled, p, rundata.quantile_name(p)
        self.always_on_functions = p == 0.5
        self.results = cache(self._results)

    def _results(self, problem: ProblemRuns) -> dict[str, float]:
        samples = problem.samples(self.pooled.best)
        names = self.algorithms(problem)
        return {name: float(sample_quantile(samples[name], self._p)) for name in names}

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
            balance = statistics.superiority_within(strata) - 0.5
            p, balance = statistics.van_elteren(strata), _agreed(balance, values)
            return Tested(values, p, balance, strata=strata, least=_least(strata))
        if len(strata) != 1:
            return Tested(values, nan, 0.0)
        test = statistics.quantile_test(*strata[0], self._p)
        return Tested(values, test.p, _agreed(test.balance, values), least=test.least)


class Reached(_Criterion):
    """The share of the targets that a run reaches within a share of its budget."""

    measure = TARGETS
    always_on_functions = False

    def __init__(self, pooled: Pooled, share: float, unit: Unit) -> None:
        self.pooled, self.name, self._unit = pooled, f"{100 * share:g} %", unit
        self._times = pooled.runs.runtimes(unit, pooled.analysis.targets_from_easy)
        self._shares = cache(self._reached)
        self._within: dict[Space, float] = {}
        budgets = pooled.runs.frame[rundata.BUDGETS[unit]].to_numpy(dtype=np.float64)
        for space, functions in pooled.spaces.items():
            most = share * max(float(np.nanmax(budgets[problem.rows])) for problem in functions)
            whole = max(float(np.floor(most * (1 + 1e-12))), 1.0)
            self._within[space] = whole if unit == "evaluations" else most

    def within(self, space: Space) -> float:
        return self._within[space]

    def over_all(self, space: Space) -> dict[str, float]:
        """Minus the mean share over the functions that all algorithms ran on, or else its own."""
        results = pd.DataFrame([self.results(problem) for problem in self.pooled.spaces[space]])
        complete = results.dropna()
        found = (results if complete.empty else complete).mean()
        return {str(name): float(share) for name, share in found.sort_index().items()}

    def results(self, problem: ProblemRuns) -> dict[str, float]:
        """Minus the mean share of the targets."""
        names = self.algorithms(problem)
        return {name: -float(self._shares(problem, name).mean()) for name in names}

    def gain(self, problem: ProblemRuns, a: str, b: str) -> float:
        """The difference of the mean shares, if the speed of the machine does not explain it."""
        ratio = self.pooled.ratio(problem, self._unit, a, b)
        first, second = (
            self._shares(problem, x, ratio).mean() - self._shares(problem, y).mean()
            for x, y in ((a, b), (b, a))
        )
        return float(max(first, 0.0) - max(second, 0.0))

    def tested(self, problem: ProblemRuns, a: str, b: str) -> Tested:
        first, second = self._shares(problem, a), self._shares(problem, b)
        strata = self.pooled.strata(problem, a, b, -first, -second)
        gain, effect = self.gain(problem, a, b), statistics.superiority_within(strata) - 0.5
        balance = gain if gain * effect > 0 else 0.0
        values = float(first.mean()), float(second.mean())
        return Tested(values, statistics.van_elteren(strata), balance, least=_least(strata))

    def _reached(self, problem: ProblemRuns, name: str, ratio: float = 1.0) -> NDArray[np.float64]:
        """Share of the targets that each run has reached, shape (runs,)."""
        mine = self._times[problem.rows[problem.algorithms[name]]]
        within = self._within[problem.space] / ratio
        return np.asarray((mine <= within * (1 + 1e-12)).mean(axis=1))


Criterion: TypeAlias = Costs | Quantile | Reached


def _least(strata: Sequence[Sequence[NDArray[Any]]]) -> float:
    """Smallest p-value of a test of the order of two samples, the first and the last array of each
    stratum; 1 if all are equal."""
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
    if single_functions:
        return len(UNITS) + (0.5 in analysis.quantiles)
    return len(UNITS) + len(SHARES) + len(analysis.quantiles)


def criteria(runs: Runs, analysis: Analysis) -> list[Criterion]:
    """Every criterion of the table `comparison`, the costs first.

    Without a budget of all runs on the clock of the tables, there is no share of it.
    """
    pooled = Pooled(runs, analysis)
    costs: list[Criterion] = [Costs(pooled, unit) for unit in UNITS]
    frame = pooled.runs.frame[pooled.runs.ended]
    budgets = {unit: frame[rundata.BUDGETS[unit]] for unit in UNITS}
    unit = next((u for u, one in budgets.items() if one.notna().all() and one.max() > 0), None)
    shares: list[Criterion] = []
    if unit == "evaluations" or (unit == "seconds" and analysis.time == "wall"):
        shares = [Reached(pooled, share, unit) for share in SHARES if len(frame)]
    quantiles: list[Criterion] = [Quantile(pooled, p) for p in sorted(analysis.quantiles)]
    return [*costs, *shares, *quantiles]


Pair: TypeAlias = tuple[str, str]
Group: TypeAlias = dict[Any, dict[str, Any]]
"""The rows of a pair on one function, or over all, by the place of their criterion."""


def least_over(functions: int, pairs: int) -> float:
    """The smallest p-value of Wilcoxon's test over so many functions times the number of pairs, at
    most 1."""
    return float(min(2.0 ** (1 - functions) * pairs, 1.0))


MOST_PERTURBED = 0.5  # share of runs of a cell with which verdicts are made again without them

_place = itemgetter(
    "suite", "dimension", "measure", "criterion", "function", "algorithm_a", "algorithm_b"
)

LIMITED = "Only pairs with the best algorithm or with those in `statistics.pairs` are listed."


@exhibit(
    question=questions.BETTER,
    layouts=[
        Layout(
            rows=("algorithm_a", "algorithm_b"),
            columns="criterion",
            points=(Points("function", 1),),
        ),
        Layout(
            shown=("p_adjusted", "better"),
            rows=("function", "algorithm_a", "algorithm_b"),
            columns="criterion",
            name="functions",
        ),
    ],
    default=True,
    comparing=True,
)
def comparison(runs: Runs, analysis: Analysis) -> Made:
    """Pairs of algorithms under each criterion

    Each pair of algorithms under each criterion, on each function and over all functions. All
    verdicts of the report follow from this table. The p-value of a pair is multiplied by the number
    of pairs and adjusted over its criteria, so that the results of other algorithms do not change
    the verdict. Quantiles other than the median, and shares of targets, are tested on single
    functions only if there are so few functions that no result over all of them could be
    significant. A function with a wrong optimum decides nothing. For more than 12 algorithms, only
    pairs with the best one under some criterion are listed, and on a function also those with the
    best one there; `statistics.pairs` adds pairs.

    SPACE
    measure (text): what is compared: `seconds` or `evaluations` to the targets, `targets` that are
        reached within a cost, or `precision` at the end of the run
    criterion (text): of a cost: `ERT`; of targets: the share of the budget; of a precision: a
        quantile such as `Q.50`
    FUNCTION_OR_ALL, TARGET
    within [s or evaluations]: for `targets`: the cost within which targets count
    PAIR
    n_a: runs of `algorithm_a`; for `all`, functions that both ran and whose optimum is not wrong
    n_b: the same for `algorithm_b`
    value_a [s, evaluations, share, precision or rank]: result of `algorithm_a`: ERT to `target` (if
        `target` is empty, median precision) up to the cost that all runs of both were allowed,
        share of the targets, or quantile of the precision, where runs that reached the final target
        count as 0; for `all`, the average rank (of the table `ranks`, or from the pairs if
        functions are incomplete), or the mean share
    value_b: the same for `algorithm_b`
    differences: number of functions on which the results differ; on a function, 1 if some runs
        differ, else 0
    a12 (interval, at the level of the pair, which excludes 0.5 if and only if `better` names an
        algorithm; empty for `all`) <A12; .2>: for `all`, share of the functions on which
        `algorithm_a` is better, where a tie counts half; on a function, for the median precision
        only, probability that a run of `algorithm_a` is better than one of `algorithm_b`
    p: p-value of the pair alone; for `all`, of Wilcoxon's signed-rank test over the functions; on a
        function, of the score test of equal ERTs, the Mann-Whitney test of runs, or Fisher's test
        at the quantile; within the kinds of machines if blocks mix several
    tests: number of tests in the family, also of pairs that are not listed: pairs for `all`, pairs
        times functions for a function
    p_adjusted <p; .4>: `p` times `tests`, at most 1 (Bonferroni), then adjusted over the criteria
        of the pair (Hochberg) under which a result could be significant (Tarone). 1 if the values
        and the test favour different algorithms, the ratio of times is within the timing noise, or
        the optimum is wrong
    better (label) <Better>: the better algorithm if `p_adjusted` is at most 1 − confidence
    """
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
        found = {_place(row): row for row in _rows(there, analysis)[0]}
        for row in rows:
            other = found.get(_place(row), row)
            row["p"] = max(row["p"], other["p"])
            row["p_adjusted"] = max(row["p_adjusted"], other["p_adjusted"])
            if row.get("better") != other.get("better"):
                row |= {"better": None, "p_adjusted": 1.0}
    return rows, limited


def _rows(runs: Runs, analysis: Analysis) -> tuple[list[dict[str, Any]], bool]:
    every, alpha = criteria(runs, analysis), 1 - analysis.confidence
    rows: list[tuple[int, dict[str, Any]]] = []
    limited = False
    for space, functions in every[0].pooled.spaces.items():
        contests = [_Contest(criterion, space, functions, analysis) for criterion in every]
        listed_here = _union(contest.listed() for contest in contests)
        limited |= listed_here.among is not None
        sample = max(contest.functions_compared for contest in contests)
        pairs = min((contest.pairs for contest in contests if contest.on), default=0)
        enough = least_over(sample, pairs) <= alpha
        every_pair = dict.fromkeys(pair for contest in contests for pair in contest.on)
        groups: list[Group] = [
            {k: one.over(pair) for k, one in enumerate(contests) if pair in one.on}
            for pair in every_pair
            if listed_here.has(*pair)
        ]
        alone = {k: one for k, one in enumerate(contests) if one.always_on_functions or not enough}
        for problem in functions:
            chosen = listed_here
            if chosen.among is not None:
                chosen = _union([chosen, *(one.listed_on(problem) for one in alone.values())])
            for pair in every_pair:
                there = {k: one for k, one in alone.items() if problem in one.on.get(pair, ())}
                if there and chosen.has(*pair):
                    groups.append({k: one.tested(problem, pair) for k, one in there.items()})
        for k, row in (item for group in groups for item in decide(group, alpha).items()):
            rows.append((k, row | {"cited": (row["function"] == ALL) == enough}))
    return [row for _, row in sorted(rows, key=lambda item: item[0])], limited


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
    before, after = (
        {_place(row): row.get("better") for row in some if row["cited"]}
        for some in (rows, _rows(others, analysis)[0])
    )
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
    found = found[np.isfinite(found.to_numpy()).all(axis=1)]
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


def over(gains: NDArray[np.float64]) -> dict[str, Any]:
    """The test of a pair over functions, from how much better the first one is on each."""
    test, share = statistics.wilcoxon(-gains, np.zeros(gains.size)), _share(gains)
    return {
        "n_a": gains.size,
        "n_b": gains.size,
        "a12": share,
        "p": test.p,
        "differences": int(np.count_nonzero(gains)),
        "balance": test.balance if (share - 0.5) * test.balance >= 0 else 0.0,
        "least": test.least,
        "strata": None,
    }


def decide(group: Group, alpha: float) -> Group:
    """Add the decisions: p-values times the number of tests, adjusted over the criteria whose
    smallest possible p-value is small enough."""
    for row in group.values():
        row["p_adjusted"] = min(row["p"] * row["tests"], 1.0) if row["balance"] else 1.0
    counted = [row for row in group.values() if not row["least"] * row["tests"] > alpha]
    adjusted = hochberg([row["p_adjusted"] for row in counted])
    for row, p in zip(counted, adjusted.tolist(), strict=True):
        row["p_adjusted"] = p
    for row in group.values():
        if row["p_adjusted"] <= alpha and row["balance"] != 0:
            row["better"] = row["algorithm_a" if row["balance"] > 0 else "algorithm_b"]
        if row["strata"]:  # A12 has an interval at the level at which the pair was tested
            times = row["p_adjusted"] / row["p"] if 0 < row["p_adjusted"] < 1 else row["tests"]
            level, rejected = alpha / max(times, 1.0), row.get("better") is not None
            measured = statistics.a12(row["strata"], confidence=1 - level)
            effect = statistics.in_agreement(measured, row["p"], level, rejected=rejected)
            row |= {"a12": effect.a12, "a12_low": effect.low, "a12_high": effect.high}
    return group


class _Contest:
    """All pairs under one criterion in one suite and dimension: the functions that both ran; the
    number of pairs in the smallest family of tests over the functions, and the largest number of
    functions over which a pair is tested."""

    def __init__(
        self, criterion: Criterion, space: Space, functions: list[ProblemRuns], analysis: Analysis
    ) -> None:
        self._criterion, self._space, self._analysis = criterion, space, analysis
        self.always_on_functions = criterion.always_on_functions
        self.on: defaultdict[Pair, list[ProblemRuns]] = defaultdict(list)
        for problem in functions:
            for pair in combinations(criterion.algorithms(problem), 2):
                self.on[pair].append(problem)
        of_pairs = (sum(not self._is_wrong(one) for one in on) for on in self.on.values())
        self.functions_compared = max(of_pairs, default=0)
        self._gains = cache(self._gains_of)
        complete = len({tuple(criterion.algorithms(problem)) for problem in functions}) == 1
        as_one = complete or criterion.measure == TARGETS
        self._values = (as_one and criterion.over_all(space)) or self._ranks_in_pairs()
        self._planned = Listed(rundata.planned(analysis))
        named = {pair: len(on) for pair, on in self.on.items() if self._planned.has(*pair)}
        self._families = {
            True: (len(named), sum(named.values())),
            False: (len(self.on), sum(map(len, self.on.values()))),
        }
        self.pairs = min(count for count, _ in self._families.values() if count or not self.on)

    def listed(self) -> Listed:
        usual = rundata.listed(self._analysis, self._values)
        return self._with_the_best(usual, self._values, self.over)

    def listed_on(self, problem: ProblemRuns) -> Listed:
        results = self._criterion.results(problem)
        return self._with_the_best(Listed(frozenset()), results, partial(self.tested, problem))

    def _with_the_best(
        self, chosen: Listed, results: Mapping[str, float], tested: Callable[[Pair], dict[str, Any]]
    ) -> Listed:
        """Also the pairs with the best algorithms, up to one that is worse than no other."""
        if chosen.among is None or not results:
            return chosen
        alpha = 1 - self._analysis.confidence
        among = set(chosen.among)
        for name in rundata.in_order(results):
            among.add(name)
            pairs = [pair for pair in self.on if name in pair and set(pair) <= set(results)]
            rows = [tested(pair) | {"side": 1 if pair[0] == name else -1} for pair in pairs]
            certain = (row for row in rows if row["p"] * row["tests"] <= alpha)
            if not any(row["balance"] * row["side"] < 0 for row in certain):
                break
        return Listed(frozenset(among))

    def over(self, pair: Pair) -> dict[str, Any]:
        values = [abs(self._values.get(name, np.nan)) for name in pair]
        return self._row(pair, ALL, values) | over(self._gains(pair))

    def tested(self, problem: ProblemRuns, pair: Pair) -> dict[str, Any]:
        test = self._criterion.tested(problem, *pair)
        if self._is_wrong(problem):
            test = Tested(test.values, np.nan, 0.0, test.target)
        row = self._row(pair, str(problem.names["function"]), test.values) | test._asdict()
        n_a, n_b = (problem.algorithms[name].size for name in pair)
        return row | {"n_a": n_a, "n_b": n_b, "differences": int(test.least < 1)}

    def _gains_of(self, pair: Pair) -> NDArray[np.float64]:
        on = (problem for problem in self.on[pair] if not self._is_wrong(problem))
        return np.array([self._criterion.gain(problem, *pair) for problem in on])

    def _is_wrong(self, problem: ProblemRuns) -> bool:
        return (*problem.space, int(problem.names["function"])) in self._criterion.pooled.wrong

    def _ranks_in_pairs(self) -> dict[str, float]:
        """1 plus the sum over the others of the shares of functions on which they are better."""
        ranks = dict.fromkeys(sorted({name for pair in self.on for name in pair}), 1.0)
        for pair in self.on:
            share = _share(self._gains(pair))
            ranks[pair[0]] += 1 - share
            ranks[pair[1]] += share
        return ranks

    def _row(self, pair: Pair, function: str, values: Iterable[float]) -> dict[str, Any]:
        """What all rows have; planned pairs are a family of tests of their own."""
        suite, dimension = self._space
        return {
            "suite": suite,
            "dimension": dimension,
            "measure": self._criterion.measure,
            "criterion": self._criterion.name,
            "function": function,
            "within": self._criterion.within(self._space),
            "tests": self._families[self._planned.has(*pair)][function != ALL],
            **dict(zip(column_names(PAIR), pair, strict=True)),
            **dict(zip(("value_a", "value_b"), values, strict=True)),
        }


def _share(gains: NDArray[np.float64]) -> float:
    """Share of the functions on which the first algorithm is better; ties count half."""
    return float(np.mean((gains > 0) + 0.5 * (gains == 0))) if gains.size else 0.5


def _union(every: Iterable[Listed]) -> Listed:
    among = [one.among for one in every]
    some = [one for one in among if one is not None]
    return Listed(frozenset().union(*some) if len(some) == len(among) else None)


Medians: TypeAlias = tuple[float, ...]
"""Median precisions of a pair on a function: both at equal evaluations, then both at the end."""


class Reversal(NamedTuple):
    """A pair with opposite orders over its functions; on how many each has the strictly better
    median, in the order of `Medians`; `p_adjusted` is times the number of tests."""

    pair: Pair
    first_by_evaluations: bool
    functions: int
    better_on: tuple[int, ...]
    p_by_evaluations: float
    p_by_time: float
    p_adjusted: float


def reversals(medians: Mapping[Pair, Sequence[Medians]], tests: int) -> list[Reversal]:
    """Test which pairs of algorithms have opposite orders at equal evaluations and at equal time.

    Each order is over all functions, with the p-value of Wilcoxon's signed-rank test on the
    logarithms of the medians. A reversal needs both, so its p-value is the larger of the two (an
    intersection-union test), times the number of pairs (Bonferroni). A pair with fewer than two
    functions is not tested, and numbers of functions must not contradict a reversal.

    - `medians`: Those of each pair, one entry per function; `inf` is allowed, below 0 counts as 0.
    - `tests`: Number of tests in the family, at least ``len(medians)``.
    """
    found = []
    for pair, on_functions in medians.items():
        values = np.array(on_functions, dtype=np.float64)
        if len(values) < 2:
            continue
        with np.errstate(divide="ignore"):
            logs = np.log10(np.maximum(values, 0.0)).T
        evaluations, time = statistics.wilcoxon(*logs[:2]), statistics.wilcoxon(*logs[2:])
        on = tuple((values < values[:, [1, 0, 3, 2]]).sum(axis=0).tolist())
        orders = (on[0] - on[1], evaluations.balance), (on[2] - on[3], time.balance)
        agreed = all(count * balance >= 0 for count, balance in orders)
        if evaluations.balance * time.balance < 0 and agreed:
            p = min(max(evaluations.p, time.p) * tests, 1.0)
            first = evaluations.balance > 0
            found.append(Reversal(pair, first, len(values), on, evaluations.p, time.p, p))
    return found


P_OF_UNIT: dict[str, Unit] = {"p_by_evaluations": "evaluations", "p_by_time": "seconds"}
BY = ("by_evaluations_a", "by_evaluations_b", "by_time_a", "by_time_b")


@exhibit(
    question=questions.REVERSAL,
    layouts=Layout(
        rows=("function", "target", "winner_by_evaluations", "winner_by_time"),
        points=(Points("target", 1),),
    ),
    default=True,
    comparing=True,
)
def rank_reversals(runs: Runs, analysis: Analysis) -> Made:
    """Pairs with opposite orders by evaluations and by time

    Pairs in which one algorithm is strictly better by evaluations, and the other by time: by the
    ERT at a fixed target, or by the median precision at a fixed budget, on a function and over all
    functions. A rank reversal is significant only if both orders are, and at a fixed target only if
    the ratio of the times is above the timing noise. For more than 12 algorithms, only pairs with
    the best one (lowest average rank of the median precision) are listed; `statistics.pairs`
    selects other pairs. Functions with a wrong optimum are omitted.

    SPACE, FUNCTION_OR_ALL, FIXED, TARGET, PAIR
    functions: for `all`, number of functions that both ran; 1 otherwise
    evaluations [evaluations]: the number of evaluations that the budget allowed every run of both,
        within which they are compared; for `all`, the median of these numbers over the functions
    by_evaluations_a [evaluations, precision or functions]: ERT in evaluations of `algorithm_a`, or
        its median precision at `evaluations`; for `all`, number of functions on which that is
        better
    by_evaluations_b [evaluations, precision or functions]: the same for `algorithm_b`
    by_time_a [s, precision or functions]: ERT in seconds of `algorithm_a`, or its median precision
        at the end; for `all`, number of functions on which that is better
    by_time_b [s, precision or functions]: the same for `algorithm_b`
    winner_by_evaluations (text): the better algorithm by evaluations
    winner_by_time (text): the better algorithm by time
    p_by_evaluations <p, evaluations; .4>: p-value of the order by evaluations: score test of equal
        ERTs, or the Mann-Whitney test (1 if the ranks contradict the medians); for `all`,
        Wilcoxon's signed-rank test on the logarithms of the medians over the functions
    p_by_time <p, time; .4>: p-value of the order by time, likewise
    p_adjusted <p, both; .4>: the larger of both p-values, times the number of pairs, functions and
        criteria (or targets, if these are more), at most 1 (Bonferroni); for `all`, times the
        number of pairs and criteria of the table `comparison`
    detectable_ratio: at a fixed target: largest ratio of times that the speed of the machine may
        explain, as in the table `timing_noise`; empty if it is not known
    significant: whether `p_adjusted` is at most 1 − confidence and, at a fixed target, the ratio of
        times is above `detectable_ratio`
    """
    targets, alpha = analysis.targets_from_easy, 1 - analysis.confidence
    costs = {unit: KnownCosts.of(runs, unit, targets) for unit in UNITS}
    allowed, best = rundata.evaluations_allowed(runs), rundata.precision_at_the_end(runs)
    listed_in = rundata.listed_by_precision(runs, analysis)
    wrong = {(one.suite, one.dimension, one.function) for one in refuted(runs)}
    noise = timing_noise(runs, analysis)[["suite", "dimension", "function", "detectable_ratio"]]
    detectable = {(*place, str(function)): ratio for *place, function, ratio in noise.to_numpy()}
    every = [(problem, rundata.limits(problem, allowed)) for problem in rundata.problems(runs)]
    asked = [(problem, np.unique(list(own.values()))) for problem, own in every]
    reached = zip(every, asked, rundata.precision_at(runs, asked), strict=True)
    over_all: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    for space, of_space in groupby(reached, lambda one: one[0][0].space):
        functions = list(of_space)
        in_pairs = [list(combinations(problem.algorithms, 2)) for (problem, _), *_ in functions]
        count = Counter(pair for on_one in in_pairs for pair in on_one)
        enough = least_over(sum(map(bool, in_pairs)), len(count)) <= alpha
        on_one = number_of_criteria(analysis, single_functions=enough)
        tests = {FIXED_BUDGET: on_one, FIXED_TARGET: max(len(targets), on_one)}
        medians: defaultdict[Pair, list[Medians]] = defaultdict(list)
        equals: defaultdict[Pair, list[float]] = defaultdict(list)
        for (problem, own), (_, points), at in functions:
            function = problem.names["function"]
            if (*space, int(function)) in wrong:
                continue
            chosen = list(listed_in[space].pairs(list(problem.algorithms)))
            at_points, ends = problem.split(at), problem.samples(best)
            found = []
            for pair in chosen:
                equal = min(own[name] for name in pair)
                k = np.searchsorted(points, equal)
                both = [at_points[name][:, k] for name in pair], [ends[name] for name in pair]
                four = tuple(median(sample) for samples in both for sample in samples)
                medians[pair].append(four)
                equals[pair].append(equal)
                if _inverted(*four):
                    row = _row(problem, pair, four, criterion=FIXED_BUDGET, evaluations=equal)
                    p_values = (_p_of_order(*samples) for samples in both)
                    found.append(row | dict(zip(P_OF_UNIT, p_values, strict=True)))
            ratio = detectable.get((*space, str(function)), nan)
            for row in [*found, *_at_fixed_targets(problem, chosen, targets, costs)]:
                larger = float(np.maximum(row["p_by_evaluations"], row["p_by_time"]))
                p = min(larger * count.total() * tests[row["criterion"]], 1.0)
                least_s, most_s = sorted((row["by_time_a"], row["by_time_b"]))
                timed = row["criterion"] == FIXED_TARGET  # an unknown ratio explains no order
                significant = p <= alpha and not (timed and most_s <= least_s * ratio)
                row |= {"detectable_ratio": ratio, "p_adjusted": p, "significant": significant}
                rows.append(row)
        over_all += [
            {
                **dict(zip(("suite", "dimension"), space, strict=True)),
                **{"function": ALL, "criterion": FIXED_BUDGET, "detectable_ratio": nan},
                **one._asdict(),
                **_pair(one.pair, one.better_on, one.first_by_evaluations),
                "evaluations": median(np.array(equals[one.pair])),
                "significant": one.p_adjusted <= alpha,
            }
            for one in reversals(medians, tests=len(count) * number_of_criteria(analysis))
        ]
    return [*over_all, *rows], {"pairs": rundata.in_words(listed_in)}


def _at_fixed_targets(
    problem: ProblemRuns,
    pairs: Sequence[Pair],
    targets: tuple[float, ...],
    costs: dict[Unit, KnownCosts],
) -> Iterator[dict[str, Any]]:
    until = {unit: rundata.limits(problem, costs[unit].known) for unit in UNITS}
    for pair in pairs:
        limit = {unit: min(until[unit][name] for name in pair) for unit in UNITS}
        rows = [problem.rows[problem.algorithms[name]] for name in pair]
        spent = {
            name: [costs[unit].spent.of(mine).within(limit[unit]) for mine in rows]
            for name, unit in P_OF_UNIT.items()
        }
        erts = np.array([one.ert for both in spent.values() for one in both])
        for k, target in enumerate(targets):
            values = erts[:, k].tolist()
            if _inverted(*values):
                facts = {"criterion": FIXED_TARGET, "evaluations": limit["evaluations"]}
                row = _row(problem, pair, values, target=target, **facts)
                for name, (a, b) in spent.items():
                    of_both = (of[:, k] for of in (a.cost, a.success, b.cost, b.success))
                    row[name] = statistics.equal_ert(*of_both)
                yield row


def _row(problem: ProblemRuns, pair: Pair, values: Sequence[float], **facts: Any) -> dict[str, Any]:
    function = {"function": str(problem.names["function"]), "functions": 1}
    return problem.names | function | _pair(pair, values, values[0] < values[1]) | facts


def _inverted(evaluations_a: float, evaluations_b: float, time_a: float, time_b: float) -> bool:
    first = evaluations_a < evaluations_b and time_a > time_b
    return first or (evaluations_a > evaluations_b and time_a < time_b)


def _pair(pair: Pair, values: Sequence[float], first_by_evaluations: bool) -> dict[str, Any]:
    winners = pair if first_by_evaluations else pair[::-1]
    return {
        **dict(zip(column_names(PAIR), pair, strict=True)),
        **dict(zip(BY, values, strict=True)),
        **dict(zip(("winner_by_evaluations", "winner_by_time"), winners, strict=True)),
    }


def _p_of_order(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """p-value of the order of two medians; 1 if the ranks of the runs contradict it."""
    by_median = np.sign(median(second) - median(first))
    by_ranks = np.sign(statistics.superiority(first, second) - 0.5)
    return statistics.mann_whitney(first, second) if by_median == by_ranks else 1.0
