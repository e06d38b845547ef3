"""Grids of text as ``tabular`` environments that are neither too wide nor too long for a page.

LaTeX cannot divide a wide table, and packages that divide long ones do not work in papers of two
columns. A part longer than a page is shortened, and the caption states what is not printed.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits.layout import ALGORITHM, CURVES, Layout, PrintedPart, Value
from timefair.latex.notation import Notation, escape, short

LIMIT_DIGITS = 2
"""Significant digits of the limits of an interval in scientific notation."""

GAP = 2
"""Space between two columns, in letters."""


class Bold(str):
    """A text in bold."""


@dataclass(frozen=True)
class TabularColumn:
    """A column of a ``tabular``.

    - `texts`: Cells of the column in plain text; an empty cell has an empty text.
    - `align`: Alignment of the texts: to the left or to the right.
    - `small`: Whether the column is in small type.
    - `wrap`: Width of the column in digits, if its texts are broken into lines.
    - `headings`: Headings from the top of the table down, each with a number. Columns next to each
      other share their first headings as far as these agree.
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
    def width(self) -> int:
        """Its width in letters."""
        return (self.wrap or max(map(len, self.texts), default=0)) + GAP

    def placed(self, members: NDArray[np.intp], lines: NDArray[np.intp], count: int) -> list[str]:
        """The column with some of its texts, and empty texts in all other lines."""
        texts = [""] * count
        for member in members:
            texts[lines[member]] = self.texts[member]
        return texts


@dataclass(frozen=True)
class Grid:
    """The cells of a part.

    - `names`: One column for each key that names the rows.
    - `groups`: The columns next to the names; the columns of a group stay together.
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


def width_of(columns: list[TabularColumn], level: int = 0) -> int:
    """The width of adjacent columns with their headings from a level on, in letters."""
    if level == len(columns[0].headings):
        return sum(column.width for column in columns)
    return sum(
        max(len(heading) + GAP, width_of(span, level + 1))
        for heading, span in spans(columns, level)
    )


def grid(rows: pd.DataFrame, layout: Layout) -> Grid:
    """Lay out the rows of one part, in the order in which their names first appear.

    Raises ValueError if two rows have the same names.
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


CHARACTERS = 116
"""Letters of a line 6.5 in wide in ``\\footnotesize``."""

EM = 0.5
"""Width of a digit, in em."""

LINES = 58.0
"""Lines of one page below the caption."""

APART = 1.5
"""Rules and space between two tabulars, in lines."""

HALF = 0.5
"""Space between two blocks, in lines."""

Item = TypeVar("Item")


@dataclass(frozen=True)
class Tabular:
    """One ``tabular`` environment and the number of its lines."""

    tex: str
    lines: float


def tabulars(grid: Grid) -> list[Tabular]:
    """Divide a grid between rows if it is too long, then between groups if it is too wide."""
    return [_tabular(grid, panel, piece) for piece in _pieces(grid) for panel in _panels(grid)]


def pages(parts: list[Tabular]) -> list[list[Tabular]]:
    """Put as many tabulars on a page as fit, at least one."""
    return [*_packed(parts, lambda part: part.lines + APART, LINES + APART)]


def _packed(
    items: Iterable[Item], size: Callable[[Item], float], room: float
) -> Iterator[list[Item]]:
    """Items in their order, as many together as have room, at least one."""
    pack: list[Item] = []
    taken = 0.0
    for item in items:
        if pack and taken + size(item) > room:
            yield pack
            pack, taken = [], 0.0
        pack.append(item)
        taken += size(item)
    if pack:
        yield pack


def _panels(grid: Grid) -> list[list[TabularColumn]]:
    """The groups, in as few panels as possible; a panel fits on a line next to the names."""
    groups = grid.groups
    for count in range(1, len(groups) + 1):
        size = math.ceil(len(groups) / count)
        panels = [
            [column for group in groups[start : start + size] for column in group]
            for start in range(0, len(groups), size)
        ]
        if all(width_of([*grid.names, *panel]) <= CHARACTERS for panel in panels):
            break
    return panels


