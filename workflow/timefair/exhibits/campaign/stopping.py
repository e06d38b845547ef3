"""Where a stopping rule ended the runs on each problem, and why."""

from __future__ import annotations

import pandas as pd

from timefair.exhibits import questions
from timefair.exhibits.columns import INSTANCE_CELL, RUNS
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

KEYS = column_names(INSTANCE_CELL)
COLUMNS = (
    *INSTANCE_CELL,
    Column("rounds", "number of rounds that began"),
    RUNS,
    Column(
        "reason",
        "what ended the runs: `met`, `cap`, `degenerate`; `out of bounds` (a result outside the "
        "bounds of the rule, so that nothing is promised); `dropped` and `won` with `race`; "
        "`resting` with `pair` (only the other algorithm had runs in the last round); others "
        "if a rule allocates the runs; empty if the rule would have continued",
        text=True,
    ),
    Column("looks", "how often the rule was evaluated"),
    Column(
        "value",
        "what the rule computed at the last look: a skewness, a width or a probability; "
        "empty for rules that compare algorithms",
    ),
    Column("path", "what it computed at each look, separated by blanks", text=True),
)


@exhibit(
    "stopping",
    question=questions.RUNS,
    title="Where a stopping rule ended the runs",
    caption="""
    Where the stopping rule ended the runs of each algorithm on each problem, and why. The table is
    empty without a stopping rule.
    """,
    columns=COLUMNS,
    charged=False,
    complete=True,
)
def decided(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """What ended the runs for each problem and algorithm; no rows without a rule."""
    rows = runs.stopping.sort_values([*KEYS, "round"])
    last = rows.groupby(KEYS, sort=True).last().reset_index()
    last["path"] = list(rows.groupby(KEYS, sort=True)["path"].last())
    looks = last["path"]
    frame = last.assign(
        rounds=last["round"],
        looks=looks.map(len),
        value=looks.map(lambda path: path[-1] if path else None).astype(float),
        path=looks.map(_text),
    )
    return frame[column_names(COLUMNS)]


def _text(path: list[float | None]) -> str:
    return " ".join("n/a" if value is None else f"{value:.6g}" for value in path)
