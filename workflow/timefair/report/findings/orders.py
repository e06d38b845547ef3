"""Pairs of algorithms that evaluations and seconds order differently."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import comb
from typing import Any

import pandas as pd

from timefair.basics.together import ALL
from timefair.basics.words import counted, duration, number, p_value
from timefair.report.evidence import Evidence, Space
from timefair.report.findings.pairs import functions_of


def reversed_most(evidence: Evidence, space: Space) -> str:
    """The pair with the most significant reversed order over all functions; empty without one."""
    found = _reversed(evidence, space)
    if found.empty:
        return ""
    row = found.to_dict("records")[0]
    frugal, quick = row["winner_by_evaluations"], row["winner_by_time"]
    side = {row["algorithm_a"]: "a", row["algorithm_b"]: "b"}
    by_evaluations = _on(row[f"by_evaluations_{side[frugal]}"], row["functions"])
    by_time = _on(row[f"by_time_{side[quick]}"], row["functions"])
    return (
        f"Equal time reverses an order: with equal evaluations (in the median "
        f"{number(row['evaluations'])} per run), {frugal} is better than {quick} on "
        f"{by_evaluations}; with equal time, {quick} is better than {frugal} on {by_time}. Both "
        f"orders are significant ({p_value(row['p_adjusted'])}, Wilcoxon, Bonferroni)."
    )


def reversed_over_functions(evidence: Evidence, space: Space) -> str:
    """A sentence on all pairs with reversed orders over all functions; empty for less than two."""
    found = _reversed(evidence, space)
    if len(found) < 2:
        return ""
    winners = found[["winner_by_evaluations", "winner_by_time"]]
    pairs = [f"{frugal} and {quick}" for frugal, quick in winners.to_numpy()]
    return (
        f"Over all functions, {len(pairs)} pairs have significantly opposite orders with equal "
        "evaluations and with equal time "
        f"(the better one by evaluations first): {'; '.join(pairs)}."
    )


def _reversed(evidence: Evidence, space: Space) -> pd.DataFrame:
    """The significant rank reversals over all functions, the most significant first.

    Among equal p-values, the pair whose orders hold on more functions is first.
    """
    rows = evidence.of("rank_reversals", space, criterion="fixed budget", function=ALL)
    if rows.empty:
        return rows
    rows = rows[rows["significant"].astype(bool)]
    agreeing = rows[["by_evaluations_a", "by_evaluations_b"]].max(axis=1)
    agreeing += rows[["by_time_a", "by_time_b"]].max(axis=1)
    order = rows.assign(agreeing=-agreeing).sort_values(["p_adjusted", "agreeing"], kind="stable")
    return order.drop(columns="agreeing")


def _on(count: float, functions: float) -> str:
    """The number of functions in words, such as ``all 24 functions``."""
    if count == functions:
        return f"all {counted(int(functions), 'function')}"
    return f"{count:.0f} of {counted(int(functions), 'function')}"


def orders_changed(evidence: Evidence, space: Space) -> str:
    """A sentence on pairs that evaluations and seconds order differently; empty if there is no
    significant one.
    """
    rows = evidence.of("rank_reversals", space, criterion="fixed target")
    if rows.empty:
        return ""
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
    """One rank reversal with its numbers."""
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
