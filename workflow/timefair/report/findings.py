"""Findings from the tables, in sentences that claim no more than the statistics allow.

Verdicts follow from the pairs of the table `comparison` under one criterion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from math import comb, inf, isclose, isnan, nan
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from timefair.basics.extension import each
from timefair.basics.words import ALL, cost, counted, duration, listed, number, p_value, percent
from timefair.exhibits.comparisons.comparison import PRECISION, TARGETS, least_over
from timefair.exhibits.comparisons.ranks import ERT
from timefair.records.rundata.problems import quantile_name
from timefair.report.evidence import NOTICEABLE, Evidence, Space
from timefair.statistics.hitting_times import decisive_target


class Verdict(StrEnum):
    """What the pairs with the first algorithm decide."""

    CLEAR = "clear"  # one algorithm is significantly better than every other one
    SHARED = "shared"  # the first is significantly better than some others, but not than all
    OPEN = "open"  # the best is significantly better than no other one, so none is first
    MIXED = "mixed"  # functions differ in which algorithm is significantly better than others
    NOTHING = "nothing"  # all have the same result, or each is worse than another one


@dataclass(frozen=True)
class Standing:
    """The algorithms in front under one criterion."""

    verdict: Verdict
    leaders: tuple[str, ...]  # none if they are significantly better than nobody
    tied: tuple[str, ...]  # from which the leaders do not differ significantly, the best first
    values: str  # a sentence with the values of the first ones, or why there is no first
    test: str = ""  # the test and its corrections, or why it could decide nothing
    behind_p: tuple[float, ...] = ()  # adjusted p-values of the leaders against those behind
    tied_p: tuple[float, ...] = ()  # the same against those that are tied
    basis: str = ""  # the scope of the verdict, such as ``over 24 functions``
    on_each: bool = False  # whether it is one of several functions, each tested alone

    @property
    def front(self) -> tuple[str, ...]:
        return (*self.leaders, *self.tied)

    @property
    def tested(self) -> str:
        others = self.tied[0] if len(self.tied) == 1 else "the others"
        behind = " against those behind" * (len(self.behind_p) > 1 or bool(self.tied_p))
        tied = " elsewhere" if self.on_each else f" against {others}"
        tied *= self.verdict is not Verdict.OPEN
        ends = ((self.behind_p, max, "≤", behind), (self.tied_p, min, "≥", tied))
        parts = [
            f"{p_value(end(p), bound if len(p) > 1 else '=')}{against}"
            for p, end, bound, against in ends
            if p
        ]
        return f"{self.test}: {', '.join(parts)}" if parts else self.test

    @property
    def reason(self) -> str:
        said = f"{self.tested[:1].upper()}{self.tested[1:]}"
        return " ".join(filter(None, (self.values, f"{said}." if said else "")))


def first(values: Mapping[str, float]) -> tuple[str, ...]:
    best = min(values.values())
    return tuple(name for name, value in values.items() if isclose(value, best))


def in_order(values: Mapping[str, float], names: Iterable[str] | None = None) -> tuple[str, ...]:
    return tuple(sorted(values if names is None else names, key=values.__getitem__))


def nothing(reason: str, basis: str = "") -> Standing:
    return Standing(Verdict.NOTHING, (), (), reason, basis=basis)


COST = {"seconds": "ert_s", "evaluations": "ert_evaluations"}
Results: TypeAlias = dict[str, dict[Hashable, Any]]
"""On one function, by algorithm: ``value``, small is better, its limits ``low`` and ``high``, which
may be NaN, and the numbers of ``runs`` and ``successes``.
"""


def by_cost(evidence: Evidence, space: Space, unit: str) -> dict[int, tuple[float, Results]]:
    """For each function, a target and the expected costs to it; see `decisive_target`."""
    rows, found = evidence.of("ert", space), {}
    rows = rows[rows[COST[unit]].notna()]  # published data have no seconds
    for function, every in rows.groupby("function"):
        rates = every.pivot_table("success_rate", "algorithm", "target", observed=True)
        target = decisive_target(rates.columns.to_numpy(), rates.to_numpy())
        if target is not None:
            at = every[every["target"] == target]
            found[int(str(function))] = target, _results(at, COST[unit])
    return found


def _results(rows: pd.DataFrame, column: str) -> Results:
    ends = {column: "value", f"{column}_low": "low", f"{column}_high": "high"}
    return {str(row["algorithm"]): row for row in rows.rename(columns=ends).to_dict("records")}


TABLE = "comparison"
ALLOWED = "what all runs of both were allowed"  # unless in the unit of the budget
TOO_FEW = "too few runs"
NO_FIRST = "Every algorithm is significantly worse than another one."


@dataclass(frozen=True)
class Pairs:
    """The listed pairs of one criterion, on one function or over all of them (``all``)."""

    function: str
    values: Mapping[str, float]  # of each algorithm, small is better; with `targets`, minus a share
    better: Mapping[tuple[str, str], float]  # the adjusted p-value of each pair (better, worse)
    undecided: Mapping[tuple[str, str], float]  # of other pairs, in both orders; NaN without a test
    differ: bool  # whether the results of some pair differ at all
    functions: int
    tests: int  # in the family; of several families, the smallest number
    least: float  # smallest adjusted p-value that so many functions or runs can have
    level: float  # largest adjusted p-value of a significant difference
    targets: bool = False
    aimed: bool = True  # whether some pair is tested at a target, if single functions have one

    @classmethod
    def of(cls, records: Sequence[Mapping[Any, Any]], level: float) -> Pairs:
        """Read the rows of one criterion and function; at least one."""
        better: dict[tuple[str, str], float] = {}
        undecided: dict[tuple[str, str], float] = {}
        targets = records[0]["measure"] == TARGETS
        function = str(records[0]["function"])
        for row in records:
            a, b, p = str(row["algorithm_a"]), str(row["algorithm_b"]), float(row["p_adjusted"])
            if isinstance(row["better"], str):
                worse = b if row["better"] == a else a
                better[str(row["better"]), worse] = p
            else:
                undecided[a, b] = undecided[b, a] = p
        tests = min(int(row["tests"]) for row in records)
        runs = [(int(row["n_a"]), int(row["n_b"])) for row in records]
        functions = max(n for n, _ in runs) if function == ALL else 1
        least = min(2 / comb(m + n, m) for m, n in runs)
        least = 2.0 ** (1 - functions) if function == ALL else least
        return cls(
            function=function,
            values=dict(sorted(_values(records, targets=targets).items())),
            better=better,
            undecided=undecided,
            differ=any(row["differences"] for row in records),
            functions=functions,
            tests=tests,
            least=least * tests,
            level=level,
            targets=targets,
            aimed=not all(isnan(row["target"]) for row in records),
        )

    @property
    def losers(self) -> set[str]:
        return {worse for _, worse in self.better}

    def standing(self, basis: str, test: str) -> Standing:
        """The standing that the pairs decide.

        The leader has the best value among the algorithms that are significantly worse than no
        other one; of equal ones, those that are better than most. Behind it are those than which it
        is significantly better; without any, nobody leads.
        """
        if not self.differ and len(first(self.values)) == len(self.values):
            return nothing(self._all_equal(), basis)
        front = {name: v for name, v in self.values.items() if name not in self.losers}
        if not front:
            return nothing(NO_FIRST, basis)
        wins = {name: {worse for one, worse in self.better if one == name} for name in first(front)}
        most = max(wins.values(), key=len)
        leaders = tuple(name for name, beaten in wins.items() if beaten == most)
        others = [name for name in self.values if name not in leaders]
        behind = {name for name in others if all((one, name) in self.better for one in leaders)}
        tied = in_order(self.values, [name for name in others if name not in behind])
        verdict = Verdict.CLEAR if len(leaders) == 1 and not tied else Verdict.SHARED
        verdict = verdict if behind else Verdict.OPEN
        behind_p = tuple(self.better[one, name] for one in leaders for name in sorted(behind))
        with_leaders = [(one, name) for one in leaders for name in tied]
        undecided = with_leaders or [
            pair for pair in self.undecided if not behind and pair < pair[::-1]
        ]
        against = (self.undecided.get(pair, nan) for pair in undecided)
        tied_p = tuple(p for p in against if not isnan(p))
        said = self._values_in_words(leaders, tied, named=not behind)
        if not behind:
            leaders, tied = (), (*leaders, *tied)
        if why := self._undecidable():
            return Standing(verdict, leaders, tied, said, why, basis=basis)
        what = counted(self.tests, "pair" if self.function == ALL else "test")
        test = f"{test}, corrected for {what} and all criteria"
        return Standing(verdict, leaders, tied, said, test, behind_p, tied_p, basis)

    def _undecidable(self) -> str:
        """Why no pair could be decided, whatever the results; empty if one could."""
        if self.better or self.least <= self.level:
            return ""
        if all(isnan(p) for p in self.undecided.values()):
            return "no test with a single run of an algorithm"
        tests = counted(self.tests, "pair" if self.function == ALL else "test")
        if self.function != ALL:
            return f"{TOO_FEW} to decide any of {tests}"
        are = "is" if self.functions == 1 else "are"
        return f"{counted(self.functions, 'function')} {are} too few to decide any of {tests}"

    def _values_in_words(self, leaders: Sequence[str], tied: Sequence[str], *, named: bool) -> str:
        """The values over all functions of the first algorithm (with its name, if `named`), and of
        the first that is tied or else the next; and of those with a better value that are not
        first, and why they are not.
        """
        if self.function != ALL:
            return ""
        mine = self.values[leaders[0]]
        others = [name for name in self.values if name not in leaders]
        ahead = in_order(self.values, [name for name in others if self.values[name] < mine])
        after = [name for name in tied or in_order(self.values, others) if name not in ahead]
        value = self._value(mine)
        what = f"{value} of the targets reached" if self.targets else f"average rank {value}"
        said = f"{listed(leaders)}: {what}" if named else what[0].upper() + what[1:]
        if after:
            said += f", then {after[0]} with {self._value(self.values[after[0]])}"
        for name in ahead:
            winners = [better for better, worse in self.better if worse == name]
            said += f". {name} has {self._value(self.values[name])}, but is significantly worse "
            said += f"than {listed(in_order(self.values, winners))}"
        return f"{said}."

    def _value(self, value: float) -> str:
        return percent(-value) if self.targets else number(value)

    def _all_equal(self) -> str:
        if not self.targets:
            return "All algorithms have the same result."
        share = self._value(next(iter(self.values.values())))
        return f"All algorithms have reached {share} of the targets."


def _values(records: Sequence[Mapping[Any, Any]], *, targets: bool) -> dict[str, float]:
    """The result of each algorithm: for ERTs on a function, which are to different targets, the
    number of pairs in which it has the larger one.
    """
    on_function = str(records[0]["function"]) != ALL
    values: dict[str, float] = {}
    for row in records:
        a, b = str(row["algorithm_a"]), str(row["algorithm_b"])
        x, y = float(row["value_a"]), float(row["value_b"])
        if on_function and row["criterion"] == ERT:
            values[a] = values.get(a, 0.0) + (x > y) + 0.5 * (x == y)
            values[b] = values.get(b, 0.0) + (y > x) + 0.5 * (x == y)
        else:
            values |= {a: -x, b: -y} if targets else {a: x, b: y}
    return values


TESTS = {
    ERT: "score test of equal ERTs",
    "Q.50": "Mann-Whitney test of the runs",
    TARGETS: "Mann-Whitney test of the runs",
    PRECISION: "Fisher’s test at the quantile",
}
"""The test on a function, by criterion or measure."""


def pairs_of(
    evidence: Evidence, space: Space, measure: str, criterion: str, function: object = ALL
) -> Pairs | None:
    """The pairs of a criterion that algorithms with evaluations form; None without a pair."""
    rows = evidence.of(TABLE, space, measure=measure, criterion=criterion, function=function)
    failed = rows[["algorithm_a", "algorithm_b"]].isin(list(evidence.failed(space))).any(axis=1)
    records = rows[~failed].to_dict("records")
    return Pairs.of(records, 1 - evidence.confidence) if records else None


def functions_of(evidence: Evidence, space: Space) -> list[int]:
    named = set(evidence.of(TABLE, space)["function"].astype(str)) - {ALL}
    return sorted(map(int, named))


def sample(evidence: Evidence, space: Space) -> tuple[int, int, float]:
    """Numbers of functions and pairs, and the smallest p-value of a test over the functions."""
    rows = evidence.of(TABLE, space, function=ALL)
    if rows.empty:
        return 0, 0, 1.0
    functions, pairs = int(rows["n_a"].max()), int(rows["tests"].min())
    return functions, pairs, least_over(functions, pairs)


def is_over_functions(evidence: Evidence, space: Space) -> bool:
    """Whether verdicts are over the functions, and not on each one because these are too few."""
    return sample(evidence, space)[2] <= 1 - evidence.confidence


def targeted(evidence: Evidence, space: Space, measure: str) -> list[int]:
    rows = evidence.of(TABLE, space, measure=measure, criterion=ERT)
    return sorted({int(each) for each in rows.loc[rows["target"].notna(), "function"]})


WRONG_THERE = "Its optimum (f_opt) is wrong, so nothing is decided."


def on_each(
    evidence: Evidence, space: Space, measure: str, criterion: str
) -> Iterator[tuple[Pairs, Standing]]:
    """The pairs on each function, and what they decide; ERTs in the unit of the budget are to one
    target per function.
    """
    to_one = criterion == ERT and measure == evidence.unit
    costs = by_cost(evidence, space, measure) if to_one else {}
    wrong = evidence.wrong(space)
    for function in functions_of(evidence, space):
        if (pairs := pairs_of(evidence, space, measure, criterion, function)) is None:
            continue
        _, results = costs.get(function, (nan, {}))
        if set(pairs.values) <= set(results):
            values = {name: float(results[name]["value"]) for name in pairs.values}
            pairs = replace(pairs, values=values)
        on = f"on {evidence.called(function)}"
        test = TESTS.get(criterion if pairs.aimed or criterion != ERT else "Q.50") or TESTS[measure]
        yield pairs, nothing(WRONG_THERE, on) if function in wrong else pairs.standing(on, test)


def standing_of(evidence: Evidence, space: Space, measure: str, criterion: str) -> Standing | None:
    """The standing by a criterion, over the functions or on each of a few; None without pairs."""
    over_all = pairs_of(evidence, space, measure, criterion)
    if over_all is None:
        return None
    functions = functions_of(evidence, space)
    if functions and set(functions) <= set(evidence.wrong(space)):
        on = listed([evidence.called(function) for function in functions])
        return nothing(WRONG_THERE.replace("Its", "The"), f"on {on}")
    if criterion == ERT and not targeted(evidence, space, measure):
        within = "" if measure == evidence.unit else f" within {ALLOWED}"
        return nothing(f"No run has reached a target{within}.")
    if is_over_functions(evidence, space):
        count = counted(over_all.functions, "function")
        return over_all.standing(f"over {count}", f"Wilcoxon over {count}")
    right = {
        evidence.called(pairs.function): (pairs, standing)
        for pairs, standing in on_each(evidence, space, measure, criterion)
        if standing.values != WRONG_THERE
    }
    return together(right, over_all) if right else None


def together(found: Mapping[str, tuple[Pairs, Standing]], over_all: Pairs) -> Standing:
    """The standing on a few functions: one is in front of another only if it is so on each."""
    every = [standing for _, standing in found.values()]
    if len(every) == 1:
        return every[0]
    basis = f"on {_places(list(found), len(found))}"
    verdicts = {one.verdict for one in every}
    if verdicts == {Verdict.NOTHING}:
        reasons = {one.values for one in every}
        reason = reasons.pop() if len(reasons) == 1 else "All algorithms have the same result."
        return nothing(f"{reason.rstrip('.')}, on each function.", basis)
    behind_p = tuple(p for one in every for p in one.behind_p)
    tied_p = tuple(p for one in every for p in one.tied_p)
    tests = sorted(every, key=lambda one: (not (one.behind_p or one.tied_p), not one.test))
    summary = Standing(
        Verdict.MIXED, (), (), _each(found), tests[0].test, behind_p, tied_p, basis, on_each=True
    )
    compared = set().union(*(pairs.values for pairs, _ in found.values()))
    if len({one.leaders for one in every}) == 1 and verdicts <= {Verdict.CLEAR, Verdict.SHARED}:
        leaders = every[0].leaders
        behind = set.intersection(*(set(p.values) - set(one.front) for p, one in found.values()))
        tied = in_order(over_all.values, sorted(compared - behind - set(leaders)))
        if behind:
            clear = len(leaders) == 1 and not tied
            verdict = Verdict.CLEAR if clear else Verdict.SHARED
            return replace(summary, verdict=verdict, leaders=leaders, tied=tied)
    losers = set().union(*(pairs.losers for pairs, _ in found.values()))
    if losers < set(over_all.values) and verdicts <= {Verdict.OPEN, Verdict.NOTHING}:
        tied = in_order(over_all.values)
        return replace(summary, verdict=Verdict.OPEN, tied=tied)
    return summary


def _each(found: Mapping[str, tuple[Pairs, Standing]]) -> str:
    on: dict[str, list[str]] = {}
    for name, (_, one) in found.items():
        on.setdefault(listed(one.leaders) or "none", []).append(name)
    text = "; ".join(f"{who} on {_places(names, len(found))}" for who, names in on.items())
    return f"Significantly better than others: {text}."


MOST_PLACES = 4  # number of functions up to which a sentence on all of them names each


def _places(names: Sequence[str], of: int) -> str:
    return f"each of the {of} functions" if len(names) == of > MOST_PLACES else listed(names)


def leading(evidence: Evidence) -> list[str]:
    """The algorithms of the table `ranks`, the best first: by their average rank over all suites
    and dimensions, of the expected cost to the targets in the unit of the budget; equal ones by
    that of the precision at the end. Empty without the table.
    """
    ranks = evidence.table("ranks")
    if ranks.empty:
        return []
    by = [evidence.unit, PRECISION]
    wanted = ranks[(ranks["criterion"] == ERT) | (ranks["measure"] == PRECISION)]
    means = wanted.pivot_table("average_rank", "algorithm", "measure", observed=True)
    return [str(name) for name in means.reindex(columns=by).sort_values(by).index]


def how_far(evidence: Evidence, space: Space, algorithm: str) -> str:
    """A sentence on the cost of an algorithm relative to the best on each problem; empty if it is
    unknown or the algorithm has reached no target.
    """
    name = "profile" if evidence.unit == "seconds" else "profile_evaluations"
    rows = evidence.of(name, space, algorithm=algorithm)
    if rows.empty or not rows["problems"].iloc[0] or not (end := rows["fraction"].iloc[-1]):
        return ""
    detectable = evidence.detectable(space)
    near = detectable if detectable >= NOTICEABLE else 1.0
    best, twice = (rows[rows["ratio"] <= r * (1 + 1e-12)].iloc[-1] for r in (near, max(2.0, near)))
    low, high = float(best["low"]), float(best["high"])
    band = "" if isnan(low) else f" [{100 * low:.0f}, {100 * high:.0f}]"
    has = (
        f"costs at most {number(near, digits=2)} times the best (the minimum detectable ratio)"
        if near > 1
        else "has the lowest cost"
    )
    farther = f", takes at most twice the best cost on {percent(float(twice['fraction']))},"
    where = " in at least one run"
    if evidence.optimum == "unknown":
        shares = not evidence.campaign.target_values
        where = " of them" + ", of which the best run here reaches all by construction" * shares
    return (
        f"{algorithm} {has} on {percent(float(best['fraction']))}{band} of the "
        f"{best['problems']} cases (problem and target){farther * (near < 2)} and reaches "
        f"{percent(float(end))}{where}."
    )


def reversed_most(evidence: Evidence, space: Space) -> str:
    """The pair with the most significant reversed order over all functions; empty without one."""
    rows = evidence.of("rank_reversals", space, criterion="fixed budget", function=ALL)
    rows = rows[rows["significant"].astype(bool)]
    if rows.empty:
        return ""
    kinds = "by_evaluations", "by_time"
    agreeing = sum(rows[[f"{kind}_a", f"{kind}_b"]].max(axis=1) for kind in kinds)
    ordered = rows.assign(agreeing=-agreeing).sort_values(["p_adjusted", "agreeing"], kind="stable")
    row = ordered.to_dict("records")[0]
    frugal, quick = row["winner_by_evaluations"], row["winner_by_time"]
    side = {row["algorithm_a"]: "a", row["algorithm_b"]: "b"}
    on_evaluations, on_time = (
        f"{row[f'{kind}_{side[winner]}']:.0f} of {counted(int(row['functions']), 'function')}"
        for kind, winner in zip(kinds, (frugal, quick), strict=True)
    )
    return (
        f"Equal time reverses an order: with equal evaluations (as many as every run of both made, "
        f"{number(row['evaluations'])} in the median), {frugal} is better than {quick} on "
        f"{on_evaluations}; with equal time, {quick} is better than {frugal} on {on_time}. Both "
        f"orders are significant ({p_value(row['p_adjusted'])}, Wilcoxon, Bonferroni)."
    )


def orders_changed(evidence: Evidence, space: Space) -> str:
    """A sentence on pairs that evaluations and seconds order differently; empty without any."""
    rows = evidence.of("rank_reversals", space, criterion="fixed target")
    costs = [f"by_{unit}_{end}" for unit in ("evaluations", "time") for end in "ab"]
    unknown = ~np.isfinite(rows[costs].to_numpy(dtype=np.float64)).all(axis=1)
    rows = rows.assign(unknown=unknown).sort_values(["unknown", "p_adjusted"])
    if not (real := rows[rows["significant"].astype(bool)].to_dict("records")):
        return ""
    pairs, functions = comb(len(evidence.compared(space)), 2), functions_of(evidence, space)
    cases = pairs * len(functions) * len(evidence.analysis.targets)
    row = real[0]
    spent = {
        row[f"algorithm_{end}"]: (
            f"{number(row[f'by_evaluations_{end}'])} evaluations and "
            f"{duration(row[f'by_time_{end}'], evidence.clock)}"
        )
        for end in "ab"
    }
    needs = " and ".join(f"{name} needs {cost}" for name, cost in spent.items())
    return (
        f"In {cases} cases (pair of algorithms, function, target), the order by evaluations is "
        f"the opposite of that by time {counted(len(rows), 'time')}, "
        f"{len(real)} of them significantly (score tests of equal ERTs, Bonferroni). For example, "
        f"on {evidence.called(row['function'])} to {number(row['target'])}, {needs}."
    )


@dataclass(frozen=True)
class OnFunction:
    """The standing on one function."""

    function: int
    title: str
    criterion: str  # such as ``time to 10⁻⁸``
    value: str  # of the best of the algorithms in front, with its interval
    factor: float  # of the next one, as a multiple of it; `inf` or NaN if there is none
    successes: str  # its successful runs, such as ``8 of 10``; empty for a precision
    standing: Standing


UNIT_OF_CLOCK = {"wall": "time", "cpu": "CPU time", "reference": "reference units"}


def on_functions(evidence: Evidence, space: Space) -> Iterator[OnFunction]:
    """The standing on each function, by the ERT to the target of `by_cost` or, if no run reached
    one, by the median precision at the end; nothing with fewer than two functions or algorithms.
    """
    if len(functions_of(evidence, space)) < 2:
        return
    rows = evidence.of("quantiles", space)
    medians = rows[rows["quantile"].astype(float) == 0.5].groupby("function")
    found = {int(str(function)): (nan, _results(at, "precision")) for function, at in medians}
    found |= by_cost(evidence, space, evidence.unit)
    criterion = MEDIAN if "evaluations" in evidence.campaign.lacks else (evidence.unit, ERT)
    failed, in_s = evidence.failed(space), evidence.unit == "seconds"
    words = UNIT_OF_CLOCK[evidence.clock] if in_s else "evaluations"
    for pairs, standing in on_each(evidence, space, *criterion):
        if (function := int(pairs.function)) not in found:
            continue
        target, every = found[function]
        results = {name: one for name, one in every.items() if name not in failed}
        best = results.get(standing.front[0]) if standing.front else None
        by = "median precision at the end" if isnan(target) else f"{words} to {number(target)}"
        value, factor, successes = "–", nan, ""
        if best:
            text = partial(duration, clock=evidence.clock) if in_s and not isnan(target) else number
            limits = [text(best[end]) for end in ("low", "high") if not isnan(best[end])]
            value = text(best["value"]) + (f" [{', '.join(limits)}]" if limits else "")
            others = [one["value"] for one in results.values() if one is not best]
            factor = min(others, default=inf) / best["value"] if best["value"] > 0 else nan
            successes = "" if isnan(target) else f"{int(best['successes'])} of {int(best['runs'])}"
        title = evidence.called(function)
        yield OnFunction(function, title, by, value, factor, successes, standing)


def summed_up(found: Sequence[OnFunction]) -> str:
    """A sentence on the number of functions on which each algorithm is significantly better than
    every other one; empty for less than two functions.
    """
    clear = [one.standing for one in found if one.standing.verdict is Verdict.CLEAR]
    if len(found) < 2:
        return ""
    if not clear:
        tests = {one.standing.test for one in found if one.standing.test}
        why = f": {tests.pop()}" if all(one.startswith(TOO_FEW) for one in tests) and tests else ""
        return (
            f"On none of the {len(found)} functions is an algorithm significantly better than "
            f"every other one{why}."
        )
    leads = Counter(name for one in clear for name in one.leaders).most_common()
    named = listed([f"{name} on {count}" for name, count in leads])
    rest = len(found) - len(clear)
    none = f" On {rest} of them, no algorithm is." if rest else ""
    return (
        f"On single functions, the algorithm that is significantly better than every other one is "
        f"{named} of {len(found)} functions.{none}"
    )


MEDIAN = (PRECISION, quantile_name(0.5))

TIME = {
    "wall": "You count seconds",
    "cpu": "You count CPU time",
    "reference": "You count CPU time in units of the reference kernel",
}
"""The cost that a reader may want to save, for each clock."""


@dataclass(frozen=True)
class Situation:
    """A reader's aim, the criterion of the table `comparison` for it, and the standing."""

    want: str
    detail: str
    measure: str
    criterion: str
    standing: Standing


