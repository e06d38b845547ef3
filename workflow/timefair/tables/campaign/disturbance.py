"""How many runs of each algorithm others have disturbed, and by how much."""

from __future__ import annotations

import pandas as pd

from timefair.tables.clocks import reference_s
from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis

STATES = ("clean", "disturbed", "unknown")
FIGURES = ("delay_share", "reference_ratio")
COLUMNS = [
    *("algorithm", "runs", *STATES, "excluded", "repeated", "repeats"),
    *(f"{figure}_{kind}" for figure in FIGURES for kind in ("median", "max")),
    *("steal_s", "throttled_s"),
]


def told(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """A row an algorithm.

    ``excluded``: disturbed runs that tables of results leave out. ``repeated``: runs that were
    measured again, ``repeats`` times in all. ``delay_share``: waiting for a core that others had,
    as a share of the wall clock. ``reference_ratio``: the reference kernel around the run, as a
    multiple of its best on that core in the whole campaign, where a job knows its own best only.
    ``steal_s`` and ``throttled_s`` are sums. NaN where nothing tells.
    """
    frame = runs.frame
    told = frame[["algorithm", "steal_s", "throttled_s"]].assign(
        runs=1,
        **{state: frame["disturbance"] == state for state in STATES},
        excluded=runs.disturbed & (analysis.disturbed == "exclude"),
        repeated=frame["repeats"] > 0,
        repeats=frame["repeats"].fillna(0),
        delay_share=frame["foreign_delay_s"].astype(float)
        / frame["wall_s"].where(frame["wall_s"] > 0),
        reference_ratio=_reference_ratio(frame),
    )
    grouped = told.groupby("algorithm")
    counts = ["runs", *STATES, "excluded", "repeated", "repeats"]
    rows = grouped[counts].sum().astype(int)
    for figure in FIGURES:
        rows[f"{figure}_median"] = grouped[figure].median()
        rows[f"{figure}_max"] = grouped[figure].max()
    for name in ("steal_s", "throttled_s"):
        rows[name] = grouped[name].sum(min_count=1).astype(float)
    return rows.reset_index()[COLUMNS]


def _reference_ratio(frame: pd.DataFrame) -> pd.Series[float]:
    taken = pd.Series(reference_s(frame), index=frame.index)
    return taken / taken.groupby(frame["core"]).transform("min")
