"""What launches of other lengths would have cost."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from matplotlib.figure import Figure as Drawing

from timefair.exhibits.charts import dots, panels, style
from timefair.exhibits.charts.pages import LEAST_RUNS, Page
from timefair.exhibits.charts.panels import NothingToDraw
from timefair.exhibits.charts.style import Look

PROBLEM = ["suite", "dimension", "function"]
LOWEST, HIGHEST = 0.001, 30.0
"""Widest ends of the axis, as multiples; lines and bands are cut there."""
LABEL = "launches end after … evaluations"
MEASURED_GREY = "#767676"


def what_if(frame: pd.DataFrame, page: Page) -> Drawing:
    """One line per algorithm in one panel per function; 1 is the measured policy. An overview has
    the best cutoff of each function. A sentence if no target is judged.
    """
    panels.require_rows(frame)
    every = frame[np.isfinite(frame["factor"])]
    if page.rows(every).empty:
        raise NothingToDraw("too few launches reached a target")
    best = every.loc[every.groupby([*PROBLEM, "algorithm"], observed=True)["factor"].idxmin()]
    if page.overview:
        bounds = panels.limits(every["tau"], margin=0.06)
        scale = partial(panels.set_log, axis="x", bounds=bounds)
        return dots.algorithm_lines(page.rows(best), [("tau", f"best cutoff: {LABEL}", scale)])
    first = panels.leaders(best, value="factor", within=PROBLEM)
    return _panels(page.rows(every), style.looks_in(frame, leaders=first))


def _panels(shown: pd.DataFrame, looks: dict[str, Look]) -> Drawing:
    figure, grid = panels.grid(shown)
    bounds = panels.limits(np.clip([*shown["factor"], 0.5, 2.0], LOWEST, HIGHEST))
    first = grid[0].axes
    panels.set_log(first, "x", panels.limits(shown["tau"]), ticks=5)
    panels.set_log(first, "y", bounds)
    columns = ["tau", "factor", "factor_low", "factor_high"]
    for panel in grid:
        panel.axes.axhline(1.0, color=MEASURED_GREY, linewidth=0.7, zorder=1.2)
        leading = list(panels.leading(panel, columns, looks))
        for k, (name, values) in enumerate(leading):
            tau, factor, low, high = values.T
            look = looks[name]
            if panel.rows["runs"].min() >= LEAST_RUNS:
                limits = (np.clip(one, *bounds) for one in (low, high))
                panels.band(panel.axes, tau, *limits, color=look.color, alpha=0.15)
            inside = (factor >= bounds[0]) & (factor <= bounds[1])
            marks = style.marks(inside, k, len(leading), count=3)
            panels.curve(panel.axes, tau, factor, **{**look.line, "markevery": marks})
    panels.label(figure, LABEL, "ERT as a multiple of the measured one")
    panels.legend(figure, looks)
    return figure
