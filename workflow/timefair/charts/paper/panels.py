"""Small multiples: a panel for each (suite, dimension, function), one legend for all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from timefair.charts.paper.style import COLUMN_IN, WIDTH_IN, Look

COLUMNS = 4
PANEL_HEIGHT_IN = 1.5
MARGIN_IN = 0.75
LETTERS_PER_IN = 14.0
HANDLE_LETTERS = 8


@dataclass(frozen=True)
class Panel:
    """One set of axes, and the rows of the frame that belong into it."""

    axes: Axes
    rows: pd.DataFrame
    title: str


def grid(
    frame: pd.DataFrame,
    *,
    functions: bool = True,
    share_y: bool = True,
    height_in: float = PANEL_HEIGHT_IN,
) -> tuple[Figure, list[Panel]]:
    """Lay out the panels of a frame, each dimension on lines of its own.

    Parameters
    ----------
    frame : DataFrame
        With the columns ``suite``, ``dimension`` and, for a panel a function, ``function``; the
        last two each a number or ``all``.
    functions : bool
        A panel a function, or one for a whole dimension.
    share_y : bool
        Whether all panels have one scale of y; x is always shared. What is shared is set on one
        panel, for all: on each of them it would cost the square of their number.
    height_in : float
        Of a line of panels.

    Raises
    ------
    ValueError
        If the frame has no rows.
    """
    if frame.empty:
        raise ValueError("nothing to draw: the table has no rows")
    several = frame["suite"].nunique() > 1
    lines: list[list[tuple[str, pd.DataFrame]]] = []
    groups = sorted(frame.groupby(["suite", "dimension"]), key=_place)
    for (suite, dimension), part in groups:
        head = f"{suite} " if several else ""
        space = "all dimensions" if str(dimension) == "all" else f"D = {dimension}"
        cells: list[tuple[str, pd.DataFrame]] = []
        if functions:
            for function in sorted(part["function"].unique(), key=_position):
                name = "all functions" if str(function) == "all" else f"f{function}"
                rows = part[part["function"] == function]
                cells.append((f"{head}{name}, {space}", rows))
            lines += [cells[i : i + COLUMNS] for i in range(0, len(cells), COLUMNS)]
        else:
            cells.append((f"{head}{space}", part))
            if lines and len(lines[-1]) < COLUMNS:
                lines[-1] += cells
            else:
                lines.append(cells)
    columns = max(len(line) for line in lines)
    width = COLUMN_IN if columns == 1 else WIDTH_IN * max(columns, 3) / COLUMNS
    height = height_in * len(lines) + MARGIN_IN + (0.6 if columns == 1 else 0.0)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(len(lines), columns, sharex=True, sharey=share_y, squeeze=False)
    panels = []
    for row, line in enumerate(lines):
        for column in range(columns):
            ax = axes[row, column]
            if column >= len(line):
                ax.set_visible(False)
                continue
            title, rows = line[column]
            ax.set_title(title)
            below_is_empty = row + 1 == len(lines) or column >= len(lines[row + 1])
            ax.tick_params(labelbottom=below_is_empty, labelleft=column == 0 or not share_y)
            panels.append(Panel(ax, rows, title))
    return figure, panels


def of_unit(frame: pd.DataFrame, unit: str) -> pd.DataFrame:
    """The rows of one unit."""
    return present(frame[frame["unit"] == unit])


def present(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame without categories of ``algorithm`` that it does not hold.

    Those are published data, which are last: what stays keeps its look.
    """
    column = frame["algorithm"]
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return frame
    return frame.assign(algorithm=column.cat.remove_unused_categories())


def without_sole(frame: pd.DataFrame, key: str) -> pd.DataFrame:
    """The frame without the rows of ``all`` if there is but one of what they stand for.

    Examples
    --------
    >>> len(without_sole(pd.DataFrame({"function": ["1", "all"]}), "function"))
    1
    """
    return frame[frame[key] != "all"] if frame[key].nunique() == 2 else frame


def by_algorithm(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each algorithm, by the alphabet."""
    for name, part in rows.groupby(rows["algorithm"].astype(str), sort=True):
        yield str(name), part


def legend(figure: Figure, looks: dict[str, Look], *, lines: bool = True) -> None:
    """One legend above all panels."""
    handles = [
        Line2D([], [], **(look.line if lines else {**look.line, "linestyle": ""}), label=name)
        for name, look in looks.items()
    ]
    room = LETTERS_PER_IN * figure.get_figwidth()
    sizes = [len(name) + HANDLE_LETTERS for name in looks]
    columns = next(n for n in range(len(sizes), 0, -1) if n == 1 or _width(sizes, n) <= room)
    figure.legend(
        handles=handles,
        loc="outside upper center",
        ncols=columns,
        handlelength=None if lines else 1.0,
    )


def _width(sizes: list[int], columns: int) -> int:
    """Letters that a legend takes, which is filled column by column."""
    full, lines = len(sizes) % columns, len(sizes) // columns
    heights = [lines + 1] * full + [lines] * (columns - full)
    ends = np.cumsum(heights)
    return sum(max(sizes[end - n : end]) for end, n in zip(ends, heights, strict=True))


def _place(group: tuple[Any, object]) -> tuple[str, tuple[int, int]]:
    """Of the panels of a (suite, dimension)."""
    suite, dimension = group[0]
    return str(suite), _position(dimension)


def _position(key: object) -> tuple[int, int]:
    """Of a function or dimension; before every number: ``all``."""
    return (0, 0) if str(key) == "all" else (1, int(str(key)))
