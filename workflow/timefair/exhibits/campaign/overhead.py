"""Time per evaluation that an algorithm takes in addition to the function."""

from __future__ import annotations

import pandas as pd

from timefair.charts.chart import Dots
from timefair.exhibits import questions
from timefair.exhibits.columns import CELL, RUNS
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.rundata.clocks import objective_share
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

COLUMNS = (
    *CELL,
    RUNS,
    Column("s_per_evaluation", "median over the runs of the wall clock per evaluation", "s"),
    Column(
        "objective_s",
        "median over the runs of the estimated time of one evaluation by the objective: the "
        "calibrated time, at most the wall clock per evaluation of the run",
        "s",
    ),
    Column(
        "overhead_s",
        "median over the runs of the time per evaluation that the algorithm itself takes: the "
        "difference of the two; 0 if the calibrated time is not below `s_per_evaluation`",
        "s",
    ),
    Column("overhead_s_low", "first quartile of that time over the runs", "s"),
    Column("overhead_s_high", "third quartile of that time over the runs", "s"),
    Column("overhead_share", "median share of the wall clock that the algorithm itself takes"),
)


@exhibit(
    "overhead",
    question=questions.MEASUREMENT,
    title="Time that an algorithm itself takes per evaluation",
    caption="""
    Time per evaluation that each algorithm itself takes, without the function. Comparisons at equal
    numbers of evaluations hide it. The time of the objective is calibrated before the runs, so the
    overhead is an estimate; a value of 0 means that it is too small for the calibration to show.
    Runs without an evaluation are omitted.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Wall clock per evaluation, and the part of it that the algorithm itself "
            "takes; medians over the runs.",
            values=(
                Value("s_per_evaluation", "Per evaluation, s"),
                Value("overhead_s", "Overhead, s", "low"),
                Value("overhead_share", "Share", decimals=2),
            ),
            rows=("function", "algorithm"),
        )
    ],
    figures=[
        Figure(
            "overhead",
            "Time that an algorithm itself takes per evaluation",
            "Time per evaluation that each algorithm itself takes, without the function: median "
            "and quartiles over the runs. Further left is cheaper. Algorithms far to the right "
            "lose evaluations to their own computations.",
            Dots(
                "overhead_s",
                "overhead per evaluation in seconds of wall clock",
                "overhead_s_low",
                "overhead_s_high",
            ),
        )
    ],
    charged=False,
)
def of_algorithms(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Median and quartiles over the runs of each algorithm's own time per evaluation."""
    frame = runs.frame[runs.frame["evaluations"] > 0]
    spent = (frame["real_s"] / frame["evaluations"]).astype(float)
    objective = spent * objective_share(frame)
    overhead = spent - objective
    grouped = frame.assign(
        s_per_evaluation=spent,
        objective_s=objective,
        overhead_s=overhead,
        overhead_share=overhead / spent,
    ).groupby(column_names(CELL), sort=True)
    rows = grouped[["s_per_evaluation", "objective_s", "overhead_s", "overhead_share"]].median()
    rows["overhead_s_low"] = grouped["overhead_s"].quantile(0.25)
    rows["overhead_s_high"] = grouped["overhead_s"].quantile(0.75)
    rows["runs"] = grouped.size()
    return rows.reset_index()[column_names(COLUMNS)]
