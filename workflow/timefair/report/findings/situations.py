"""Situations of readers, and the algorithm that is in front in each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import comb

from timefair.basics.extension import extensions
from timefair.basics.words import cost, counted, listed
from timefair.exhibits.comparisons.comparison import FEW_FUNCTIONS
from timefair.exhibits.comparisons.criteria import ERT, PRECISION, TARGETS
from timefair.exhibits.unknown_optimum import REFUTED
from timefair.report.evidence import Evidence, Space
from timefair.report.findings.functions import OnFunction, on_functions, summed_up
from timefair.report.findings.orders import (
    orders_changed,
    reversed_most,
    reversed_over_functions,
)
from timefair.report.findings.pairs import TABLE, functions_of, pairs_of, standing_of
from timefair.report.findings.shares import how_far
from timefair.report.findings.standing import Standing, Verdict
from timefair.rundata.frames import quantile_name

MEDIAN = (PRECISION, quantile_name(0.5))

COSTS = ("seconds", "evaluations")
TIME = {
    "wall": "You count seconds",
    "cpu": "You count CPU time",
    "reference": "You count CPU time in units of the reference kernel",
}
"""The cost that a reader may want to save, for each clock."""

UNITS = {"seconds": "running time", "evaluations": "evaluations"}
NARROW = "\u00a0"


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
    """All findings on one space.

    Attributes
    ----------
    space
        The space of the findings.
    headline
        Who wins, in one sentence.
    reversal
        The pair whose order over all functions evaluations and time reverse most significantly;
        empty without one.
    sentences
        Further findings, such as the size of the lead.
    situations
        The situations of readers.
    functions
        The standing on each function.
    winner
        The algorithm that is significantly better than every other one; empty without one.
    """

    space: Space
    headline: str
    reversal: str
    sentences: tuple[str, ...]
    situations: tuple[Situation, ...]
    functions: tuple[OnFunction, ...]
    winner: str = ""


def findings(evidence: Evidence, space: Space) -> Findings:
    """The findings of the tables on a space; without findings, the headline states this."""
    situations = tuple(situations_of(evidence, space))
    functions = tuple(on_functions(evidence, space))
    main = _main(evidence, space, situations)
    leader = main.standing.leaders[:1] if main else ()
    sentences = [
        _failed(evidence, space),
        how_far(evidence, space, leader[0]) if leader else "",
        summed_up(functions),
        orders_changed(evidence, space),
        pairs_decided(evidence, space, main),
        reversed_over_functions(evidence, space),
        *chain.from_iterable(one.sentences(evidence, space) for one in extensions().values()),
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
    """The situation of the headline.

    It is the expected cost to the targets or, on a single function, the median precision at the
    end of the budget. If several algorithms are first with equal results, it is the one of these
    with fewer first ones.
    """
    by_key = {(one.measure, one.criterion): one for one in situations}
    found = [one for key in ((evidence.unit, ERT), MEDIAN) if (one := by_key.get(key))]
    if len(functions_of(evidence, space)) == 1:
        found.reverse()
    ordered = [one for one in found if one.standing.verdict is not Verdict.NOTHING]
    ordered.sort(key=lambda one: len(one.standing.leaders))
    return next(iter(ordered or found), None)


def _failed(evidence: Evidence, space: Space) -> str:
    """A sentence on the algorithms that made no evaluation; empty without any."""
    failed = sorted(evidence.failed(space))
    if not failed:
        return ""
    are = "is" if len(failed) == 1 else "are"
    return f"{listed(failed)} made no evaluation in any run and {are} not compared."


def _headline(evidence: Evidence, space: Space, main: Situation | None) -> str:
    return f"{_refuted(evidence)}{_verdict(evidence, space, main)}"


def _refuted(evidence: Evidence) -> str:
    """A warning if values below an optimum were found; empty otherwise."""
    wrong = evidence.some_frame.attrs.get(REFUTED)
    return "An optimum (f_opt) is wrong, so do not use this verdict. " if wrong else ""


def _verdict(evidence: Evidence, space: Space, main: Situation | None) -> str:
    if len(evidence.campaign.timed) == 1:
        return "One algorithm was measured: there is nothing to compare it with."
    compared = evidence.compared(space)
    if not compared:
        return "No run made an evaluation: there is nothing to compare."
    if len(compared) == 1:
        return f"Only {compared[0]} made evaluations: there is nothing to compare it with."
    if main is None:
        return "The table comparison is missing, so there is no verdict."
    standing = main.standing
    leaders, several = listed(standing.leaders), len(standing.leaders) > 1
    are = "are" if several else "is"
    by = f"{standing.basis}, by the {main.detail}"
    match standing.verdict:
        case Verdict.NOTHING:
            return f"There is no winner by the {main.detail}. {standing.reason}"
        case Verdict.CLEAR:
            return (
                f"{leaders} wins {by}: it is significantly better than "
                f"{_everyone_but(standing.leaders, compared)} ({standing.tested})."
            )
        case Verdict.SHARED:
            behind = sorted(set(compared) - set(standing.front))
            rest = f", but not than {_group(standing.tied, compared)}" if standing.tied else ""
            return (
                f"{leaders} {'lead' if several else 'leads'} {by}: significantly better than "
                f"{_group(behind, compared)}{rest} ({standing.tested})."
            )
        case Verdict.OPEN:
            return (
                f"There is no significant winner {by}: {leaders} {are} first, but no difference to "
                f"{'them' if several else 'it'} is significant ({standing.tested})."
            )
        case Verdict.MIXED:
            return f"The result depends on the function, by the {main.detail}. {standing.values}"


def _everyone_but(leaders: Sequence[str], compared: Sequence[str]) -> str:
    others = [name for name in compared if name not in leaders]
    return others[0] if len(others) == 1 else "every other algorithm"


def _group(names: Sequence[str], compared: Sequence[str]) -> str:
    """Some of the compared algorithms: by name if they are at most half of them."""
    if 2 * len(names) <= len(compared) or len(names) == 1:
        return listed(names)
    return f"{len(names)} others"


def pairs_decided(evidence: Evidence, space: Space, main: Situation | None) -> str:
    """A sentence on the number of significant pairs over all functions under the main criterion.

    Empty for fewer than three algorithms, and if single functions decide.
    """
    if main is None or len(functions_of(evidence, space)) < FEW_FUNCTIONS:
        return ""
    pairs = pairs_of(evidence, space, main.measure, main.criterion)
    if pairs is None or len(pairs.values) < 3:
        return ""
    made = len(pairs.better) + len(pairs.undecided) // 2
    every = comb(len(evidence.compared(space)), 2)
    of = f"{made} pairs" if made == every else f"{made} listed pairs (of {every})"
    return (
        f"By the {main.detail} over {counted(pairs.functions, 'function')}, {len(pairs.better)} of "
        f"{of} of algorithms differ significantly (Wilcoxon, Bonferroni)."
    )


def situations_of(evidence: Evidence, space: Space) -> Iterator[Situation]:
    """The standing in each situation of which the table `comparison` has pairs on a space."""
    for want, detail, measure, criterion in _wanted(evidence, space):
        standing = standing_of(evidence, space, measure, criterion)
        if standing is not None:
            yield Situation(want, detail, measure, criterion, standing)


def _wanted(evidence: Evidence, space: Space) -> Iterator[tuple[str, str, str, str]]:
    """The aims, their details, and their measures and criteria."""
    for unit in sorted(COSTS, key=lambda unit: unit != evidence.unit):
        want = TIME[evidence.clock] if unit == "seconds" else "You count evaluations"
        known = "" if unit == evidence.unit else ", as far as both of a pair were observed"
        yield want, f"expected {UNITS[unit]} to the targets{known}", unit, ERT
    rows = evidence.of(TABLE, space, measure=TARGETS)
    shares = dict(zip(rows["criterion"], rows["within"], strict=True)) if len(rows) else {}
    for criterion, within in shares.items():
        yield (
            f"You have {cost(float(within), evidence.unit, evidence.clock)}",
            f"share of targets reached within {criterion.replace(' ', NARROW)} of the budget",
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
    clear = {one.space: one.winner for one in found if one.winner}
    if not clear:
        return f"None of the {len(found)} parts (suite and dimension) has a significant winner."
    named = [f"{name} ({space.title})" for space, name in clear.items()]
    return f"Significant winners: {listed(named)}."
