"""Figures and tables as HTML: elements that the script fills, and pictures of other figures."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

import pandas as pd

from timefair.exhibits import ROOMS
from timefair.exhibits.charts.chart import counted_in
from timefair.exhibits.exhibit import Exhibit, Figure
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.exhibits.unknown_optimum import captioned, worded
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
