"""Costs to targets as lines, with a strip for the targets that no run reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import ScaledTranslation

from timefair.charts.paper import panels, scales, style

if TYPE_CHECKING:
    from timefair.charts.chart import Curves

ABREAST = 4
"""Hollow markers side by side in the strip; more algorithms have further lines of them."""
ASIDE_PT = 3.6
"""Distance between two of them in points."""
STRIP_PER_LINE = 0.075
SIDES = 0.08
"""Margin of the targets, in which hollow markers of the last one have room."""
STRIP_GREY = "#EDEDED"


def set_targets(ax: Axes, frame: pd.DataFrame, column: str, margin: float = SIDES) -> None:
    """Set the axis of x to the targets of a column, from easy to hard.

    It is logarithmic, or symmetrically so for precisions of 0 or less, or linear for values of f
    of 0 or less.
    """
    targets = frame[column]
    if (targets > 0).all():
        scales.set_log(ax, "x", scales.limits(targets, margin=margin)[::-1])
    elif frame.attrs.get("targets", "value") == "value":
        scales.set_linear(ax, scales.linear_limits(targets, margin=margin)[::-1])
    else:  # the best known precision can be surpassed
        scales.set_symlog(ax, targets)


def draw(
    frame: pd.DataFrame, chart: Curves, *, looks: dict[str, style.Look], x_label: str, y_label: str
) -> Figure:
    """Costs over targets from easy to hard, one panel per function and dimension.

    Bands are the intervals of the table, cut at the ends of the axis, which follows the costs. The
    grey strip at the top has a hollow marker of each leading algorithm at the first target that
    none of its runs reached: from there on, its cost is infinite.

    Raises
    ------
    ValueError
        If the frame has no rows.
    """
    value, low, high = chart.y, chart.low, chart.high
    with style.applied():
        figure, grid = panels.grid(frame)
        leading = [name for name, look in looks.items() if look.leads]
        bottom, top = scales.limits(frame[value], margin=0.06)
        unreached = bool(np.isinf(frame[value]).any())
        lines = -(-len(leading) // ABREAST)
        strip = STRIP_PER_LINE * lines if unreached else 0.0
        ceiling = bottom * (top / bottom) ** (1 / (1 - strip))
        first = grid[0].axes
        set_targets(first, frame, chart.x)
        scales.set_log(first, "y", (bottom, ceiling))
        if unreached:
            first.set_yticks([t for t in first.get_yticks() if bottom <= t <= top])
            first.set_ylim(bottom, ceiling)
        for panel in grid:
            ax = panel.axes
            if np.isinf(panel.rows[value]).any():
                strip_box = Rectangle((0, 1 - strip), 1, strip, color=STRIP_GREY, linewidth=0)
                strip_box.set_transform(ax.transAxes)
                ax.add_patch(strip_box)
            columns, others = [chart.x, value, low, high], []
            for name, numbers in panels.numbers_by_algorithm(panel.rows, columns):
                x, y, bottoms, tops = (numbers[::-1] if chart.decreasing else numbers).T
                look = looks[name]
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
                first_missed = x[~finite][:1]
                line, place = divmod(leading.index(name), ABREAST)
                side_by_side = min(ABREAST, len(leading) - line * ABREAST)
                aside = ASIDE_PT / 72 * (place - (side_by_side - 1) / 2)
                shift = ScaledTranslation(aside, 0, figure.dpi_scale_trans)
                panels.curve(
                    ax,
                    first_missed,
                    np.full(first_missed.size, 1 - strip * (line + 0.5) / lines),
                    transform=ax.get_xaxis_transform() + shift,
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
        figure.supxlabel(x_label, fontsize=7.5)
        unreached_label = " (∞: no run reached it)" if unreached else ""
        figure.supylabel(y_label + unreached_label, fontsize=7.5)
        panels.legend(figure, looks)
    return figure