def _pieces(grid: Grid) -> list[list[list[int]]]:
    """Blocks of rows that fit on one page; a block is divided only if it is longer than a page."""
    room = LINES - grid.levels
    blocks = [part for block in grid.blocks for part in _packed(block, grid.height, room)]
    return [*_packed(blocks, lambda block: sum(map(grid.height, block)) + HALF, room + HALF)]


def _tabular(grid: Grid, panel: list[TabularColumn], blocks: list[list[int]]) -> Tabular:
    columns = [*grid.names, *panel]
    tex = [
        rf"\begin{{tabular}}{{@{{}}{''.join(column.align for column in columns)}@{{}}}}",
        r"\toprule",
        *_header(columns),
        r"\midrule",
        "\n\\addlinespace\n".join("\n".join(_body(grid, columns, rows)) for rows in blocks),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    lines = sum(grid.height(row) for rows in blocks for row in rows)
    return Tabular("\n".join(tex), grid.levels + lines + HALF * (len(blocks) - 1))


def _header(columns: list[TabularColumn]) -> Iterator[str]:
    """The headings, a rule under each that is over several columns but those of the last level."""
    last = len(columns[0].headings) - 1
    for level in range(last + 1):
        cells: list[str] = []
        rules = ""
        first = 1
        for heading, span in spans(columns, level):
            end = first + len(span) - 1
            several = rf"\multicolumn{{{len(span)}}}{{c}}{{{escape(heading)}}}"
            cells += [several] if heading and len(span) > 1 else [escape(heading)] * len(span)
            if heading and level < last:
                rules += rf"\cmidrule(lr){{{first}-{end}}}"
            first = end + 1
        yield _line(cells)
        if rules:
            yield rules


def _body(grid: Grid, columns: list[TabularColumn], rows: list[int]) -> Iterator[str]:
    before: list[str] = []
    for row in rows:
        names = [column.texts[row] for column in grid.names]
        known = _known(names, before)
        yield _line([""] * known + [_cell(column, row) for column in columns[known:]])
        before = names


def _known(names: list[str], before: list[str]) -> int:
    """Number of names, from the left, that a row shares with the previous row; never
    the last name.
    """
    known = 0
    while known < len(names) - 1 and names[: known + 1] == before[: known + 1]:
        known += 1
    return known


def _cell(column: TabularColumn, row: int) -> str:
    if column.wrap is not None:
        text = escape(" ".join(column.lines(row)))
        return rf"\parbox[t]{{{EM * column.wrap:g}em}}{{\raggedright {text}\strut}}"
    text = column.texts[row]
    if isinstance(text, Bold):
        return rf"\textbf{{{escape(text)}}}"
    return rf"{{\scriptsize {escape(text)}}}" if column.small and text else escape(text)


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


THINNED = ("target", "quantile", "executions", "instance", "order", *CURVES)
"""Keys of which a few values represent all."""

KEPT_VALUES = (8, 5, 3)
"""Numbers of their values that are tried, before the single most informative value."""

ALGORITHMS = (50, 30, 20, 12, 8, 5)
"""Numbers of the best algorithms that are tried."""

ROWS = (50, 40, 30, 20, 12, 8, 5, 2, 1)
"""Numbers of the first rows that are tried."""


def fitted(part: PrintedPart) -> tuple[PrintedPart, list[Tabular]]:
    """The part in a form that fits on one page, and its tabulars.

    These steps are tried in this order, each in addition to the previous ones: fewer values of a
    key such as the target, no intervals, one value of that key, only the best algorithms, only the
    first rows. Parts with text that is broken into lines are never shortened: they may take several
    pages.
    """
    if part.rows.empty or any(value.wrap for value in part.layout.values):
        return part, _fewest(part)
    shorter = part
    for shorter in _shorter(part):
        if _least_lines(shorter) <= LINES:
            cut = _fewest(shorter)
            if len(pages(cut)) == 1:
                return shorter, cut
    return shorter, _fewest(shorter)


def _fewest(part: PrintedPart) -> list[Tabular]:
    """The rows, possibly transposed, whichever takes fewer pages, then fewer tabulars."""
    layout = part.layout
    cut = tabulars(grid(part.rows, layout))
    if len(cut) == 1 or layout.turned == layout:
        return cut
    turned = tabulars(grid(part.rows, layout.turned))
    return min(cut, turned, key=lambda way: (len(pages(way)), len(way)))


def _least_lines(part: PrintedPart) -> int:
    """Minimal number of lines of the rows, possibly transposed."""
    ways = (part.layout, part.layout.turned)
    return min(int(numbered(part.rows, way.rows).max()) + 1 for way in ways)


def _shorter(part: PrintedPart) -> Iterator[PrintedPart]:
    complete = part.rows
    yield part
    for count in KEPT_VALUES[:-1]:
        part = _thinned(part, count)
        yield part
    if any(value.interval for value in part.layout.values):
        values = tuple(replace(value, interval=None) for value in part.layout.values)
        part = replace(
            part, layout=replace(part.layout, values=values), said="Intervals are not printed."
        )
        yield part
    yield _thinned(part, KEPT_VALUES[-1])
    part = _thinned(replace(part, rows=complete), 1)
    yield part
    few = part
    for few in _best(part):
        yield few
    yield from _first(few)


def _thinned(part: PrintedPart, count: int) -> PrintedPart:
    """At most a given number of values of each key in `THINNED`, evenly spread and including the
    last.

    A single one is the last at which at least half of the rows have a finite number, if there is
    one: to the hardest target, most tables have nothing but infinity.
    """
    rows, left_out = part.rows, list(part.left_out)
    for key in part.layout.keys:
        values = rows[key].drop_duplicates().to_numpy()
        if key not in THINNED or len(values) <= count:
            continue
        known = np.isfinite(pd.to_numeric(rows[part.layout.values[0].column], errors="coerce"))
        shares = known.groupby(rows[key], sort=False).mean()
        telling = values[np.isin(values, shares.index[shares >= 0.5])]
        if count == 1 and len(telling):
            values = telling
        kept = values[np.linspace(len(values) - 1, 0, count).round().astype(int)]
        rows = rows[rows[key].isin(kept)]
        left_out.append(key)
        if count == 1:
            part = _without_key(part, key, kept[0])
    return replace(part, rows=rows, left_out=tuple(dict.fromkeys(left_out)))


def _without_key(part: PrintedPart, key: str, value: object) -> PrintedPart:
    """Let the caption name the only value of a key.

    If the key determined the columns, the last key of the rows replaces it, unless the rows have
    only one key.
    """
    layout = part.layout
    rows = tuple(name for name in layout.rows if name != key)
    columns = layout.columns
    if columns == key:
        rows, columns = (rows[:-1], rows[-1]) if len(rows) > 1 else (rows, None)
    layout = replace(layout, rows=rows, columns=columns)
    return replace(part, layout=layout, shared=part.shared | {key: value})


def _best(part: PrintedPart) -> Iterator[PrintedPart]:
    """Fewer and fewer algorithms: those with the lowest average rank by the first value with a
    better end.
    """
    judged = next((value for value in part.layout.values if value.better), None)
    if judged is None or ALGORITHM not in part.layout.keys:
        return
    names = part.rows[ALGORITHM].astype(str)
    everyone = names.nunique()
    others = [part.rows[key] for key in part.layout.keys if key != ALGORITHM]
    values = part.rows[judged.column]
    by = values.groupby(others, dropna=False) if others else values
    ranks = by.rank(ascending=judged.better == "low", na_option="bottom")
    average = ranks.groupby(names).mean()
    for count in (count for count in ALGORITHMS if count < everyone):
        best = average.nsmallest(count).index
        said = f"Of {everyone} algorithms, the {count} with the best average rank are printed."
        yield replace(part, rows=part.rows[names.isin(best)], said=f"{part.said} {said}".strip())


def _first(part: PrintedPart) -> Iterator[PrintedPart]:
    """Fewer and fewer rows: those with the first names, in the order of the table."""
    place = numbered(part.rows, part.layout.rows)
    everything = place.max() + 1
    for count in (count for count in ROWS if count < everything):
        said = f"Of {everything} rows, the first {count} are printed."
        yield replace(part, rows=part.rows[place < count], said=f"{part.said} {said}".strip())
