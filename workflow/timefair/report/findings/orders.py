"""Pairs of algorithms that evaluations and seconds order differently."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from timefair.report.evidence import Evidence, Space
from timefair.report.findings.pairs import restricted
from timefair.report.words import counted, duration, number


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
