"""Figures and tables as HTML: places that the script fills, and figures as they are."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from timefair.figures.registry import FIGURES
from timefair.report.evidence import Evidence
from timefair.report.markup import Names
from timefair.tables.registry import TABLES

FAMILIES = ("Comparisons", "Runtimes", "Quality", "Curves", "Run count", "Campaign")
"""In the order in which a reader may ask."""


def figures(
    drawn: Sequence[Mapping[str, Any]],
    drawings: Mapping[str, str],
    evidence: Evidence,
    names: Names,
) -> str:
    """Those that the page draws, then the files of the others."""
    taken = {view["figure"] for chart in drawn for view in chart["views"]}
    live = "\n".join(
        f'<figure class="needs-script" aria-labelledby="title-{chart["name"]}">\n'
        f'<h3 id="title-{chart["name"]}">{escape(str(chart["title"]))}</h3>\n'
        f'<figcaption class="note">{escape(str(chart["note"]))}</figcaption>\n'
        f'<div id="chart-{chart["name"]}"></div>\n</figure>'
        for chart in drawn
    )
    others = "\n".join(
        _static(name, svg)
        for name, svg in drawings.items()
        if name not in taken and not evidence.table(FIGURES[name].table).empty
    )
    more = f"<h3>More figures</h3>\n{others}" if others else ""
    return "\n".join(filter(None, (names.legend() if drawn else "", live, more)))


def _static(name: str, svg: str) -> str:
    figure = FIGURES[name]
    encoded = b64encode(svg.encode()).decode("ascii")
    alternative = f"{figure.title}; the numbers are in the table {figure.table}."
    return (
        f'<details class="static"><summary>{escape(figure.title)}</summary>\n'
        f'<img src="data:image/svg+xml;base64,{encoded}" alt="{escape(alternative)}" '
        'loading="lazy"></details>'
    )


def tables(shown: Mapping[str, dict[str, Any]]) -> str:
    """A heading a family, and a place for each table, which is filled when it is opened."""
    families: dict[str, list[str]] = {}
    for name, table in shown.items():
        if name != "checklist" and table["rows"]:
            families.setdefault(TABLES[name].family, []).append(_table(name, table))
    empty = [TABLES[name].title for name, table in shown.items() if not table["rows"]]
    parts = [
        f'<div class="family">\n<h3>{family}</h3>\n{"".join(families[family])}\n</div>'
        for family in sorted(families, key=FAMILIES.index)
    ]
    if empty:
        parts.append(f'<p class="note">Without rows: {escape("; ".join(empty))}.</p>')
    return "\n".join(parts)


def _table(name: str, table: dict[str, Any]) -> str:
    file = f"<small>{table['rows']} rows, <code>tables/{name}.csv</code></small>"
    if not table["shown"]:
        return f"<p>{escape(TABLES[name].title)} {file}: too long for a page.</p>"
    return (
        f'<details id="table-{name}" data-table="{name}" class="needs-script">'
        f'<summary>{escape(TABLES[name].title)} {file}</summary><div class="place"></div></details>'
    )