@dataclass(frozen=True)
class Findings:
    """All findings on one space."""

    space: Space
    headline: str  # who wins
    reversal: str  # that of `reversed_most`
    sentences: tuple[str, ...]
    situations: tuple[Situation, ...]
    functions: tuple[OnFunction, ...]
    winner: str = ""  # significantly better than every other algorithm


def findings(evidence: Evidence, space: Space) -> Findings:
    """The findings of the tables on a space; without findings, the headline states this."""
    situations = tuple(
        Situation(*wanted, standing)
        for wanted in _wanted(evidence, space)
        if (standing := standing_of(evidence, space, *wanted[2:]))
    )
    functions = tuple(on_functions(evidence, space))
    main = _main(evidence, space, situations)
    leader = main.standing.leaders[:1] if main else ()
    sentences = [
        how_far(evidence, space, leader[0]) if leader and not evidence.wrong(space) else "",
        summed_up(functions),
        orders_changed(evidence, space),
        *each("findings", evidence, space),
    ]
    return Findings(
        space=space,
        headline=_headline(evidence, space, main),
        reversal=reversed_most(evidence, space),
        sentences=tuple(filter(None, sentences)),
        situations=situations,
        functions=functions,
        winner=leader[0] if main and main.standing.verdict is Verdict.CLEAR else "",
    )


