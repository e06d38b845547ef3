"""Runs that rules for the number of runs save, and their accuracy, from `run_count_rules`."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from timefair.basics.together import ALL
from timefair.charts.paper import panels, style
from timefair.charts.paper.placement import Placement
from timefair.charts.paper.run_count import panels as parts

PANELS = {
    "accurate_percent": "accurate mean,\ncomplete sample",
    "accurate_independent_percent": "accurate mean,\nindependent runs",
    "kept_median_percent": "median within width,\nindependent runs",
    "kept_mean_percent": "mean within width,\nindependent runs",
    "winner_independent_percent": "best algorithm,\nindependent runs",
}
FIXED = "fixed n"
CONTROLS = (FIXED, "random n")
HEIGHT_IN = 2.1


@parts.drawn_of_samples
def draw(frame: pd.DataFrame) -> Figure:
    """Draw a mark per rule and setting over the runs saved; a line joins fixed numbers of runs.

    All dimensions are shown together; there is one line of panels per suite.

    Parameters
    ----------
    frame : DataFrame
        The table `run_count_rules`.
    """
    everywhere = frame[frame["dimension"] == ALL]
    looks = style.looks(frame["rule"].unique())
    suites = sorted(everywhere["suite"].unique())
    figure = Figure(
        figsize=(style.WIDTH_IN, panels.MARGIN_IN + HEIGHT_IN * len(suites)),
        layout=Placement(),
    )
    grid = figure.subplots(len(suites), len(PANELS), sharex=True, sharey=True, squeeze=False)
    for line, suite in zip(grid, suites, strict=True):
        for ax, (column, title) in zip(line, PANELS.items(), strict=True):
            ax.set_title(title if len(suites) == 1 else f"{suite}\n{title}")
            _marks(ax, everywhere[everywhere["suite"] == suite], column, looks)
    figure.supxlabel("runs saved, %", fontsize=7.5)
    figure.supylabel("samples, or problems, %", fontsize=7.5)
    panels.legend(figure, looks, lines=False)
    return figure


def _marks(ax: Axes, rows: pd.DataFrame, column: str, looks: dict[str, style.Look]) -> None:
    if rows[column].isna().all():
        ax.text(0.5, 0.5, "no such runs", ha="center", va="center", transform=ax.transAxes)
    for name, look in looks.items():
        part = rows[rows["rule"] == name].sort_values("saved_percent")
        ax.plot(
            part["saved_percent"],
            part[column],
            look.marker,
            color=look.color,
            linestyle="-" if name == FIXED else "",
            linewidth=0.8,
            markerfacecolor="white" if name in CONTROLS else look.color,
            zorder=1 if name in CONTROLS else 2,
        )
