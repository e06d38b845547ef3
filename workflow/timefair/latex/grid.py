"""One part of a frame as the columns of a ``tabular``: names of the rows, and groups of values."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits.layout import ALGORITHM, Layout, Value
from timefair.latex.notation import Notation, short

LIMIT_DIGITS = 2
"""Significant digits of the limits of an interval in scientific notation."""

GAP = 1.4
"""Space between two columns, in digits."""

SMALL = 0.92
"""Width of small type, as a share of the table's own."""

BOLD = 1.15
"""Width of bold type, as a share of the table's own."""

WIDTHS = {
    **dict.fromkeys(".,:;'|[]()il ", 0.6),
    **dict.fromkeys("mwMW%−+<>=", 1.6),
    **dict.fromkeys("ABCDEFGHKLNOPQRSTUVXYZ", 1.35),
    "∞": 2.0,
}
"""Widths, in digits, of characters of Computer Modern that are not about as wide as a digit."""


class Bold(str):
    """A text in bold."""


@dataclass(frozen=True)
class TabularColumn:
    """A column of a ``tabular``.

    Attributes
    ----------
    texts
        Cells of the column in plain text; an empty cell has an empty text.
    align
        Alignment of the texts: to the left or to the right.
    small
        Whether the column is in small type.
    wrap
        Width of the column in digits, if its texts are broken into lines.
    headings
        Headings from the top of the table down, each with a number. Columns next to each other
        share their first headings as far as these agree.
    """

    texts: list[str]
    align: Literal["l", "r"] = "l"
    small: bool = False
    wrap: int | None = None
    headings: tuple[tuple[int, str], ...] = ()

    def lines(self, row: int) -> list[str]:
        """The lines of a cell, at least one; LaTeX may break a wrapped text elsewhere."""
        if self.wrap is None:
            return [self.texts[row]]
        return textwrap.wrap(self.texts[row], self.wrap, break_on_hyphens=False) or [""]

    @cached_property
    def width(self) -> float:
        """Its width in digits of the table's type, estimated from the lengths of its texts."""
        widest = self.wrap or max(map(_width, self.texts), default=0.0)
        return widest * (SMALL if self.small else 1) + GAP

    def placed(self, members: NDArray[np.intp], lines: NDArray[np.intp], count: int) -> list[str]:
        """The column with some of its texts, and empty texts in all other lines."""
        texts = [""] * count
        for member in members:
            texts[lines[member]] = self.texts[member]
        return texts


@lru_cache(maxsize=10_000, typed=True)
def _width(text: str) -> float:
    return sum(WIDTHS.get(sign, 1.0) for sign in text) * (BOLD if isinstance(text, Bold) else 1)


@dataclass(frozen=True)
class Grid:
    """The cells of a part.

    Attributes
    ----------
    names
        One column for each key that names the rows.
    groups
        The columns next to the names; the columns of a group stay together.
    """

    names: list[TabularColumn]
    groups: list[list[TabularColumn]]

    @property
    def levels(self) -> int:
        """Lines of headings."""
        return len(self.groups[0][0].headings)

    @property
    def blocks(self) -> list[list[int]]:
        """The rows, in blocks with the same first name if there are several names."""
        rows = range(len(self.groups[0][0].texts))
        if len(self.names) < 2:
            return [list(rows)]
        return [list(block) for _, block in groupby(rows, key=self.names[0].texts.__getitem__)]

    def height(self, row: int) -> int:
        """The lines of a row."""
        return max((len(column.lines(row)) for column in self._wrapped), default=1)

    @cached_property
    def _wrapped(self) -> list[TabularColumn]:
        return [c for group in self.groups for c in group if c.wrap is not None]


def spans(columns: list[TabularColumn], level: int) -> Iterator[tuple[str, list[TabularColumn]]]:
    """The headings of a level, each with the columns that share it."""
    for headings, span in groupby(columns, key=lambda column: column.headings[: level + 1]):
        yield headings[-1][1], list(span)


def width_of(columns: list[TabularColumn], level: int = 0) -> float:
    """The width of adjacent columns with their headings from a level on, in digits."""
    if level == len(columns[0].headings):
        return sum(column.width for column in columns)
    return sum(
        max(_width(heading) + GAP, width_of(span, level + 1))
        for heading, span in spans(columns, level)
    )


def grid(rows: pd.DataFrame, layout: Layout) -> Grid:
    """Lay out the rows of one part, in the order in which their names first appear.

    Raises
    ------
    ValueError
        If two rows have the same names.
    """
    if len(np.unique(numbered(rows, layout.keys))) < len(rows):
        raise ValueError(f"{', '.join(layout.keys) or 'no key'}: not enough to tell the rows apart")
    numbers = numbered(rows, layout.rows)
    firsts = _first_of_each(rows, numbers)
    order = np.argsort(numbered(firsts, layout.rows[:1]), kind="stable")
    firsts, lines = firsts.iloc[order], np.argsort(order)[numbers]
    printed = [_columns(rows, layout.keys, value) for value in layout.values]
    top = () if layout.columns in (None, ALGORITHM) else ((0, heading_of(layout.columns)),)
    groups: dict[int, list[TabularColumn]] = {}
    for number, name, members in _beside(rows, layout.columns):
        over = () if layout.columns is None else (*top, (number, name))
        for place, (value, columns) in enumerate(zip(layout.values, printed, strict=True)):
            under = () if over and len(layout.values) == 1 else ((place, value.label),)
            group = groups.setdefault(number if over else place, [])
            group += [
                replace(c, texts=c.placed(members, lines, len(firsts)), headings=(*over, *under))
                for c in columns
            ]
    blank = ((-1, ""),) * (len(groups[0][0].headings) - 1)
    names = [
        replace(_words(firsts[key], key), headings=(*blank, (-1 - place, heading_of(key))))
        for place, key in enumerate(layout.rows)
    ]
    return Grid(names, [*groups.values()])


