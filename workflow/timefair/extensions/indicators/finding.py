"""Sentences on who leads when, and where an indicator has another leader than the targets."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from timefair.basics.words import ALL, cost, number
from timefair.report.evidence import Evidence, Space
from timefair.report.findings import leading

INDICATORS = {"aocc": ("aocc", "AOCC"), "u_scores": ("share", "U-score")}
"""Tables with their values and the names of these."""


def findings(evidence: Evidence, space: Space) -> Iterator[str]:
    """On indicators with another significant leader than the targets, and on changes over time."""
    first = leading(evidence)[:1]
    for table, (column, called) in INDICATORS.items():
        rows = evidence.of(table, space, function=ALL, unit=evidence.unit)
        leader = _leader(rows, column)
        if leader is not None and [leader["algorithm"]] != first:
            low, high = (number(leader[f"{column}_{end}"], digits=2) for end in ("low", "high"))
            value = number(leader[column], digits=2)
            yield (
                f"By {called} in {evidence.unit}, {leader['algorithm']} leads with {value} "
                f"[{low}, {high}]; no other interval reaches its own."
            )
    yield from _over_time(evidence, space)


def _leader(rows: pd.DataFrame, column: str) -> pd.Series | None:
    """The row with the highest value, if its interval is above those of all others."""
    if len(rows) < 2:
        return None
    ordered = rows.sort_values(column, ascending=False, kind="stable")
    above = ordered[f"{column}_low"].iloc[0] > ordered[f"{column}_high"].iloc[1:]
    return ordered.iloc[0] if above.all() else None


def _over_time(evidence: Evidence, space: Space) -> Iterator[str]:
    """Who leads first and last, if these are two algorithms."""
    rows = evidence.of("rank_over_time", space, unit=evidence.unit)
    if rows.empty:
        return
    sure = rows[rows["leads"] >= evidence.confidence].sort_values("cost")
    names = sure["algorithm"].astype(str)
    if names.nunique() < 2:
        return
    early, late = names.iloc[0], names.iloc[-1]
    until = sure.loc[names == early, "cost"].max()
    since = sure.loc[(names == late) & (sure["cost"] > until), "cost"].min()
    if early == late or pd.isna(since):
        return
    until, since = (cost(float(at), evidence.unit, evidence.clock) for at in (until, since))
    yield (
        f"By the median precision, {early} leads until {until}, and {late} from {since} on "
        f"(average rank over the functions, in {100 * evidence.confidence:g} % of the resamples)."
    )
