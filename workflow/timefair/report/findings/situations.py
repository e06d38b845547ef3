"""Situations of readers, and the algorithm that is in front in each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from timefair.report.evidence import Evidence, Space
from timefair.report.findings.by_runs import from_runs
from timefair.report.findings.functions import OnFunction, on_functions, summed_up
from timefair.report.findings.orders import (
    orders_changed,
    reversed_most,
    reversed_over_functions,
)
from timefair.report.findings.portfolios import sharing_pays
from timefair.report.findings.practical import matters
from timefair.report.findings.raced import raced
from timefair.report.findings.ranked import by_rank, pairs_decided
from timefair.report.findings.restarting import restarts
from timefair.report.findings.shares import how_far, within
from timefair.report.findings.standing import Standing, Verdict
from timefair.report.findings.tuning import tuning_pays
from timefair.report.words import cost, counted, listed, percent
from timefair.rundata.measures import MEAN, quantile_name

SHARES = (0.01, 0.1, 1.0)
"""Shares of the budget: for a quick answer, for some patience, and all of it."""

COSTS = ("seconds", "evaluations")
TIME = {
    "wall": "You count seconds",
    "cpu": "You count CPU time",
    "reference": "You count CPU time in units of the reference kernel",
}
"""The cost that a reader may want to save, for each clock."""


@dataclass(frozen=True)
class Situation:
    """A reader's aim, the standing for it, and the table from which it comes."""

    want: str
    detail: str
    standing: Standing
    table: str


@dataclass(frozen=True)
class Findings:
    """All findings on one space.

    Attributes
    ----------
    space
        The space of the findings.
    headline
        Who wins, in one sentence.
    reversal
        The pair whose order over all functions evaluations and time reverse most surely; empty if
        there is none.
    sentences
        Further findings, such as the size of the lead.
    situations
        The situations of readers.
    functions
        The standing on each function.
    """

    space: Space
    headline: str
    reversal: str
    sentences: tuple[str, ...]
    situations: tuple[Situation, ...]
    functions: tuple[OnFunction, ...]


def findings(evidence: Evidence, space: Space) -> Findings:
    """The findings of the tables on a space; without findings, the headline states this."""
    situations = tuple(situations_of(evidence, space))
    functions = tuple(on_functions(evidence, space))
    overall = _overall(evidence, space)
    sentences = [
        _failed(evidence, space),
        *raced(evidence, space),
        how_far(evidence, space, overall.leaders[0]) if overall and overall.leaders else "",
        summed_up(functions),
        reversed_over_functions(evidence, space),
        orders_changed(evidence, space),
        pairs_decided(evidence, space),
        *matters(evidence, space),
        *restarts(evidence, space),
        sharing_pays(evidence, space),
        *tuning_pays(evidence, space),
    ]
    headline = _headline(evidence, space, overall)
    return Findings(
        space=space,
        headline=headline,
        reversal=reversed_most(evidence, space),
        sentences=tuple(filter(None, sentences)),
        situations=situations,
        functions=functions,
    )


def _overall(evidence: Evidence, space: Space) -> Standing | None:
    """The standing by the expected cost to targets or, if no target was reached, by the precision
    at the end.
    """
    found = [
        _judged(evidence, space, evidence.unit, "ERT"),
        _judged(evidence, space, "precision", quantile_name(0.5)),
    ]
    told = [one[0] for one in found if one is not None]
    return next((one for one in told if one.verdict is not Verdict.NOTHING), next(iter(told), None))


def _judged(
    evidence: Evidence, space: Space, measure: str, criterion: str
) -> tuple[Standing, str] | None:
    """The standing under a criterion, and its table: from runs on few functions, else over them."""
    if evidence.few_functions:
        found = from_runs(evidence, space, measure, criterion)
        if found is not None:
            return found
    standing = by_rank(evidence, space, measure, criterion)
    return None if standing is None else (standing, "ranks")


def _failed(evidence: Evidence, space: Space) -> str:
    """A sentence on the algorithms that made no evaluation; empty without any."""
    failed = sorted(evidence.failed(space))
    if not failed:
        return ""
    are = "is" if len(failed) == 1 else "are"
    return f"{listed(failed)} made no evaluation in any run and {are} not compared."


