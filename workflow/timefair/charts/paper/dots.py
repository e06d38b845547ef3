"""One dot per algorithm with its interval, one panel per function and dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from timefair.charts.paper import algorithm_lines, panels, scales, style

if TYPE_CHECKING:
    from timefair.charts.chart import Dots
    from timefair.charts.pages import Page

TITLE_AND_AXIS_IN = 0.4
LINE_IN = 0.13


def draw(frame: pd.DataFrame, chart: Dots, page: Page) -> Figure:
    """Draw the dots of a table on a logarithmic axis, the first algorithm on top.

    Zero is drawn at the left end of the axis, which the label states. An algorithm without a
    finite value has no dot. An overview has one line per algorithm, with a dot for each function.

    Raises
    ------
    ValueError
        If the table has no rows.
    """
    label = chart.x_label.format_map({"seconds": chart.seconds(frame)})
    looks = panels.looks(frame, value=chart.x, within=["suite", "dimension", "function"])
    shown = page.rows(frame)
    if page.overview:
        return _lines(shown, chart.x, label)
    with style.applied():
        figure, grid = panels.grid(shown, height_in=TITLE_AND_AXIS_IN + LINE_IN * len(looks))
        numbers = [column for column in (chart.x, chart.low, chart.high) if column]
        bounds = scales.limits(shown[chart.x], margin=0.06)
        floor = bounds[0] if (shown[numbers] <= 0).any(axis=None) else None
        scales.set_log(grid[0].axes, "x", bounds, ticks=5)
        for panel in grid:
            for name, part in panels.by_algorithm(panel.rows):
                look, level = looks[name], list(looks).index(name)
                x = scales.raised(part[chart.x], floor)
                if chart.low:
                    low, high = (
                        np.clip(scales.raised(part[column], floor), *bounds)
                        for column in (chart.low, chart.high)
                    )
                    panel.axes.hlines(np.full(x.shape, level), low, high, color=look.color)
                known = x[np.isfinite(x)]
                panel.axes.plot(
                    known, np.full(known.shape, level), **{**look.line, "linestyle": ""},
                    clip_on=False,
                )  # fmt: skip
        at_left = "; 0 drawn at the left end" if floor else ""
        figure.supxlabel(f"{label}{at_left}", fontsize=7.5)
        panels.rows(figure, grid, looks, lines=False)
    return figure


def _lines(frame: pd.DataFrame, x: str, label: str) -> Figure:
    floor = scales.zero_floor(frame[x])
    values = scales.raised(frame[x], floor)
    bounds = scales.limits(values, margin=0.06)
    measure = algorithm_lines.Measure(
        x, scales.with_zero(label, floor), lambda ax: scales.set_log(ax, "x", bounds)
    )
    return algorithm_lines.draw(frame.assign(**{x: values}), [measure])
