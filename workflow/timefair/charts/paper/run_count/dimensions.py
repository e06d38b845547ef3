"""Share of wrong estimates of the skewness rule per dimension, from `run_count_groups`."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from timefair.charts.paper import panels, style
from timefair.charts.paper.placement import Placement
from timefair.charts.paper.run_count import panels as parts

APART = 0.16


@parts.drawn_of_samples
def draw(frame: pd.DataFrame) -> Figure:
    """Draw the median and quartiles over the algorithms per dimension, one panel per technique.

    Parameters
    ----------
    frame : DataFrame
        The table `run_count_groups`.
    """
    each = parts.pooled(frame, ["dimension", "algorithm", "tau", "outliers"])
    techniques = parts.techniques(frame)
    looks = style.looks(f"τ = {tau:g}" for tau in frame["tau"].unique())
    figure = Figure(figsize=(style.WIDTH_IN, 2.4), layout=Placement())
    grid = figure.subplots(1, len(techniques), sharey=True, squeeze=False)[0]
    for ax, outliers in zip(grid, techniques, strict=True):
        ax.set_title(parts.title(outliers))
        _bars(ax, each[each["outliers"] == outliers], looks)
    grid[0].set_ylim(bottom=0)
    figure.supylabel("not right, % of the samples", fontsize=7.5)
    figure.supxlabel(
        "dimension; mark and bar: median and quartiles over the algorithms", fontsize=7.5
    )
    panels.legend(figure, looks, lines=False)
    return figure


def _bars(ax: Axes, rows: pd.DataFrame, looks: dict[str, style.Look]) -> None:
    dimensions = sorted(rows["dimension"].unique())
    shifts = APART * (np.arange(len(looks)) - (len(looks) - 1) / 2)
    for (tau, part), shift in zip(rows.groupby("tau"), shifts, strict=True):
        look = looks[f"τ = {tau:g}"]
        wrong = 100.0 - part.set_index("dimension")["true"]
        low, middle, high = (wrong.groupby("dimension").quantile(p) for p in (0.25, 0.5, 0.75))
        x = np.arange(len(dimensions)) + shift
        ax.vlines(x, low, high, color=look.color, linewidth=1.2)
        ax.plot(x, middle, look.marker, color=look.color)
    ax.set_xticks(range(len(dimensions)), [str(d) for d in dimensions])
    ax.set_xlim(-0.5, len(dimensions) - 0.5)
    ax.grid(visible=False, axis="x")
