"""Standings on a few functions, from their runs. They do not need a sample of functions."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from math import isclose

import numpy as np
from scipy.stats import rankdata

from timefair.report.evidence import NOTICEABLE, Evidence, Space
from timefair.report.findings.ranked import COSTS
from timefair.report.findings.results import (
    Result,
    by_cost,
    mean_precisions,
    precisions_at,
)
from timefair.report.findings.standing import Standing, Verdict, first, in_order, nothing
from timefair.report.words import counted, listed, number
from timefair.rundata.measures import MEAN, quantile_name


@dataclass(frozen=True)
class Decided:
    """The results of the runs on one function.

    Attributes
    ----------
    function
        Name of the function.
    values
        A number for each algorithm, small is better.
    pairs
        (better, worse) of every pair that is decided.
    text
        The first and the next algorithm with their values; empty if there are none to show.
    """

    function: str
    values: dict[str, float]
    pairs: frozenset[tuple[str, str]]
    text: str = ""

    def without(self, failed: Set[str]) -> Decided:
        """The same, without algorithms that have no results to compare."""
        values = {name: value for name, value in self.values.items() if name not in failed}
        pairs = frozenset(pair for pair in self.pairs if failed.isdisjoint(pair))
        return replace(self, values=values, pairs=pairs)


def from_runs(
    evidence: Evidence, space: Space, measure: str, criterion: str
) -> tuple[Standing, str] | None:
    """Who is in front on the functions of a space, and the table that decides; None without such a
    table.

    An algorithm is behind another one if it is significantly worse on some function, and on no
    function significantly better. In front are the algorithms with the best average rank among
    those that are significantly worse than no other one on any function. Costs are decided by the
    intervals of the ERT, medians by the pairs of the table `comparison`, and other qualities by
    their intervals.
    """
    table, found = _decided(evidence, space, measure, criterion)
    decided = [one.without(evidence.failed(space)) for one in found]
    common = [set(one.values) for one in decided]
    if not decided or len(set.intersection(*common)) < 2:
        return None
    return _together(decided), table


def _decided(
    evidence: Evidence, space: Space, measure: str, criterion: str
) -> tuple[str, list[Decided]]:
    if measure in COSTS:
        return "ert", [
            _by_intervals(
                evidence.called(function),
                results,
                f"to {number(target)}, {_in_words(results, measure, evidence, ratio)}",
            )
            for function, target, results in by_cost(evidence, space, measure)
            for ratio in [evidence.resolved(space, measure, function)]
        ]
    if criterion == quantile_name(0.5):
        return "comparison", list(_by_pairs(evidence, space))
    if criterion == MEAN:
        table, found = "means", mean_precisions(evidence, space)
    else:
        table, found = "quantiles", precisions_at(evidence, space, criterion)
    return table, [
        _by_intervals(evidence.called(f), results, _in_words(results, "precision", evidence))
        for f, results in found
    ]


def _by_intervals(function: str, results: list[Result], text: str) -> Decided:
    pairs = {(a.algorithm, b.algorithm) for a in results for b in results if b.is_behind(a)}
    values = {one.algorithm: one.value for one in results}
    return Decided(function, values, frozenset(pairs), text)


def _in_words(results: list[Result], unit: str, evidence: Evidence, ratio: float = 1.0) -> str:
    """The first two algorithms with their values, with fewer digits if the machine does not resolve
    more.
    """
    digits = 2 if ratio >= NOTICEABLE else 3
    shown = sorted(results, key=lambda one: one.value)[:2]
    said = [f"{one.algorithm} {one.in_words(unit, evidence.clock, digits)}" for one in shown]
    return ", then ".join(said)


def _by_pairs(evidence: Evidence, space: Space) -> Iterator[Decided]:
    rows = evidence.of("comparison", space)
    rows = rows[rows["function"] != "all"] if len(rows) else rows
    for function, at in rows.groupby("function", sort=False) if len(rows) else ():
        values: dict[str, float] = {}
        pairs: set[tuple[str, str]] = set()
        for row in at.to_dict("records"):
            a, b = str(row["algorithm_a"]), str(row["algorithm_b"])
            values |= {a: float(row["median_a"]), b: float(row["median_b"])}
            if isinstance(row["better"], str):
                pairs.add((a, b) if row["better"] == a else (b, a))
        text = f"{counted(len(pairs), 'pair')} of {len(at)} {'is' if len(pairs) == 1 else 'are'}"
        said = f"{text} decided (Mann-Whitney, Holm)"
        yield Decided(evidence.called(function), values, frozenset(pairs), said)


def _together(decided: list[Decided]) -> Standing:
    names = sorted(set.intersection(*(set(one.values) for one in decided)))
    where = _where(decided)
    if all(_is_level(one, names) for one in decided):
        return nothing(f"All algorithms have the same result {where}.")
    pairs = set().union(*(one.pairs for one in decided))
    surely = {(a, b) for a, b in pairs if (b, a) not in pairs and {a, b} <= set(names)}
    reason = _reason(decided, where)
    front = [name for name in names if not any(worse == name for _, worse in pairs)]
    if not front:
        return Standing(Verdict.MIXED, (), (), _each(decided), where)
    ranks = dict(zip(names, _average_ranks(decided, names), strict=True))
    leaders = first({name: ranks[name] for name in front})
    near = [
        name
        for name in names
        if name not in leaders and not all((one, name) in surely for one in leaders)
    ]
    tied = in_order(ranks, near)
    if len(leaders) + len(tied) == len(names):
        verdict = Verdict.OPEN
    else:
        verdict = Verdict.CLEAR if len(leaders) == 1 and not tied else Verdict.SHARED
    return Standing(verdict, leaders, tied, reason, where)


def _where(decided: list[Decided]) -> str:
    return f"on {listed([one.function for one in decided])}, by the runs"


def _reason(decided: list[Decided], where: str) -> str:
    said = "; ".join(f"{one.function}: {one.text}" for one in decided if one.text)
    return f"{said}." if said else f"Decided {where}."


def _each(decided: list[Decided]) -> str:
    said = []
    for one in decided:
        beaten = {worse for _, worse in one.pairs}
        ahead = sorted({better for better, _ in one.pairs} - beaten)
        if ahead:
            said.append(f"{listed(ahead)} on {one.function}")
    return f"Ahead of other algorithms: {'; '.join(said)}."


def _is_level(one: Decided, names: list[str]) -> bool:
    values = [one.values[name] for name in names]
    return all(isclose(value, values[0]) or value == values[0] for value in values)


def _average_ranks(decided: list[Decided], names: list[str]) -> list[float]:
    ranks = [rankdata([one.values[name] for name in names]) for one in decided]
    return [float(rank) for rank in np.mean(ranks, axis=0)]
