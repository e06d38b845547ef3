"""Standings over all functions, by average ranks with Friedman's test and Nemenyi's difference."""

from __future__ import annotations

from collections.abc import Mapping
from math import isclose, isnan

from timefair.report.evidence import Evidence, Space
from timefair.report.findings.pairs import pairs_of, restricted
from timefair.report.findings.standing import Standing, first, judged, nothing, untested
from timefair.report.words import counted, listed, number, p_value, percent

COSTS = ("seconds", "evaluations")
"""Measures of what it took to reach targets, which nobody may have."""


def by_rank(evidence: Evidence, space: Space, measure: str, criterion: str) -> Standing | None:
    """Who has the best average rank in the table `ranks`.

    None without ranks of two algorithms or more on some function. If Friedman's test finds no
    difference, all are tied; else those are whose average rank lies within the critical difference
    of the best.
    """
    rows = evidence.of("ranks", space, measure=measure, criterion=criterion)
    if len(rows) < 2 or rows["problems"].iloc[0] == 0:
        return None
    ranks = {
        str(name): float(r) for name, r in zip(rows["algorithm"], rows["average_rank"], strict=True)
    }
    functions = counted(int(rows["problems"].iloc[0]), "function")
    if isclose(min(ranks.values()), max(ranks.values())):
        return nothing(_equal(evidence, space, measure, functions))
    difference = float(rows["critical_difference"].iloc[0])
    best = _best(ranks, functions)
    if isnan(difference):
        return untested(ranks, f"{best} One function alone says nothing about others.")
    p = _friedman(evidence, space, measure, criterion)
    if p is not None and p > 1 - evidence.confidence:
        return judged(ranks, ranks, f"{best} Friedman’s test finds no difference ({p_value(p)}).")
    tested = f" Friedman {p_value(p)}." if p is not None else ""
    within = f"Ranks closer than {number(difference)} are ties.{tested}"
    tied = [name for name, rank in ranks.items() if rank - min(ranks.values()) <= difference]
    return judged(ranks, tied, f"{best} {within}")


def _best(ranks: Mapping[str, float], functions: str) -> str:
    leaders = first(ranks)
    others = sorted(set(ranks.values()) - {ranks[leaders[0]]})
    behind = [name for name, rank in ranks.items() if rank == others[0]] if others else []
    runner_up = f", then {listed(behind)} {number(others[0])}" if behind else ""
    return f"Average rank {number(ranks[leaders[0]])} over {functions}{runner_up}."


def _equal(evidence: Evidence, space: Space, measure: str, functions: str) -> str:
    solved = evidence.of("ert", space)
    if measure in COSTS and not solved.empty:
        solved = solved[solved[f"ert_{'s' if measure == 'seconds' else measure}"].notna()]
    if measure in COSTS and not solved.empty and not solved["successes"].any():
        return "No algorithm reached any target."
    return f"All have the same average rank over {functions}."


def _friedman(evidence: Evidence, space: Space, measure: str, criterion: str) -> float | None:
    rows = evidence.of("friedman", space, measure=measure, criterion=criterion)
    p = float(rows["p"].iloc[0]) if len(rows) else float("nan")
    return None if isnan(p) else p


def pairs_decided(evidence: Evidence, space: Space) -> str:
    """A sentence on the pairs that the table `comparison` decides over all functions.

    Empty without such pairs. If so few functions could not decide one whatever their results, it
    says so.
    """
    rows = evidence.of("comparison", space, function="all")
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
    most = f", most often for {wins.index[0]} ({wins.iloc[0]})" if len(wins) > 1 else ""
    only = f", all for {wins.index[0]}" if len(wins) == 1 else ""
    return (
        f"By the precision at the end, {known.sum()} of {of} "
        f"{'is' if known.sum() == 1 else 'are'} decided over all functions with {sure} confidence "
        f"(Wilcoxon, Holm){most}{only}."
    )
