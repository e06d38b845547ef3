"""The pairs of the table `comparison` under one criterion, and the standing that they decide.

Every verdict of the report is made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from math import comb, isclose, isnan, nan
from typing import Any

import pandas as pd

from timefair.basics.words import ALL, counted, duration, listed, number, p_value, percent
from timefair.exhibits.comparisons.comparison import least_over
from timefair.exhibits.comparisons.criteria import PRECISION, TARGETS
from timefair.exhibits.comparisons.ranks import ERT
from timefair.records.rundata.frames import quantile_name
from timefair.report.evidence import Evidence, Space
from timefair.statistics.runtimes import decisive_target


class Verdict(StrEnum):
    """What the pairs with the first algorithm decide."""

    CLEAR = "clear"  # one algorithm is significantly better than every other one
    SHARED = "shared"  # the first is significantly better than some others, but not than all
    OPEN = "open"  # the best is significantly better than no other one, so none is first
    MIXED = "mixed"  # functions differ in which algorithm is significantly better than others
    NOTHING = "nothing"  # all have the same result, or each is worse than another one


@dataclass(frozen=True)
class Standing:
    """The algorithms in front under one criterion.

    - `leaders`: Those with the best value among those that are significantly worse than no other
      one; several if their values are equal. None if they are significantly better than nobody.
    - `tied`: Those from which the leaders do not differ significantly, the best first.
    - `values`: A sentence with the values of the first ones, or why there is no first.
    - `test`: The test and its corrections, or why it could decide nothing; empty without a test.
    - `behind_p`, `tied_p`: The adjusted p-values of the leaders against the algorithms that are
      behind, and against those that are tied.
    - `basis`: The scope of the verdict, such as ``over 24 functions``.
    - `on_each`: Whether it is one of several functions, each tested alone.
    """

    verdict: Verdict
    leaders: tuple[str, ...]
    tied: tuple[str, ...]
    values: str
    test: str = ""
    behind_p: tuple[float, ...] = ()
    tied_p: tuple[float, ...] = ()
    basis: str = ""
    on_each: bool = False

    @property
    def front(self) -> tuple[str, ...]:
        return (*self.leaders, *self.tied)

    @property
    def tested(self) -> str:
        parts = []
        if of := self.behind_p:
            against = " against those behind" if len(of) > 1 or self.tied_p else ""
            parts.append(f"{p_value(max(of), '≤' if len(of) > 1 else '=')}{against}")
        if of := self.tied_p:
            others = self.tied[0] if len(self.tied) == 1 else "the others"
            against = f" against {others}" if self.verdict is not Verdict.OPEN else ""
            parts.append(f"{p_value(min(of), '≥' if len(of) > 1 else '=')}{against}")
        return f"{self.test}: {', '.join(parts)}" if parts else self.test

    @property
    def reason(self) -> str:
        said = f"{self.tested[:1].upper()}{self.tested[1:]}"
        return " ".join(filter(None, (self.values, f"{said}." if said else "")))


def first(values: Mapping[str, float]) -> tuple[str, ...]:
    """The algorithms with the smallest value, in the given order."""
    best = min(values.values())
    return tuple(name for name, value in values.items() if isclose(value, best))


def in_order(values: Mapping[str, float], names: Iterable[str]) -> tuple[str, ...]:
    """Some names, sorted by value; equal ones keep their order."""
    return tuple(sorted(names, key=lambda name: values[name]))


def nothing(reason: str, basis: str = "") -> Standing:
    return Standing(Verdict.NOTHING, (), (), reason, basis=basis)


COST = {"seconds": "ert_s", "evaluations": "ert_evaluations"}


@dataclass(frozen=True)
class Result:
    """The result of one algorithm on one function: a value (smaller is better) and its interval,
    NaN if they are unknown.
    """

    algorithm: str
    value: float
    low: float
    high: float
    runs: int
    successes: int = 0

    def in_words(self, unit: str, clock: str, digits: int = 3) -> str:
        text = partial(duration, clock=clock) if unit == "seconds" else number
        ends = (self.value,) if isnan(self.low) else (self.value, self.low, self.high)
        value, *limits = (text(x, digits=digits) for x in ends)
        return f"{value} [{', '.join(limits)}]" if limits else value


def by_cost(
    evidence: Evidence, space: Space, unit: str
) -> Iterator[tuple[int, float, list[Result]]]:
    """For each function, a target and the expected costs to it.

    The target is the hardest one that half of the runs of some algorithm reached, or else any run.
    """
    rows = evidence.of("ert", space)
    rows = rows[rows[COST[unit]].notna()]  # published data have no seconds
    for function, every in rows.groupby("function"):
        rates = every.pivot_table("success_rate", "algorithm", "target", observed=True)
        target = decisive_target(rates.columns.to_numpy(), rates.to_numpy())
        if target is None:
            continue
        at = every[every["target"] == target]
        yield int(str(function)), target, list(_results(at, COST[unit]))


def precisions_at(
    evidence: Evidence, space: Space, criterion: str
) -> Iterator[tuple[int, list[Result]]]:
    """For each function, a quantile of the precisions at the end, from the table `quantiles`."""
    rows = evidence.of("quantiles", space)
    rows = rows[rows["quantile"].map(lambda p: quantile_name(float(p))) == criterion]
    for function, at in rows.groupby("function"):
        yield int(str(function)), list(_results(at, "precision"))


def _results(rows: pd.DataFrame, column: str) -> Iterator[Result]:
    ends = (column, f"{column}_low", f"{column}_high")
    for row in rows.to_dict("records"):
        value, low, high = (float(row[end]) for end in ends)
        yield Result(
            str(row["algorithm"]), value, low, high, int(row["runs"]), int(row.get("successes", 0))
        )


TABLE = "comparison"

ALLOWED = "what all runs of both were allowed"  # unless in the unit of the budget

TOO_FEW = "too few runs"

NO_FIRST = "Every algorithm is significantly worse than another one."


@dataclass(frozen=True)
class Pairs:
    """The listed pairs of one criterion, on one function or over all of them (``all``).

    - `values`: The result of each algorithm, small is better; with `targets`, minus the share of
      targets.
    - `better`: For each decided pair (better, worse), its adjusted p-value.
    - `undecided`: For each other pair, in both orders, its adjusted p-value; NaN without a test.
    - `differ`: Whether the results of some pair differ at all.
    - `tests`: Number of tests in the family; of several families, the smallest.
    - `least`: Smallest adjusted p-value that so many functions or runs can have.
    - `level`: Largest adjusted p-value of a significant difference.
    - `aimed`: Whether some pair is tested at a target, if single functions have one.
    """

    function: str
    values: Mapping[str, float]
    better: Mapping[tuple[str, str], float]
    undecided: Mapping[tuple[str, str], float]
    differ: bool
    functions: int
    tests: int
    least: float
    level: float
    targets: bool = False
    aimed: bool = True

    @classmethod
    def of(cls, records: Sequence[Mapping[Any, Any]], level: float) -> Pairs:
        """Read the rows of one criterion and function; at least one."""
        better: dict[tuple[str, str], float] = {}
        undecided: dict[tuple[str, str], float] = {}
        targets = records[0]["measure"] == TARGETS
        over_all = str(records[0]["function"]) == ALL
        for row in records:
            a, b, p = str(row["algorithm_a"]), str(row["algorithm_b"]), float(row["p_adjusted"])
            if isinstance(row["better"], str):
                worse = b if row["better"] == a else a
                better[str(row["better"]), worse] = p
            else:
                undecided[a, b] = undecided[b, a] = p
        tests = min(int(row["tests"]) for row in records)
        runs = [(int(row["n_a"]), int(row["n_b"])) for row in records]
        functions = max(n for n, _ in runs) if over_all else 1
        least = 2.0 ** (1 - functions) if over_all else min(2 / comb(m + n, m) for m, n in runs)
        return cls(
            function=str(records[0]["function"]),
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
        other one. Behind it are those than which it is significantly better; without any, nobody
        leads.
        """
        if not self.differ and len(first(self.values)) == len(self.values):
            return nothing(self._all_equal(), basis)
        front = {name: v for name, v in self.values.items() if name not in self.losers}
        if not front:
            return nothing(NO_FIRST, basis)
        leaders = self._first(front)
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

    def _first(self, values: Mapping[str, float]) -> tuple[str, ...]:
        """The algorithms with the best value; of equal ones, those that are better than most."""
        wins = {
            name: {worse for better, worse in self.better if better == name}
            for name in first(values)
        }
        most = max(wins.values(), key=len)
        return tuple(name for name, beaten in wins.items() if beaten == most)

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
        """The values over all functions of the first algorithm, and of the first that is tied or
        else the next; and of those with a better value that are not first, and why they are not.

        - `named`: Whether to name the first.
        """
        if self.function != ALL:
            return ""
        mine = self.values[leaders[0]]
        others = [name for name in self.values if name not in leaders]
        ahead = in_order(self.values, [name for name in others if self.values[name] < mine])
        after = [name for name in tied or in_order(self.values, others) if name not in ahead]
        what = f"{self._value(mine)} of the targets reached" if self.targets else "average rank "
        said = f"{listed(leaders)}: {what}" if named else what[0].upper() + what[1:]
        said += "" if self.targets else self._value(mine)
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
        share = -next(iter(self.values.values()))
        if share == 0:
            return "No algorithm has reached any target by then."
        return f"All algorithms have reached {percent(share)} of the targets."


