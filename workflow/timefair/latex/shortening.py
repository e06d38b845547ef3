"""Shortens a part that is longer than a page: fewer values, then algorithms, then rows.

One printed table per suite, dimension and layout is on one page. The caption states what is not
printed; the CSV file contains everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from timefair.exhibits.layout import ALGORITHM, CURVES, PrintedPart
from timefair.latex.grid import grid, numbered
from timefair.latex.pages import LINES, Tabular, pages, tabulars

THINNED = ("target", "quantile", "executions", "instance", "order", *CURVES)
"""Keys of which a few values represent all."""

VALUES = (8, 5, 3)
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
    for count in VALUES[:-1]:
        part = _thinned(part, count)
        yield part
    if any(value.interval for value in part.layout.values):
        values = tuple(replace(value, interval=None) for value in part.layout.values)
        part = replace(
            part, layout=replace(part.layout, values=values), said="Intervals are not printed."
        )
        yield part
    yield _thinned(part, VALUES[-1])
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
