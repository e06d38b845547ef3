"""Whether two algorithms that share the budget reach more than one."""

from __future__ import annotations

from timefair.report.evidence import Evidence, Space
from timefair.report.words import percent

ARRANGEMENT, SIZE = "in turn", 2
"""What the sentence is about, whatever the results: of several it would have to be the luckiest."""


def sharing_pays(evidence: Evidence, space: Space) -> str:
    """A sentence on the pair that shares the budget; empty if its gain may be chance."""
    rows = evidence.of("portfolio", space, unit=evidence.unit, arrangement=ARRANGEMENT, size=SIZE)
    if rows.empty or not rows["gain_low"].iloc[0] > 0:
        return ""
    row = rows.iloc[0]
    shares = [percent(float(share)) for share in row["shares"].split(", ")]
    first, second = (
        f"{name} for {share} of the budget"
        for name, share in zip(row["members"].split(", "), shares, strict=True)
    )
    gain, low, high = (f"{100 * row[column]:.0f}" for column in ("gain", "gain_low", "gain_high"))
    return (
        f"Two algorithms that share the budget reach more: {first}, then {second}. On functions "
        f"that it was not chosen on, such a pair reaches {percent(row['held_out'])} of the "
        f"targets, the best single algorithm {percent(row['held_out'] - row['gain'])}: {gain} "
        f"[{low}, {high}] points more."
    )
