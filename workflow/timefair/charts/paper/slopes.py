"""Average ranks of the algorithms at several positions, joined by lines: crossings are changes."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from timefair.charts.paper import panels, style
from timefair.charts.paper.placement import Placement
from timefair.charts.paper.style import Look

PANEL_IN = 1.2
RANK_IN = 0.09
APART = 0.08
MANY = 10
"""Ranks up to which each has its tick."""

LABEL = "average rank (1 is best)"


def draw(frame: pd.DataFrame) -> Figure:
    """A line for each algorithm, a row of panels for each dimension, a column for each ``panel``.

    Lines are shifted a little against each other, so that equal ranks stay visible.

    Parameters
    ----------
    frame : DataFrame
        With the columns ``suite``, ``dimension``, ``panel``, ``position``, ``algorithm`` and
        ``average_rank``; panels and positions are text, in the order of their first row.

    Raises
    ------
    ValueError
        If the frame has no rows.
    """
    if frame.empty:
        raise ValueError("nothing to draw: the table has no rows")
    several = frame["suite"].nunique() > 1
    groups = list(frame.groupby(["suite", "dimension"], sort=True))
    columns = list(dict.fromkeys(frame["panel"]))
    with style.applied():
        there = set(frame["algorithm"].astype(str))
        looks = {
            name: one for name, one in style.looks(frame["algorithm"]).items() if name in there
        }
        height = PANEL_IN + RANK_IN * len(looks)
        figure = Figure(
            figsize=(
                style.COLUMN_IN if len(columns) == 1 else style.WIDTH_IN,
                panels.MARGIN_IN + height * len(groups),
            ),
            layout=Placement(),
        )
        axes = figure.subplots(len(groups), len(columns), sharey=True, squeeze=False)
        for line, ((suite, dimension), part) in zip(axes, groups, strict=True):
            for ax, panel in zip(line, columns, strict=True):
                head = f"{suite} " if several else ""
                ax.set_title(f"{head}D = {dimension}, {panel}")
                _slopes(ax, part[part["panel"] == panel], looks)
        axes[0, 0].set_ylim(len(looks) + 0.4, 0.6)
        axes[0, 0].set_yticks(range(1, len(looks) + 1, 1 if len(looks) <= MANY else 2))
        figure.supylabel(LABEL, fontsize=7.5)
        panels.legend(figure, looks)
    return figure


def _slopes(ax: Axes, rows: pd.DataFrame, looks: dict[str, Look]) -> None:
    positions = list(dict.fromkeys(rows["position"]))
    width = APART * len(positions)
    for name, part in panels.by_algorithm(rows):
        shift = width * ((list(looks).index(name) + 0.5) / len(looks) - 0.5)
        x = np.array([positions.index(position) for position in part["position"]]) + shift
        ax.plot(x, part["average_rank"], **looks[name].line)
    ax.set_xticks(range(len(positions)), positions)
    ax.set_xlim(-0.35, len(positions) - 0.65)
    ax.grid(visible=False, axis="x")
