"""Curves over a logarithmic axis, one panel per function or dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from timefair.charts.paper import panels, step_curves, target_lines, trajectories

if TYPE_CHECKING:
    from timefair.charts.chart import Curves

END_GREY = "#808080"


def draw(frame: pd.DataFrame, chart: Curves) -> Figure:
    """Draw the curves of a table.

    Raises
    ------
    ValueError
        If the table has no rows that the chart shows.
    """
    shown = panels.present(chart.shown(frame))
    x_label, y_label = chart.labels(frame)
    if chart.scale == "log":
        return target_lines.draw(shown, chart, x_label=x_label, y_label=y_label)
    bands = {"low": _limits(shown, chart.low), "high": _limits(shown, chart.high)}
    if chart.scale == "own log":
        numbers = {"curve": shown[chart.y], **bands}
        if chart.logarithms:
            numbers = {name: 10.0**values for name, values in numbers.items()}
        return trajectories.draw(shown.assign(**numbers), cost_label=x_label, label=y_label)
    figure = step_curves.draw(
        panels.without_sole(shown.assign(**bands), "function" if chart.functions else "dimension"),
        chart.x,
        functions=chart.functions,
        x_label=x_label,
        label=y_label,
    )
    if chart.end:
        for axes in figure.axes:
            axes.axvline(shown[chart.end].max(), color=END_GREY, linewidth=0.7, zorder=1)
    return figure


def _limits(frame: pd.DataFrame, column: str) -> pd.Series[float]:
    return frame[column] if column else pd.Series(np.nan, index=frame.index)
