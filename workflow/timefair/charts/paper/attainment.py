"""Surfaces that half of the runs reached, as steps between two objectives."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from timefair.charts.pages import Page
from timefair.charts.paper import heat_map, panels, style

SHARE = 0.5
HEIGHT_IN = 1.9
TICKS = (0.0, 0.5, 1.0)


def draw(frame: pd.DataFrame, page: Page) -> Figure:
    """A staircase for each algorithm, one panel per function; lower and further left is better.

    An overview is a heat map of the part of the region that the surfaces do not dominate.

    Parameters
    ----------
    frame : DataFrame
        The table `attainment`.

    Raises
    ------
    ValueError
        If the table has no rows.
    """
    half = frame[frame["share"] == SHARE]
    cell = ["suite", "dimension", "function", "algorithm"]
    cells = half.groupby(cell, observed=True, sort=False).first().reset_index()
    if page.overview:
        what = "part of the region that is not dominated, times the least on the function"
        return heat_map.draw(cells, "missed", label=what, never="not reached")
    looks = panels.looks(cells, value="missed", within=cell[:-1])
    with style.applied():
        figure, grid = panels.grid(page.rows(half), height_in=HEIGHT_IN)
        first = grid[0].axes
        first.set_xlim(-0.02, 1.02)
        first.set_ylim(-0.02, 1.02)
        first.set_xticks(TICKS)
        first.set_yticks(TICKS)
        for panel in grid:
            others = []
            for name, numbers in panels.numbers_by_algorithm(panel.rows, ["f1", "f2"]):
                x, y = _stairs(numbers)
                if not looks[name].leads:
                    others.append(np.array([x, y]))
                    continue
                marks = style.marks(np.ones(x.size, bool), list(looks).index(name), len(looks))
                panels.curve(panel.axes, x, y, **{**looks[name].line, "markevery": marks})
            panels.in_background(panel.axes, others)
        figure.supxlabel("first objective (0: ideal, 1: nadir)", fontsize=7.5)
        figure.supylabel("second objective (0: ideal, 1: nadir)", fontsize=7.5)
        panels.legend(figure, looks)
    return figure


def _stairs(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The line through the corners of a surface, from the upper edge to the right one."""
    ordered = corners[np.argsort(corners[:, 0], kind="stable")]
    x = np.append(np.repeat(ordered[:, 0], 2), 1.0)
    y = np.concatenate([[1.0], np.repeat(ordered[:, 1], 2)])
    return x, y