def _main(evidence: Evidence, space: Space, situations: Sequence[Situation]) -> Situation | None:
    """The situation of the headline: the expected cost to the targets or, on a single function, the
    median precision at the end; if several are first with equal results, the other one of these.
    """
    by_key = {(one.measure, one.criterion): one for one in situations}
    found = [one for key in ((evidence.unit, ERT), MEDIAN) if (one := by_key.get(key))]
    if len(functions_of(evidence, space)) == 1:
        found.reverse()
    ordered = [one for one in found if one.standing.verdict is not Verdict.NOTHING]
    ordered.sort(key=lambda one: len(one.standing.leaders) > 1)
    return next(iter(ordered or found), None)


WRONG = "The optimum (f_opt) is wrong on "  # how a headline with such functions begins


def _headline(evidence: Evidence, space: Space, main: Situation | None) -> str:
    said = " ".join(filter(None, (_verdict(evidence, space, main), _singly(evidence, space, main))))
    if not (wrong := evidence.wrong(space)):
        return said
    on = listed([evidence.called(function) for function in wrong])
    decides = "this function decides" if len(wrong) == 1 else "they decide"
    left = set(functions_of(evidence, space)) - set(wrong)
    return f"{WRONG}{on}: {decides} nothing.{f' {said}' if left else ''}"


