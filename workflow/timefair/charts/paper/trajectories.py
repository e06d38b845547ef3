"""Curves of the best precision so far with their bands, whatever the curves sum up."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from timefair.charts.paper import panels, scales, style


def draw(frame: pd.DataFrame, *, cost_label: str, label: str) -> Figure:
    """A panel a function and dimension, each with its own scale of y.

    Parameters
    ----------
    frame : DataFrame
        With the columns ``cost``, ``curve``, ``low`` and ``high``, the last three precisions. A
        curve begins where it is finite; where a limit is NaN there is no band.
    cost_label, label : str
        What the axes say.

    Raises
    ------
    ValueError
        If the frame has no rows.
    """
    with style.applied():
        figure, grid = panels.grid(frame, share_y=False)
        looks = style.looks(frame["algorithm"])
        numbers = ["curve", "low", "high"]
        floor = scales.zero_floor(frame[numbers])
        begun = frame[np.isfinite(frame["curve"])]
        costs = scales.limits(begun["cost"], margin=0.02)
        scales.set_log(grid[0].axes, "x", costs)
        for panel in grid:
            drawn = panel.rows[np.isfinite(panel.rows["curve"])].copy()
            drawn[numbers] = scales.raised(drawn[numbers], floor)
            bounds = scales.limits(drawn[numbers])
            for name, part in panels.by_algorithm(drawn):
                k = list(looks).index(name)
                marks = style.marks(np.ones(len(part), dtype=bool), k, len(looks))
                _curve(panel.axes, part.sort_values("cost"), looks[name], marks, bounds[1])
            scales.set_log(panel.axes, "y", bounds)
        figure.supxlabel(cost_label, fontsize=7.5)
        figure.supylabel(scales.with_zero(label, floor), fontsize=7.5)
        panels.legend(figure, looks)
    return figure


def _curve(ax: Axes, rows: pd.DataFrame, look: style.Look, marks: list[int], top: float) -> None:
    ax.fill_between(
        rows["cost"],
        rows["low"],
        np.minimum(rows["high"], top),
        color=look.color,
        alpha=style.BAND_ALPHA,
        linewidth=0,
        step="post",
    )
    ax.step(rows["cost"], rows["curve"], where="post", markevery=marks, **look.line)
