"""Pairs of algorithms that evaluations and seconds order differently."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from timefair.basics.together import ALL
from timefair.report.evidence import Evidence, Space
from timefair.report.findings.pairs import restricted
from timefair.report.words import counted, duration, number, p_value


def reversed_most(evidence: Evidence, space: Space) -> str:
    """The surest pair whose order over all functions is reversed; empty if none is sure."""
    sure = _reversed(evidence, space)
    if sure.empty:
        return ""
    row = sure.to_dict("records")[0]
    frugal, quick = row["winner_by_evaluations"], row["winner_by_time"]
    side = {row["algorithm_a"]: "a", row["algorithm_b"]: "b"}
    by_evaluations = _on(row[f"by_evaluations_{side[frugal]}"], row["functions"])
    by_time = _on(row[f"by_time_{side[quick]}"], row["functions"])
    return (
        f"Equal time reverses an order: with equal evaluations (in the median "
        f"{number(row['evaluations'])} per run), {frugal} is better than {quick} on "
        f"{by_evaluations}; with equal time, {quick} is better than {frugal} on {by_time}. Both "
        f"orders are sure ({p_value(row['p_holm'])})."
    )


def reversed_over_functions(evidence: Evidence, space: Space) -> str:
    """A sentence on all pairs whose order over all functions is reversed; empty if none is sure."""
    sure = _reversed(evidence, space)
    if sure.empty:
        return ""
    pairs = [
        f"{frugal} and {quick}"
        for frugal, quick in zip(sure["winner_by_evaluations"], sure["winner_by_time"], strict=True)
    ]
    have = counted(len(pairs), "pair surely has", "pairs surely have")
    return (
        f"Over all functions, {have} opposite orders with equal evaluations and with equal time "
        f"(the better one by evaluations first): {'; '.join(pairs)}."
    )


def _reversed(evidence: Evidence, space: Space) -> pd.DataFrame:
    """The sure inversions over all functions, the surest first.

    Among equal p-values, the pair whose orders hold on more functions is first.
    """
    rows = evidence.of("inversions", space, criterion="fixed budget", function=ALL)
    if rows.empty:
        return rows
    rows = rows[rows["significant"].astype(bool)]
    agreeing = rows[["by_evaluations_a", "by_evaluations_b"]].max(axis=1)
    agreeing += rows[["by_time_a", "by_time_b"]].max(axis=1)
    order = rows.assign(agreeing=-agreeing).sort_values(["p_holm", "agreeing"], kind="stable")
    return order.drop(columns="agreeing")


def _on(count: float, functions: float) -> str:
    """The number of functions in words, such as ``all 24 functions``."""
    if count == functions:
        return f"all {counted(int(functions), 'function')}"
    return f"{count:.0f} of {counted(int(functions), 'function')}"


def orders_changed(evidence: Evidence, space: Space) -> str:
    """A sentence on pairs that evaluations and seconds order differently; empty if unknown."""
    rows = evidence.of("inversions", space, criterion="fixed target")
    if rows.empty:
        return ""
    these = restricted(rows, evidence.table("inversions").attrs.get("pairs", ""))
    said = (
        f"The order of a pair of algorithms{these} changes {counted(len(rows), 'time')} if "
        "evaluations are counted instead of time (over functions and targets)"
    )
    real = rows[rows["significant"].astype(bool)]
    real = real.sort_values("p_holm")
    if real.empty:
        return f"{said}. None of these changes is sure."
    sure = f"{len(real)} of these changes {'is' if len(real) == 1 else 'are'} sure"
    return f"{said}. {sure}. {_example(real.to_dict('records')[0], evidence)}"


def _example(row: Mapping[Hashable, Any], evidence: Evidence) -> str:
    """One inversion with its numbers."""
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
