"""Which clock repeats best: how much the time of an evaluation differs from run to run."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.basics.together import ALL
from timefair.exhibits.columns import DIMENSION, FUNCTION_OR_ALL, SUITE
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.exhibits.questions import Question
from timefair.rundata.clocks import seconds_per_evaluation
from timefair.rundata.runs import Runs
from timefair.rundata.settings import CLOCKS, Analysis, Clock

KEYS = ["suite", "dimension", "function", "algorithm"]
MEANS = ["per_evaluation", "geometric_sd", "max_over_min"]
COLUMNS = (
    SUITE,
    DIMENSION,
    FUNCTION_OR_ALL,
    Column("algorithm", "label of the algorithm, or `all`", text=True),
    Column("clock", "`wall`, `cpu`, or `reference` (CPU time per reference kernel)", text=True),
    Column("runs", "number of runs"),
    Column(
        "per_evaluation",
        "geometric mean over the runs of the time of an evaluation; empty for `all`",
        "s, or reference kernels",
    ),
    Column(
        "geometric_sd",
        "geometric standard deviation of that time between runs: 1 repeats perfectly; empty for "
        "fewer than two runs",
    ),
    Column("max_over_min", "largest time of an evaluation divided by the smallest"),
    Column("best", "whether this clock has the least `geometric_sd`"),
)


@exhibit(
    "units",
    question=Question.MEASUREMENT,
    title="Repeatability of each clock",
    caption="""
    Which clock repeats best: the spread of the time of an evaluation between runs, in seconds of
    wall clock, in CPU time, and in CPU time as a multiple of the reference kernel. Rows of `all`
    have the geometric means over functions and algorithms. Perturbed runs are included.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Geometric standard deviation of the time of an evaluation between runs, by "
            "three clocks: 1 repeats perfectly.",
            values=(Value("geometric_sd", "Geometric SD", "low", decimals=2),),
            rows=("function", "algorithm"),
            columns="clock",
        )
    ],
    charged=False,
    complete=True,
)
def compared(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Spread of the time of an evaluation for each algorithm, problem and clock."""
    each = pd.concat([_by_clock(runs.frame, clock) for clock in CLOCKS], ignore_index=True)
    each = each.astype({"function": str})
    grouped = each.groupby([*KEYS, "clock"], sort=True)["log"]
    logs = pd.DataFrame(
        {
            "runs": grouped.count(),
            "per_evaluation": grouped.mean(),
            "geometric_sd": grouped.std(),
            "max_over_min": (grouped.max() - grouped.min()).where(grouped.count() > 1),
        }
    ).reset_index()
    rows = pd.concat([logs, _overall(logs)], ignore_index=True)
    rows[MEANS] = np.exp(rows[MEANS])
    least = rows.groupby(KEYS)["geometric_sd"].transform("min", skipna=False)
    return rows.assign(best=rows["geometric_sd"] == least)[column_names(COLUMNS)]


def _by_clock(frame: pd.DataFrame, clock: Clock) -> pd.DataFrame:
    log = np.log(seconds_per_evaluation(frame, clock))
    return frame[KEYS].assign(clock=clock, log=log)


def _overall(logs: pd.DataFrame) -> pd.DataFrame:
    grouped = logs.groupby(["suite", "dimension", "clock"], sort=True)
    means = grouped[["geometric_sd", "max_over_min"]].mean().assign(runs=grouped["runs"].sum())
    return means.reset_index().assign(function=ALL, algorithm=ALL, per_evaluation=np.nan)
