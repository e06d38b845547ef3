"""The pairs of the table `comparison` under one criterion, and the standing that they decide.

Every verdict of the report is made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import isclose, isnan

import pandas as pd

from timefair.basics.together import ALL
from timefair.exhibits.comparisons.comparison import FEW_FUNCTIONS
from timefair.exhibits.comparisons.criteria import ERT, PRECISION, TARGETS
from timefair.report.evidence import Evidence, Space
from timefair.report.findings.standing import Standing, Verdict, first, in_order, nothing
from timefair.report.words import counted, listed, number, p_value, percent

TABLE = "comparison"


@dataclass(frozen=True)
class Pairs:
    """The listed pairs of one criterion, on one function or over all of them.

    Attributes
    ----------
    function
        The function as text, or ``all``.
    values
        The result of each algorithm; small is better.
    better
        For each decided pair (better, worse), its adjusted p-value.
    undecided
        For each other pair, in both orders, its adjusted p-value; NaN if there was no test.
    functions
        Over all functions, their number; else 1.
    tests
        Number of tests in the family.
    targets
        Whether values are negative shares of targets.
    """

    function: str
    values: Mapping[str, float]
    better: Mapping[tuple[str, str], float]
    undecided: Mapping[tuple[str, str], float]
    functions: int
    tests: int
    targets: bool = False

    @classmethod
    def of(cls, rows: pd.DataFrame, omitted: Set[str] = frozenset()) -> Pairs | None:
        """Read the rows of one criterion and function; None if there are no pairs."""
        values: dict[str, float] = {}
        better: dict[tuple[str, str], float] = {}
        undecided: dict[tuple[str, str], float] = {}
        records = [
            row
            for row in rows.to_dict("records")
            if not {row["algorithm_a"], row["algorithm_b"]} & omitted
        ]
        if not records:
            return None
        targets = records[0]["measure"] == TARGETS
        over_all = str(records[0]["function"]) == ALL
        for row in records:
            a, b, p = str(row["algorithm_a"]), str(row["algorithm_b"]), float(row["p_adjusted"])
            sign = -1.0 if targets else 1.0
            values |= {a: sign * float(row["value_a"]), b: sign * float(row["value_b"])}
            if isinstance(row["better"], str):
                worse = b if row["better"] == a else a
                better[str(row["better"]), worse] = p
            else:
                undecided[a, b] = undecided[b, a] = p
        return cls(
            function=str(records[0]["function"]),
            values=dict(sorted(values.items())),
            better=better,
            undecided=undecided,
            functions=max(int(row["n_a"]) for row in records) if over_all else 1,
            tests=max(int(row["tests"]) for row in records),
            targets=targets,
        )

    @property
    def undecidable(self) -> bool:
        """Whether so few functions could decide no pair at 95 %, whatever the results."""
        return self.function == ALL and self.tests * 2.0 ** (1 - self.functions) > 0.05

    def standing(self, basis: str, test: str) -> Standing:
        """The standing that the pairs decide.

        The leader has the best value among the algorithms that are significantly worse than no
        other one. Behind it are those than which it is significantly better.
        """
        if not self.better and _equal(self.values.values()):
            return nothing(self._all_equal())
        losers = {worse for _, worse in self.better}
        front = {name: v for name, v in self.values.items() if name not in losers}
        known = {name: value for name, value in front.items() if not isnan(value)}
        if not known:
            text = "Every algorithm is significantly worse than another one."
            return Standing(Verdict.MIXED, (), (), text, basis=basis)
        leaders = self._first(known)
        behind = {
            name
            for name in self.values
            if name not in leaders and all((one, name) in self.better for one in leaders)
        }
        rest = [name for name in self.values if name not in behind and name not in leaders]
        tied = in_order(self.values, rest)
        if not behind:
            verdict = Verdict.OPEN
        else:
            verdict = Verdict.CLEAR if len(leaders) == 1 and not tied else Verdict.SHARED
        tested = self._tested(leaders[0], behind, tied, test)
        reason = f"{self._values_in_words(leaders)} {tested[0].upper()}{tested[1:]}."
        return Standing(verdict, leaders, tied, reason.strip(), tested, basis)

    def _first(self, values: Mapping[str, float]) -> tuple[str, ...]:
        """The algorithms with the best value; of equal ones, those that are better than most."""
        wins = {
            name: {worse for better, worse in self.better if better == name}
            for name in first(values)
        }
        most = max(wins.values(), key=len)
        return tuple(name for name, beaten in wins.items() if beaten == most)

    def _tested(self, leader: str, behind: Set[str], tied: Sequence[str], test: str) -> str:
        if self.undecidable:
            are = "is" if self.functions == 1 else "are"
            return (
                f"{counted(self.functions, 'function')} {are} too few to decide any of "
                f"{counted(self.tests, 'pair')}"
            )
        parts = []
        if behind:
            most = max(self.better[leader, name] for name in behind)
            parts.append(f"{p_value(most, bound='≤')} against those behind")
        against = [p for name in tied if not isnan(p := self.undecided.get((leader, name), 1.0))]
        if against:
            parts.append(f"{p_value(min(against), bound='≥')} against those tied")
        what = counted(self.tests, "pair" if self.function == ALL else "test")
        named = f"{test}, corrected for {what} and all criteria"
        return f"{named}: {', '.join(parts)}" if parts else named

    def _values_in_words(self, leaders: Sequence[str]) -> str:
        """The values of the first and of the next algorithm over all functions."""
        if self.function != ALL:
            return ""
        mine = self.values[leaders[0]]
        others = in_order(self.values, (name for name in self.values if name not in leaders))
        next_one = others[0] if others else None
        if self.targets:
            text = f"{percent(-mine)} of the targets reached"
            return (
                f"{text}, then {next_one} with {percent(-self.values[next_one])}."
                if next_one
                else f"{text}."
            )
        text = f"Average rank {number(mine)}"
        if next_one and not isnan(self.values[next_one]):
            text += f", then {next_one} with {number(self.values[next_one])}"
        return f"{text}."

    def _all_equal(self) -> str:
        if self.targets:
            share = -next(iter(self.values.values()))
            if share == 0:
                return "No algorithm has reached any target by then."
            return f"All algorithms have reached {percent(share)} of the targets."
        return "All algorithms have the same result."


def _equal(values: Iterable[float]) -> bool:
    first_one, *others = values
    return all(value == first_one or isclose(value, first_one) for value in others)


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
    """The pairs of a criterion that algorithms with evaluations form."""
    rows = evidence.of(TABLE, space, measure=measure, criterion=criterion, function=function)
    return Pairs.of(rows, evidence.failed(space)) if len(rows) else None


def functions_of(evidence: Evidence, space: Space) -> list[int]:
    """The functions on which pairs were compared, in order."""
    rows = evidence.of(TABLE, space, criterion=ERT)
    named = set(rows["function"].astype(str)) - {ALL} if len(rows) else set()
    return sorted(map(int, named))


def on_function(
    evidence: Evidence,
    space: Space,
    measure: str,
    criterion: str,
    function: int,
    values: Mapping[str, float] | None = None,
) -> Standing | None:
    """The standing on one function; `values` replace those of the pairs if they are not alike."""
    pairs = pairs_of(evidence, space, measure, criterion, function)
    if pairs is None:
        return None
    if values:
        pairs = replace(pairs, values={n: values.get(n, v) for n, v in pairs.values.items()})
    test = TESTS.get(criterion) or TESTS[measure]
    return pairs.standing(f"on {evidence.called(function)}", test)


def standing_of(evidence: Evidence, space: Space, measure: str, criterion: str) -> Standing | None:
    """The standing under a criterion: over the functions, or on each one if they are few.

    None without pairs.
    """
    over_all = pairs_of(evidence, space, measure, criterion)
    if over_all is None:
        return None
    functions = functions_of(evidence, space)
    if len(functions) >= FEW_FUNCTIONS:
        count = counted(over_all.functions, "function")
        return over_all.standing(f"over {count}", f"Wilcoxon over {count}")
    found = {
        evidence.called(function): standing
        for function in functions
        if (standing := on_function(evidence, space, measure, criterion, function)) is not None
    }
    return together(found, over_all) if found else None


def together(found: Mapping[str, Standing], over_all: Pairs) -> Standing:
    """The standing on a few functions, from that on each of them.

    An algorithm is in front of others only if it is so on each function.
    """
    if len(found) == 1:
        return next(iter(found.values()))
    basis = f"on {listed(list(found))}"
    every = list(found.values())
    if all(one.verdict is Verdict.NOTHING for one in every):
        return nothing(f"{every[0].reason.rstrip('.')}, on each function.")
    reason = _each(found)
    leaders = {one.leaders for one in every}
    ahead = (Verdict.CLEAR, Verdict.SHARED)
    if len(leaders) == 1 and all(one.verdict in ahead for one in every):
        tied = {name for one in every for name in one.tied}
        verdict = Verdict.SHARED if tied else Verdict.CLEAR
        (leading,) = leaders
        order = in_order(over_all.values, sorted(tied))
        return Standing(verdict, leading, order, reason, every[0].tested, basis)
    if all(one.verdict in (Verdict.OPEN, Verdict.NOTHING) for one in every):
        best = first(over_all.values)
        others = in_order(over_all.values, (n for n in over_all.values if n not in best))
        return Standing(Verdict.OPEN, best, others, reason, every[0].tested, basis)
    return Standing(Verdict.MIXED, (), (), reason, every[0].tested, basis)


def _each(found: Mapping[str, Standing]) -> str:
    """On which functions which algorithm is significantly better than others."""
    wins: dict[tuple[str, ...], list[str]] = {}
    leads: dict[tuple[str, ...], list[str]] = {}
    others: list[str] = []
    for name, one in found.items():
        if one.verdict is Verdict.CLEAR:
            wins.setdefault(one.leaders, []).append(name)
        elif one.verdict is Verdict.SHARED:
            leads.setdefault(one.leaders, []).append(name)
        else:
            others.append(name)
    parts = [
        f"{listed(who)} {'is' if len(who) == 1 else 'are'} significantly better than every other "
        f"algorithm on {listed(where)}"
        for who, where in wins.items()
    ]
    parts += [
        f"{listed(who)} {'is' if len(who) == 1 else 'are'} significantly better than some others "
        f"on {listed(where)}"
        for who, where in leads.items()
    ]
    if others:
        parts.append(f"on {listed(others)}, no difference to the first is significant")
    text = "; ".join(parts)
    return f"{text[0].upper() if text.startswith('on ') else text[0]}{text[1:]}."
