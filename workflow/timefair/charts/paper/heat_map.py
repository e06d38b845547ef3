"""A map of the values of algorithms on each function, as multiples of the best value."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path
from numpy.typing import NDArray

from timefair.charts.paper import panels, style
from timefair.charts.paper.placement import Placement

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
NEVER = "#DDDDDD"
"""The colour of a ratio that is infinite."""
CLOSE = 1 + 1e-9

LINE_IN = 0.15
AROUND_IN = 0.75
LETTER_IN = 0.6 * 6.5 / 72
"""Width of a letter of the usual size of names."""
NAME_IN = 0.14
"""Least width of a column with the name of the function, and not only its number."""
POINTS_PER_LINE = 0.88
"""Size of text as a share of the height of its line."""


def draw(
    frame: pd.DataFrame, value: str, *, label: str, never: str, levels: Levels = COSTS
) -> Figure:
    """One line per algorithm, those with the best average rank on top; one column per function.

    Parameters
    ----------
    frame : DataFrame
        With the columns ``suite``, ``dimension``, ``function``, ``algorithm`` and `value`, for
        which smaller is better; one row per cell.
    value : str
        The column that is compared with the best on the function. `inf` is worse than any number,
        and NaN leaves the cell empty.
    label : str
        Name of the values of which ratios are shown.
    never : str
        Label of infinite values.
    levels
        Levels of ratios that share a colour.

    Raises
    ------
    ValueError
        If the frame has no rows.
    """
    panels.require_rows(frame)
    problem = ["suite", "dimension", "function"]
    frame = frame.sort_values("function", kind="stable")
    frame = frame.assign(algorithm=frame["algorithm"].astype(str))
    frame["ratio"] = _ratios(frame[value], frame.groupby(problem)[value].transform("min"))
    ranks = frame.groupby(problem)["ratio"].rank(na_option="bottom")
    lines = ranks.groupby(frame["algorithm"]).mean().sort_values(kind="stable").index
    entries = [(words, colour) for (_, words), colour in zip(levels, COLOURS, strict=True)]
    return mapped(
        frame, "ratio", list(lines), [most for most, _ in levels], [*entries, (never, NEVER)], label
    )


def mapped(
    frame: pd.DataFrame,
    value: str,
    lines: list[str],
    limits: Sequence[float],
    entries: Sequence[tuple[str, str]],
    label: str,
) -> Figure:
    """One line per algorithm and one column per function, in the colours of levels of a value.

    Parameters
    ----------
    frame
        With the columns ``suite``, ``dimension``, ``function``, ``algorithm`` and `value`; NaN
        leaves the cell empty. The order of the functions is that of their first rows.
    value
        The column that is shown.
    lines
        The algorithms from top to bottom.
    limits
        The largest value of each level, rising.
    entries
        Words for the legend and colour of each level, and of infinite values if there is one more.
    label
        Meaning of the values.
    """
    spaces = list(frame.groupby(["suite", "dimension"], sort=True))
    several = frame["suite"].nunique() > 1
    called = [
        [panels.called(frame, suite, function) for function in rows["function"].unique()]
        for (suite, _), rows in spaces
    ]
    columns = sum(map(len, called))
    with style.applied():
        letters_in = LETTER_IN * max(map(len, lines))
        column_in = (style.WIDTH_IN - letters_in - 0.2) / columns
        if column_in < NAME_IN:
            called = [
                [name.split()[0] if name[1:2].isdigit() else name for name in of] for of in called
            ]
        small = min(6.5, POINTS_PER_LINE * 72 * column_in)
        longest = max(len(name) for of in called for name in of)
        around = AROUND_IN + LETTER_IN * small / 6.5 * longest
        line_in = min(LINE_IN, (style.HEIGHT_IN - around) / len(lines))
        size = min(6.5, POINTS_PER_LINE * 72 * line_in)
        figure = Figure(figsize=(style.WIDTH_IN, around + line_in * len(lines)), layout=Placement())
        axes = figure.subplots(1, len(spaces), squeeze=False, width_ratios=list(map(len, called)))
        for ax, ((suite, dimension), rows), names in zip(axes[0], spaces, called, strict=True):
            table = rows.pivot_table(
                index="algorithm", columns="function", values=value, aggfunc="first",
                dropna=False, sort=False,
            ).reindex(lines)  # fmt: skip
            _cells(ax, table.to_numpy(dtype=np.float64), limits, [colour for _, colour in entries])
            head = f"{suite} " if several else ""
            ax.set_title(f"{head}D = {dimension}")
            ax.set_yticks(range(len(lines)), lines if ax is axes[0, 0] else [], fontsize=size)
            ax.set_xticks(range(len(names)), names, fontsize=small, rotation=90)
        figure.supxlabel(label, fontsize=7.5)
        _legend(figure, entries)
    return figure


def _ratios(values: pd.Series, best: pd.Series) -> NDArray[np.float64]:
    """Values as multiples of the best; `inf` if none is finite."""
    value, least = values.to_numpy(dtype=np.float64), best.to_numpy(dtype=np.float64)
    ratio = np.ones_like(value)
    np.divide(value, least, out=ratio, where=value != least)
    return np.where(np.isinf(value), np.inf, np.where(np.isnan(value), np.nan, ratio))


def _cells(
    ax: Axes, values: NDArray[np.float64], limits: Sequence[float], colours: Sequence[str]
) -> None:
    """Fill the cells, with one path per colour; the last colour is for infinite values."""
    height, width = values.shape
    ax.set_xlim(-0.5, width - 0.5)
    ax.set_ylim(height - 0.5, -0.5)
    ax.grid(visible=False)
    ax.tick_params(length=0)
    least = -np.inf
    for most, colour in zip(limits, colours, strict=False):
        _fill(ax, (values > least * CLOSE) & (values <= most * CLOSE) & np.isfinite(values), colour)
        least = most
    _fill(ax, np.isinf(values), colours[-1])


def _fill(ax: Axes, where: NDArray[np.bool_], colour: str) -> None:
    """Draw the chosen cells, with a white edge around each."""
    places = np.argwhere(where)[:, ::-1]
    if not len(places):
        return
    square = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)])
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    vertices = (places[:, np.newaxis] + square).reshape(-1, 2)
    path = Path(vertices, np.tile(codes, len(places)))
    ax.add_artist(PathPatch(path, facecolor=colour, edgecolor="white", linewidth=0.3))


def _legend(figure: Figure, entries: Sequence[tuple[str, str]]) -> None:
    figure.legend(
        handles=[Rectangle((0, 0), 1, 1, color=colour, label=words) for words, colour in entries],
        loc="outside upper center",
        ncols=len(entries),
        handlelength=1.2,
    )
