"""Situations of readers, and the algorithm that is in front in each of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb, inf, isnan, nan
from typing import Any

import pandas as pd

from timefair.basics.extension import each
from timefair.basics.words import ALL, cost, counted, duration, listed, number, p_value, percent
from timefair.exhibits.comparisons.criteria import PRECISION, TARGETS
from timefair.exhibits.comparisons.ranks import ERT
from timefair.records.rundata.frames import quantile_name
from timefair.report.evidence import NOTICEABLE, Evidence, Space
from timefair.report.findings.pairs import (
    ALLOWED,
    TABLE,
    TOO_FEW,
    Pairs,
    Result,
    Standing,
    Verdict,
    by_cost,
    functions_of,
    is_over_functions,
    on_each,
    on_function,
    pairs_of,
    precisions_at,
    standing_of,
)


def leading(evidence: Evidence) -> list[str]:
    """The algorithms of the table `ranks`, the best first.

    They are ordered by their average rank by the expected cost to the targets, in the unit of the
    budget; equal ones by the rank of the precision at the end. Ranks are averaged over suites and
    dimensions. Empty without the table.
    """
    ranks = evidence.table("ranks")
    if ranks.empty:
        return []
    by_cost = (ranks["measure"] == evidence.unit) & (ranks["criterion"] == ERT)
    by_quality = ranks["measure"] == "precision"
    names = ranks["algorithm"].astype(str)
    cost, quality = (
        ranks[of].groupby(names[of])["average_rank"].mean() for of in (by_cost, by_quality)
    )
    order = pd.DataFrame({"cost": cost, "quality": quality}).sort_values(["cost", "quality"])
    return [str(name) for name in order.index]


def how_far(evidence: Evidence, space: Space, algorithm: str) -> str:
    """A sentence on the cost of an algorithm relative to the best on each problem; empty if it is
    unknown or the algorithm has reached no target.

    It comes from the performance profile in the unit of the budget.
    """
    name = "profile" if evidence.unit == "seconds" else "profile_evaluations"
    rows = evidence.of(name, space, algorithm=algorithm)
    if rows.empty or not rows["problems"].iloc[0]:
        return ""
    detectable = evidence.detectable(space, evidence.unit)
    near = detectable if detectable >= NOTICEABLE else 1.0
    best, twice = (rows[rows["ratio"] <= r * (1 + 1e-12)].iloc[-1] for r in (near, max(2.0, near)))
    solved = float(rows["fraction"].iloc[-1])
    if not solved:
        return ""
    low, high = float(best["low"]), float(best["high"])
    band = "" if isnan(low) else f" [{100 * low:.0f}, {100 * high:.0f}]"
    has = (
        f"costs at most {number(near, digits=2)} times the best (the minimum detectable ratio)"
        if near > 1
        else "has the lowest cost"
    )
    farther = f", takes at most twice the best cost on {percent(float(twice['fraction']))},"
    farther = farther if near < 2 else ""
    end = " in at least one run"
    if evidence.optimum == "unknown":
        by_construction = ", of which the best run here reaches all by construction"
        end = " of them" + ("" if evidence.campaign.target_values else by_construction)
    return (
        f"{algorithm} {has} on {percent(float(best['fraction']))}{band} of the "
        f"{rows['problems'].iloc[0]} cases (problem and target){farther} and reaches "
        f"{percent(solved)}{end}."
    )


def reversed_most(evidence: Evidence, space: Space) -> str:
    """The pair with the most significant reversed order over all functions; empty without one."""
    found = _reversed(evidence, space)
    if found.empty:
        return ""
    row = found.to_dict("records")[0]
    frugal, quick = row["winner_by_evaluations"], row["winner_by_time"]
    side = {row["algorithm_a"]: "a", row["algorithm_b"]: "b"}
    by_evaluations = _agreeing(row[f"by_evaluations_{side[frugal]}"], row["functions"])
    by_time = _agreeing(row[f"by_time_{side[quick]}"], row["functions"])
    return (
        f"Equal time reverses an order: with equal evaluations (as many as every run of both made, "
        f"{number(row['evaluations'])} in the median), {frugal} is better than {quick} on "
        f"{by_evaluations}; with equal time, {quick} is better than {frugal} on {by_time}. Both "
        f"orders are significant ({p_value(row['p_adjusted'])}, Wilcoxon, Bonferroni)."
    )


def _reversed(evidence: Evidence, space: Space) -> pd.DataFrame:
    """The significant rank reversals over all functions, the most significant first.

    Among equal p-values, the pair whose orders hold on more functions is first.
    """
    rows = evidence.of("rank_reversals", space, criterion="fixed budget", function=ALL)
    rows = rows[rows["significant"].astype(bool)]
    agreeing = rows[["by_evaluations_a", "by_evaluations_b"]].max(axis=1)
    agreeing += rows[["by_time_a", "by_time_b"]].max(axis=1)
    return rows.assign(agreeing=-agreeing).sort_values(["p_adjusted", "agreeing"], kind="stable")


def _agreeing(count: float, functions: float) -> str:
    if count == functions:
        return f"all {counted(int(functions), 'function')}"
    return f"{count:.0f} of {counted(int(functions), 'function')}"


def orders_changed(evidence: Evidence, space: Space) -> str:
    """A sentence on pairs that evaluations and seconds order differently; empty if there is no
    significant one.
    """
    rows = evidence.of("rank_reversals", space, criterion="fixed target")
    real = rows[rows["significant"].astype(bool)].sort_values("p_adjusted")
    if real.empty:
        return ""
    cases = comb(len(evidence.compared(space)), 2) * len(functions_of(evidence, space))
    cases *= len(evidence.targets[0])
    changes = counted(len(rows), "time")
    return (
        f"In {cases} cases (pair of algorithms, function, target), the order by evaluations is the "
        f"opposite of that by time {changes}, {len(real)} of them significantly (score tests of "
        f"equal ERTs, Bonferroni). {_example(real.to_dict('records')[0], evidence)}"
    )


def _example(row: Mapping[Hashable, Any], evidence: Evidence) -> str:
    end = {row["algorithm_a"]: "a", row["algorithm_b"]: "b"}
    by = {
        name: (number(row[f"by_evaluations_{e}"]), duration(row[f"by_time_{e}"], evidence.clock))
        for name, e in end.items()
    }
    frugal, quick = row["winner_by_evaluations"], row["winner_by_time"]
    return (
        f"For example, on {evidence.called(row['function'])} to {number(row['target'])}, "
        f"{frugal} needs {by[frugal][0]} evaluations and {quick} {by[quick][0]}, but {quick} takes "
        f"{by[quick][1]} and {frugal} {by[frugal][1]}."
    )


NAMED = 4  # the sentence over all functions names at most this many algorithms


@dataclass(frozen=True)
class OnFunction:
    """The standing on one function, by a criterion such as ``time to 10⁻⁸``.

    `value` is the best of the algorithms in front, with its interval, and `factor` that of the next
    one as a multiple of it; `inf` or NaN if there is none. `successes` are its successful runs,
    such as ``8 of 10``; empty for a precision.
    """

    function: int
    title: str
    criterion: str
    value: str
    factor: float
    successes: str
    standing: Standing


UNIT_OF_CLOCK = {"wall": "time", "cpu": "CPU time", "reference": "reference units"}
"""Words for the seconds of each clock."""


def on_functions(evidence: Evidence, space: Space) -> list[OnFunction]:
    """The standing on each function; empty with fewer than two functions or algorithms.

    The first algorithm has the smallest ERT to the target of `by_cost` or, if no run reached one,
    the best median precision at the end.
    """
    if len(functions_of(evidence, space)) < 2:
        return []
    precisions = precisions_at(evidence, space, quantile_name(0.5))
    found = {function: (nan, results) for function, results in precisions}
    costs = by_cost(evidence, space, evidence.unit)
    found |= {function: (target, results) for function, target, results in costs}
    criterion = MEDIAN if "evaluations" in evidence.campaign.lacks else (evidence.unit, ERT)
    return [
        _on(evidence, space, criterion, pairs, *found[function])
        for function, pairs in on_each(evidence, space, *criterion)
        if function in found
    ]


def _on(
    evidence: Evidence,
    space: Space,
    criterion: tuple[str, str],
    pairs: Pairs,
    target: float,
    every: Sequence[Result],
) -> OnFunction:
    standing = on_function(evidence, space, pairs, *criterion)
    failed, unit = evidence.failed(space), evidence.unit
    results = {one.algorithm: one for one in every if one.algorithm not in failed}
    best = results.get(standing.front[0]) if standing.front else None
    words = UNIT_OF_CLOCK[evidence.clock] if unit == "seconds" else "evaluations"
    by = "median precision at the end" if isnan(target) else f"{words} to {number(target)}"
    value, factor, successes = "–", nan, ""
    if best:
        value = best.in_words("precision" if isnan(target) else unit, evidence.clock)
        others = [one.value for one in results.values() if one is not best]
        factor = min(others, default=inf) / best.value if best.value > 0 else nan
        successes = "" if isnan(target) else f"{best.successes} of {best.runs}"
    title = evidence.called(pairs.function)
    return OnFunction(int(str(pairs.function)), title, by, value, factor, successes, standing)


def summed_up(found: Sequence[OnFunction]) -> str:
    """A sentence on the number of functions on which each algorithm is significantly better than
    every other one; empty for less than two functions. If more than one algorithm follows the
    `NAMED` most frequent ones, these follow together.
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
    named = NAMED if len(leads) > NAMED + 1 else len(leads)
    most = [f"{name} on {count}" for name, count in leads[:named]]
    if others := leads[named:]:
        together = sum(count for _, count in others)
        most.append(f"{counted(len(others), 'other algorithm')} on {together}")
    rest = len(found) - len(clear)
    none = f" On {rest} of them, no algorithm is." if rest else ""
    return (
        f"On single functions, the algorithm that is significantly better than every other one is "
        f"{listed(most)} of {len(found)} functions.{none}"
    )


