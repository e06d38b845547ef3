"""The claims that the tables of a campaign make."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from timefair.extensions.reproduce.claims.claim import Claim, Decided, First, Ratio
from timefair.extensions.reproduce.claims.ratios import costs
from timefair.report.evidence import Evidence, Space
from timefair.report.findings.pairs import Verdict, by_cost
from timefair.report.findings.situations import MEDIAN, situations_of

_ORDERED = (Verdict.CLEAR, Verdict.SHARED)


def claims(evidence: Evidence) -> Iterator[Claim]:
    """Every claim: who is first, which pairs are decided, and ratios.

    Open questions are not claims: a situation in which all may be equally good, an undecided pair,
    and a ratio without finite limits.
    """
    for space in evidence.spaces:
        yield from firsts(evidence, space)
        yield from pairs(evidence, space)
        yield from ratios(evidence, space)


def firsts(evidence: Evidence, space: Space) -> Iterator[First]:
    """The situations of the report in which an algorithm is behind by more than chance explains."""
    everyone = evidence.compared(space)
    for situation in situations_of(evidence, space):
        standing = situation.standing
        if standing.verdict in _ORDERED:
            behind = tuple(name for name in everyone if name not in standing.front)
            place = (situation.want, situation.detail, situation.measure, situation.criterion)
            yield First(space, *place, standing.leaders, standing.front, behind)


def pairs(evidence: Evidence, space: Space) -> Iterator[Decided]:
    """The pairs that the table `comparison` decides by the median precision at the end, on
    functions and over all of them.
    """
    rows = evidence.of("comparison", space, measure=MEDIAN[0], criterion=MEDIAN[1])
    for row in rows[rows["better"].notna()].to_dict("records") if len(rows) else ():
        yield decided(space, row, str(row["better"]))


def decided(space: Space, row: Mapping[Hashable, Any], better: str) -> Decided:
    """A row of the table `comparison`, seen from one of its algorithms."""
    a12, low, high = (float(row[name]) for name in ("a12", "a12_low", "a12_high"))
    other = str(row["algorithm_b"])
    if better == other:
        other, a12, low, high = str(row["algorithm_a"]), 1 - a12, 1 - high, 1 - low
    return Decided(space, str(row["function"]), better, other, a12, low, high)


def ratios(evidence: Evidence, space: Space) -> Iterator[Ratio]:
    """On each function, the cost of each algorithm to the decisive target over that of the first.

    The unit is that of the budget. There are no ratios if targets are relative to the results,
    because other runs then have other targets.
    """
    if evidence.optimum != "known" and not evidence.campaign.target_values:
        return
    unit = evidence.unit
    for function, target, _ in by_cost(evidence, space, unit):
        known = costs(evidence, space, unit, function, target)
        if not known:
            continue
        first = min(known, key=lambda name: known[name].value)
        for other in known:
            if other != first:
                numbers = known[other].minus(known[first]).numbers()
                yield Ratio(space, function, unit, target, first, other, *numbers)
