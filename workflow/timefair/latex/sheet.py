"""One part of a frame as cells: the names of its lines, and groups of columns beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits.layout import ALGORITHM, Layout, Value
from timefair.latex.cells import DIGITS, Cell, Notation, short, text, wrapped

LIMIT_DIGITS = 2
"""Significant digits of the limits of an interval, where they have exponents."""

GAP = 1.4
"""Space between two columns, in characters."""


@dataclass(frozen=True)
class Column:
    """A column of the ``tabular``, aligned to the left or to the right."""

    align: str
    cells: tuple[Cell, ...]

    @property
    def width(self) -> float:
        return max((cell.width for cell in self.cells), default=0.0) + GAP

    @property
    def heights(self) -> NDArray[np.intp]:
        """How many lines each cell takes."""
        return np.array([len(cell.lines) for cell in self.cells], dtype=np.intp)

    def placed(self, members: NDArray[np.intp], lines: NDArray[np.intp], count: int) -> Column:
        """Some of its cells on their lines, with blanks between them."""
        cells = [Cell()] * count
        for member in members:
            cells[lines[member]] = self.cells[member]
        return Column(self.align, tuple(cells))

    def unfolded(self, heights: NDArray[np.intp]) -> Column:
        """With a line of its own for what is below in cells of so many lines."""
        cells: list[Cell] = []
        for cell, height in zip(self.cells, heights, strict=True):
            cells += [*cell.lines, *[Cell()] * (height - len(cell.lines))]
        return Column(self.align, tuple(cells))


@dataclass(frozen=True)
class Entry:
    """What a heading stands over: a value, its interval and its rank."""

    heading: Cell
    columns: tuple[Column, ...]

    @property
    def width(self) -> float:
        return max(self.heading.width + GAP, sum(column.width for column in self.columns))

    def unfolded(self, heights: NDArray[np.intp]) -> Entry:
        return replace(self, columns=tuple(column.unfolded(heights) for column in self.columns))


@dataclass(frozen=True)
class Group:
    """Entries that stay beside each other; those of several have a heading together."""

    heading: Cell | None
    entries: tuple[Entry, ...]

    @property
    def width(self) -> float:
        entries = sum(entry.width for entry in self.entries)
        return entries if self.heading is None else max(self.heading.width + GAP, entries)

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(column for entry in self.entries for column in entry.columns)

    def unfolded(self, heights: NDArray[np.intp]) -> Group:
        return replace(self, entries=tuple(entry.unfolded(heights) for entry in self.entries))


@dataclass(frozen=True)
class Sheet:
    """The cells of a part.

    Attributes
    ----------
    names
        An entry a key of the rows, each with one column.
    blocks
        Shape (lines,): lines with the same first of several names share a number.
    groups
        What is beside the names.
    heading
        Over all groups; None where they need none.
    """

    names: tuple[Entry, ...]
    blocks: NDArray[np.intp]
    groups: tuple[Group, ...]
    heading: Cell | None

    @property
    def unfolded(self) -> Sheet:
        """With each line as often as its highest cell needs; texts that go on do so below."""
        columns = [
            *(column for name in self.names for column in name.columns),
            *(column for group in self.groups for column in group.columns),
        ]
        heights = np.max([column.heights for column in columns], axis=0)
        return replace(
            self,
            names=tuple(entry.unfolded(heights) for entry in self.names),
            blocks=np.repeat(self.blocks, heights),
            groups=tuple(group.unfolded(heights) for group in self.groups),
        )


def sheet(rows: pd.DataFrame, layout: Layout) -> Sheet:
    """Lay out the rows of one part, in the order in which their names first appear.

    Raises
    ------
    ValueError
        If two rows have the same names.
    """
    if rows.duplicated(list(layout.keys)).any() or (len(rows) > 1 and not layout.keys):
        raise ValueError(f"{', '.join(layout.keys) or 'no key'}: not enough to tell the rows apart")
    lines = _numbered(rows, layout.rows)
    firsts = rows[~pd.Series(lines).duplicated().to_numpy()]
    printed = {
        value.column: _columns(rows, value, best(rows, layout.keys, value))
        for value in layout.values
    }

    def entry(heading: Cell, value: Value, members: NDArray[np.intp]) -> Entry:
        columns = printed[value.column]
        return Entry(heading, tuple(c.placed(members, lines, len(firsts)) for c in columns))

    groups = []
    for heading, members in _beside(rows, layout.columns):
        if heading is None:
            groups += [Group(None, (entry(text(v.label), v, members),)) for v in layout.values]
        elif len(layout.values) == 1:
            groups.append(Group(None, (entry(heading, layout.values[0], members),)))
        else:
            entries = tuple(entry(text(v.label), v, members) for v in layout.values)
            groups.append(Group(heading, entries))
    names = tuple(
        Entry(
            text(heading_of(key)), (Column("l", tuple(name_of(key, name) for name in firsts[key])),)
        )
        for key in layout.rows
    )
    return Sheet(
        names=names,
        blocks=_numbered(firsts, layout.rows[:1] if len(layout.rows) > 1 else ()),
        groups=tuple(groups),
        heading=_heading(layout.columns),
    ).unfolded


def best(rows: pd.DataFrame, keys: tuple[str, ...], value: Value) -> NDArray[np.bool_]:
    """The rows that no other algorithm's row beats, shape (rows,).

    Rows that share all ``keys`` but the algorithm are compared. Ties are all best; what is not
    finite never is, nor what has no rival, nor a 0 where more is better.
    """
    if value.better is None or ALGORITHM not in keys:
        return np.zeros(len(rows), dtype=bool)
    rivals = _numbered(rows, tuple(key for key in keys if key != ALGORITHM))
    numbers = rows[value.column].reset_index(drop=True).astype(float)
    numbers = numbers.where(np.isfinite(numbers) & ((value.better == "low") | (numbers > 0)))
    edge = numbers.groupby(rivals).transform("min" if value.better == "low" else "max")
    return np.asarray((numbers == edge) & (np.bincount(rivals)[rivals] > 1), dtype=bool)


def _heading(key: str | None) -> Cell | None:
    """What is said over the values of a key; the names of algorithms need no heading."""
    return None if key in (None, ALGORITHM) else text(heading_of(key))


def heading_of(key: str) -> str:
    """A key column in words; a symbol stays as it is."""
    return key if len(key) == 1 else key.replace("_", " ").capitalize()


def name_of(key: str, value: object) -> Cell:
    """One value of a key column."""
    if isinstance(value, bool | np.bool_):
        return text("yes" if value else "no")
    if not isinstance(value, int | float | np.number):
        words = str(value).replace("_", " ") if key == "unit" else value
        return Cell() if value is None or value is pd.NA else text(words)
    if np.isnan(value):
        return Cell()
    cell = short(float(value))
    return Cell(f"$Q_{{{value:g}}}$", 1 + cell.width) if key == "quantile" else cell


def _numbered(rows: pd.DataFrame, keys: tuple[str, ...]) -> NDArray[np.intp]:
    """A number for each combination of keys, in the order of their appearance, shape (rows,)."""
    if not keys:
        return np.zeros(len(rows), dtype=np.intp)
    groups = rows.groupby(list(keys), sort=False, dropna=False)
    return np.asarray(groups.ngroup(), dtype=np.intp)


def _beside(rows: pd.DataFrame, key: str | None) -> list[tuple[Cell | None, NDArray[np.intp]]]:
    """The values of a key that lie beside each other, each with its rows."""
    if key is None:
        return [(None, np.arange(len(rows)))]
    number = _numbered(rows, (key,))
    return [
        (name_of(key, name), np.flatnonzero(number == k))
        for k, name in enumerate(rows[key].drop_duplicates())
    ]


def _columns(rows: pd.DataFrame, value: Value, bold: NDArray[np.bool_]) -> tuple[Column, ...]:
    """The value, its interval and its rank for each row of the frame."""
    shown = rows[value.column]
    if not pd.api.types.is_numeric_dtype(shown) or pd.api.types.is_bool_dtype(shown):
        return (Column("l", tuple(_worded(value, item) for item in shown)),)
    numbers = rows[[value.column, *(value.interval or ())]].to_numpy(dtype=np.float64)
    notation = Notation.of(numbers, value.decimals)

    cells = [_cell(number, notation) for number in numbers[:, 0]]
    if value.censored is not None:
        for place in np.flatnonzero(np.isposinf(numbers[:, 0])):
            cells[place] = text(rows[value.censored].iloc[place])
    columns = [Column("r", tuple(c.bold if b else c for c, b in zip(cells, bold, strict=True)))]
    if value.interval is not None:
        columns.append(Column("l", tuple(_interval(row, notation) for row in numbers)))
    if value.rank is not None:
        ranks = rows[value.rank].to_numpy(dtype=np.float64)
        columns.append(Column("l", tuple(_rank(rank) for rank in ranks)))
    return tuple(columns)


def _worded(value: Value, item: object) -> Cell:
    if value.wrap is not None and isinstance(item, str):
        return wrapped(item, value.wrap)
    return name_of(value.column, item)


def _cell(number: float, notation: Notation, digits: int = DIGITS) -> Cell:
    if np.isnan(number):
        return text("n/a")
    if np.isinf(number):
        return text("∞" if number > 0 else "−∞")
    return notation.cell(number, digits)


def _interval(row: NDArray[np.float64], notation: Notation) -> Cell:
    """The limits of (value, low, high); nothing where an infinite value has none."""
    value, low, high = row
    if np.isnan(low) or np.isnan(high):
        return Cell() if np.isinf(value) else text("n/a").small
    limits = [_cell(limit, notation, LIMIT_DIGITS) for limit in (low, high)]
    tex = ", ".join(limit.tex for limit in limits)
    return Cell(f"{{[}}{tex}{{]}}", sum(limit.width for limit in limits) + 3).small


def _rank(rank: float) -> Cell:
    return Cell() if np.isnan(rank) else Cell(f"({rank:g})", len(f"{rank:g}") + 1.5).small
