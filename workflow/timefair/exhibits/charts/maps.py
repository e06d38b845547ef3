"""Maps: values of algorithms on functions, and the best over evaluation cost and budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from numpy.typing import NDArray

from timefair.exhibits.charts import panels, style
from timefair.exhibits.charts.chart import SECONDS, counted_in
from timefair.exhibits.charts.style import Look

COLOURS = ("#08306b", "#2f79b5", "#6fb0d7", "#a8cee4", "#fdd9a0", "#f4a261")
"""Colours of the levels, the best first."""
Levels = tuple[tuple[float, str], ...]
COSTS: Levels = (
    *((1.0, "best"), (2.0, "≤ 2 times"), (5.0, "≤ 5"), (10.0, "≤ 10"), (100.0, "≤ 100")),
    (np.inf, "more"),
)
"""Upper limits of the levels of a ratio of costs, with their labels in the legend."""
PRECISIONS: Levels = (
    *((1.0, "best"), (2.0, "≤ 2 times"), (10.0, "≤ 10"), (1e3, "≤ 10³"), (1e6, "≤ 10⁶")),
    (np.inf, "more"),
)
"""The same for a ratio of precisions."""
NEVER = "#DDDDDD"  # the colour of a ratio that is infinite
CLOSE = 1 + 1e-9
SOLVED = 1e-8  # lower bound of precisions in a ratio, and in a mean, which a 0 would make 0

LINES_AROUND_IN = 0.75
LETTER_IN = 0.6 * 6.5 / 72  # width of a letter of the usual size of names
NAME_IN = 0.14  # least width of a column with the name of the function, and not only its number


def times_the_best(
    frame: pd.DataFrame, value: str, *, label: str, never: str, levels: Levels = COSTS
) -> Figure:
    """One line per algorithm, those with the best average rank on top; one column per function.

    - `value`: The column that is compared with the best on the function; smaller is better. `inf`
      is worse than any number, and NaN leaves the cell empty.
    - `label`, `never`: Name of the values of which ratios are shown, and words for `inf`.
    """
    panels.require_rows(frame)
    problem = ["suite", "dimension", "function"]
    frame = frame.sort_values("function", kind="stable")
    frame = frame.assign(algorithm=frame["algorithm"].astype(str))
    values = frame[value].to_numpy(dtype=np.float64)
    least = frame.groupby(problem)[value].transform("min").to_numpy(dtype=np.float64)
    with np.errstate(all="ignore"):
        frame["ratio"] = np.where(values == least, 1.0, values / least)
    frame.loc[np.isinf(values), "ratio"] = np.inf
    lines = panels.leaders(frame, value="ratio", within=problem)
    spaces = panels.spaces(frame)
    called = [
        [panels.called(frame, suite, function) for function in rows["function"].unique()]
        for suite, _, rows in spaces
    ]
    columns = sum(map(len, called))
    letters_in = LETTER_IN * max(map(len, lines))
    column_in = (style.WIDTH_IN - letters_in - 0.2) / columns
    if column_in < NAME_IN:
        called = [
            [name.split()[0] if name[1:2].isdigit() else name for name in of] for of in called
        ]
    small = panels.size_in(column_in)
    longest = max(len(name) for of in called for name in of)
    around = LINES_AROUND_IN + LETTER_IN * small / 6.5 * longest
    line_in, size = panels.line_of(len(lines), around)
    height, widths = around + line_in * len(lines), list(map(len, called))
    figure, axes = panels.figure_of(height, 1, len(spaces), width_ratios=widths)
    for ax, (_, title, rows), names in zip(axes[0], spaces, called, strict=True):
        table = rows.pivot_table(
            index="algorithm", columns="function", values="ratio", aggfunc="first",
            dropna=False, sort=False,
        ).reindex(lines)  # fmt: skip
        _level_cells(ax, table.to_numpy(dtype=np.float64), [most for most, _ in levels])
        ax.set_title(title)
        ax.set_yticks(range(len(lines)), lines if ax is axes[0, 0] else [], fontsize=size)
        ax.set_xticks(range(len(names)), names, fontsize=small, rotation=90)
    panels.label(figure, label)
    words = [*(label for _, label in levels), never]
    _legend(figure, zip(words, (*COLOURS, NEVER), strict=True))
    return figure


def _legend(figure: Figure, entries: Iterable[tuple[str, str]]) -> None:
    squares = [Rectangle((0, 0), 1, 1, facecolor=colour, label=of) for of, colour in entries]
    panels.legend_of(figure, squares)


def of_precisions(frame: pd.DataFrame, what: str) -> Figure:
    """A map of the column ``precision``, of which none counts as less than 1e-8."""
    floored = frame.assign(precision=frame["precision"].clip(lower=SOLVED))
    never = "no finite value"
    return times_the_best(floored, "precision", label=what, never=never, levels=PRECISIONS)


def _level_cells(ax: Axes, values: NDArray[np.float64], limits: Sequence[float]) -> None:
    """Fill the cells, with one path per colour."""
    height, width = values.shape
    ax.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5))
    ax.grid(visible=False)
    ax.tick_params(length=0)
    level = np.searchsorted(np.array(limits[:-1]) * CLOSE, values)
    level[np.isinf(values)] = len(COLOURS)
    for k, colour in enumerate((*COLOURS, NEVER)):
        cells = np.argwhere((level == k) & ~np.isnan(values))[:, ::-1]
        _cells(ax, cells - 0.5, np.ones(len(cells)), colour, edgecolor="white", linewidth=0.3)


TITLES = {"share": "by the share of targets reached", "rank": "by the average rank"}
PALE = 0.38  # share of the full colour in a pale colour; the rest is white
UNKNOWN = "#EDEDED"  # colour of a cell that is not known
ZERO_GAP = 1.5  # cells between the column of no cost and the others
SQUARE = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)], dtype=np.float64)
MAP_IN, MAPS_AROUND_IN = 2.5, 1.0
DURATIONS = (
    *((1e-6, "1 µs"), (1e-5, "10 µs"), (1e-4, "0.1 ms"), (1e-3, "1 ms"), (1e-2, "10 ms")),
    *((0.1, "0.1 s"), (1.0, "1 s"), (10.0, "10 s"), (60.0, "1 min"), (600.0, "10 min")),
    *((3600.0, "1 h"), (36000.0, "10 h"), (864000.0, "10 d"), (8640000.0, "100 d")),
)
MOST_TICKS = 8


def cost_map(frame: pd.DataFrame) -> Figure:
    """Draw one row of maps per suite and dimension, with one map per measure; budgets of which all
    cells are unknown are left out."""
    panels.require_rows(frame)
    best = frame["best"].dropna().astype(str)
    areas = best.value_counts().sort_index().sort_values(ascending=False, kind="stable")
    looks = style.looks_in(frame, "best", [*areas.index])
    spaces = panels.spaces(frame)
    shown = frame[frame["known"]] if frame["known"].any() else frame
    most = shown["budget_s"].max()
    height = min(MAPS_AROUND_IN + MAP_IN * len(spaces), style.HEIGHT_IN)
    figure, axes = panels.figure_of(height, len(spaces), len(TITLES))
    for line, (_, space, rows) in zip(axes, spaces, strict=True):
        for ax, (measure, title) in zip(line, TITLES.items(), strict=True):
            _map(ax, rows[(rows["measure"] == measure) & (rows["budget_s"] <= most)], looks)
            ax.set_title(f"{space}, {title}")
            ax.tick_params(labelleft=ax is line[0])
    seconds = counted_in(frame, "seconds")
    unit = "" if seconds == SECONDS["wall"] else f", {seconds}"
    pale = "; pale: lead shared" if frame["tied"].notna().any() else ""
    label = f"evaluation cost{unit}{pale}; white: no target reached"
    panels.label(figure, label, f"budget of a run{unit}")
    entries = [(name, look.color) for name, look in looks.items() if look.leads]
    if others := len(looks) - len(entries):
        entries.append((f"{others} others", style.OTHER.color))
    if not frame["known"].all():
        entries.append(("not observed", UNKNOWN))
    if entries:
        _legend(figure, entries)
    return figure


def _map(ax: Axes, rows: pd.DataFrame, looks: dict[str, Look]) -> None:
    cost, across = np.unique(rows["evaluation_cost_s"].to_numpy(), return_inverse=True)
    budget, up = np.unique(rows["budget_s"].to_numpy(), return_inverse=True)
    left = np.concatenate([[-ZERO_GAP - 1.0], np.arange(cost.size - 1.0)])
    ax.set_xlim(left[0], left[-1] + 1)
    ax.set_ylim(0, budget.size)
    ax.grid(visible=False)
    full = rows["best"].astype(object).map({name: look.color for name, look in looks.items()})
    full = full.fillna("white")
    pale = full.map(lambda colour: to_hex(tuple(1 - PALE * (1 - np.array(to_rgb(colour))))))
    colours = np.empty((budget.size, cost.size), dtype=object)
    colours[up, across] = pale.where(rows["tied"].notna(), full).where(rows["known"], UNKNOWN)
    # Cells of one colour, one above the other, are one rectangle; the picture has to be small.
    begin = np.vstack([np.full((1, cost.size), True), colours[1:] != colours[:-1]])
    column, row = begin.T.nonzero()
    ends = np.append(row[1:], 0)
    high = np.where(ends > row, ends, budget.size) - row
    for colour in sorted(set(colours[row, column]) - {"white"}):
        one = colours[row, column] == colour
        _cells(ax, np.column_stack([left[column], row])[one], high[one], colour)
    of_costs, of_budgets = {-ZERO_GAP - 0.5: "0"} | _durations(cost[1:]), _durations(budget)
    ax.set_xticks([*of_costs], [*of_costs.values()])
    ax.set_yticks([*of_budgets], [*of_budgets.values()])


def _cells(ax: Axes, corners: NDArray[Any], high: NDArray[Any], colour: str, **edge: Any) -> None:
    """Fill cells of width 1 with their lower left corners and heights, as one path."""
    if not len(corners):
        return
    shapes = SQUARE * np.column_stack([np.ones(high.size), high])[:, np.newaxis]
    vertices = (corners[:, np.newaxis] + shapes).reshape(-1, 2)
    codes = [Path.MOVETO, *[Path.LINETO] * (len(SQUARE) - 2), Path.CLOSEPOLY]
    look = {"facecolor": colour, "edgecolor": colour, "linewidth": 0.2} | edge
    ax.add_artist(PathPatch(Path(vertices, np.tile(codes, len(corners))), **look))


def _durations(values: NDArray[np.float64]) -> dict[float, str]:
    """Round durations by their places, in the range of values with evenly spaced logarithms."""
    if values.size == 0:
        return {}
    logs = np.log10(values)
    step = (logs[-1] - logs[0]) / (values.size - 1) if values.size > 1 else 1.0
    inside = [
        ((np.log10(seconds) - logs[0]) / step + 0.5, text)
        for seconds, text in DURATIONS
        if logs[0] - step / 2 <= np.log10(seconds) <= logs[-1] + step / 2
    ]
    return dict(inside[:: -(-len(inside) // MOST_TICKS) or 1])
