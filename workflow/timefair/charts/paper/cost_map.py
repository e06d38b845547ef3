"""Which algorithm is best over the cost of an evaluation and the budget, as a map."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
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
UNKNOWN = "#EDEDED"
"""Colour of a cell that is not known."""
ZERO_GAP = 1.5
"""Cells between the column of no cost and the others."""
SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)], dtype=np.float64)
DIAMOND = np.array([(0, 0.5), (0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)])
"""Corners of a cell, and of the shape that joins two cells at a corner."""
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
    cell, no algorithm reaches a target. Grey cells are unknown; budgets of which all cells are
    unknown are left out.

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
    shown = frame[frame["known"]] if frame["known"].any() else frame
    most = shown["budget_s"].max()
    several = frame["suite"].nunique() > 1
    with style.applied():
        room = (style.HEIGHT_IN - AROUND_IN) / len(spaces)
        height = AROUND_IN + max(min(MAP_IN, room), LEAST_IN) * len(spaces)
        figure = Figure(figsize=(style.WIDTH_IN, min(height, style.HEIGHT_IN)), layout=Placement())
        axes = figure.subplots(len(spaces), len(TITLES), squeeze=False)
        for line, ((suite, dimension), rows) in zip(axes, spaces, strict=True):
            head = f"{suite} D = {dimension}" if several else f"D = {dimension}"
            for ax, (measure, title) in zip(line, TITLES.items(), strict=True):
                _map(ax, rows[(rows["measure"] == measure) & (rows["budget_s"] <= most)], looks)
                ax.set_title(f"{head}, {title}")
                ax.tick_params(labelleft=ax is line[0])
        seconds = costs.seconds_of(frame)
        unit = "" if seconds == costs.SECONDS["wall"] else f", {seconds}"
        pale = "; pale: lead shared" if frame["tied"].notna().any() else ""
        label = f"evaluation cost{unit}{pale}; white: no target reached"
        figure.supxlabel(label, fontsize=7.5)
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
    colour_of = {name: look.color for name, look in looks.items()}
    shown = [colour_of.get(name, "white") for name in rows["best"]]
    full = pd.Series(shown, rows.index, dtype=object)
    pale = full.map(_paled).where(rows["tied"].notna(), full)
    colours = np.empty((budget.size, cost.size), dtype=object)
    colours[up, across] = pale.where(rows["known"], UNKNOWN)
    # Cells of one colour that touch at a corner, along the diagonal, are joined there.
    joined = (colours[:-1, 1:-1] == colours[1:, 2:]).nonzero()
    for centres, shape, of in (
        ((up, left[across]), SQUARE, colours[up, across]),
        ((joined[0] + 0.5, joined[1] + 0.5), DIAMOND, colours[1:, 2:][joined]),
    ):
        for colour in sorted(set(of) - {"white"} if shape is SQUARE else set(of)):
            _cells(ax, np.column_stack(centres)[of == colour, ::-1], shape, colour)
    _ticks(ax, cost, budget)


def _cells(ax: Axes, corners: NDArray[np.float64], shape: NDArray[np.float64], colour: str) -> None:
    """Fill cells of one shape, all of them as one path."""
    vertices = (corners[:, np.newaxis] + shape).reshape(-1, 2)
    codes = [Path.MOVETO, *[Path.LINETO] * (len(shape) - 2), Path.CLOSEPOLY]
    path = Path(vertices, np.tile(codes, len(corners)))
    ax.add_artist(PathPatch(path, facecolor=colour, edgecolor=colour, linewidth=0.2))


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


def _paled(colour: str) -> str:
    """A colour mixed with white."""
    red, green, blue = (1 - PALE * (1 - part) for part in to_rgb(colour))
    return to_hex((red, green, blue))


def _legend(figure: Figure, looks: dict[str, Look], best: set[str], frame: pd.DataFrame) -> None:
    entries = [(name, look.color) for name, look in looks.items() if look.leads and name in best]
    others = sum(name in best and not look.leads for name, look in looks.items())
    if others:
        entries.append((f"{others} others", style.OTHER.color))
    handles = [Rectangle((0, 0), 1, 1, facecolor=colour, label=name) for name, colour in entries]
    if not frame["known"].all():
        handles.append(Rectangle((0, 0), 1, 1, facecolor=UNKNOWN, label="not observed"))
    if handles:
        panels.legend_of(figure, handles)
