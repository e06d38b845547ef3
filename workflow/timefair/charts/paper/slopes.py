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
MOST_IN = 3.6
"""Maximal height of a panel."""
APART = 0.05
RIGHT = 0.16
"""Room at the right of the last position."""
TITLE_IN = 0.5
"""Part of a panel's height for its title and the labels of its positions."""
TICK_IN = 0.11
"""Height that a tick label needs."""
STEPS = (1, 2, 5, 10, 20, 50, 100)
"""Possible numbers of ranks between two ticks."""

LABEL = "average rank (1 is best)"


def draw(frame: pd.DataFrame) -> Figure:
    """Draw one line per algorithm, in one row of panels per dimension and one column per ``panel``.

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
    panels.require_rows(frame)
    several = frame["suite"].nunique() > 1
    groups = list(frame.groupby(["suite", "dimension"], sort=True))
    columns = list(dict.fromkeys(frame["panel"]))
    with style.applied():
        within = ["suite", "dimension", "panel", "position"]
        looks = panels.looks(frame, value="average_rank", within=within, anywhere=True)
        room = (style.HEIGHT_IN - panels.MARGIN_IN) / len(groups)
        height = min(PANEL_IN + RANK_IN * len(looks), MOST_IN, room)
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
        ranks = range(1, len(looks) + 1)
        axes[0, 0].set_ylim(len(looks) + 0.4, 0.6)
        apart = _apart(len(looks), height)
        axes[0, 0].set_yticks([1, *range(apart, len(looks) + 1, apart)] if apart > 1 else ranks)
        figure.supylabel(LABEL, fontsize=7.5)
        if panels.nameable(figure, looks, height - TITLE_IN):
            for ax, (_, part) in zip(axes[:, -1], groups, strict=True):
                last = part[part["panel"] == columns[-1]].drop_duplicates("algorithm", keep="last")
                y = last.dropna(subset="average_rank").set_index("algorithm")["average_rank"]
                ends = {str(name): (ax.get_xlim()[1] - RIGHT, rank) for name, rank in y.items()}
                panels.name_ends(ax, looks, ends, height - TITLE_IN)
        else:
            panels.legend(figure, looks)
    return figure


def _apart(ranks: int, height_in: float) -> int:
    """Number of ranks between two ticks at which their labels do not touch."""
    least = TICK_IN * ranks / max(height_in - TITLE_IN, TICK_IN)
    return next((step for step in STEPS if step >= least), ranks)


def _slopes(ax: Axes, rows: pd.DataFrame, looks: dict[str, Look]) -> None:
    positions = list(dict.fromkeys(rows["position"]))
    width, others = APART * len(positions), []
    leading = [name for name, look in looks.items() if look.leads]
    for name, part in panels.by_algorithm(rows):
        x = np.array([positions.index(position) for position in part["position"]])
        if not looks[name].leads:
            others.append(np.array([x, part["average_rank"]]))
            continue
        shift = width * ((leading.index(name) + 0.5) / len(leading) - 0.5)
        ax.plot(x + shift, part["average_rank"], **looks[name].line)
    panels.in_background(ax, others)
    ax.set_xticks(range(len(positions)), positions)
    ax.set_xlim(-0.3, len(positions) - 1 + RIGHT)
    ax.grid(visible=False, axis="x")
