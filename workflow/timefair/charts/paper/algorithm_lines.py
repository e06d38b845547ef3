"""Measures of many algorithms on many functions: a line per algorithm, a dot per function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from timefair.charts.paper import panels, style
from timefair.charts.paper.placement import Placement

LINE_IN = 0.15
AROUND_IN = 0.9
POINTS_PER_LINE = 0.88
"""Size of text as a share of the height of its line."""


@dataclass(frozen=True)
class Measure:
    """A column with its axis.

    Attributes
    ----------
    column
        Column of the table; values that are not finite have no dot.
    label
        Label of the axis.
    scale
        Sets scale and limits of the axis.
    """

    column: str
    label: str
    scale: Callable[[Axes], None]


def draw(frame: pd.DataFrame, measures: Sequence[Measure]) -> Figure:
    """One panel per measure, one line per algorithm in alphabetical order, the median as a bar.

    Parameters
    ----------
    frame : DataFrame
        With the column ``algorithm`` and those of the measures; one row per cell.

    Raises
    ------
    ValueError
        If the frame has no rows.
    """
    panels.require_rows(frame)
    lines = {name: k for k, name in enumerate(sorted(set(frame["algorithm"].astype(str))))}
    level = frame["algorithm"].astype(str).map(lines).to_numpy()
    with style.applied():
        line_in = min(LINE_IN, (style.HEIGHT_IN - AROUND_IN) / len(lines))
        height = AROUND_IN + line_in * len(lines)
        figure = Figure(figsize=(style.WIDTH_IN, height), layout=Placement())
        axes = figure.subplots(1, len(measures), sharey=True, squeeze=False)[0]
        for ax, measure in zip(axes, measures, strict=True):
            values = frame[measure.column].to_numpy(dtype=np.float64)
            measure.scale(ax)
            ax.plot(values, level, "o", color=style.OTHER.color, markersize=2.0)
            middle = pd.Series(values).groupby(level).median()
            ax.plot(middle, middle.index, "|", color=style.COLOURS[0], markersize=5.0)
            ax.set_xlabel(measure.label)
            ax.grid(visible=False, axis="y")
        size = min(6.5, POINTS_PER_LINE * 72 * line_in)
        axes[0].set_yticks(list(lines.values()), list(lines), fontsize=size)
        axes[0].set_ylim(len(lines) - 0.4, -0.6)
        for ax in axes:
            ax.tick_params(axis="y", length=0)
        spaces = frame[["suite", "dimension"]].drop_duplicates()
        of = f", D = {spaces['dimension'].iloc[0]}" if len(spaces) == 1 else ""
        figure.supxlabel(
            f"dot: a function{of or ' and dimension'}; bar: their median", fontsize=7.5
        )
    return figure
