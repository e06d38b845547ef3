"""Standings over all functions, by average ranks with Friedman's test and Nemenyi's difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isclose, isnan

import numpy as np

from timefair.report.evidence import NOTICEABLE, Evidence, Space
from timefair.report.findings.pairs import pairs_of, restricted
from timefair.report.findings.standing import Standing, first, judged, nothing, untested
from timefair.report.words import counted, listed, number, p_value, percent, unresolved

COSTS = ("seconds", "evaluations")
"""Measures of the cost to targets, for which no algorithm may have a value."""


def by_rank(evidence: Evidence, space: Space, measure: str, criterion: str) -> Standing | None:
    """The standing by the average rank in the table `ranks`.

    None without ranks of at least two algorithms on some function. If Friedman's test finds no
    difference, all algorithms are tied; otherwise those whose average rank is within the critical
    difference of the best. In seconds, algorithms are also tied if the machine does not resolve the
    ratio of their times to those of the best.
    """
    rows = evidence.of("ranks", space, measure=measure, criterion=criterion)
    if len(rows) < 2 or rows["problems"].iloc[0] == 0:
        return None
    ranks = {
        str(name): float(r) for name, r in zip(rows["algorithm"], rows["average_rank"], strict=True)
    }
    functions = counted(int(rows["problems"].iloc[0]), "function")
    basis = f"over {functions}"
    ratio = evidence.resolved(space, measure)
    digits = 2 if ratio >= NOTICEABLE else 3
    if isclose(min(ranks.values()), max(ranks.values())):
        return nothing(_equal(evidence, space, measure, functions))
    difference = float(rows["critical_difference"].iloc[0])
    best = _best(ranks, functions, digits)
    if isnan(difference):
        return untested(ranks, f"{best} One function gives no evidence on other functions.")
    p = _friedman(evidence, space, measure, criterion)
    if p is not None and p > 1 - evidence.confidence:
        reason = f"{best} Friedman’s test finds no difference ({p_value(p)})."
        return judged(ranks, ranks, reason, basis)
    tested = f" (Friedman’s test: {p_value(p)})" if p is not None else ""
    within = f"Ranks closer than {number(difference)} are ties{tested}."
    tied = [name for name, rank in ranks.items() if rank - min(ranks.values()) <= difference]
    near = _unresolved(evidence, space, first(ranks), ratio)
    if ratio >= NOTICEABLE:
        within += f" {unresolved(ratio)}"
    return judged(ranks, {*tied, *near}, f"{best} {within}", basis)


def _unresolved(
    evidence: Evidence, space: Space, leaders: Sequence[str], ratio: float
) -> Iterator[str]:
    """Algorithms whose times are within a ratio of those of a leader.

    The ratio is the geometric mean of the ratios of the ERT in seconds, over the functions and
    targets that both have reached.
    """
    rows = evidence.of("ert", space)
    if rows.empty or ratio <= 1:
        return
    times = rows.pivot_table(
        index=["function", "target"], columns="algorithm", values="ert_s", observed=True
    )
    known = times.where(np.isfinite(times) & (times > 0))
    logs = known.apply(np.log)
    for name in logs.columns:
        apart = [float((logs[name] - logs[leader]).mean()) for leader in leaders if leader in logs]
        if any(abs(mean) <= np.log(ratio) for mean in apart):
            yield str(name)


def _best(ranks: Mapping[str, float], functions: str, digits: int) -> str:
    leaders = first(ranks)
    others = sorted(set(ranks.values()) - {ranks[leaders[0]]})
    behind = [name for name, rank in ranks.items() if rank == others[0]] if others else []
    runner_up = f", then {listed(behind)} with {number(others[0], digits)}" if behind else ""
    return f"Average rank {number(ranks[leaders[0]], digits)} over {functions}{runner_up}."


def _equal(evidence: Evidence, space: Space, measure: str, functions: str) -> str:
    solved = evidence.of("ert", space)
    if measure in COSTS and not solved.empty:
        solved = solved[solved[f"ert_{'s' if measure == 'seconds' else measure}"].notna()]
    if measure in COSTS and not solved.empty and not solved["successes"].any():
        return "No algorithm reached any target."
    return f"All algorithms have the same average rank over {functions}."


def _friedman(evidence: Evidence, space: Space, measure: str, criterion: str) -> float | None:
    rows = evidence.of("friedman", space, measure=measure, criterion=criterion)
    p = float(rows["p"].iloc[0]) if len(rows) else float("nan")
    return None if isnan(p) else p


def pairs_decided(evidence: Evidence, space: Space) -> str:
    """A sentence on the pairs that the table `comparison` decides over all functions.

    Empty without such pairs, and with too few functions for such a decision.
    """
    rows = evidence.of("comparison", space, function="all")
    if evidence.few_functions:
        return ""
    if rows.empty:
        return ""
    functions = int(rows["n_a"].max())
    of = counted(len(rows), "pair")
    of += restricted(rows, evidence.table("comparison").attrs.get("pairs", ""))
    known = rows["better"].notna()
    sure = percent(evidence.confidence)
    if not known.any() and pairs_of(rows) * 2.0 ** (1 - functions) > 1 - evidence.confidence:
        return (
            f"{counted(functions, 'function')} {'is' if functions == 1 else 'are'} too few to "
            f"decide any of {of} by the precision at the end with {sure} "
            "confidence (Wilcoxon, Holm), whatever the results."
        )
    wins = rows.loc[known, "better"].value_counts()
    most = f", most often in favour of {wins.index[0]} ({wins.iloc[0]})" if len(wins) > 1 else ""
    only = f", all in favour of {wins.index[0]}" if len(wins) == 1 else ""
    return (
        f"By the precision at the end, {known.sum()} of {of} "
        f"{'is' if known.sum() == 1 else 'are'} decided over all functions with {sure} confidence "
        f"(Wilcoxon, Holm){most}{only}."
    )
