"""How often an algorithm restarts within its budget, and how fast it evaluates."""

from __future__ import annotations

import pandas as pd

from timefair.charts.chart import LINES, Picture
from timefair.exhibits import questions
from timefair.exhibits.columns import CELL, RUNS
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

COLUMNS = (
    *CELL,
    RUNS,
    Column("launches_mean", "mean number of launches per run"),
    Column(
        "completed_restarts_mean",
        "mean number of launches per run that ended by themselves or by the restart policy",
    ),
    Column("evaluations_per_s", "evaluations of all runs per second of wall clock", "1/s"),
    Column(
        "s_per_evaluation",
        "seconds of wall clock per evaluation: the time of the algorithm and of the objective",
        "s",
    ),
    Column(
        "cpu_per_wall", "CPU time over wall clock; above 1 if an algorithm computes in parallel"
    ),
)


@exhibit(
    "restarts",
    question=questions.EXECUTIONS,
    title="Restarts within the budget, and speed",
    caption="""
    Launches and completed restarts of a run within the budget, evaluations per second and seconds
    per evaluation, and CPU time as a multiple of the wall clock, for each function and algorithm.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Launches and completed restarts of a run, on average, and speed of all runs "
            "together.",
            values=(
                Value("launches_mean", "Launches", decimals=1),
                Value("completed_restarts_mean", "Completed", decimals=1),
                Value("evaluations_per_s", "Evaluations/s"),
                Value("s_per_evaluation", "s/evaluation"),
                Value("cpu_per_wall", "CPU/wall clock", decimals=2),
            ),
            rows=("function", "algorithm"),
        )
    ],
    figures=[
        Figure(
            "restarts",
            "Restarts within the budget, and speed",
            "Completed restarts of a run within the budget, evaluations per second, and CPU time "
            "as a multiple of the wall clock; means over the runs of all instances. A slow "
            "algorithm restarts less often in the same time.",
            Picture("timefair.charts.dots:restarts", "functions", reading=LINES),
            default=True,
        )
    ],
    charged=False,
    default=True,
)
def within_budget(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Launches, completed restarts and speed for each function and algorithm.

    NaN where a denominator is 0, or where the runs of an imported table do not contain it.
    """
    frame = runs.frame
    grouped = frame.groupby(column_names(CELL), sort=True)
    sums = grouped[["wall_s", "cpu_s", "evaluations"]].sum(min_count=1)
    means = grouped[["launches", "completed_restarts"]].mean()
    wall = sums["wall_s"].where(sums["wall_s"] > 0)
    evaluations = sums["evaluations"].where(sums["evaluations"] > 0)
    rows = pd.DataFrame(
        {
            "runs": grouped.size(),
            "launches_mean": means["launches"],
            "completed_restarts_mean": means["completed_restarts"],
            "evaluations_per_s": sums["evaluations"] / wall,
            "s_per_evaluation": sums["wall_s"] / evaluations,
            "cpu_per_wall": sums["cpu_s"] / wall,
        }
    )
    return rows.reset_index()[column_names(COLUMNS)]
