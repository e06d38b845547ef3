"""Expected running time over the cost of an evaluation, and the algorithm with the lowest one."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from timefair.charts import costs, panels, scales, style
from timefair.charts.pages import Page
from timefair.charts.style import Look
from timefair.problems import names

COSTS_S = (1e-7, 1e4)
"""Ends of the axis; at the lower one, evaluations cost almost nothing."""
POINTS = 111
LEAST_TOP, MOST_TOP = 3.0, 300.0
"""Limits of the end of the axis, as multiples of the lowest ERT."""
BAND = 0.09
"""Height of the band of the lowest algorithms, as a share of a panel."""
TICKS = (1, 3, 10, 30, 100)
PROBLEM = ["suite", "dimension", "function"]
LINE_IN, AROUND_IN, PANEL_IN = 0.15, 0.75, 0.35


def cost_lines(frame: pd.DataFrame, page: Page) -> Figure:
    """ERT as a multiple of the lowest one, to the hardest target that was reached.

    The panel of a function on which no target was reached is empty. An overview has a band per
    function in the colour of the lowest algorithm.
    """
    every = _at_hardest(frame)
    looks = _looks(every)
    label = f"evaluation cost in {costs.seconds_of(frame)}"
    shown = page.rows(every)
    panels.require_rows(shown)
    return _overview(shown, looks, label) if page.overview else _panels(shown, looks, label)


def _panels(shown: pd.DataFrame, looks: dict[str, Look], label: str) -> Figure:
    with style.applied():
        figure, grid = panels.grid(shown)
        cost = np.geomspace(*COSTS_S, POINTS)
        ratios = [_ratios(panel.rows, cost) for panel in grid]
        highest = max([1.0, *(ratio.max() for of in ratios for ratio in of.values())])
        top = min(max(1.3 * highest, LEAST_TOP), MOST_TOP)
        least = top ** (-BAND / (1 - BAND))
        first = grid[0].axes
        scales.set_log(first, "x", COSTS_S, ticks=5)
        scales.set_log(first, "y", (least, top))
        ticks = [tick for tick in TICKS if tick < top]
        first.set_yticks(ticks, [str(tick) for tick in ticks])
        first.set_ylim(least, top)
        for panel, of in zip(grid, ratios, strict=True):
            others = [np.array([cost, of[name]]) for name in of if not looks[name].leads]
            for k, (name, ratio) in enumerate(of.items()):
                if looks[name].leads:
                    marks = style.marks(ratio < top, k, len(of), count=4)
                    panels.curve(
                        panel.axes, cost, ratio, **{**looks[name].line, "markevery": marks}
                    )
            panels.in_background(panel.axes, others)
            _band(panel.axes, panel.rows, looks, bottom=0.0, height=BAND)
        panels.label(figure, label, "ERT as a multiple of the lowest")
        panels.legend(figure, looks)
    return figure


def _ratios(rows: pd.DataFrame, cost: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """The ERT of each algorithm that reached the target, as a multiple of the lowest one."""
    lines = panels.numbers_by_algorithm(rows, ["ert_s", "ert_rounds"])
    erts = {
        name: values[0, 0] + cost * values[0, 1]
        for name, values in lines
        if np.isfinite(values[0]).all()
    }
    lowest = np.min([np.full(cost.shape, np.inf), *erts.values()], axis=0)
    return {name: ert / lowest for name, ert in erts.items()}


def _overview(shown: pd.DataFrame, looks: dict[str, Look], label: str) -> Figure:
    """One line per function, its bands one above the other."""
    spaces = list(shown.groupby(["suite", "dimension"], sort=True))
    several = shown["suite"].nunique() > 1
    most = max(rows["function"].nunique() for _, rows in spaces)
    with style.applied():
        line_in = min(LINE_IN, (style.HEIGHT_IN - AROUND_IN - PANEL_IN) / most)
        height = AROUND_IN + PANEL_IN + line_in * most
        figure = Figure(figsize=(style.WIDTH_IN, height), layout="constrained")
        axes = figure.subplots(1, len(spaces), squeeze=False)[0]
        for ax, ((suite, dimension), rows) in zip(axes, spaces, strict=True):
            functions = sorted(rows["function"].unique())
            scales.set_log(ax, "x", COSTS_S, ticks=5)
            ax.set_ylim(len(functions), 0)
            ax.grid(visible=False)
            ax.tick_params(axis="y", length=0)
            for k, function in enumerate(functions):
                mine = rows[rows["function"] == function]
                bottom = 1 - (k + 0.95) / len(functions)
                _band(ax, mine, looks, bottom=bottom, height=0.9 / len(functions))
            given = shown.attrs.get(names.GIVEN)
            titles = [names.title(str(suite), f, given) for f in functions]
            called = titles if ax is axes[0] else []
            ticks = np.arange(len(called)) + 0.5
            ax.set_yticks(ticks, called, fontsize=min(6.5, 0.88 * 72 * line_in))
            ax.set_title(f"{suite} D = {dimension}" if several else f"D = {dimension}")
        panels.label(figure, label)
        lowest = set(shown.loc[_decades(shown) > 0, "algorithm"].astype(str))
        named = {name: look for name, look in looks.items() if name in lowest}
        panels.legend(figure, named or looks, lines=False)
    return figure


def _band(
    ax: Axes, rows: pd.DataFrame, looks: dict[str, Look], *, bottom: float, height: float
) -> None:
    """A bar in the colour of the lowest algorithm at each cost."""
    columns = ["lowest_from_s", "lowest_to_s"]
    for name, values in panels.numbers_by_algorithm(rows, columns):
        start, end = np.clip(values[0], *COSTS_S)
        if end > start:
            bar = Rectangle(
                (start, bottom), end - start, height, facecolor=looks[name].color, linewidth=0
            )
            bar.set_transform(ax.get_xaxis_transform())
            ax.add_artist(bar)


def _at_hardest(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of the hardest target that any algorithm reached on each function.

    If none was reached, those of the easiest target.
    """
    reached = frame[np.isfinite(frame["ert_s"])]
    wanted = frame.groupby(PROBLEM)["target"].max()
    wanted.update(reached.groupby(PROBLEM)["target"].min())
    at = wanted.reindex(pd.MultiIndex.from_frame(frame[PROBLEM])).to_numpy()
    rows: pd.DataFrame = frame[frame["target"].to_numpy() == at]
    return rows


def _looks(every: pd.DataFrame) -> dict[str, Look]:
    """If there are many algorithms, those that are the lowest over most decades of costs lead."""
    decades = pd.Series(_decades(every))
    of = decades.groupby(every["algorithm"].astype(str).to_numpy()).sum()
    return style.largest(every, "algorithm", of)


def _decades(rows: pd.DataFrame) -> NDArray[np.float64]:
    """Decades of costs over which each row has the lowest ERT."""
    span = np.log10(np.clip(rows[["lowest_from_s", "lowest_to_s"]], *COSTS_S))
    decades = (span["lowest_to_s"] - span["lowest_from_s"]).to_numpy(dtype=np.float64)
    return np.asarray(np.nan_to_num(decades))