def _values(records: Sequence[Mapping[Any, Any]], *, targets: bool) -> dict[str, float]:
    """The result of each algorithm.

    The ERTs of pairs are to different targets, so an algorithm's result is the number of pairs in
    which it has the larger one.
    """
    on_function = str(records[0]["function"]) != ALL
    values: dict[str, float] = {}
    for row in records:
        (a, x), (b, y) = (
            (str(row[f"algorithm_{end}"]), float(row[f"value_{end}"])) for end in ("a", "b")
        )
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
    failed = evidence.failed(space)
    records = [
        row
        for row in rows.to_dict("records")
        if failed.isdisjoint((row["algorithm_a"], row["algorithm_b"]))
    ]
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


def on_each(
    evidence: Evidence, space: Space, measure: str, criterion: str
) -> Iterator[tuple[int, Pairs]]:
    """The pairs on each function; ERTs in the unit of the budget are to one target per function."""
    costs: dict[int, dict[str, float]] = {}
    if criterion == ERT and measure == evidence.unit:
        costs = {
            function: {one.algorithm: one.value for one in results}
            for function, _, results in by_cost(evidence, space, measure)
        }
    for function in functions_of(evidence, space):
        pairs = pairs_of(evidence, space, measure, criterion, function)
        if pairs is None:
            continue
        values = costs.get(function, {})
        if set(pairs.values) <= set(values):
            pairs = replace(pairs, values={name: values[name] for name in pairs.values})
        yield function, pairs


