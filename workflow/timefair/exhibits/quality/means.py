"""Mean precision at the end of a run, with intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.exhibits import questions
from timefair.exhibits.columns import CELL, PROBLEM, RUNS
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Value
from timefair.exhibits.quality.ranked import ranks_within
from timefair.rundata.problems import precision_at_the_end
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.means import deviation_of, mean_interval

COLUMNS = (
    *CELL,
    RUNS,
    Column(
        "mean_precision",
        "mean of the best precision; `inf` if a run found no finite value",
        "precision",
    ),
    Column(
        "mean_precision_low",
        "lower limit of a bootstrap-t interval, at least 0; empty for a single run",
        "precision",
    ),
    Column(
        "mean_precision_high",
        "upper limit of that interval; `inf` if the mean depends on too few runs",
        "precision",
    ),
    Column(
        "mean_precision_paper_low",
        "lower limit by the normal approximation of Mathematics 10, 4364 (2022), whose coverage is "
        "too low for skewed results; may be negative",
        "precision",
    ),
    Column("mean_precision_paper_high", "upper limit by that approximation", "precision"),
    Column(
        "standard_deviation",
        "standard deviation of the best precision, over n − 1; empty for a single run",
        "precision",
    ),
    Column("rank", "rank of `mean_precision` among the algorithms of the problem"),
)


@exhibit(
    "means",
    question=questions.QUALITY,
    title="Mean precision at the end, with intervals",
    caption="""
    Mean of the best precision at the end of a run, with two intervals. The runs of all instances
    are pooled, and a run that reached the final target counts as 0. A single run without a finite
    value makes a mean `inf`.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Mean of the precision f − f_opt at the end of a run, with its rank "
            "among the algorithms in parentheses; runs of all instances pooled.",
            brackets=INTERVAL,
            values=(
                Value.with_limits("mean_precision", "Mean", "low", rank="rank"),
                Value("standard_deviation", "Standard deviation"),
            ),
            rows=("function", "algorithm"),
        )
    ],
)
def of_precision(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Mean of the best precision, with the runs of all instances pooled."""
    best = precision_at_the_end(runs)
    rows = []
    for names, members in runs.groups(tuple(column_names(CELL))):
        values = best[members]
        default = mean_interval(
            values,
            confidence=analysis.confidence,
            resamples=analysis.resamples,
            rng=analysis.stream(names),
        )
        paper = mean_interval(values, confidence=analysis.confidence, method="paper")
        spread = len(values) > 1 and np.isfinite(default.mean)
        rows.append(
            {
                **names,
                "runs": len(members),
                "mean_precision": default.mean,
                "mean_precision_low": float(np.maximum(default.low, runs.least_precision)),
                "mean_precision_high": default.high,
                "mean_precision_paper_low": paper.low,
                "mean_precision_paper_high": paper.high,
                "standard_deviation": deviation_of(values) if spread else np.nan,
            }
        )
    frame = pd.DataFrame(rows, columns=column_names(COLUMNS[:-1]))
    frame["rank"] = ranks_within(frame, column_names(PROBLEM), "mean_precision")
    return frame
