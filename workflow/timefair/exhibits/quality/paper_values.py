"""The numbers of a journal's table: best, mean, deviation, median, worst and rank."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits import questions
from timefair.exhibits.columns import CELL, PROBLEM, RUNS
from timefair.exhibits.exhibit import Column, column_names, columns_of, exhibit
from timefair.exhibits.layout import Layout, Value, by_function
from timefair.exhibits.quality.quantiles import ranks_within
from timefair.records.rundata.problems import precision_at_the_end, value_at_the_target
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.means import deviation_of, mean_interval, mean_of

DIGITS, DIGITS_OF_F = 4, 8
"""Significant digits in print: values of f often differ less than precisions."""

NAMES = {
    "best": "Best", "mean": "Mean", "deviation": "Std", "median": "Median", "worst": "Worst"
}  # fmt: skip
SUMMARY = tuple(NAMES)
COLUMNS = (
    *CELL,
    RUNS,
    Column("precision_best", "least precision at the end of a run", "precision"),
    *Column("precision_mean", "mean; `inf` if a run found no finite value", "precision").interval(
        "`precision_mean` (bootstrap-t; empty for a single run)"
    ),
    *columns_of("""
        precision_mean_paper_low [precision]: lower limit by the normal approximation of Mathematics
            10, 4364 (2022), whose coverage is too low for skewed results; may be negative
        precision_mean_paper_high [precision]: upper limit by that approximation
        precision_deviation [precision]: standard deviation, over n − 1; empty for a single run
        precision_median [precision]: median: the mean of the two in the middle
        precision_worst [precision]: largest precision at the end of a run
        rank: rank of `precision_mean` among the algorithms; ties share a rank
        f_best (exact): the same of the least f of each run; empty if the instances have different
            optima
        f_mean (exact): mean of f
        f_deviation: standard deviation of f
        f_median (exact): median of f
        f_worst (exact): largest f; `inf` if a run found no finite value
        f_target (exact): value of f at the final target, which ends a run: lower values are equally
            good. Empty without a final target or optimum, or if a run found less than the optimum
    """),
)


def _layout(kind: str, words: str, digits: int, equal: str | None = None) -> Layout:
    values = [
        Value(f"{kind}_{name}", NAMES[name], "low", digits=digits, equal=equal) for name in SUMMARY
    ]
    values[2] = replace(values[2], better=None)  # a small deviation is not better
    return Layout(
        caption=f"{words} at the end of a run: best, mean, standard deviation, median and worst of "
        "the runs; rank of the mean among the algorithms. Values that are printed alike are tied.",
        values=(*values, Value("rank", "Rank")),
        name=kind if equal else "",
        whole=True,
    )


@exhibit(
    "paper_values",
    question=questions.QUALITY,
    title="Best, mean, deviation, median and worst of the runs",
    caption="""
    The precision (CEC calls it the error) at the end of the runs of each algorithm, as journals
    print it: best, mean with two intervals, standard deviation, median, worst, and the rank of the
    mean. The runs of all instances are pooled, and a run that reached the final target counts as 0.
    If all instances have the same optimum, also f itself, which timefair minimizes.
    """,
    columns=COLUMNS,
    layouts=[
        _layout("precision", "Precision f − f_opt (0: the final target was reached)", DIGITS),
        _layout("f", "The least value of f", DIGITS_OF_F, equal="f_target"),
    ],
)
def paper_values(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """One row per algorithm and function, with the runs of all instances pooled."""
    precision, at_target = precision_at_the_end(runs), value_at_the_target(runs)
    f = runs.frame["best_f"].to_numpy(np.float64)
    rows = []
    for names, members in runs.groups(tuple(column_names(CELL))):
        values = precision[members]
        default = mean_interval(
            values,
            confidence=analysis.confidence,
            resamples=analysis.resamples,
            rng=analysis.stream(names),
        )
        paper = mean_interval(values, confidence=analysis.confidence, method="paper")
        row = {
            **names,
            "runs": len(members),
            **_summary("precision", values),
            "precision_mean_low": float(np.maximum(default.low, runs.least_precision)),
            "precision_mean_high": default.high,
            "precision_mean_paper_low": paper.low,
            "precision_mean_paper_high": paper.high,
        }
        if _one_optimum(runs.frame.iloc[members]):
            row |= {**_summary("f", f[members]), "f_target": at_target[members[0]]}
        rows.append(row)
    frame = pd.DataFrame(rows, columns=column_names(COLUMNS))
    frame["rank"] = ranks_within(frame, column_names(PROBLEM), "precision_mean")
    return by_function(frame)


def _one_optimum(frame: pd.DataFrame) -> bool:
    """Whether values of f of these runs may be pooled."""
    alone = frame["instance"].nunique() == 1
    return alone or bool(frame["f_opt"].notna().all() and frame["f_opt"].nunique() == 1)


def _summary(kind: str, values: NDArray[np.float64]) -> dict[str, Any]:
    """The five columns of a kind of values."""
    spread = values.size > 1 and bool(np.isfinite(values).all())
    found = (
        values.min(),
        mean_of(values),
        deviation_of(values) if spread else np.nan,
        float(np.median(values)),
        values.max(),
    )
    return {f"{kind}_{name}": value for name, value in zip(SUMMARY, found, strict=True)}
