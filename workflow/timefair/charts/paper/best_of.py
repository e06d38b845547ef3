"""Expected best of several executions, from the table `best_of`."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, ScalarFormatter

from timefair.charts.pages import Page
from timefair.charts.paper import groups, panels, scales, style

TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def draw(frame: pd.DataFrame, page: Page) -> Figure:
    """Expected best precision over the number of executions, one panel per function.

    A line ends where there are fewer runs than executions, and begins where every execution has a
    result. Each panel has its own scale of y.

    Parameters
    ----------
    frame : DataFrame
        The table `best_of`.

    Raises
    ------
    ValueError
        If the table has no rows.
    """
    every = frame[frame["measure"] == "mean"]
    label = "expected best precision of k"
    once = every[every["k"] == every["k"].min()]
    looks = panels.looks(once, value="precision", within=["suite", "dimension", "function"])
    shown = page.rows(every)
    if page.overview:
        shown = groups.geometric_means(shown, "k", "precision")
        label = f"{label}; geometric mean over the functions"
    with style.applied():
        figure, grid = panels.grid(shown, share_y=False)
        floor = scales.zero_floor(shown["precision"])
        known = shown[np.isfinite(shown["precision"])]
        executions = scales.limits((shown if known.empty else known)["k"], margin=0.05)
        shared = grid[0].axes
        scales.set_log(shared, "x", executions)
        shared.xaxis.set_major_locator(FixedLocator(_within(executions)))
        shared.xaxis.set_major_formatter(ScalarFormatter())
        for panel in grid:
            ax, others = panel.axes, []
            for name, numbers in panels.numbers_by_algorithm(panel.rows, ["k", "precision"]):
                k, best = numbers[np.isfinite(numbers[:, 1])].T
                if looks[name].leads:
                    panels.curve(ax, k, scales.raised(best, floor), **looks[name].line)
                else:
                    others.append(np.array([k, scales.raised(best, floor)]))
            panels.in_background(ax, others)
            scales.set_log(ax, "y", scales.limits(scales.raised(panel.rows["precision"], floor)))
        figure.supxlabel("executions k, each with the whole budget", fontsize=7.5)
        figure.supylabel(scales.with_zero(label, floor), fontsize=7.5)
        panels.legend(figure, looks)
    return figure


def _within(bounds: tuple[float, float]) -> list[int]:
    return [tick for tick in TICKS if bounds[0] <= tick <= bounds[1]]