def _headline(evidence: Evidence, space: Space, overall: Standing | None) -> str:
    if len(evidence.campaign.timed) == 1:
        return "One algorithm was measured: there is nothing to compare it with."
    if len(compared := evidence.compared(space)) == 1:
        return f"Only {compared[0]} made evaluations: there is nothing to compare it with."
    if overall is None:
        return "No table ranks the algorithms over functions, so there is no overall verdict."
    leaders, several = listed(overall.leaders), len(overall.leaders) > 1
    match overall.verdict:
        case Verdict.NOTHING:
            return f"There is no winner. {overall.reason}"
        case Verdict.CLEAR:
            return (
                f"{leaders} wins {overall.basis}: it is better than every other algorithm by more "
                "than chance explains."
            )
        case Verdict.SHARED:
            return (
                f"{leaders} {'lead' if several else 'leads'} {overall.basis}"
                f"{_company(overall, evidence, space)}"
            )
        case Verdict.OPEN:
            have = "have" if several else "has"
            return (
                f"There is no sure winner {overall.basis}. {leaders} {have} the best results, but "
                "chance alone may explain this."
            )
        case Verdict.MIXED:
            return f"The winner depends on the function. {overall.reason}"
        case Verdict.UNTESTED:
            return f"{leaders} {'are' if several else 'is'} first, but on one function only."


def _company(overall: Standing, evidence: Evidence, space: Space) -> str:
    """Who may be as good as the leaders, and who is behind; the smaller group is named."""
    behind = sorted(set(evidence.compared(space)) - set(overall.front))
    if not overall.tied:
        return "; all others are behind."
    if len(overall.tied) <= len(behind):
        return f", but {listed(overall.tied)} may be as good. All others are surely behind."
    are = "is" if len(behind) == 1 else "are"
    others = counted(len(overall.tied), "other")
    return f", but {others} may be as good. Only {listed(behind)} {are} surely behind."


def situations_of(evidence: Evidence, space: Space) -> Iterator[Situation]:
    """The standing in each situation of which the tables have results on a space."""
    units = sorted(COSTS, key=lambda unit: unit != evidence.unit)
    for unit in units:
        judged = _judged(evidence, space, unit, "ERT")
        if judged is not None:
            want = TIME[evidence.clock] if unit == "seconds" else "You count evaluations"
            targets = "the hardest target" if judged[1] == "ert" else "all targets"
            yield Situation(want, f"expected cost to {targets}", *judged)
    for share in SHARES:
        found = within(evidence, space, share)
        if found is not None:
            at, standing = found
            whole = "longest run" if evidence.budget(space) is None else "budget"
            detail = f"targets reached within {percent(share)} of the {whole}"
            yield Situation(
                f"You have {cost(at, evidence.unit, evidence.clock)}", detail, standing, "ecdf"
            )
    for want, detail, criterion in _qualities(evidence):
        judged = _judged(evidence, space, "precision", criterion)
        if judged is not None:
            yield Situation(want, detail, *judged)


def _qualities(evidence: Evidence) -> Iterator[tuple[str, str, str]]:
    """Aims for the quality at the end, and the criterion of the table `ranks` for each."""
    for p in sorted(evidence.campaign.statistics.quantiles):
        if p < 0.5:
            want, detail = "You run it often and keep the best", f"best {100 * p:g}\u00a0% of runs"
        elif p > 0.5:
            want, detail = "You cannot afford a bad run", f"worst {100 - 100 * p:g}\u00a0% of runs"
        else:
            want, detail = "You run it once", "median run"
        yield want, f"precision at the end, {detail}", quantile_name(p)
    yield "You care about the mean", "mean precision at the end", MEAN


def across(found: Sequence[Findings]) -> str:
    """A sentence on several spaces; empty for one."""
    if len(found) < 2:
        return ""
    clear = {
        one.space: s.standing.leaders[0]
        for one in found
        for s in one.situations[:1]
        if s.standing.verdict is Verdict.CLEAR
    }
    if not clear:
        return f"None of the {len(found)} parts (suite and dimension) has a sure winner."
    return f"Sure winners: {listed([f'{name} ({space.title})' for space, name in clear.items()])}."