def best(rows: pd.DataFrame, keys: tuple[str, ...], value: Value) -> NDArray[np.bool_]:
    """The rows that are not worse than any other algorithm's, shape (rows,).

    Rows that agree in all ``keys`` except the algorithm are compared. All tied values are best. A
    value is never best if it is not finite, is not better than any rival, or is 0 although more is
    better. Values that are printed with the same significant digits are tied.
    """
    if value.better is None or ALGORITHM not in keys:
        return np.zeros(len(rows), dtype=bool)
    rivals = _rivals(rows, keys)
    numbers = rows[value.column].to_numpy(dtype=np.float64)
    if value.equal is not None:
        numbers = np.fmax(numbers, rows[value.equal].to_numpy(dtype=np.float64))
    if value.digits is not None:
        numbers = np.array([float(f"{number:.{value.digits - 1}e}") for number in numbers])
    costs = numbers if value.better == "low" else np.where(numbers > 0, -numbers, np.inf)
    costs = np.where(np.isfinite(costs), costs, np.inf)
    least, most = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)
    np.minimum.at(least, rivals, costs)
    np.maximum.at(most, rivals, costs)
    return np.asarray((costs == least[rivals]) & (costs < most[rivals]), dtype=bool)


def _rivals(rows: pd.DataFrame, keys: tuple[str, ...]) -> NDArray[np.intp]:
    """A number for the rows that agree in all ``keys`` except the algorithm, shape (rows,)."""
    return numbered(rows, tuple(key for key in keys if key != ALGORITHM))


def heading_of(key: str) -> str:
    """A key column in words; a symbol of one letter stays as it is."""
    return key if len(key) == 1 else key.replace("_", " ").capitalize()


def name_of(key: str, value: Any) -> str:
    """One value of a key column; empty if it is missing."""
    if pd.isna(value):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | float | np.number):
        return short(float(value))
    return str(value).replace("_", " ") if key == "unit" else str(value)


def numbered(rows: pd.DataFrame, keys: tuple[str, ...]) -> NDArray[np.intp]:
    """A number for each combination of keys, in the order of their appearance, shape (rows,)."""
    numbers = np.zeros(len(rows), dtype=np.intp)
    for place, key in enumerate(keys):
        codes, different = pd.factorize(rows[key].to_numpy(), use_na_sentinel=False)
        numbers = codes if place == 0 else pd.factorize(numbers * len(different) + codes)[0]
    return numbers


def _first_of_each(rows: pd.DataFrame, numbers: NDArray[np.intp]) -> pd.DataFrame:
    return rows.iloc[np.unique(numbers, return_index=True)[1]]


def _beside(rows: pd.DataFrame, key: str | None) -> Iterator[tuple[int, str, NDArray[np.intp]]]:
    """The values of a key that are next to each other: number, name and rows of each value."""
    if key is None:
        yield 0, "", np.arange(len(rows))
        return
    numbers = numbered(rows, (key,))
    for number, value in enumerate(_first_of_each(rows, numbers)[key]):
        yield number, name_of(key, value), np.flatnonzero(numbers == number)


def _words(values: pd.Series, key: str, wrap: int | None = None) -> TabularColumn:
    return TabularColumn([name_of(key, value) for value in values], wrap=wrap)


def _columns(rows: pd.DataFrame, keys: tuple[str, ...], value: Value) -> list[TabularColumn]:
    """The value, its interval and its rank for each row of the frame."""
    shown = rows[value.column]
    if not pd.api.types.is_numeric_dtype(shown) or pd.api.types.is_bool_dtype(shown):
        return [_words(shown, value.column, value.wrap)]
    names = (value.column, *(value.interval or ()))
    numbers = np.column_stack([rows[name].to_numpy(np.float64) for name in names])
    notation = Notation.of(numbers, value.decimals)
    texts = [notation.text(number) for number in numbers[:, 0]]
    if value.digits is not None:
        for group in pd.RangeIndex(len(rows)).groupby(_rivals(rows, keys)).values():
            notation = Notation.of(numbers[group], digits=value.digits)
            for row in group:
                texts[row] = notation.text(numbers[row, 0])
    if value.censored is not None:
        for row in np.flatnonzero(np.isposinf(numbers[:, 0])):
            texts[row] = str(rows[value.censored].iloc[row])
    bold = best(rows, keys, value)
    texts = [Bold(text) if b else text for text, b in zip(texts, bold, strict=True)]
    columns = [TabularColumn(texts, align="r")]
    if value.interval is not None:
        limits = [_interval(row, notation) for row in numbers]
        columns.append(TabularColumn(limits, small=True))
    if value.rank is not None:
        ranks = rows[value.rank].to_numpy(dtype=np.float64)
        texts = ["" if np.isnan(rank) else f"({rank:g})" for rank in ranks]
        columns.append(TabularColumn(texts, small=True))
    return columns


def _interval(row: NDArray[np.float64], notation: Notation) -> str:
    """The limits of (value, low, high); nothing if an infinite value has none."""
    value, low, high = row
    if np.isnan(low) or np.isnan(high):
        return "" if np.isinf(value) else "n/a"
    return f"[{notation.text(low, LIMIT_DIGITS)}, {notation.text(high, LIMIT_DIGITS)}]"
