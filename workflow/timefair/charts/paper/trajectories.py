"""Curves of the best precision so far with their bands, for any summary of the runs."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from timefair.charts.paper import panels, scales, style


def draw(
    frame: pd.DataFrame, *, looks: dict[str, style.Look], cost_label: str, label: str
) -> Figure:
    """Draw one panel per function and dimension. The scale of y of a panel fits its curves.

    Parameters
    ----------
    frame : DataFrame
        With the columns ``cost``, ``curve``, ``observed``, ``low`` and ``high``; ``curve`` and the
        limits are precisions. A curve begins where it is finite; there is no band where a limit is
        NaN.
    looks : dict
        The look of each algorithm; algorithms with ``leads=False`` have no band.
    cost_label, label : str
        Labels of the x axis and the y axis.

    Raises
    ------
    ValueError
        If the frame has no rows.
    """
    with style.applied():
        figure, grid = panels.grid(panels.with_ends(frame, "cost"), share_y=False)
        floor = scales.zero_floor(frame["curve"])
        begun = frame[np.isfinite(frame["curve"])]
        costs = scales.limits(begun["cost"], margin=0.02)
        scales.set_log(grid[0].axes, "x", costs)
        names = list(looks)
        for panel in grid:
            drawn = panel.rows[np.isfinite(panel.rows["curve"])]
            bounds = scales.limits(scales.raised(drawn["curve"], floor), margin=0.06)
            others = []
            scales.set_log(panel.axes, "y", bounds)
            columns = ["cost", "curve", "observed", "end", "low", "high"]
            for name, values in panels.numbers_by_algorithm(drawn, columns):
                cost, observed = values[:, 0], values[:, 2]
                curve, low, high = scales.raised(values[:, [1, 4, 5]], floor).T
                if not looks[name].leads:
                    others.append(np.array([cost, curve])[:, observed == 1])
                    continue
                look, (low, high) = looks[name], np.clip([low, high], *bounds)
                panels.band(
                    panel.axes, cost, low, high, color=look.color, alpha=style.BAND_ALPHA, step=True
                )
                points = np.column_stack([cost, curve, values[:, 2:4]])
                turn = (names.index(name), len(names))
                panels.observed_curve(panel.axes, points, look, turn=turn)
            panels.in_background(panel.axes, others, step=True)
        figure.supxlabel(cost_label, fontsize=7.5)
        figure.supylabel(scales.with_zero(label, floor), fontsize=7.5)
        panels.legend(figure, looks)
    return figure
