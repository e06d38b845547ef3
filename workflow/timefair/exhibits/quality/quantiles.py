"""Quantiles of the precision at the end of a run: peak, average and bad case."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.charts.chart import MAP, Picture
from timefair.exhibits import questions
from timefair.exhibits.columns import CELL, PROBLEM, QUANTILE, RUNS
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Value
from timefair.exhibits.quality.ranked import ranks_within
from timefair.rundata.problems import precision_at_the_end
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.probability import probability_of_quantile
from timefair.statistics.quantiles import quantile_interval, sample_quantile

COLUMNS = (
    *CELL,
    RUNS,
    QUANTILE,
    Column(
        "precision",
        "the order statistic x_(⌈np⌉) of the n runs, of which those that reached the final target "
        "count as 0; `inf` if too many runs found no finite value",
        "precision",
    ),
    Column(
        "precision_low",
        "lower limit of a distribution-free interval of the quantile: an order statistic, or 0 if "
        "the runs are too few",
        "precision",
    ),
    Column(
        "precision_high",
        "upper limit of that interval: an order statistic, or `inf` if the runs are too few",
        "precision",
    ),
    Column("precision_coverage", "probability that such limits contain the quantile"),
    *Column(
        "probability",
        "probability that one more run is at least as good as `precision`; empty if that is `inf`",
    ).interval("`probability` (exact, from the Beta distribution)"),
    Column(
        "probability_paper_low",
        "lower limit by the normal approximation of Mathematics 10, 4364 (2022)",
    ),
    Column("probability_paper_high", "upper limit by that approximation"),
    Column("rank", "rank of `precision` among the algorithms of the problem; ties share a rank"),
)

PRINTED = (
    Layout(
        caption="Quantiles of the precision f − f_opt at the end of a run: peak, average and bad "
        "case; runs of all instances pooled. 0: the final target was reached. Parentheses: rank "
        "among the algorithms. ∞: too many runs found no finite value.",
        values=(Value("precision", "Precision", "low", rank="rank"),),
        rows=("function", "quantile"),
        columns="algorithm",
    ),
    Layout(
        caption="Quantiles of the precision f − f_opt at the end of a run, and the probability "
        "of a run at least as good. 0: the final target was reached. ∞: too many runs found no "
        "finite value.",
        brackets=INTERVAL,
        values=(
            Value.with_limits("precision", "Precision", "low"),
            Value.with_limits("probability", "Probability", decimals=2),
        ),
        rows=("function", "algorithm"),
        parts=("suite", "dimension", "quantile"),
        name="intervals",
    ),
)


@exhibit(
    "quantiles",
    question=questions.QUALITY,
    title="Quantiles of the precision at the end",
    caption="""
    Quantiles of the best precision at the end of a run (0 if the final target was reached). The
    runs of all instances are pooled. A low probability shows the peak, 0.5 the average and a high
    probability the bad case. Intervals are distribution-free.
    """,
    columns=COLUMNS,
    layouts=PRINTED,
    figures=[
        Figure(
            "quantiles",
            "Quantiles of the precision at the end",
            "Quantiles of the best precision at the end of a run, with the runs of all instances "
            "pooled: a line from the lowest to the highest quantile, with the marker of the "
            "algorithm at the quantile nearest to the median. The pale bar is the "
            "distribution-free interval of that quantile. Further left is better. An arrow at the "
            "right edge is a quantile without a finite value.",
            Picture("timefair.charts.dots:quantiles", "functions", reading=MAP),
            default=True,
        )
    ],
    default=True,
)
def at_the_end(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Q_p of the best precision, with the runs of all instances pooled, one row per probability."""
    return pooled(runs, analysis, confidence=analysis.confidence)


def pooled(runs: Runs, analysis: Analysis, *, confidence: float | None) -> pd.DataFrame:
    """The table `quantiles`; without a confidence, its intervals and probabilities are NaN."""
    best = precision_at_the_end(runs)
    rows = []
    for names, members in runs.groups(tuple(column_names(CELL))):
        values = best[members]
        for p in sorted(analysis.quantiles):
            precision = float(sample_quantile(values, p))
            row = {**names, "runs": len(members), "quantile": p, "precision": precision}
            if confidence is not None:
                row |= _limits(values, p, confidence, runs.least_precision)
            rows.append(row)
    frame = pd.DataFrame(rows, columns=column_names(COLUMNS[:-1]))
    frame["rank"] = ranks_within(frame, column_names((*PROBLEM, QUANTILE)), "precision")
    return frame


def _limits(
    values: NDArray[np.float64], p: float, confidence: float, least: float
) -> dict[str, float]:
    """The interval of the quantile, and the probability of a run at least as good."""
    limits = quantile_interval(values, p, confidence)
    exact, paper = (
        probability_of_quantile(values, p, confidence=confidence, method=method)
        for method in ("beta", "paper")
    )
    return {
        "precision_low": max(float(limits.low), least),
        "precision_high": float(limits.high),
        "precision_coverage": limits.coverage,
        "probability": float(exact.value),
        "probability_low": float(exact.low),
        "probability_high": float(exact.high),
        "probability_paper_low": float(paper.low),
        "probability_paper_high": float(paper.high),
    }