MEDIAN = (PRECISION, quantile_name(0.5))

COSTS = ("seconds", "evaluations")
TIME = {
    "wall": "You count seconds",
    "cpu": "You count CPU time",
    "reference": "You count CPU time in units of the reference kernel",
}
"""The cost that a reader may want to save, for each clock."""

WITHIN = f", each pair within {ALLOWED}"
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

    `headline` says who wins, and `reversal` names the pair whose order over all functions
    evaluations and time reverse most significantly; empty without one. `winner` is significantly
    better than every other algorithm; empty without one.
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
    failed = sorted(evidence.failed(space))
    are = "is" if len(failed) == 1 else "are"
    sentences = [
        f"{listed(failed)} made no evaluation in any run and {are} not compared." * bool(failed),
        how_far(evidence, space, leader[0]) if leader and not evidence.wrong(space) else "",
        summed_up(functions),
        orders_changed(evidence, space),
        pairs_decided(evidence, space, main),
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
    """The situation of the headline.

    It is the expected cost to the targets or, on a single function, the median precision at the
    end of the budget. If several algorithms are first with equal results, the other one of these
    decides.
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
    """A sentence on a pair that the test over functions leaves open and most functions decide.

    The pair is the best algorithm and the best one that is tied with it; empty if a function
    decides against the best, or at most half of them decide.
    """
    if main is None or not main.standing.tied or not is_over_functions(evidence, space):
        return ""
    leader, other, *_ = *main.standing.leaders[:1], *main.standing.tied
    on = [pairs for _, pairs in on_each(evidence, space, main.measure, main.criterion)]
    won = sum((leader, other) in pairs.better for pairs in on)
    if 2 * won <= len(on) or any((other, leader) in pairs.better for pairs in on):
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
    if not compared:
        return "No run made an evaluation: there is nothing to compare."
    if len(compared) == 1:
        return f"Only {compared[0]} made evaluations: there is nothing to compare it with."
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
            each_ = " on each" if standing.on_each else ""
            tied = _group(standing.tied, compared)
            rest = f", but not than {tied}{each_}" if standing.tied else ""
            rest += _better_on(evidence, space, main)
            return (
                f"{leaders} {'lead' if several else 'leads'} {by}: significantly better than "
                f"{_group(behind, compared)}{each_}{rest} ({standing.tested})."
            )
        case Verdict.OPEN:
            open_ = (
                f"{listed(compared)} do not differ significantly"
                if len(compared) == 2
                else "no algorithm leads significantly"
            )
            return f"There is no significant winner {by}: {open_} ({standing.tested})."
        case Verdict.MIXED:
            return f"The result depends on the function, by the {main.detail}. {standing.values}"


def _better_on(evidence: Evidence, space: Space, main: Situation) -> str:
    """On how many functions the only one that is tied with the leader is better than it."""
    standing = main.standing
    alone = len(standing.tied) == len(standing.leaders) == 1
    if not alone or not is_over_functions(evidence, space):
        return ""
    rows = evidence.of(
        TABLE, space, measure=main.measure, criterion=main.criterion, function=ALL
    ).to_dict("records")
    leader, other = standing.leaders[0], standing.tied[0]
    row = next(row for row in rows if {row["algorithm_a"], row["algorithm_b"]} == {leader, other})
    count = int(row["n_a"])
    better = (row["a12"] if row["algorithm_a"] == other else 1 - row["a12"]) * count
    about = "" if abs(better - round(better)) < 1e-6 else "about "  # ties are halves
    return f", which is better on {about}{better:.0f} of {counted(count, 'function')}"


def _group(names: Sequence[str], compared: Sequence[str]) -> str:
    if 2 * len(names) <= len(compared) or len(names) == 1:
        return listed(names)
    return f"{len(names)} others"


def pairs_decided(evidence: Evidence, space: Space, main: Situation | None) -> str:
    """A sentence on the number of significant pairs over all functions under the main criterion.

    Empty for fewer than three algorithms, and if single functions decide.
    """
    if main is None or not is_over_functions(evidence, space):
        return ""
    pairs = pairs_of(evidence, space, main.measure, main.criterion)
    if pairs is None or len(pairs.values) < 3:
        return ""
    made = len(pairs.better) + len(pairs.undecided) // 2
    every = comb(len(evidence.compared(space)), 2)
    of = f"{made} pairs" if made == every else f"{made} listed pairs (of {every})"
    return (
        f"By the {main.detail} over {counted(pairs.functions, 'function')}, {len(pairs.better)} of "
        f"{of} of algorithms {'differs' if len(pairs.better) == 1 else 'differ'} significantly "
        "(Wilcoxon, Bonferroni)."
    )


def situations_of(evidence: Evidence, space: Space) -> Iterator[Situation]:
    """The standing in each situation of which the table `comparison` has pairs on a space."""
    for want, detail, measure, criterion in _wanted(evidence, space):
        standing = standing_of(evidence, space, measure, criterion)
        if standing is not None:
            yield Situation(want, detail, measure, criterion, standing)


COUNTED = "You count evaluations, or one takes far longer than an algorithm’s own computations"


def _wanted(evidence: Evidence, space: Space) -> Iterator[tuple[str, str, str, str]]:
    known = (unit for unit in COSTS if unit not in evidence.campaign.lacks)
    for unit in sorted(known, key=lambda unit: unit != evidence.unit):
        want = TIME[evidence.clock] if unit == "seconds" else COUNTED
        within = "" if unit == evidence.unit else WITHIN
        yield want, f"expected {unit} to the targets{within}", unit, ERT
    rows = evidence.of(TABLE, space, measure=TARGETS)
    shares = dict(zip(rows["criterion"], rows["within"], strict=True))
    targets = counted(len(evidence.targets[0]), "target")
    for criterion, within in shares.items():
        yield (
            f"You have {cost(float(within), evidence.unit, evidence.clock)}",
            f"share of the {targets} reached within {criterion.replace(' ', NARROW)} of the budget",
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
    if len(found) > NAMED:
        wins = Counter(clear.values()).most_common()
        named = [f"{name} in {count}" for name, count in wins]
        rest = len(found) - len(clear)
        none = f"; none in {rest}" if rest else ""
        parts = f"{len(found)} parts (suite and dimension)"
        return f"Significant winners, of {parts}: {listed(named)}{none}."
    named = [f"{name} ({space.title})" for space, name in clear.items()]
    return f"Significant winners: {listed(named)}."
