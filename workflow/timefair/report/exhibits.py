"""Figures and tables as HTML: elements that the script fills, and pictures of other figures."""

from __future__ import annotations

import gzip
import json
import math
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from timefair.exhibits import ROOMS
from timefair.exhibits.charts.chart import counted_in
from timefair.exhibits.exhibit import Exhibit, Figure
from timefair.exhibits.layout import CURVES, KEYS, generic
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.exhibits.unknown_optimum import captioned, measured, worded
from timefair.report.evidence import Evidence
from timefair.report.markup import Names


class PictureFile(NamedTuple):
    """A figure as a file: its content, and its media type."""

    content: bytes
    kind: str


PICTURE_BYTES = 200_000  # maximal size of a picture of the page


def figures(
    drawn: Sequence[Mapping[str, Any]],
    pictures: Mapping[str, PictureFile],
    evidence: Evidence,
    names: Names,
) -> str:
    """The charts that the page draws, then the files of the other figures."""
    taken = {view["figure"] for chart in drawn for view in chart["views"]}
    live = "\n".join(
        f'<figure class="needs-script" aria-labelledby="title-{chart["name"]}">\n'
        f'<h3 id="title-{chart["name"]}">{escape(str(chart["title"]))}</h3>\n'
        f'<figcaption class="note" id="note-{chart["name"]}">'
        f"{escape(chart['views'][0]['note'])}</figcaption>\n"
        f'<div id="chart-{chart["name"]}"></div>\n</figure>'
        for chart in drawn
    )
    others = {
        name: picture
        for name, picture in pictures.items()
        if name not in taken and not evidence.table(FIGURES[name].table).empty
    }
    more = f"<h3>More figures</h3>\n{_pictures(others, evidence)}" if others else ""
    return "\n".join(filter(None, (names.legend() if drawn else "", live, more)))


def _pictures(pictures: Mapping[str, PictureFile], evidence: Evidence) -> str:
    return "\n".join(
        _static(name, picture, evidence.table(FIGURES[name].table))
        if len(picture.content) <= PICTURE_BYTES
        else f"<p>{escape(FIGURES[name].title)} <small><code>figures/{name}</code></small>: "
        "too large for this page.</p>"
        for name, picture in pictures.items()
    )


def _static(name: str, picture: PictureFile, frame: pd.DataFrame) -> str:
    entry = FIGURES[name]
    encoded = b64encode(picture.content).decode("ascii")
    alternative = f"{entry.title}; the numbers are in the table {entry.table}."
    caption = _note(entry.figure.printed_caption, frame)
    return (
        f'<details class="static"><summary>{escape(entry.title)}</summary>\n'
        f'<p class="note">{escape(caption)}</p>\n'
        f'<img src="data:{picture.kind};base64,{encoded}" alt="{escape(alternative)}" '
        'loading="lazy"></details>'
    )


def tables(shown: Mapping[str, dict[str, Any]]) -> str:
    """One heading per family, and one element per table. An element is filled when it is opened."""
    families: dict[str, list[str]] = {}
    for name in sorted(shown, key=_place):
        if name != "checklist" and shown[name]["rows"]:
            families.setdefault(TABLES[name].family, []).append(_table(name, shown[name]))
    empty = [TABLES[name].title for name, table in shown.items() if not table["rows"]]
    parts = [
        f'<div class="family">\n<h3>{family}</h3>\n{"".join(made)}\n</div>'
        for family, made in families.items()
    ]
    if empty:
        parts.append(f'<p class="note">Empty tables: {escape("; ".join(empty))}.</p>')
    return "\n".join(parts)


def _place(table: str) -> tuple[int, str]:
    """Where a table stands: those of extensions after the rooms of the core."""
    room = TABLES[table].room
    return (ROOMS.index(room), "") if room in ROOMS else (len(ROOMS), room)


def _table(name: str, table: dict[str, Any]) -> str:
    file = f"<small>{table['rows']} rows, <code>tables/{name}.csv</code></small>"
    if not table["shown"]:
        return f"<p>{escape(TABLES[name].title)} {file}: too long for this page.</p>"
    note = f'<p class="note">{escape(table["note"])}</p>' if table["note"] else ""
    return (
        f'<details id="table-{name}" data-table="{name}" class="needs-script">'
        f"<summary>{escape(TABLES[name].title)} {file}</summary>{note}"
        '<div class="place"></div></details>'
    )


