"""A sentence on whether two algorithms that share the budget reach more targets than one."""

from __future__ import annotations

from timefair.report.evidence import Evidence, Space
from timefair.report.words import percent

ARRANGEMENT, SIZE = "in turn", 2
"""The portfolio in the sentence. It is fixed, because choosing the best of several
would be biased.
"""


def sharing_pays(evidence: Evidence, space: Space) -> str:
    """A sentence on the pair that shares the budget; empty if its gain may be due to chance."""
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
        "Two algorithms that share the budget reach more targets than one algorithm: "
        f"{first}, then {second}. On functions not used to choose it, such a pair reaches "
        f"{percent(row['held_out'])} of the targets, {gain} [{low}, {high}] percentage points more "
        f"than the best single algorithm ({percent(row['held_out'] - row['gain'])})."
    )
