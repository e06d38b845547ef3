"""The verdict of new runs on each claim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, partial
from math import isfinite, log

from timefair.basics.words import listed, number
from timefair.extensions.reproduce.claims.claim import Claim, Decided, First, Judged, Ratio, Verdict
from timefair.extensions.reproduce.claims.ratios import Limits, costs
from timefair.extensions.reproduce.claims.stated import decided
from timefair.report.evidence import Evidence, Space
from timefair.report.findings.pairs import Verdict as Order
from timefair.report.findings.situations import MEDIAN, Situation, situations_of

NOTHING = "no result"


def judge(claims: Sequence[Claim], again: Evidence) -> list[Judged]:
    """Compare claims with the tables of new runs, in the order of the claims.

    Notes
    -----
    New runs contradict a claim

    - on who is first, if their own test decides on an order, and those that were first are behind;
    - on a pair, if they decide it for the other algorithm, after Bonferroni's correction;
    - on a ratio, if both ratios differ by more than chance explains, at 1 - confidence over all
      ratios together (Bonferroni).
    """
    ratios = sum(isinstance(claim, Ratio) for claim in claims)
    alpha = (1 - again.confidence) / max(ratios, 1)

    @cache
    def situations(space: Space) -> list[Situation]:
        return list(situations_of(again, space))

    def judged(claim: Claim) -> Judged:
        match claim:
            case First():
                return _first(claim, situations(claim.space))
            case Decided():
                return _pair(claim, again)
            case Ratio():
                return _ratio(claim, again, alpha)

    return [judged(claim) for claim in claims]


def _first(claim: First, situations: Iterable[Situation]) -> Judged:
    judged = partial(Judged, claim)
    there = [one.standing for one in situations if _key(one) == _key(claim)]
    if not there or not there[0].leaders:
        return judged(Verdict.UNDECIDED, NOTHING)
    (standing,) = there
    leaders = set(standing.leaders)
    words = f"{listed(standing.leaders)} first ({standing.verdict})"
    ordered = standing.verdict in (Order.CLEAR, Order.SHARED)
    if ordered and leaders <= set(claim.leaders):
        return judged(Verdict.REPRODUCED, words)
    if ordered and not set(standing.front) & set(claim.leaders):
        return judged(Verdict.CONTRADICTED, words)
    if leaders <= set(claim.front):
        return judged(Verdict.WITHIN, words)
    return judged(Verdict.UNDECIDED, words)


def _key(one: First | Situation) -> tuple[str, str]:
    return one.measure, one.criterion


def _pair(claim: Decided, again: Evidence) -> Judged:
    judged = partial(Judged, claim)
    rows = again.of(
        "comparison", claim.space, function=claim.function, measure=MEDIAN[0], criterion=MEDIAN[1]
    )
    names = {claim.better, claim.other}
    for row in rows.to_dict("records") if len(rows) else ():
        if {str(row["algorithm_a"]), str(row["algorithm_b"])} != names:
            continue
        found = decided(claim.space, row, claim.better)
        words = f"A12 {number(found.a12)}"
        if row["better"] == claim.better:
            return judged(Verdict.REPRODUCED, f"{words}, decided for {claim.better}")
        if row["better"] == claim.other:
            return judged(Verdict.CONTRADICTED, f"{words}, decided for {claim.other}")
        if claim.low <= found.a12 <= claim.high:
            return judged(Verdict.WITHIN, f"{words}, not decided")
        return judged(Verdict.UNDECIDED, f"{words}, not decided")
    return judged(Verdict.UNDECIDED, NOTHING)


def _ratio(claim: Ratio, again: Evidence, alpha: float) -> Judged:
    judged = partial(Judged, claim)
    known = costs(again, claim.space, claim.unit, claim.function, claim.target)
    if claim.first not in known or claim.other not in known:
        return judged(Verdict.UNDECIDED, NOTHING)
    now = known[claim.other].minus(known[claim.first])
    before = Limits(log(claim.value), log(claim.low), log(claim.high))
    words = "{} [{}, {}]".format(*map(number, now.numbers()))
    if now.minus(before).at_level(alpha, again.confidence).excludes_zero:
        return judged(Verdict.CONTRADICTED, words)
    if claim.decided and now.excludes_zero and (now.value > 0) == (before.value > 0):
        return judged(Verdict.REPRODUCED, words)
    if isfinite(now.value) and before.low <= now.value <= before.high:
        return judged(Verdict.WITHIN, words)
    return judged(Verdict.UNDECIDED, words)