def _singly(evidence: Evidence, space: Space, main: Situation | None) -> str:
    """A sentence on the best algorithm and the best one that is tied with it, if the test over
    functions leaves the pair open, most functions decide for the best, and none against it.
    """
    if main is None or not main.standing.tied or not is_over_functions(evidence, space):
        return ""
    leader, other, *_ = *main.standing.leaders[:1], *main.standing.tied
    on = [pairs.better for pairs, _ in on_each(evidence, space, main.measure, main.criterion)]
    won = sum((leader, other) in better for better in on)
    if 2 * won <= len(on) or any((other, leader) in better for better in on):
        return ""
    return (
        f"On single functions, {leader} is significantly better than {other} on {won} of {len(on)} "
        f"and worse on none: this holds for new runs on these functions, and {len(on)} functions "
        "do not show it for others."
    )


def _verdict(evidence: Evidence, space: Space, main: Situation | None) -> str:
    if len(evidence.campaign.timed) == 1:
        return "One algorithm was measured: there is nothing to compare it with."
    compared = evidence.compared(space)
    if len(compared) < 2:
        who = f"Only {compared[0]}" if compared else "No algorithm"
        return f"{who} made evaluations: there is nothing to compare."
    if main is None:
        return "The table comparison is missing, so there is no verdict."
    standing = main.standing
    leaders, several = listed(standing.leaders), len(standing.leaders) > 1
    by = f"{standing.basis}, by the {main.detail}"
    match standing.verdict:
        case Verdict.NOTHING:
            return f"There is no winner by the {main.detail}. {standing.reason}"
        case Verdict.CLEAR:
            others = [name for name in compared if name not in standing.leaders]
            other = others[0] if len(others) == 1 else "every other algorithm"
            return (
                f"{leaders} wins {by}: it is significantly better than {other} ({standing.tested})."
            )
        case Verdict.SHARED:
            behind = sorted(set(compared) - set(standing.front))
            where = " on each" * standing.on_each
            rest = f", but not than {_group(standing.tied, compared)}{where}"
            return (
                f"{leaders} {'lead' if several else 'leads'} {by}: significantly better than "
                f"{_group(behind, compared)}{where}{rest * bool(standing.tied)} "
                f"({standing.tested})."
            )
        case Verdict.OPEN:
            return (
                f"There is no significant winner {by}: no algorithm leads significantly "
                f"({standing.tested})."
            )
        case Verdict.MIXED:
            return f"The result depends on the function, by the {main.detail}. {standing.values}"


