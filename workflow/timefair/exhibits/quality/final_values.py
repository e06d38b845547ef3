"""Values of f at the end of the runs, as returned by the function."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.exhibits import questions
from timefair.exhibits.columns import INSTANCE_CELL, RUNS
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.rundata.problems import value_at_the_target
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

DIGITS = 8
"""Significant digits in print: values of f differ less than precisions."""

COLUMNS = (
    *INSTANCE_CELL,
    RUNS,
    Column("f_best", "least value of f that a run found", exact=True),
    Column(
        "f_median",
        "median over the runs of the least f of a run; `inf` if half of the runs found none",
        exact=True,
    ),
    Column(
        "f_worst",
        "largest over the runs of the least f of a run; `inf` if a run found none",
        exact=True,
    ),
    Column(
        "f_target",
        "value of f at the final target, which ends a run: lower values are equally good. Empty "
        "without a final target or optimum, or if a run found less than the optimum",
        exact=True,
    ),
)


@exhibit(
    "final_values",
    question=questions.QUALITY,
    title="Values of f at the end of the runs",
    caption="""
    The least value of f that each run found by its end: best, median and worst run of each
    algorithm on each problem. timefair minimizes f. The optimum matters only for `f_target`.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="The least value of f that a run found by its end, in the best, the median and "
            "the worst run; f is minimized.",
            values=(
                Value("runs", "Runs"),
                Value("f_best", "Best f", better="low", equal="f_target", digits=DIGITS),
                Value("f_median", "Median f", better="low", equal="f_target", digits=DIGITS),
                Value("f_worst", "Worst f", better="low", equal="f_target", digits=DIGITS),
            ),
            rows=("function", "instance", "algorithm"),
        )
    ],
)
def summed_up(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Best, median and worst final value, one row per algorithm and problem."""
    rows = []
    at_target = value_at_the_target(runs)
    for names, members in runs.groups(tuple(column_names(INSTANCE_CELL))):
        values = runs.frame["best_f"].to_numpy(np.float64)[members]
        middle = float(np.sort(values)[(values.size - 1) // 2])
        found = {"f_best": values.min(), "f_median": middle, "f_worst": values.max()}
        found["f_target"] = at_target[members[0]]
        rows.append({**names, "runs": values.size, **found})
    return pd.DataFrame(rows, columns=column_names(COLUMNS))
