"""Costs to targets as lines, with a strip for the targets that no run reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from timefair.charts.paper import panels, scales, style

if TYPE_CHECKING:
    from timefair.charts.chart import Curves

STRIP_PER_ALGORITHM = 0.055
STRIP_AT_MOST = 0.4
STRIP_GREY = "#EDEDED"


def draw(
    frame: pd.DataFrame, chart: Curves, *, looks: dict[str, style.Look], x_label: str, y_label: str
) -> Figure:
    """Costs over targets from easy to hard, one panel per function and dimension.

    Bands are the intervals of the table, cut at the ends of the axis, which follows the costs. The
    grey strip at the top has one line per leading algorithm, with a hollow marker for each target
    that no run reached: its cost is infinite.

    Raises
    ------
    ValueError
        If the frame has no rows.
    """
    value, low, high = chart.y, chart.low, chart.high
    with style.applied():
        figure, grid = panels.grid(frame)
        leading = [name for name, look in looks.items() if look.leads]
        below = bool((frame[chart.x] <= 0).any())
        values_of_f = below and frame.attrs.get("targets", "value") == "value"
        floor = None if below else scales.zero_floor(frame[chart.x])
        bottom, top = scales.limits(frame[value], margin=0.06)
        unreached = bool(np.isinf(frame[value]).any())
        strip = min(STRIP_PER_ALGORITHM * len(leading), STRIP_AT_MOST) if unreached else 0.0
        ceiling = bottom * (top / bottom) ** (1 / (1 - strip))
        levels = 1 - strip + strip * (np.arange(len(leading))[::-1] + 0.5) / len(leading)
        first = grid[0].axes
        if below and not values_of_f:  # precisions where the best known can be surpassed
            scales.set_symlog(first, frame[chart.x])
        elif values_of_f:
            scales.set_linear(first, scales.linear_limits(frame[chart.x], margin=0.06)[::-1])
        else:
            targets = scales.raised(frame[chart.x], floor)
            scales.set_log(first, "x", scales.limits(targets, margin=0.06)[::-1])
        scales.set_log(first, "y", (bottom, ceiling))
        if unreached:
            first.set_yticks([t for t in first.get_yticks() if bottom <= t <= top])
            first.set_ylim(bottom, ceiling)
        for panel in grid:
            ax = panel.axes
            if unreached:
                strip_box = Rectangle((0, 1 - strip), 1, strip, color=STRIP_GREY, linewidth=0)
                strip_box.set_transform(ax.transAxes)
                ax.add_patch(strip_box)
            columns, others = [chart.x, value, low, high], []
            for name, numbers in panels.numbers_by_algorithm(panel.rows, columns):
                target, y, bottoms, tops = (numbers[::-1] if chart.decreasing else numbers).T
                look = looks[name]
                x = scales.raised(target, floor)
                finite = np.isfinite(y)
                if not look.leads:
                    others.append(np.array([x[finite], y[finite]]))
                    continue
                panels.band(
                    ax,
                    x,
                    np.where(finite, np.maximum(bottoms, bottom), np.nan),
                    np.minimum(tops, top),
                    color=look.color,
                    alpha=style.BAND_ALPHA,
                )
                panels.curve(ax, x[finite], y[finite], **look.line)
                level = levels[leading.index(name)]
                panels.curve(
                    ax,
                    x[~finite],
                    np.full((~finite).sum(), level),
                    transform=ax.get_xaxis_transform(),
                    marker=look.marker,
                    linestyle="",
                    markerfacecolor="white",
                    markeredgecolor=look.color,
                    markersize=3.0,
                    markeredgewidth=0.8,
                )
            panels.in_background(ax, others)
            if unreached and ax.yaxis.get_tick_params().get("labelleft", True):
                ax.annotate(
                    "∞",
                    (0, 1 - strip / 2),
                    xytext=(-4, 0),
                    xycoords="axes fraction",
                    textcoords="offset points",
                    ha="right",
                    va="center",
                    fontsize=9,
                )
        figure.supxlabel(scales.with_zero(x_label, floor), fontsize=7.5)
        unreached_label = " (∞: no run reached it)" if unreached else ""
        figure.supylabel(y_label + unreached_label, fontsize=7.5)
        panels.legend(figure, looks)
    return figure