def drawn(tables: Mapping[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """The charts of some tables: for each chart, its name, title and views, one of which is shown.

    An exhibit that is declared ``beside`` another one adds its views to that chart, or has a chart
    of its own if the other one has no table here. A view has its table, figure and caption.
    """
    groups: dict[str, list[Exhibit]] = {}
    for name, entry in TABLES.items():
        if name in tables and entry.has_figures:
            exhibit = entry.exhibit
            lead = exhibit.beside if exhibit.beside in tables else name
            groups.setdefault(lead, []).append(exhibit)
    found = []
    for lead, exhibits in groups.items():
        ordered = sorted(exhibits, key=lambda one: one.name != lead)
        views = [
            view
            for one in ordered
            for figure in one.figures
            for view in _views(one, figure, tables[one.name])
        ]
        if views:
            title = worded(ordered[0].title, tables[ordered[0].name])
            found.append({"name": lead, "title": title, "views": views})
    return found


def _views(exhibit: Exhibit, figure: Figure, frame: pd.DataFrame) -> list[dict[str, Any]]:
    about = {"figure": figure.name, "table": exhibit.name}
    about["note"] = _note(figure.page_caption, frame)
    return [_worded(view, frame) | about for view in figure.chart.views(frame)]


def _note(caption: str, frame: pd.DataFrame) -> str:
    """The caption of a figure with the notes on its table."""
    printed = captioned(caption.format_map({"seconds": counted_in(frame, "seconds")}), frame)
    notes = (frame.attrs.get(note) for note in ("omitted", "machines", "cost", "noise"))
    return " ".join(filter(None, (printed, *notes))).replace("`", "")


def _worded(view: dict[str, Any], frame: pd.DataFrame) -> dict[str, Any]:
    labels = ("label", "x_label", "y_label")
    said = {name: worded(view[name], frame) for name in labels if name in view}
    chosen = {
        "only": {key: worded(value, frame) for key, value in (view.get("only") or {}).items()}
    }
    return view | said | (chosen if "only" in view else {})


DIGITS = 3  # significant digits of a number on the page; the files contain all digits
SHORT_ROWS = 40  # rows of a table that is not compressed: the page opens such a table to print it
SMOOTH_ROWS = 30_000  # rows of curves from which only points on a grid are shown
GRID = 200  # points of such a curve, at equal distances on a logarithmic axis
MOST_ROWS = 200_000  # maximal number of rows of a table on a page
TABLES_BYTES = 3_500_000  # maximal size of all compressed tables of a page together
LEVEL = 6  # level of compression: the highest one takes three times as long to save 3 %


def table(name: str, frame: pd.DataFrame) -> dict[str, Any]:
    """A table for the page.

    ``columns`` contains for each column its ``name``, ``label`` and ``meaning``, whether it is a
    ``key`` by which rows are selected, the indices of its ``limits``, and its ``values``: `null`
    for NaN, ``"inf"`` for infinity; texts as ``words`` and their ``codes``. Curves omit rows that
    only repeat their neighbours; those with more than `SMOOTH_ROWS` rows have `GRID` points.
    ``rows`` is the number of rows of the file, ``shown`` the number here, which is 0 if there are
    too many. ``note`` explains what is not listed; it is empty if everything is listed.
    """
    frame = measured(frame)
    thin = _without_repeats(_rounded(frame))
    if len(thin) > SMOOTH_ROWS:
        thin = _on_grid(thin)
    layout = generic(thin, TABLES[name].title)
    labels = {value.column: value.label for value in layout.values}
    limits = {value.column: value.interval for value in layout.values if value.interval}
    hidden = {end for ends in limits.values() for end in ends}
    keys = set(thin.columns) - labels.keys() - hidden - {value.rank for value in layout.values}
    shown = thin if len(thin) <= MOST_ROWS else thin.head(0)
    meanings = {column.name: column.meaning for column in TABLES[name].exhibit.columns}
    places = {column: place for place, column in enumerate(frame.columns)}
    return {
        "name": name,
        "title": worded(TABLES[name].title, frame),
        "rows": len(frame),
        "shown": len(shown),
        "note": frame.attrs.get("pairs", ""),
        "columns": [
            {
                "name": column,
                "label": worded(labels.get(column, column.replace("_", " ")), frame),
                "key": column in keys,
                "meaning": worded(meanings.get(column, ""), frame).replace("`", ""),
                "hidden": column in hidden,
                "limits": [places[end] for end in limits.get(column, ())],
                **_values(shown[str(column)]),
            }
            for column in map(str, frame.columns)
        ],
    }


def fitting(tables: Mapping[str, Mapping[str, Any]], first: Collection[str]) -> dict[str, str]:
    """The compressed forms of the long tables that fit into `TABLES_BYTES`, by name.

    Tables in `first` precede the others; among equals, smaller tables precede larger ones.
    """
    forms = {name: packed(one) for name, one in tables.items() if one["shown"] > SHORT_ROWS}
    room, found = TABLES_BYTES, {}
    for name in sorted(forms, key=lambda one: (one not in first, len(forms[one]))):
        if len(forms[name]) <= room:
            room -= len(forms[name])
            found[name] = forms[name]
    return found


def without_columns(one: Mapping[str, Any], *, is_there: bool) -> dict[str, Any]:
    """What the page knows of a long table, whose rows are compressed, or only in its file."""
    if one["shown"] <= SHORT_ROWS:
        return dict(one)
    facts = {key: value for key, value in one.items() if key != "columns"}
    return facts if is_there else {**facts, "shown": 0, "columns": []}


def packed(data: object) -> str:
    """JSON, compressed by gzip, in base64; equal data give equal texts."""
    return b64encode(gzip.compress(_json(data).encode(), LEVEL, mtime=0)).decode("ascii")


def _without_repeats(frame: pd.DataFrame) -> pd.DataFrame:
    """A curve without the inner points of its constant parts; other tables are unchanged."""
    at = next((key for key in CURVES if key in frame), None)
    if at is None or frame.empty:
        return frame
    rest = frame.drop(columns=at)
    codes = rest.apply(lambda column: pd.factorize(column, use_na_sentinel=False)[0]).to_numpy()
    same = (codes[1:] == codes[:-1]).all(axis=1)
    inner = np.append(False, same) & np.append(same, False)
    kept: pd.DataFrame = frame[~inner]
    return kept


def _on_grid(frame: pd.DataFrame) -> pd.DataFrame:
    """The first point of each curve, and its last one in each part of the axis."""
    at = next((key for key in CURVES if key in frame), None)
    if at is None or "algorithm" not in frame:
        return frame
    cost = frame[at].to_numpy(dtype=np.float64)
    known = (cost > 0) & np.isfinite(cost)
    log = np.log10(np.where(known, cost, cost[known].min(initial=1.0)))
    part = np.floor(GRID * (log - log.min()) / (np.ptp(log) or 1.0))
    curve = [key for key in frame.columns if key in KEYS and key not in CURVES]
    curve = list(dict.fromkeys([*curve, "algorithm"]))
    last = ~frame.assign(part=part).duplicated([*curve, "part"], keep="last")
    kept: pd.DataFrame = frame[last | ~frame.duplicated(curve)]
    return kept


def _values(column: pd.Series[Any]) -> dict[str, Any]:
    if pd.api.types.is_bool_dtype(column):
        column = column.astype(object).map({True: "yes", False: "no"})
    if not pd.api.types.is_numeric_dtype(column):
        codes, words = pd.factorize(column)
        return {"words": [str(word) for word in words], "codes": codes.tolist()}
    if not pd.api.types.is_float_dtype(column):
        return {"values": column.tolist()}
    places, different = pd.factorize(column.to_numpy(), use_na_sentinel=False)
    plain = np.array([_plain(value) for value in different.tolist()], dtype=object)
    return {"values": plain[places].tolist()}


def _plain(value: float) -> float | int | str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return int(value) if value.is_integer() and abs(value) < 1e9 else value


def _rounded(frame: pd.DataFrame) -> pd.DataFrame:
    """Round numbers that are not whole to the significant digits that the page prints."""
    columns = {}
    for name, column in frame.select_dtypes("float").items():
        different, place = np.unique(column.to_numpy(dtype=np.float64), return_inverse=True)
        broken = np.isfinite(different) & (different != np.rint(different))
        different[broken] = [float(f"{value:.{DIGITS}g}") for value in different[broken]]
        columns[str(name)] = different[place]
    return frame.assign(**columns)


def script(data: Mapping[str, Any]) -> str:
    """JSON for the inside of an element ``script``: nothing in it can end the element."""
    return (
        _json(data)
        .replace("<", "\\u003c")
        .replace("\u2028", "\\u2028")
        .replace("\u2029", "\\u2029")
    )


def _json(data: object) -> str:
    return json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
