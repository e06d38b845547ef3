"""The best point of each run, with its value."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.exhibits import questions
from timefair.exhibits.columns import INSTANCE_CELL
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Points, Value
from timefair.rundata.problems import value_at_the_target
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

KEYS = [name for name in column_names(INSTANCE_CELL) if name != "algorithm"]
COLUMNS = (
    *INSTANCE_CELL,
    Column("run", "number of the run"),
    Column(
        "place",
        "place of the run among all runs on the problem, the least `f` first; 1: best. Runs that "
        "reached the final target are equal in `f`, and are placed by `time_s`",
    ),
    Column("f", "least value of the function that the run found; timefair minimizes", exact=True),
    Column("evaluations", "evaluations of the run up to this point, itself included"),
    Column("time_s", "wall-clock time of the run up to this point", "s"),
    Column(
        "x",
        "the point, as it was evaluated: its coordinates, separated by blanks, with all digits. "
        "`none` in published data",
        text=True,
    ),
)


@exhibit(
    "best_points",
    question=questions.POINT,
    title="Best point of each run",
    caption="""
    The best point that each run found, and its value. The coordinates and the value have all
    digits, so that the function gives the same value again; `timefair verify` checks that.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="The best value on each problem, and the run that found it first. The file of "
            "the table has the points.",
            values=(
                Value("f", "f", better="low"),
                Value("run", "Run", decimals=0),
                Value("evaluations", "Evaluations", decimals=0),
                Value("time_s", "Time, s"),
            ),
            rows=("function", "instance", "algorithm"),
            points=(Points("place", (1.0,)),),
        )
    ],
    charged=False,
    complete=True,
    default=True,
)
def found(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """One row per run with a finite value, in the order of the keys; the best run of a cell is
    first.
    """
    spent = runs.at_the_best()
    rows = runs.frame.assign(
        f=runs.frame["best_f"].astype(float),
        equal=np.fmax(runs.frame["best_f"].astype(float), value_at_the_target(runs)),
        x=pd.Series([_text(x) for x in runs.read_points().to_pylist()], dtype=object),
        **spent,
    )
    rows = rows[np.isfinite(rows["f"])].sort_values(["equal", "time_s", "evaluations", "run"])
    rows["place"] = rows.groupby(KEYS)["equal"].rank(method="first").astype(int)
    ordered = rows.sort_values([*column_names(INSTANCE_CELL), "place"], ignore_index=True)
    return pd.DataFrame(ordered, columns=column_names(COLUMNS))


def _text(x: list[float] | None) -> str:
    """The coordinates of a point, with all digits that identify them."""
    return "none" if x is None else " ".join(map(repr, x))
