"""Sheets cut to pages: ``tabular`` environments that are neither too wide nor too long."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from timefair.latex.cells import Cell
from timefair.latex.sheet import Column, Entry, Group, Sheet

CHARACTERS = 104.0
"""Of a line 6.5 in wide, in digits of ``\\footnotesize``."""

LINES = 58.0
"""Of one page below the caption."""

HALF = 0.5
"""Space between two blocks, in lines."""


@dataclass(frozen=True)
class Tabular:
    """One ``tabular`` environment and the lines that it takes."""

    tex: str
    lines: float


def tabulars(sheet: Sheet) -> list[Tabular]:
    """Cut a sheet across where it is too long, then along where it is too wide."""
    return [_tabular(sheet, groups, lines) for lines in _pieces(sheet) for groups in _panels(sheet)]


def pages(parts: list[Tabular]) -> Iterator[list[Tabular]]:
    """As many on a page as it holds, at least one."""
    page: list[Tabular] = []
    for part in parts:
        if page and sum(other.lines for other in page) + part.lines > LINES:
            yield page
            page = []
        page.append(part)
    if page:
        yield page


def _panels(sheet: Sheet) -> list[list[Group]]:
    """Groups that fit beside each other on one line, behind the names."""
    room = CHARACTERS - sum(entry.width for entry in sheet.names)
    panels: list[list[Group]] = []
    used = 0.0
    for group in sheet.groups:
        used += group.width
        if not panels or used > room:
            panels.append([])
            used = group.width
        panels[-1].append(group)
    return _even(panels, room)


def _even(panels: list[list[Group]], room: float) -> list[list[Group]]:
    """As many panels, with equally many groups where those fit."""
    groups = [group for panel in panels for group in panel]
    size = math.ceil(len(groups) / len(panels))
    even = [groups[start : start + size] for start in range(0, len(groups), size)]
    fits = all(sum(group.width for group in panel) <= room for panel in even)
    return even if fits else panels


def _pieces(sheet: Sheet) -> list[NDArray[np.intp]]:
    """Lines that fit below each other on one page, cut between blocks where a block fits."""
    room = int(LINES) - _header_lines(sheet)
    pieces: list[list[int]] = [[]]
    used = 0.0
    for block in range(int(sheet.blocks.max(initial=-1)) + 1):
        lines = np.flatnonzero(sheet.blocks == block).tolist()
        for start in range(0, len(lines), room):
            chunk = lines[start : start + room]
            used += len(chunk) + HALF
            if used > room + HALF and pieces[-1]:
                pieces.append([])
                used = len(chunk) + HALF
            pieces[-1] += chunk
    return [np.array(piece, dtype=np.intp) for piece in pieces]


def _header_lines(sheet: Sheet) -> int:
    return 1 + (sheet.heading is not None) + any(g.heading is not None for g in sheet.groups)


def _tabular(sheet: Sheet, groups: list[Group], lines: NDArray[np.intp]) -> Tabular:
    columns = [
        *(column for name in sheet.names for column in name.columns),
        *(column for group in groups for column in group.columns),
    ]
    tex = [
        rf"\begin{{tabular}}{{@{{}}{''.join(column.align for column in columns)}@{{}}}}",
        r"\toprule",
        *_header(sheet, groups),
        r"\midrule",
        *_body(sheet, columns, lines),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    spaces = len(np.unique(sheet.blocks[lines])) - 1
    return Tabular("\n".join(tex), _header_lines(sheet) + len(lines) + HALF * spaces)


def _header(sheet: Sheet, groups: list[Group]) -> Iterator[str]:
    start = len(sheet.names)
    unnamed = [Cell().tex] * start
    if sheet.heading is not None:
        span = sum(len(group.columns) for group in groups)
        yield _line([*unnamed, _spanning(sheet.heading, span)])
        yield rf"\cmidrule(l){{{start + 1}-{start + span}}}"
    if any(group.heading is not None for group in groups):
        yield _line(
            [
                *unnamed,
                *(_spanning(group.heading or Cell(), len(group.columns)) for group in groups),
            ]
        )
        yield "".join(_rules(groups, start + 1))
    yield _line(
        [
            *(entry.heading.tex for entry in sheet.names),
            *(_over(entry) for group in groups for entry in group.entries),
        ]
    )


def _rules(groups: list[Group], first: int) -> Iterator[str]:
    for group in groups:
        last = first + len(group.columns) - 1
        yield rf"\cmidrule(lr){{{first}-{last}}}"
        first = last + 1


def _over(entry: Entry) -> str:
    """The heading of an entry, as its first column is aligned; in the middle of several."""
    if len(entry.columns) == 1:
        return _spanning(entry.heading, 1, entry.columns[0].align)
    return _spanning(entry.heading, len(entry.columns))


def _spanning(heading: Cell, columns: int, align: str = "c") -> str:
    return rf"\multicolumn{{{columns}}}{{{align}}}{{{heading.tex}}}"


def _body(sheet: Sheet, columns: list[Column], lines: NDArray[np.intp]) -> Iterator[str]:
    named = len(sheet.names)
    before: list[str] = []
    for position, line in enumerate(lines):
        cells = [column.cells[line].tex for column in columns]
        names = cells[:named]
        new_block = position > 0 and sheet.blocks[line] != sheet.blocks[lines[position - 1]]
        if new_block:
            yield r"\addlinespace"
        yield _line([*_changed(names, before), *cells[named:]])
        before = names if any(names) else before


def _changed(names: list[str], before: list[str]) -> list[str]:
    """The names of a line without those that the line before has, from the left, but the last."""
    same = 0
    while same < len(names) - 1 and names[: same + 1] == before[: same + 1]:
        same += 1
    return [""] * same + names[same:]


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"
