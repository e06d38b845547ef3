"""Which algorithm is best over the cost of an evaluation and the budget, as a map."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from numpy.typing import NDArray

from timefair.charts import costs
from timefair.charts.paper import panels, style
from timefair.charts.paper.placement import Placement
from timefair.charts.paper.style import Look

TITLES = {"share": "by the share of targets reached", "rank": "by the average rank"}
PALE = 0.38
"""Share of the full colour in a pale colour; the rest is white."""
HATCH = "//////"
HATCH_GREY = "#BDBDBD"
ZERO_GAP = 2.5
"""Cells between the column of no cost and the others."""
MAP_IN, LEAST_IN, AROUND_IN = 2.5, 0.95, 1.0
DURATIONS = (
    *((1e-6, "1 µs"), (1e-5, "10 µs"), (1e-4, "0.1 ms"), (1e-3, "1 ms"), (1e-2, "10 ms")),
    *((0.1, "0.1 s"), (1.0, "1 s"), (10.0, "10 s"), (60.0, "1 min"), (600.0, "10 min")),
    *((3600.0, "1 h"), (36000.0, "10 h"), (864000.0, "10 d"), (8640000.0, "100 d")),
)
MOST_TICKS = 8


def draw(frame: pd.DataFrame) -> Figure:
    """Draw one row of maps per suite and dimension, with one map per measure.

    A cell in full colour has one leading algorithm; in a pale cell, the lead is shared. In a white
    cell, no algorithm reaches a target. Hatched cells are unknown.

    Parameters
    ----------
    frame : DataFrame
        The table `cost_map`.

    Raises
    ------
    ValueError
        If the table has no rows.
    """
    panels.require_rows(frame)
    best = frame["best"].dropna().astype(str)
    looks = style.largest(frame, "best", best.value_counts().astype(float))
    spaces = list(frame.groupby(["suite", "dimension"], sort=True))
    several = frame["suite"].nunique() > 1
    with style.applied():
        room = (style.HEIGHT_IN - AROUND_IN) / len(spaces)
        height = AROUND_IN + max(min(MAP_IN, room), LEAST_IN) * len(spaces)
        figure = Figure(figsize=(style.WIDTH_IN, min(height, style.HEIGHT_IN)), layout=Placement())
        axes = figure.subplots(len(spaces), len(TITLES), squeeze=False)
        for line, ((suite, dimension), rows) in zip(axes, spaces, strict=True):
            head = f"{suite} D = {dimension}" if several else f"D = {dimension}"
            for ax, (measure, title) in zip(line, TITLES.items(), strict=True):
                _map(ax, rows[rows["measure"] == measure], looks)
                ax.set_title(f"{head}, {title}")
                ax.tick_params(labelleft=ax is line[0])
        seconds = costs.seconds_of(frame)
        unit = "" if seconds == costs.SECONDS["wall"] else f", {seconds}"
        figure.supxlabel(f"evaluation cost{unit}", fontsize=7.5)
        figure.supylabel(f"budget of a run{unit}", fontsize=7.5)
        _legend(figure, looks, set(best), frame)
    return figure


def _map(ax: Axes, rows: pd.DataFrame, looks: dict[str, Look]) -> None:
    cost, across = np.unique(rows["evaluation_cost_s"].to_numpy(), return_inverse=True)
    budget, up = np.unique(rows["budget_s"].to_numpy(), return_inverse=True)
    left = np.concatenate([[-ZERO_GAP - 1.0], np.arange(cost.size - 1.0)])
    ax.set_xlim(left[0], left[-1] + 1)
    ax.set_ylim(0, budget.size)
    ax.grid(visible=False)
    known, sure = rows["known"].to_numpy(dtype=bool), rows["tied"].isna().to_numpy()
    best = rows["best"].astype(object).where(rows["best"].notna(), "").to_numpy()
    corners = left[across], up.astype(np.float64)
    for name, look in looks.items():
        mine = best == name
        _cells(ax, *corners, mine & sure, facecolor=look.color)
        _cells(ax, *corners, mine & ~sure, facecolor=_paled(look.color))
    _cells(ax, *corners, ~known, facecolor="white", edgecolor=HATCH_GREY, hatch=HATCH)
    _ticks(ax, cost, budget)


def _cells(
    ax: Axes,
    left: NDArray[np.float64],
    bottom: NDArray[np.float64],
    where: NDArray[np.bool_],
    **look: Any,
) -> None:
    """Fill some cells, all of them as one path."""
    if not where.any():
        return
    x, y = left[where], bottom[where]
    corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1), (x, y)]
    vertices = np.array([np.column_stack(corner) for corner in corners]).transpose(1, 0, 2)
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    path = Path(vertices.reshape(-1, 2), np.tile(codes, len(x)))
    options = {"edgecolor": look["facecolor"], **look}
    ax.add_artist(PathPatch(path, linewidth=0.0 if "hatch" in look else 0.2, **options))


def _ticks(ax: Axes, cost: NDArray[np.float64], budget: NDArray[np.float64]) -> None:
    """Labels such as 1 ms, in the middle of their cells."""
    wanted = [(-ZERO_GAP - 0.5, "0"), *_durations(cost[1:])]
    ax.set_xticks([place for place, _ in wanted], [text for _, text in wanted])
    found = _durations(budget)
    ax.set_yticks([place for place, _ in found], [text for _, text in found])


def _durations(values: NDArray[np.float64]) -> list[tuple[float, str]]:
    """Round durations, with their places, in the range of values with evenly spaced logarithms."""
    if values.size == 0:
        return []
    logs = np.log10(values)
    step = (logs[-1] - logs[0]) / (values.size - 1) if values.size > 1 else 1.0
    inside = [
        ((np.log10(seconds) - logs[0]) / step + 0.5, text)
        for seconds, text in DURATIONS
        if logs[0] - step / 2 <= np.log10(seconds) <= logs[-1] + step / 2
    ]
    return inside[:: -(-len(inside) // MOST_TICKS) or 1]


def _paled(colour: str) -> tuple[float, float, float]:
    """A colour mixed with white."""
    red, green, blue = (1 - PALE * (1 - part) for part in to_rgb(colour))
    return red, green, blue


def _legend(figure: Figure, looks: dict[str, Look], best: set[str], frame: pd.DataFrame) -> None:
    entries = [(name, look.color) for name, look in looks.items() if look.leads and name in best]
    others = sum(name in best and not look.leads for name, look in looks.items())
    if others:
        entries.append((f"{others} others", style.OTHER.color))
    handles = [Rectangle((0, 0), 1, 1, facecolor=colour, label=name) for name, colour in entries]
    if frame["tied"].notna().any():
        pale = _paled(entries[0][1])
        handles.append(Rectangle((0, 0), 1, 1, facecolor=pale, label="pale: lead shared"))
    if not frame["known"].all():
        hatched = Rectangle((0, 0), 1, 1, facecolor="white", edgecolor=HATCH_GREY, linewidth=0.0)
        hatched.set_hatch(HATCH)
        hatched.set_label("not observed")
        handles.append(hatched)
    if handles:
        panels.legend_of(figure, handles)
