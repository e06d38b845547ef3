"""The page as one self-contained file of HTML. It loads nothing from disk or network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

import pandas as pd

from timefair import __version__
from timefair.basics.extension import each
from timefair.basics.words import listed
from timefair.campaign.configuration import Campaign
from timefair.exhibits.charts.pages import ORDER
from timefair.exhibits.files import as_rows
from timefair.exhibits.registry import TABLES
from timefair.exhibits.unknown_optimum import worded
from timefair.report import (
    account,
    checklist_page,
    description,
    exhibits,
    payload,
    pictures,
)
from timefair.report.cautions import cautions
from timefair.report.conclusions import cautioned, concluded, summed_up, verdicts, warned
from timefair.report.evidence import Evidence
from timefair.report.findings.pairs import is_over_functions
from timefair.report.findings.situations import Findings, across, findings, leading
from timefair.report.markup import Names, Part, section

SCRIPTS = (
    "numbers", "elements", "data", "tables", "series", "axes", "charts", "reading", "ranks",
    "page",
)  # fmt: skip
"""Parts of the page's script, in the order in which they are put together."""

DOCUMENT = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="timefair {version}">
{short}
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
{body}
<script type="application/json" id="data">{data}</script>
{packed}
<script>
(() => {{
"use strict";
{script}
}})();
</script>
</body>
</html>
"""

BODY = """<a class="skip" href="#findings">Skip to the findings</a>
<header>
<p class="kicker">Comparison {unit}</p>
<h1>{name}</h1>
<p class="lead">{lead}</p>
{summary}
{first}
</header>
<nav aria-label="Parts of the page"><ul>
{links}
</ul></nav>
<main>
<noscript><p>The interactive figures and the tables of this page need JavaScript. They are also
files in the folders <code>figures</code> and <code>tables</code>.</p></noscript>
{sections}
</main>
<footer><p>Made by timefair {version}. All numbers are in the folder
<code>results/{name}/tables</code>.</p></footer>"""

READING = """<p class="note">All verdicts follow from the table
<a href="#table-comparison">comparison</a>. Each pair of algorithms is tested by its own runs, and a
difference is significant if its p-value is at most {level} after the corrections for the number of
pairs and for all criteria. {sample}</p>"""

OVER_FUNCTIONS = """The pairs are tested over the functions (Wilcoxon’s signed-rank test), so the
verdicts hold for functions like these."""

OVER_RUNS = """With so few functions{where}, no result over them could be significant, so the pairs
are tested by the runs on each function. The verdicts hold for new runs on these functions, and not
for other functions."""


def page(
    tables: Mapping[str, pd.DataFrame],
    figures: Mapping[str, exhibits.PictureFile],
    campaign: Campaign,
) -> str:
    """The page of a campaign.

    It does not mention tables that are missing, and shows the figures that it does not draw from
    their table itself.
    """
    evidence = Evidence(tables, campaign)
    order = evidence.some_frame.attrs.get(ORDER, ())
    names = Names.of(campaign.algorithms, campaign.published, leading(evidence), order)
    of_tables = {name: payload.table(name, tables[name]) for name in TABLES if name in tables}
    found = [findings(evidence, space) for space in evidence.spaces]
    told = cautions(evidence)
    some = evidence.some_frame
    first: list[Part] = list(each("parts", evidence, names))
    in_charts = {view["table"] for chart in _drawn(tables, of_tables) for view in chart["views"]}
    packed = payload.fitting(of_tables, first=in_charts)
    shown = {
        name: payload.without_columns(one, is_there=name in packed)
        for name, one in of_tables.items()
    }
    drawn = _drawn(tables, shown)
    parts = {
        **{one.key: (one.title, one.content) for one in first},
        "findings": (
            " ".join(["Who wins", *(one.findings for one in first)]),
            _findings(found, evidence, names),
        ),
        "cautions": ("Cautions", cautioned(told)),
        "figures": ("Figures", worded(exhibits.figures(drawn, figures, evidence, names), some)),
        "tables": ("Tables", worded(exhibits.tables(shown), some)),
        "setup": ("What was run", account.setup(evidence, names)),
        "machine": ("Machine", account.machine(evidence)),
        "checklist": ("Checklist", _checklist(evidence)),
        "repeat": ("Repeat and cite", account.repeat(campaign) + account.cite(evidence)),
    }
    data = {"algorithms": names.for_script(), "tables": shown, "charts": drawn,
            "functions": evidence.named}  # fmt: skip
    body = BODY.format(
        version=__version__,
        name=escape(campaign.name),
        unit="of results" if "evaluations" in campaign.lacks else f"at equal {evidence.unit}",
        lead=escape(account.in_one_sentence(campaign)),
        summary="\n".join(one.headline for one in first) or worded(summed_up(found), some),
        first=worded(
            warned(told) + account.implementations(evidence) + pictures.pictures(evidence, names),
            some,
        ),
        links="\n".join(
            f'<li><a href="#{key}">{escape(title)}</a></li>'
            for key, (title, content) in parts.items()
            if content
        ),
        sections="\n".join(section(key, title, content) for key, (title, content) in parts.items()),
    )
    return DOCUMENT.format(
        version=__version__,
        short=description.meta(
            [worded(line, some) for line in verdicts(found)] + account.how_runs_went(evidence)
        ),
        title=f"{escape(campaign.name)}: report",
        style=part_of("page.css"),
        body=body,
        data=payload.script(data),
        packed="\n".join(
            f'<script type="text/plain" id="data-{name}">{form}</script>'
            for name, form in packed.items()
        ),
        script="\n".join(part_of(f"script/{name}.js") for name in SCRIPTS),
    )


def _drawn(
    tables: Mapping[str, pd.DataFrame], shown: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    return exhibits.drawn({name: tables[name] for name, table in shown.items() if table["shown"]})


def part_of(name: str) -> str:
    return files("timefair.report").joinpath(name).read_text(encoding="utf-8")


def _findings(found: Sequence[Findings], evidence: Evidence, names: Names) -> str:
    if not found:
        return "<p>The campaign selects no table that compares algorithms.</p>"
    few = [one.space.title for one in found if not is_over_functions(evidence, one.space)]
    where = "" if len(few) == len(found) else f" ({listed(few)})"
    over = OVER_FUNCTIONS if len(few) < len(found) else ""
    sample = f"{over} {OVER_RUNS.format(where=escape(where)) if few else ''}".strip()
    level = f"{1 - evidence.confidence:.3g}"
    decided = any(one.situations for one in found)
    note = READING.format(level=level, sample=sample) if decided else ""
    together = across(found)
    overall = [f'<p class="headline">{escape(together)}</p>'] if together else []
    each_ = (concluded(one, names, alone=len(found) == 1) for one in found)
    return worded("\n".join([*overall, *each_, note]), evidence.some_frame)


def _checklist(evidence: Evidence) -> str:
    frame = evidence.table("checklist")
    if frame.empty:
        return ""
    content = checklist_page.contents(as_rows(frame), frame.attrs.get("perturbed", ""), level=3)
    return f'<div class="checklist scroll">{content}</div>'
