"""Results at the end of runs: best of several, sorted solutions, and two objectives."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, ScalarFormatter

from timefair.exhibits.charts import maps, panels, style
from timefair.exhibits.charts.curves import geometric_means
from timefair.exhibits.charts.pages import COLUMNS, Page
from timefair.exhibits.charts.panels import NothingToDraw

EXECUTIONS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def best_of(frame: pd.DataFrame, page: Page) -> Figure:
    """Expected best precision over the number of executions, one panel per function.

    A line ends where there are fewer runs than executions, and begins where every execution has a
    result. Each panel has its own scale of y.
    """
    every = frame[frame["measure"] == "mean"]
    label = "expected best precision of k"
    once = every[every["k"] == every["k"].min()]
    looks = panels.looks(once, value="precision", within=["suite", "dimension", "function"])
    shown = page.rows(every)
    if page.overview:
        shown = geometric_means(shown, "k", "precision")
        label = f"{label}; geometric mean over the functions"
    with style.applied():
        figure, grid = panels.grid(shown, share_y=False)
        floor = panels.zero_floor(shown["precision"])
        known = shown[np.isfinite(shown["precision"])]
        executions = panels.limits((shown if known.empty else known)["k"], margin=0.05)
        shared = grid[0].axes
        panels.set_log(shared, "x", executions)
        ticks = [tick for tick in EXECUTIONS if executions[0] <= tick <= executions[1]]
        shared.xaxis.set_major_locator(FixedLocator(ticks))
        shared.xaxis.set_major_formatter(ScalarFormatter())
        for panel in grid:
            ax, others = panel.axes, []
            for name, numbers in panels.numbers_by_algorithm(panel.rows, ["k", "precision"]):
                k, best = numbers[np.isfinite(numbers[:, 1])].T
                if looks[name].leads:
                    panels.curve(ax, k, panels.raised(best, floor), **looks[name].line)
                else:
                    others.append(np.array([k, panels.raised(best, floor)]))
            panels.in_background(ax, others)
            panels.set_log(ax, "y", panels.limits(panels.raised(panel.rows["precision"], floor)))
        panels.label(
            figure, "executions k, each with the whole budget", panels.with_zero(label, floor)
        )
        panels.legend(figure, looks)
    return figure


SHARE = 0.5
HEIGHT_IN = 1.9
TICKS = (0.0, 0.5, 1.0)


def attainment(frame: pd.DataFrame, page: Page) -> Figure:
    """A staircase for each algorithm, one panel per function; lower and further left is better.

    An overview is a heat map of the part of the region that the surfaces do not dominate.
    """
    half = frame[frame["share"] == SHARE]
    cell = ["suite", "dimension", "function", "algorithm"]
    cells = half.groupby(cell, observed=True, sort=False).first().reset_index()
    if page.overview:
        what = "part of the region that is not dominated, times the least on the function"
        return maps.times_the_best(cells, "missed", label=what, never="not reached")
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
        panels.label(
            figure, "first objective (0: ideal, 1: nadir)", "second objective (0: ideal, 1: nadir)"
        )
        panels.legend(figure, looks)
    return figure


def _stairs(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The line through the corners of a surface, from the upper edge to the right one."""
    ordered = corners[np.argsort(corners[:, 0], kind="stable")]
    x = np.append(np.repeat(ordered[:, 0], 2), 1.0)
    y = np.concatenate([[1.0], np.repeat(ordered[:, 1], 2)])
    return x, y


MOST = 8
"""Maximal number of disagreements that are drawn: those with the widest gaps."""

PAIR = ["suite", "dimension", "function", "better_by_mean", "better_by_median"]
SORTED_MARGIN_IN = 0.9


def sorted_solutions(frame: pd.DataFrame) -> Figure:
    """Draw the sorted best precisions of the runs, one panel per disagreement of mean and median.

    The horizontal axis is the share of runs that are as good. On each curve, a filled marker is at
    the median and a hollow one at the mean. `inf` is drawn at the top edge. If there are more
    than `MOST` disagreements, the label states their number.

    Raises NothingToDraw if there are no disagreements.
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
        panels.label(figure, label, "best precision at the end of the run")
        panels.legend(figure, looks)
    return figure


def _panel(ax: Axes, pair: pd.DataFrame, looks: dict[str, style.Look]) -> None:
    values = pair[["precision", "mean", "median"]]
    floor = panels.zero_floor(values)
    bottom, top = panels.limits(panels.raised(values, floor), margin=0.06)
    panels.set_log(ax, "y", (bottom, top))
    ax.set_xlim(0, 1.03)
    for name, runs in panels.by_algorithm(pair):
        look = looks[name]
        best = runs.sort_values("order")["precision"].to_numpy()
        share = np.arange(1, best.size + 1) / best.size
        height = np.minimum(panels.raised(best, floor), top)
        ax.plot(share, height, color=look.color, linestyle=look.linestyle)
        mean, median = (
            np.minimum(panels.raised(runs[measure].iloc[0], floor), top)
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
    ax.set_yticks(marks, ["0" if t == floor else panels.power(t) for t in marks])


def _panels(count: int) -> tuple[Figure, list[Axes]]:
    columns = min(count, COLUMNS)
    lines = -(-count // columns)
    width = style.COLUMN_IN if count == 1 else style.WIDTH_IN * max(columns, 3) / COLUMNS
    figure = Figure(
        figsize=(width, panels.PANEL_HEIGHT_IN * lines + SORTED_MARGIN_IN), layout="constrained"
    )
    grid = figure.subplots(lines, columns, sharex=True, squeeze=False).ravel()
    for ax in grid[count:]:
        ax.set_visible(False)
    for ax in grid[count - columns : count]:
        ax.tick_params(labelbottom=True)
    return figure, list(grid[:count])
