"""Sentences on whether another restart policy would have been faster."""

from __future__ import annotations

from collections.abc import Iterator

from timefair.basics.words import listed, number
from timefair.report.evidence import NOTICEABLE, Evidence, Space

TABLE = "restart_advice"
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
            f"Restart {row['algorithm']} after {row['tau']:,.0f} evaluations: "
            f"{number(row['gain'], digits=2)} times as fast on the functions not used to choose it."
        )
    for verdict, sentence in (("undecided", UNSURE), ("nothing to gain", NOTHING)):
        names = sorted(rows.loc[rows["verdict"] == verdict, "algorithm"].astype(str))
        if names:
            yield sentence.format(names=listed(names))
