"""The interactive charts of the page, made from the declared figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from timefair.exhibits.charts.chart import seconds_of
from timefair.exhibits.exhibit import Exhibit
from timefair.exhibits.registry import TABLES
from timefair.exhibits.unknown_optimum import captioned, worded


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
            for view in _views(one, figure.name, tables[one.name])
        ]
        if views:
            title = worded(ordered[0].title, tables[ordered[0].name])
            found.append({"name": lead, "title": title, "views": views})
    return found


def _views(exhibit: Exhibit, name: str, frame: pd.DataFrame) -> list[dict[str, Any]]:
    figure = next(figure for figure in exhibit.figures if figure.name == name)
    words = {"seconds": seconds_of(frame)}
    printed = captioned(figure.page_caption.format_map(words), frame)
    notes = (frame.attrs.get(note) for note in ("omitted", "machines", "cost", "noise"))
    note = " ".join(filter(None, (printed, *notes))).replace("`", "")
    about = {"figure": name, "table": exhibit.name, "note": note}
    return [_worded(view, frame) | about for view in figure.chart.views(frame)]


def _worded(view: dict[str, Any], frame: pd.DataFrame) -> dict[str, Any]:
    labels = ("label", "x_label", "y_label")
    said = {name: worded(view[name], frame) for name in labels if name in view}
    chosen = {
        "only": {key: worded(value, frame) for key, value in (view.get("only") or {}).items()}
    }
    return view | said | (chosen if "only" in view else {})
