"""Sentences on whether another restart policy would have been faster."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from timefair.basics.words import listed, number
from timefair.report.evidence import NOTICEABLE, Evidence, Space

TABLE = "restart_advice"
TAU = ("tau", "tau_low", "tau_high")

HOW = {
    "fixed": "Restart {name} after {tau} evaluations",
    "luby": "Restart {name} by Luby's sequence with a unit of {tau} evaluations",
    "geometric": "Restart {name} after {tau} evaluations, and each time after twice as many",
    "independent": "Restart {name} when it returns",
}
NOTHING = "Other restarts would gain little or nothing for {names}."
UNSURE = "It is uncertain whether other restarts would make {names} faster on other functions."


def findings(evidence: Evidence, space: Space) -> Iterator[str]:
    """Sentences on the gains, the largest first, then on what is uncertain or nothing; the table
    names the algorithms that cannot be judged.
    """
    rows = evidence.of(TABLE, space)
    if rows.empty:
        return
    small = (rows["verdict"] == "gain") & (rows["gain"] < NOTICEABLE)
    rows = rows.assign(verdict=rows["verdict"].mask(small, "nothing to gain"))
    gains = rows[rows["verdict"] == "gain"].sort_values("gain", ascending=False, kind="stable")
    for _, row in gains.iterrows():
        yield (
            f"{HOW[row['policy']].format(name=row['algorithm'], tau=_tau(row))}: "
            f"{number(row['gain'], digits=2)} times as fast on the functions not used to choose it."
        )
    for verdict, sentence in (("undecided", UNSURE), ("nothing to gain", NOTHING)):
        names = sorted(rows.loc[rows["verdict"] == verdict, "algorithm"].astype(str))
        if names:
            yield sentence.format(names=listed(names))


def _tau(row: pd.Series[float]) -> str:
    """The cutoff with its interval."""
    tau, low, high = (f"{int(row[name]):,}" if row[name] == row[name] else "" for name in TAU)
    return f"{tau} [{low}, {high}]" if low else tau
