"""Best-so-far precision over elapsed cost."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.charts.chart import Curves
from timefair.exhibits import questions
from timefair.exhibits.columns import CELL, RUNS, UNIT
from timefair.exhibits.curves.ecdf import OBSERVED, until_cut
from timefair.exhibits.exhibit import Column, column_names, exhibit, over_costs
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value
from timefair.rundata.frames import stacked
from timefair.rundata.problems import equal_if_solved, known_until
from timefair.rundata.published import told_in
from timefair.rundata.runs import UNITS, Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.curves import median_band, quantile_band

CURVES = (
    Column(
        "median",
        "median over the runs of the best precision so far; `inf` while half of them have no value",
        "precision",
    ),
    Column("low", "0.25 quantile of single runs", "precision"),
    Column("high", "0.75 quantile of single runs", "precision"),
    Column(
        "median_low",
        "lower limit of the interval of `median` at this cost; empty if the runs are too few (a "
        "95 % interval needs six)",
        "precision",
    ),
    Column("median_high", "upper limit of that interval", "precision"),
)
COLUMNS = (
    *CELL,
    RUNS,
    UNIT,
    Column("cost", "cost since the start of the run, the same grid for all algorithms", "`unit`"),
    OBSERVED,
    *CURVES,
)

LIMITS = [name for name in column_names(CURVES) if name.endswith(("low", "high"))]


@exhibit(
    "anytime",
    question=questions.ANYTIME,
    title="Best precision over elapsed cost",
    caption="""
    Best precision so far over elapsed cost, in {seconds} and in evaluations, over the runs of all
    instances: the median with its interval and with the quartiles of single runs. The rows of an
    algorithm end when the budget (or the end of published data) has cut off half of its runs,
    because nothing is known beyond; from the first cut on, there are no limits. A run that ended by
    itself or at the final target keeps its best precision. Precisions at or below the final target
    count as 0.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Median of the best precision up to a cost, runs of all instances pooled. "
            "∞: too many runs had no value yet.",
            brackets=INTERVAL,
            values=(Value("median", "Precision", "low", interval=("median_low", "median_high")),),
            rows=("function", "algorithm"),
            columns="cost",
            points=(Points("cost", (0.01, 0.1, 1.0), relative=True),),
            observed=OBSERVED.name,
        )
    ],
    figures=over_costs(
        "anytime",
        "Best precision over {unit}",
        "Best precision so far over {unit}: the median over the runs of all instances, with its "
        "interval at each cost. Lower is better. A curve begins where half of the runs have a "
        "value. Each panel has its own vertical scale.",
        Curves(
            x="cost",
            y="median",
            low="median_low",
            high="median_high",
            x_label="{cost}",
            y_label="best precision so far, median",
            view="median, {unit}",
            scale="own log",
            beyond="The thin line beyond is the result of the runs so far; it ends where half of "
            "them are cut off.",
        ),
        default=True,
    ),
    default=True,
)
def trajectories(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Median of the best precision so far, on a grid of costs.

    All algorithms on a suite and dimension have the same grid for each unit of cost. It is evenly
    spaced in the logarithm and ends with the longest run. Published data have no times, so they are
    used only for costs in evaluations.
    """
    points = runs.points
    parts = []
    spaces = ((unit, there) for unit in UNITS for there in told_in(runs, unit).spaces())
    for unit, there in spaces:
        grid = there.cost_grid(unit, points)
        best = equal_if_solved(there, there.best_so_far(unit, grid))
        known = known_until(there, unit)
        for names, members in there.groups(tuple(column_names(CELL))):
            reached = best[members]
            runs_band = quantile_band(reached, *analysis.band)
            median = median_band(reached, analysis.confidence)
            part = {**names, "runs": len(members), "unit": unit, "cost": grid}
            curves = (median.curve, runs_band.low, runs_band.high, median.low, median.high)
            part |= dict(zip(column_names(CURVES), curves, strict=True))
            mine = known[members]
            parts.append(until_cut(part, mine, float(np.median(mine)), LIMITS))
    return stacked(parts, column_names(COLUMNS))