def _group(names: Sequence[str], compared: Sequence[str]) -> str:
    if 2 * len(names) <= len(compared) or len(names) == 1:
        return listed(names)
    return f"{len(names)} others"


COUNTED = "You count evaluations, or one takes far longer than an algorithm’s own computations"


def _wanted(evidence: Evidence, space: Space) -> Iterator[tuple[str, str, str, str]]:
    """What readers may want, in general and in detail, and the measure and criterion for it."""
    known = (unit for unit in COST if unit not in evidence.campaign.lacks)
    for unit in sorted(known, key=lambda unit: unit != evidence.unit):
        want = TIME[evidence.clock] if unit == "seconds" else COUNTED
        within = "" if unit == evidence.unit else f", each pair within {ALLOWED}"
        yield want, f"expected {unit} to the targets{within}", unit, ERT
    rows = evidence.of(TABLE, space, measure=TARGETS)
    shares = dict(zip(rows["criterion"], rows["within"], strict=True))
    targets = counted(len(evidence.analysis.targets), "target")
    for criterion, within in shares.items():
        share = str(criterion).replace(" ", "\u00a0")
        yield (
            f"You have {cost(float(within), evidence.unit, evidence.clock)}",
            f"share of the {targets} reached within {share} of the budget",
            TARGETS,
            str(criterion),
        )
    for p in sorted(evidence.campaign.statistics.quantiles):
        if p < 0.5:
            want, runs = "You run it often and keep the best", f"best {100 * p:g}\u00a0% of runs"
        elif p > 0.5:
            want, runs = "You cannot afford a bad run", f"worst {100 - 100 * p:g}\u00a0% of runs"
        else:
            want, runs = "You run it once", "median run"
        yield want, f"precision at the end, {runs}", PRECISION, quantile_name(p)


def across(found: Sequence[Findings]) -> str:
    """A sentence on several spaces; empty for one."""
    if len(found) < 2:
        return ""
    parts = f"{len(found)} parts (suite and dimension)"
    wins = Counter(one.winner for one in found if one.winner).most_common()
    if not wins:
        return f"None of the {parts} has a significant winner."
    rest = len(found) - sum(count for _, count in wins)
    named = listed([f"{name} in {count}" for name, count in wins])
    return f"Significant winners, of {parts}: {named}{f'; none in {rest}' if rest else ''}."
