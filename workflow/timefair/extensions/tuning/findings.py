"""Sentences on whether the search for parameters has paid off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from timefair.basics.words import number
from timefair.extensions.tuning.tables import DEFAULT, NEVER, PAYS
from timefair.report.evidence import Evidence, Space

LEAST_RATE = 0.5
"""Least success rate of the variant or of its algorithm for a target to be in the sentence."""


def findings(evidence: Evidence, space: Space) -> Iterator[str]:
    """Yield one sentence per tuned variant, about one target.

    It is the hardest target that at least half of the runs of the variant or of its algorithm
    reached; if there is none, no sentence.
    """
    rows = evidence.of("tuning_pays", space)
    if rows.empty:
        return
    rates = rows[["success_rate", "default_success_rate"]].max(axis=1)
    for _, reached in rows[rates >= LEAST_RATE].groupby("algorithm", sort=False):
        yield _sentence(reached.sort_values("target").iloc[0])


def _sentence(row: pd.Series[Any]) -> str:
    took = f"Tuning {row['default']} took {number(row['tuning_s'])} s."
    if row["chosen"] == DEFAULT:
        return (
            f"{took} It never pays off: the search kept the parameters of {row['default']}, which "
            "were the best that it tried."
        )
    at = f"at the target {row['target']:g}"
    if pd.isna(row["saved_s_low"]):
        return f"{took} Whether it pays off {at} is not known: some functions have a single run."
    saved, low, high = (number(row[f"saved_s{end}"]) for end in ("", "_low", "_high"))
    saves = f"{row['algorithm']} saves {saved} [{low}, {high}] s per problem."
    n, least, most = (f"{row[f'problems{end}']:.0f}" for end in ("", "_low", "_high"))
    if row["verdict"] == PAYS:
        after = f"it has paid off after {n} [{least}, {most}] problems"
        return f"{took} {at.capitalize()}, {after}: {saves}"
    if row["verdict"] == NEVER:
        return f"{took} It never pays off {at}: {saves}"
    return (
        f"{took} Whether it pays off {at} is undecided: {saves} If it does, it takes at least "
        f"{least} problems."
    )
