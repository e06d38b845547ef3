"""Sorted solutions of pairs that mean and median order differently, from `sorted_solutions`."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from timefair.charts.pages import COLUMNS
from timefair.charts.paper import panels, scales, style
from timefair.charts.paper.notes import NothingToDraw
from timefair.charts.paper.placement import Placement

MOST = 8
"""Maximal number of disagreements that are drawn: those with the widest gaps."""

PAIR = ["suite", "dimension", "function", "better_by_mean", "better_by_median"]
MARGIN_IN = 0.9


def draw(frame: pd.DataFrame) -> Figure:
    """Draw the sorted best precisions of the runs, one panel per disagreement of mean and median.

    The horizontal axis is the share of runs that are as good. On each curve, a filled marker is at
    the median and a hollow one at the mean. `inf` is drawn at the top edge. If there are more
    than `MOST` disagreements, the label states their number.

    Parameters
    ----------
    frame : DataFrame
        The table `sorted_solutions`.

    Raises
    ------
    NothingToDraw
        If there are no disagreements.
    """
    if frame.empty:
        raise NothingToDraw("mean and median order all pairs of algorithms alike")
    with style.applied():
        gaps = frame.groupby(PAIR, sort=True)["gap_decades"].first()
        widest = gaps.sort_values(ascending=False, kind="stable").index[:MOST]
        shown = frame[frame.set_index(PAIR).index.isin(widest)]
        pairs = [pair for _, pair in shown.groupby(PAIR, sort=True)]
        looks = style.looks_in(shown)
        several = frame["suite"].nunique() > 1
        figure, axes = _panels(len(pairs))
        for ax, pair in zip(axes, pairs, strict=True):
            first = pair.iloc[0]
            head = f"{first['suite']} " if several else ""
            ax.set_title(f"{head}f{first['function']}, D = {first['dimension']}")
            _panel(ax, pair, looks)
        label = "share of runs, sorted from best to worst\nfilled marker: median, hollow: mean"
        if len(gaps) > MOST:
            label += f"; the {MOST} widest of {len(gaps)} disagreements"
        figure.supxlabel(label, fontsize=7.5)
        figure.supylabel("best precision at the end of the run", fontsize=7.5)
        panels.legend(figure, looks)
    return figure


def _panel(ax: Axes, pair: pd.DataFrame, looks: dict[str, style.Look]) -> None:
    values = pair[["precision", "mean", "median"]]
    floor = scales.zero_floor(values)
    bottom, top = scales.limits(scales.raised(values, floor), margin=0.06)
    scales.set_log(ax, "y", (bottom, top))
    ax.set_xlim(0, 1.03)
    for name, runs in panels.by_algorithm(pair):
        look = looks[name]
        best = runs.sort_values("order")["precision"].to_numpy()
        share = np.arange(1, best.size + 1) / best.size
        height = np.minimum(scales.raised(best, floor), top)
        ax.plot(share, height, color=look.color, linestyle=look.linestyle)
        mean, median = (
            np.minimum(scales.raised(runs[measure].iloc[0], floor), top)
            for measure in ("mean", "median")
        )
        passes_mean = np.interp(np.log(mean), np.log(height), share)
        half = np.ceil(best.size / 2) / best.size
        for x, y, face in ((passes_mean, mean, "white"), (half, median, look.color)):
            ax.plot(
                x,
                y,
                look.marker,
                color=look.color,
                markerfacecolor=face,
                markersize=5.0,
                clip_on=False,
                zorder=3,
            )
    marks = [t for t in ax.get_yticks() if bottom <= t <= top and (floor is None or t > 3 * floor)]
    if floor is not None:
        marks.insert(0, floor)
    ax.set_yticks(marks, ["0" if t == floor else scales.power(t) for t in marks])


def _panels(count: int) -> tuple[Figure, list[Axes]]:
    columns = min(count, COLUMNS)
    lines = -(-count // columns)
    width = style.COLUMN_IN if count == 1 else style.WIDTH_IN * max(columns, 3) / COLUMNS
    figure = Figure(figsize=(width, panels.PANEL_HEIGHT_IN * lines + MARGIN_IN), layout=Placement())
    grid = figure.subplots(lines, columns, sharex=True, squeeze=False).ravel()
    for ax in grid[count:]:
        ax.set_visible(False)
    for ax in grid[count - columns : count]:
        ax.tick_params(labelbottom=True)
    return figure, list(grid[:count])