WRONG_THERE = "Its optimum (f_opt) is wrong, so nothing is decided."


def on_function(
    evidence: Evidence, space: Space, pairs: Pairs, measure: str, criterion: str
) -> Standing:
    if int(pairs.function) in evidence.wrong(space):
        return nothing(WRONG_THERE, f"on {evidence.called(pairs.function)}")
    test = TESTS.get(criterion if pairs.aimed or criterion != ERT else "Q.50") or TESTS[measure]
    return pairs.standing(f"on {evidence.called(pairs.function)}", test)


def standing_of(evidence: Evidence, space: Space, measure: str, criterion: str) -> Standing | None:
    """The standing under a criterion: over the functions, or on each one if they are few.

    None without pairs.
    """
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
    found = {
        evidence.called(function): (pairs, on_function(evidence, space, pairs, measure, criterion))
        for function, pairs in on_each(evidence, space, measure, criterion)
    }
    right = {name: both for name, both in found.items() if both[1].values != WRONG_THERE}
    return together(right, over_all) if right else None


def together(found: Mapping[str, tuple[Pairs, Standing]], over_all: Pairs) -> Standing:
    """The standing on a few functions, from the one on each of them.

    An algorithm is in front of another one only if it is so on each function.
    """
    standings = {name: standing for name, (_, standing) in found.items()}
    every = list(standings.values())
    if len(every) == 1:
        return every[0]
    basis = f"on {_places(list(found), len(found))}"
    verdicts = {one.verdict for one in every}
    if verdicts == {Verdict.NOTHING}:
        same = len({one.values for one in every}) == 1
        reason = every[0].values if same else "All algorithms have the same result."
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
    front = {name: value for name, value in over_all.values.items() if name not in losers}
    if front and verdicts <= {Verdict.OPEN, Verdict.NOTHING}:
        tied = in_order(over_all.values, over_all.values)
        return replace(summary, verdict=Verdict.OPEN, tied=tied)
    return summary


def _each(found: Mapping[str, tuple[Pairs, Standing]]) -> str:
    """On which functions which algorithm is significantly better than which others."""
    wins: dict[str, list[str]] = {}
    for name, (pairs, one) in found.items():
        who, are = listed(one.leaders), "is" if len(one.leaders) == 1 else "are"
        match one.verdict:
            case Verdict.CLEAR:
                said = f"{who} {are} significantly better than every other algorithm on {{}}"
            case Verdict.SHARED:
                behind = [other for other in pairs.values if other not in one.front]
                said = f"{who} {are} significantly better than {listed(behind)} on {{}}"
            case Verdict.NOTHING if one.values == NO_FIRST:
                said = "every algorithm is significantly worse than another one on {}"
            case Verdict.NOTHING:
                said = "all results are equal on {}"
            case _:
                said = "nobody leads significantly on {}"
        wins.setdefault(said, []).append(name)
    text = "; ".join(said.format(_places(on, len(found))) for said, on in wins.items())
    leaders = tuple(one.leaders[0] for _, one in found.values() if one.leaders)
    return f"{text if text.startswith(leaders) else text[0].upper() + text[1:]}."


MOST_PLACES = 4  # number of functions up to which a sentence on all of them names each


def _places(names: Sequence[str], of: int) -> str:
    return f"each of the {of} functions" if len(names) == of > MOST_PLACES else listed(names)
