"""Curves of a share, from 0 to 1, with their bands on a logarithmic axis."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from timefair.charts.paper import panels, scales, style

BAND_ALPHA = 0.12
WIDE, FEW = 0.35, 2
"""Average width of a band that is not drawn if there are more curves than these."""
TOPS = ((0.1, 5), (0.2, 5), (0.4, 5), (0.6, 4), (0.8, 5), (1.0, 5))
"""Possible ends of the axis of shares, with the number of ticks."""


def draw(
    frame: pd.DataFrame,
    x: str,
    *,
    looks: dict[str, style.Look],
    functions: bool,
    x_label: str,
    label: str,
) -> Figure:
    """Draw a step curve and a band per algorithm; all panels have the same axes.

    A curve that is shorter than the longest one, as in a dimension with a smaller budget, is not
    extended.

    Parameters
    ----------
    frame : DataFrame
        With the columns `x`, ``fraction``, ``observed``, ``low`` and ``high``; there is no band
        where a limit is NaN.
    x : str
        The column of the horizontal axis, which begins where the first curve leaves 0.
    looks : dict
        The look of each algorithm; an algorithm whose look has ``leads=False`` has no band.
    functions : bool
        If True, there is one panel per function; if False, one per dimension.
    x_label, label : str
        Labels of the x axis and the y axis.

    Raises
    ------
    ValueError
        If the frame has no rows.
    """
    with style.applied():
        figure, grid = panels.grid(panels.with_ends(frame, x), functions=functions)
        begun = frame[frame["fraction"] > 0]
        bounds = scales.limits((frame if begun.empty else begun)[x], margin=0.02)
        scales.set_log(grid[0].axes, "x", bounds)
        highest = np.nanmax(frame[["fraction", "high"]].to_numpy(dtype=np.float64), initial=0)
        top, ticks = next((pair for pair in TOPS if pair[0] >= highest), TOPS[-1])
        grid[0].axes.set_ylim(-0.03 * top, 1.03 * top)
        grid[0].axes.set_yticks(np.linspace(0, top, ticks))
        few = sum(look.leads for look in looks.values()) <= FEW
        names, most = list(looks), frame[x].max() * (1 - 1e-9)
        columns = [x, "fraction", "observed", "end", "low", "high"]
        for panel in grid:
            others, ends = [], {}
            for name, numbers in panels.numbers_by_algorithm(panel.rows, columns):
                shown = numbers[numbers[:, 0] >= bounds[0]]
                if not looks[name].leads:
                    others.append(shown[shown[:, 2] == 1, :2].T)
                    continue
                last = shown[-1:].copy()
                last[last[:, 0] >= most, 0] = bounds[1]
                shown = np.concatenate([shown, last])
                look, (cost, low, high) = looks[name], shown[:, [0, 4, 5]].T
                if few or not np.mean(high - low) > WIDE:
                    panels.band(
                        panel.axes, cost, low, high, color=look.color, alpha=BAND_ALPHA, step=True
                    )
                ends[name] = (bounds[1], shown[-1, 1])
                turn = (names.index(name), len(names))
                panels.observed_curve(panel.axes, shown[:, :4], look, turn=turn)
            panels.in_background(panel.axes, others, step=True)
        figure.supxlabel(x_label, fontsize=7.5)
        figure.supylabel(label, fontsize=7.5)
        room_in = figure.get_figheight() - panels.MARGIN_IN
        if len(grid) == 1 and panels.nameable(figure, looks, room_in):
            panels.name_ends(grid[0].axes, looks, ends, room_in)
        else:
            panels.legend(figure, looks)
    return figure
