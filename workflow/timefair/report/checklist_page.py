"""The filled checklist as a self-contained page of HTML, without script or network."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

Row = Mapping[Hashable, Any]

SOURCE = (
    "J. J. Lian, Time-Fair Benchmarking for Metaheuristics: A Restart-Fair Protocol for "
    "Fixed-Time Comparisons, 2025, section 4"
)

STYLE = """
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #111; background: #fff;
  font: 1rem/1.45 system-ui, sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.15rem; margin: 1.8rem 0 0.4rem; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; font-size: 0.9rem; }
th, td { padding: 0.35rem 0.6rem 0.35rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid #ccc; overflow-wrap: anywhere; }
thead th { border-bottom: 2px solid #111; }
col.part { width: 20%; } col.met { width: 12%; } col.missing { width: 26%; }
.met { color: #0a5c2b; font-weight: 600; } .open { color: #a11212; font-weight: 600; }
@media print {
  body { max-width: none; margin: 0; padding: 0; font-size: 10pt; }
  h2 { break-after: avoid; } tr { break-inside: avoid; } thead { display: table-header-group; }
}
"""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reporting checklist of {campaign}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>Reporting checklist of {campaign}</h1>
{contents}
</main>
</body>
</html>
"""

CONTENTS = """<p>{summary}</p>
<p>{note}</p>
<p>The items are those of {source}. The evidence comes from the records of the campaign and from its
configuration. An item is met if none of its parts is open.</p>
{items}"""

ITEM = """<section>
<h{level} id="item-{number}">{number}. {topic}: {verdict}</h{level}>
<table aria-labelledby="item-{number}">
<colgroup><col class="part"><col class="met"><col><col class="missing"></colgroup>
<thead><tr><th scope="col">Part</th><th scope="col">Met?</th><th scope="col">Evidence</th>
<th scope="col">What is missing</th></tr></thead>
<tbody>
{parts}
</tbody>
</table>
</section>"""


def page(rows: Sequence[Row], campaign: str, note: str) -> str:
    """The page of a campaign, with a note on its runs.

    Rows are those of the table `checklist`: ``met`` is null for a part that was not measured.
    Without rows, the page states that there are no runs.
    """
    return PAGE.format(campaign=escape(campaign), style=STYLE, contents=contents(rows, note))


def contents(rows: Sequence[Row], note: str, level: int = 2) -> str:
    """The content of the page below its title, with the items as headings of a level."""
    items = [list(parts) for _, parts in groupby(rows, key=lambda row: row["item"])]
    return CONTENTS.format(
        summary=_summary(items),
        note=escape(note),
        source=escape(SOURCE),
        items="\n".join(_item(parts, level) for parts in items),
    )


def _summary(items: Sequence[Sequence[Row]]) -> str:
    if not items:
        return "No runs."
    open_items = [
        f'<a href="#item-{parts[0]["item"]}">{escape(parts[0]["topic"])}</a>'
        for parts in items
        if not _met(parts)
    ]
    met = f"{len(items) - len(open_items)} of {len(items)} items are met."
    return f"{met} Not met: {', '.join(open_items)}." if open_items else met


def _item(parts: Sequence[Row], level: int) -> str:
    return ITEM.format(
        level=level,
        number=parts[0]["item"],
        topic=escape(parts[0]["topic"]),
        verdict=_verdict(_met(parts)),
        parts="\n".join(map(_part, parts)),
    )


def _met(parts: Sequence[Row]) -> bool:
    return all(row["met"] is None or row["met"] for row in parts)


def _part(row: Row) -> str:
    return (
        f'<tr><th scope="row">{escape(row["part"])}</th><td>{_verdict(row["met"])}</td>'
        f"<td>{escape(row['evidence'] or '')}</td><td>{escape(row['missing'] or '')}</td></tr>"
    )


def _verdict(met: bool | None) -> str:
    """The verdict as a word and a symbol; the colour adds no information."""
    if met is None:
        return '<span aria-hidden="true">–</span> not measured'
    if met:
        return '<span class="met"><span aria-hidden="true">✓</span> met</span>'
    return '<span class="open"><span aria-hidden="true">✗</span> not met</span>'
