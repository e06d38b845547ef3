"""Share of runs that have evaluated a feasible point within a cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.together import ALL
from timefair.charts.chart import Curves
from timefair.exhibits import questions
from timefair.exhibits.columns import CELL_OR_ALL, COST, RUNS, UNIT
from timefair.exhibits.curves.bands import OBSERVED, SHARE, last_cut, until_cut
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Points
from timefair.rundata.frames import stacked
from timefair.rundata.problems import known_until
from timefair.rundata.runs import UNITS, Runs, Unit
from timefair.rundata.settings import Analysis
from timefair.statistics.probability import success_interval

AT_LEAST = (
    "The thin line beyond counts the runs that were feasible before, so it is a lower bound; it "
    "ends where the last run is cut off."
)
COLUMNS = (
    *CELL_OR_ALL,
    RUNS,
    UNIT,
    COST,
    OBSERVED,
    Column("fraction", "share of the runs that evaluated a feasible point within `cost`"),
    Column("low", "lower limit of the interval of `fraction` (Clopper and Pearson)"),
    Column("high", "upper limit of that interval"),
)


def _figure(name: str, unit: str, counted: str) -> Figure:
    return Figure(
        name,
        f"Share of feasible runs over {unit}",
        f"Share of the runs that evaluated a feasible point within a number of {counted}, over all "
        "functions and for each function. Higher is better. Bands are limits at each cost.",
        Curves(
            x="cost",
            y="fraction",
            low="low",
            high="high",
            x_label="{cost}",
            y_label="share of feasible runs",
            view=unit,
            unit=unit,
            beyond=AT_LEAST,
        ),
        needs="constraints",
    )


@exhibit(
    "feasible",
    question=questions.FEASIBLE,
    title="Share of feasible runs within a cost",
    caption="""
    Share of the runs that evaluated a feasible point within a cost, in {seconds} and in
    evaluations, with its exact interval, for each function and for all functions together. The runs
    of all instances are pooled. Evaluations are those of the objective function and of the
    constraints together. If the budget has cut off runs that were not feasible, the share is a
    lower bound without limits, and the rows end with the last of these runs. Empty without
    constraints.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Share of the runs that evaluated a feasible point within a cost.",
            brackets=INTERVAL,
            values=(SHARE,),
            rows=("function", "algorithm"),
            columns="cost",
            points=(Points("cost", (0.001, 0.01, 0.1, 1.0), relative=True),),
            observed=OBSERVED.name,
        )
    ],
    figures=[
        _figure("feasible", "seconds", "{seconds}"),
        _figure("feasible_evaluations", "evaluations", "evaluations"),
    ],
)
def within_cost(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Share of feasible runs for each (suite, dimension, function, algorithm), and all functions.

    The functions and instances of the campaign are fixed. If their shares differ, the interval of
    the pooled share is wider than necessary (Hoeffding 1956).
    """
    parts = []
    for space in runs.where(runs.constrained).spaces():
        for unit in UNITS:
            after, grid = space.feasible_after(unit), _grid(space, unit)
            known = known_until(space, unit, np.isfinite(after))
            for names, members in _groups(space):
                count = np.searchsorted(np.sort(after[members]), grid, side="right")
                share = success_interval(count, len(members), analysis.confidence)
                mine = known[members]
                part = {**names, "runs": len(members), "unit": unit, "cost": grid}
                part |= {"fraction": share.value, "low": share.low, "high": share.high}
                parts.append(until_cut(part, mine, last_cut(mine), ("low", "high")))
    return stacked(parts, column_names(COLUMNS))


def _groups(runs: Runs) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
    """The runs of each function, and of all together."""
    for names, members in runs.groups(("suite", "dimension", "function", "algorithm")):
        yield {**names, "function": str(names["function"])}, members
    for names, members in runs.groups(("suite", "dimension", "algorithm")):
        yield {**names, "function": ALL}, members


def _grid(runs: Runs, unit: Unit) -> NDArray[np.float64]:
    """The costs of all curves; only the end of the longest run if no run found a feasible point."""
    grid = runs.cost_grid(unit)
    return grid if grid.size else np.array([runs.spent(unit).max()])
