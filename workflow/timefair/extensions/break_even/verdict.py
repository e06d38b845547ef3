"""Whether the lead by time depends on an implementation, as a sentence; none if it is undecided."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import pandas as pd

from timefair.basics.words import listed, number, p_value
from timefair.exhibits.campaign.checklist import ChecklistPart
from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.report.evidence import Evidence, Space

TABLE = "implementation"


def findings(evidence: Evidence, space: Space) -> Iterator[str]:
    """The sentence on the leader of a space."""
    yield from robustness(evidence.of(TABLE, space))


def checklist(runs: Runs, analysis: Analysis) -> Iterator[ChecklistPart]:
    """The same of every suite and dimension, as one part, if the campaign makes the table."""
    if TABLE not in analysis.asked_tables:
        return
    table = TABLES[TABLE](runs, analysis)
    said = [
        f"{suite}, D = {dimension}: {sentence}"
        for (suite, dimension), rows in table.groupby(["suite", "dimension"], sort=True)
        for sentence in robustness(rows)
    ]
    if said:
        yield ChecklistPart("Implementations", " ".join(said))


def robustness(rows: pd.DataFrame) -> Iterator[str]:
    """On the pair whose order by time needs the least to change; rows of one space.

    None without a significant lead, and if the break-even factor may be 1.
    """
    if rows.empty:
        return
    leads = rows[rows["leading"].astype(bool)]
    turned = leads[leads["at_equal_own_time"] == leads["behind"]]
    least = (turned if len(turned) else leads[leads["factor_high"] < 1]).nlargest(1, "factor")
    for row in least.to_dict("records"):
        leader, behind = row["by_time"], row["behind"]
        if len(turned):
            others = sorted(set(turned["behind"].astype(str)) - {behind})
            also = f" The same holds for {listed(others)}." if others else ""
            tie = f"; they tie if {_faster(row)}" if row["factor_high"] < 1 else ""
            yield (
                f"The order of {leader} and {behind} by time is one of implementations: at equal "
                f"own time per evaluation it reverses ({p_value(row['p_equal'])}){tie}.{also}"
            )
        elif row["factor"] == 0:
            yield (
                f"{leader} leads {behind} by time; the lead holds even if the own computations of "
                f"{behind} took no time (median over {_counted(row)})."
            )
        else:
            yield f"{leader} leads {behind} by time; the lead holds unless {_faster(row)}."


def _faster(row: Mapping[Hashable, Any]) -> str:
    """The factor by which the one behind would have to be faster, with its interval."""
    middle, low, high = (
        number(1 / row[name], digits=2) if row[name] > 0 else "∞"
        for name in ("factor", "factor_high", "factor_low")
    )
    return (
        f"the own computations of {row['behind']} became {middle} times faster [{low}, {high}] "
        f"(median over {_counted(row)})"
    )


def _counted(row: Mapping[Hashable, Any]) -> str:
    every = int(row["functions"])
    return f"{int(row['known'])} of {every} functions" if row["known"] < every else "all functions"
