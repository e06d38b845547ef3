"""Shares of targets that are reached if an algorithm is run again until it succeeds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.together import ALL
from timefair.charts.chart import Curves
from timefair.exhibits import questions
from timefair.exhibits.columns import CELL, CELL_OR_ALL, COST, RUNS, UNIT
from timefair.exhibits.curves.ecdf import until_cut
from timefair.exhibits.exhibit import Column, column_names, exhibit, over_costs
from timefair.exhibits.layout import Layout, Points, Value
from timefair.rundata.frames import stacked
from timefair.rundata.problems import Spent
from timefair.rundata.published import told_in
from timefair.rundata.runs import UNITS, Runs, Unit
from timefair.rundata.settings import Analysis
from timefair.statistics.restarted import restarted_cdf

COLUMNS = (
    *CELL_OR_ALL,
    RUNS,
    UNIT,
    COST,
    Column(
        "observed",
        "share of the runs that were as long as `cost`, or had reached every target before; below "
        "1, the share is computed from how often and how late the runs reached each target",
    ),
    Column("fraction", "share of the targets that are reached within `cost`"),
    Column("error", "the exact share is between `fraction` − `error` and `fraction` + `error`"),
)

BEYOND = 100.0
"""Length of the curves, as a multiple of the cost of the longest run."""


@exhibit(
    "restarted_curves",
    question=questions.TARGET,
    title="Share of targets reached with restarts",
    caption="""
    Share of the targets that are reached within a cost if every failed run is followed by another
    one, over {seconds} and over evaluations, for each function and for all functions together. It
    is the mean over the targets of the distribution function of the runtime with restarts, in
    closed form, up to 100 times the longest run. A target that no run reached is never reached.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Share of targets that are reached within a cost if failed runs are restarted, "
            "in closed form.",
            values=(Value("fraction", "Share", "high", decimals=2),),
            rows=("function", "algorithm"),
            columns="cost",
            points=(Points("cost", (0.001, 0.01, 0.1, 1.0), relative=True),),
        )
    ],
    figures=over_costs(
        "restarted",
        "Share of targets reached with restarts over {unit}",
        "Share of the targets that are reached within a number of {unit} if every failed run is "
        "followed by another one, over all functions and for each function. The share is computed "
        "in closed form from the runs of all instances.",
        Curves(
            x="cost",
            y="fraction",
            x_label="{cost}",
            y_label="share of targets reached with restarts",
            view="restarted, {unit}",
            beyond="The thin line beyond is computed from how often and how late the runs reached "
            "each target.",
        ),
    ),
    beside="ecdf",
)
def curves(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Share of targets reached within a cost if failed runs are restarted.

    ``fraction`` is the probability F(b) of `statistics.restarted.restarted_cdf`, averaged over the
    targets, and for the function ``all`` over the functions.
    """
    of_unit = {unit: told_in(runs, unit) for unit in UNITS}
    costs = {unit: _costs(of_unit[unit], unit) for unit in UNITS}
    parts = []
    for group, samples in _samples(of_unit["evaluations"], analysis):
        for sample in samples:
            low, high = sample.cdf(costs[sample.unit])
            part = {**group, "runs": len(sample.spent), "unit": sample.unit}
            part |= {"cost": costs[sample.unit]}
            part |= {"fraction": (low + high) / 2, "error": (high - low) / 2}
            parts.append(until_cut(part, sample.known, np.inf))
    columns = column_names(COLUMNS)
    single = stacked(parts, columns)
    shared = ["suite", "dimension", "algorithm", "unit", "cost"]
    sums = {"runs": "sum", "observed": "mean", "fraction": "mean", "error": "mean"}
    across = single.groupby(shared, as_index=False).agg(sums)
    frame = pd.concat([single.astype({"function": str}), across.assign(function=ALL)])
    return frame.reset_index(drop=True)[columns]


@dataclass(frozen=True)
class _Sample:
    """Cost of the runs up to each target or their end, arrays of shape (runs, targets)."""

    unit: Unit
    spent: NDArray[np.float64]
    success: NDArray[np.bool_]

    @property
    def known(self) -> NDArray[np.float64]:
        """Cost of each run, or `inf` if it reached every target, shape (runs,)."""
        return np.where(self.success.all(axis=1), np.inf, self.spent.max(axis=1))

    def cdf(self, costs: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Limits of the mean over the targets."""
        bounds = [
            restarted_cdf(spent, success, costs)
            for spent, success in zip(self.spent.T, self.success.T, strict=True)
        ]
        return np.mean([b.low for b in bounds], axis=0), np.mean([b.high for b in bounds], axis=0)


def _samples(runs: Runs, analysis: Analysis) -> Iterator[tuple[dict[str, Any], list[_Sample]]]:
    """Each group of runs, in seconds if they have times, and in evaluations."""
    targets = analysis.targets_from_easy
    reached_at = {unit: runs.runtimes(unit, targets) for unit in UNITS}
    for group, rows in runs.groups(tuple(column_names(CELL))):
        samples = []
        for unit in runs.units_of(rows):
            spent = Spent.until(reached_at[unit][rows], runs.spent(unit)[rows])
            samples.append(_Sample(unit, spent.cost, spent.success))
        yield group, samples


def _costs(runs: Runs, unit: Unit) -> NDArray[np.float64]:
    measured = runs.cost_grid(unit)
    if measured.size == 0:
        return measured
    return np.geomspace(measured[0], BEYOND * measured[-1], runs.points)
