"""Curves of a share, from 0 to 1, with their bands over a logarithmic axis."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from timefair.charts.paper import panels, scales, style

BAND_ALPHA = 0.12


def draw(frame: pd.DataFrame, x: str, *, functions: bool, x_label: str, label: str) -> Figure:
    """A step curve and a band an algorithm, the axes the same in all panels.

    Parameters
    ----------
    frame : DataFrame
        With the columns `x`, ``fraction``, ``low`` and ``high``; where a limit is NaN there is no
        band.
    x : str
        The column of the horizontal axis, which begins where the first curve leaves 0.
    functions : bool
        A panel a function, or one for a whole dimension.
    x_label, label : str
        What the axes say.

    Raises
    ------
    ValueError
        If the frame has no rows.
    """
    with style.applied():
        figure, grid = panels.grid(frame, functions=functions)
        looks = style.looks(frame["algorithm"])
        begun = frame[frame["fraction"] > 0]
        bounds = scales.limits((frame if begun.empty else begun)[x], margin=0.02)
        scales.set_log(grid[0].axes, "x", bounds)
        grid[0].axes.set_ylim(-0.03, 1.03)
        grid[0].axes.set_yticks(np.linspace(0, 1, 5))
        for panel in grid:
            for name, part in panels.by_algorithm(panel.rows):
                k = list(looks).index(name)
                rows = part[part[x] >= bounds[0]].sort_values(x)
                marks = style.marks(rows["fraction"].to_numpy() > 0, k, len(looks))
                rows = pd.concat([rows, rows.tail(1).assign(**{x: bounds[1]})])
                _curve(panel.axes, rows, x, looks[name], marks)
        figure.supxlabel(x_label, fontsize=7.5)
        figure.supylabel(label, fontsize=7.5)
        panels.legend(figure, looks)
    return figure


def _curve(ax: Axes, rows: pd.DataFrame, x: str, look: style.Look, marks: list[int]) -> None:
    ax.fill_between(
        rows[x],
        rows["low"],
        rows["high"],
        color=look.color,
        alpha=BAND_ALPHA,
        linewidth=0,
        step="post",
    )
    ax.step(rows[x], rows["fraction"], where="post", markevery=marks, **look.line)
