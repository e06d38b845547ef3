"""Grids as ``tabular`` environments that are neither too wide nor too long for a page.

Widths and lines are estimated here for two reasons: LaTeX can neither divide nor transpose a wide
table, and the packages that divide long tables do not work in two-column papers
(``docs/start/latex.md`` has the comparison with longtable, tabularx and pandas' Styler).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from timefair.latex.grid import Bold, Grid, TabularColumn, spans, width_of
from timefair.latex.notation import escape

CHARACTERS = 110.0
"""Of a line 6.5 in wide, in digits of ``\\footnotesize``."""

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
