"""The page as one self-contained file of HTML, which loads nothing from disk or network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from math import isfinite

import pandas as pd

from timefair import __version__
from timefair.basics.extension import each
from timefair.basics.words import counted, listed, number
from timefair.campaign.configuration import Campaign
from timefair.exhibits.charts.pages import ORDER
from timefair.exhibits.files import as_rows
from timefair.exhibits.registry import TABLES
from timefair.exhibits.unknown_optimum import worded
from timefair.report import account, description, exhibits, part_of
from timefair.report.cautions import cautions
from timefair.report.evidence import Evidence
from timefair.report.findings import (
    TABLE,
    WRONG,
    Findings,
    OnFunction,
    Situation,
    Standing,
    Verdict,
    across,
    findings,
    is_over_functions,
    leading,
)
from timefair.report.markup import Names, Part, definitions, folded, section, table

SCRIPTS = ("base", "charts", "page")  # parts of the page's script, in their order

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
    figures: Mapping[str, str],
    campaign: Campaign,
) -> str:
    """The page of a campaign, without tables that are missing. Of the figures, it shows those that
    it does not draw from their table itself.
    """
    evidence = Evidence(tables, campaign)
    order = evidence.some_frame.attrs.get(ORDER, ())
    names = Names.of(campaign.algorithms, campaign.published, leading(evidence), order)
    of_tables = {name: exhibits.table(name, tables[name]) for name in TABLES if name in tables}
    found = [findings(evidence, space) for space in evidence.spaces]
    told = cautions(evidence)
    some = evidence.some_frame
    first: list[Part] = list(each("parts", evidence, names))
    shown, packed = exhibits.fitting(of_tables)
    drawn = exhibits.drawn({name: tables[name] for name, one in shown.items() if one["shown"]})
    parts = {
        **{one.key: (one.title, one.content) for one in first},
        "findings": (
            " ".join(["Who wins", *(one.findings for one in first)]),
            _findings(found, evidence, names),
        ),
        "cautions": ("Cautions", definitions(told) if told else ""),
        "figures": ("Figures", worded(exhibits.figures(drawn, figures, evidence, names), some)),
        "tables": ("Tables", worded(exhibits.tables(shown), some)),
        "setup": ("What was run", account.setup(evidence, names)),
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
            warned(told) + account.implementations(evidence) + exhibits.pictures(evidence, names),
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
        short=description(
            [worded(line, some) for line in verdicts(found)] + account.how_runs_went(evidence)
        ),
        title=f"{escape(campaign.name)}: report",
        style=part_of("page.css"),
        body=body,
        data=exhibits.script(data),
        packed="\n".join(
            f'<script type="text/plain" id="data-{name}">{form}</script>'
            for name, form in packed.items()
        ),
        script="\n".join(part_of(f"script/{name}.js") for name in SCRIPTS),
    )


def _findings(found: Sequence[Findings], evidence: Evidence, names: Names) -> str:
    if not found:
        return "<p>The campaign selects no table that compares algorithms.</p>"
    decided = any(one.situations for one in found)
    few = [one.space.title for one in found if not is_over_functions(evidence, one.space)]
    where = "" if len(few) == len(found) else f" ({listed(few)})"
    over = OVER_FUNCTIONS if len(few) < len(found) else ""
    sample = f"{over} {OVER_RUNS.format(where=escape(where)) if few else ''}".strip()
    note = READING.format(level=f"{1 - evidence.confidence:.3g}", sample=sample) * decided
    together = across(found)
    overall = [f'<p class="headline">{escape(together)}</p>'] if together else []
    each_ = (concluded(one, names, alone=len(found) == 1) for one in found)
    return worded("\n".join([*overall, *each_, note]), evidence.some_frame)


def _checklist(evidence: Evidence) -> str:
    frame = evidence.table("checklist")
    if frame.empty:
        return ""
    content = account.checklist(as_rows(frame), frame.attrs.get("perturbed", ""))
    return f'<div class="checklist scroll">{content}</div>'


SIGNIFICANT = {
    Verdict.CLEAR: "significant",
    Verdict.SHARED: "shared lead",
    Verdict.OPEN: "not significant",
    Verdict.MIXED: "depends on the function",
    Verdict.NOTHING: "no order",
}

MOST_TIED = 4  # number of names of tied algorithms that are listed; the others are counted
MOST_SPACES = 3  # number of spaces up to which their verdicts are not folded on the first screen
MOST_FUNCTIONS = 8  # number of functions of a space up to which their list is not folded
FUNCTIONS = """<p class="note">Algorithms are compared by the expected cost (ERT) to the hardest
target that at least half of the runs of some algorithm reached. If there is no such target, it is
the hardest target that any run reached; if no run reached one, the median precision decides. Each
pair is tested at the hardest target that half of the runs of one of the two reached.</p>"""


def warned(cautions: Mapping[str, str]) -> str:
    """The most important caution in a sentence, and the topics of the others; empty without any."""
    if not cautions:
        return ""
    first, *others = cautions
    said = cautions[first].partition(". ")[0].removesuffix(".")
    also = f"; also {listed([topic.lower() for topic in others])}" if others else ""
    return (
        f'<p class="brief"><a href="#cautions">{counted(len(cautions), "caution")}</a>: '
        f"{escape(said + also)}.</p>\n"
    )


def summed_up(found: Sequence[Findings]) -> str:
    """Who wins, for the first screen: a sentence on all spaces, and the headline of each one."""
    if len(found) < 2:
        return "".join(_opening(one) for one in found)
    each = _sentences(
        f'<a href="#{one.space.anchor}">{escape(one.space.title)}</a>: '
        f"{escape(f'{one.headline} {one.reversal}'.rstrip())}"
        for one in found
    )
    if len(found) > MOST_SPACES:
        each = folded("The verdict of each part", each, len(found), 0)
    return f'<p class="headline">{escape(across(found))}</p>\n{each}'


def verdicts(found: Sequence[Findings]) -> list[str]:
    """The headline of each space with a verdict or a wrong optimum, after its title if several."""
    return [
        each.headline if len(found) == 1 else f"{each.space.title}: {each.headline}"
        for each in found
        if each.situations or each.headline.startswith(WRONG)
    ]


def concluded(found: Findings, names: Names, *, alone: bool = False) -> str:
    """The findings of one space; if it is the only one, the first screen has its headline."""
    wanted = table(
        ("If …", "first", "certainty"), (_situation(one, names) for one in found.situations)
    )
    head = "Function", "first", "compared by", "best value", "successful runs"
    each_ = (_function(one, names) for one in found.functions)
    on_each = table((*head, "next, as a multiple", "certainty"), each_, numbers=3)
    count = len(found.functions)
    parts = [
        f'<article aria-labelledby="{found.space.anchor}">',
        f'<h3 id="{found.space.anchor}">{escape(found.space.title)}</h3>',
        "" if alone else _opening(found),
        _sentences(map(escape, found.sentences)),
        f"<h4>For whom</h4>\n{wanted}" if found.situations else "",
        folded("Function by function", f"{FUNCTIONS}\n{on_each}", count, MOST_FUNCTIONS)
        if count
        else "",
        "</article>",
    ]
    return "\n".join(filter(None, parts))


def _sentences(texts: Iterable[str]) -> str:
    items = "\n".join(f"<li>{text}</li>" for text in texts)
    return f'<ul class="sentences">\n{items}\n</ul>' if items else ""


def _opening(found: Findings) -> str:
    return "\n".join(
        f'<p class="headline">{escape(text)}</p>'
        for text in (found.headline, found.reversal)
        if text
    )


def _situation(one: Situation, names: Names) -> str:
    return (
        f'<tr><th scope="row">{escape(one.want)}<span class="detail">{escape(one.detail)}</span>'
        f'</th><td class="take">{_front(one.standing, names)}</td>'
        f"<td>{_verdict(one.standing)}"
        f'<span class="detail">{escape(one.standing.reason)} '
        f'<a href="#table-{TABLE}">Table {TABLE}</a></span></td></tr>'
    )


def _function(one: OnFunction, names: Names) -> str:
    factor = f"{number(one.factor)} ×" if isfinite(one.factor) else "–"
    return (
        f'<tr><th scope="row">{escape(one.title)}</th>'
        f'<td class="take">{_front(one.standing, names)}</td>'
        f'<td>{escape(one.criterion)}<span class="detail">{escape(one.standing.reason)}</span></td>'
        f'<td class="number" data-label="value">{escape(one.value)}</td>'
        f'<td class="number" data-label="successes">{escape(one.successes) or "–"}</td>'
        f'<td class="number" data-label="next">{factor}</td>'
        f"<td>{_verdict(one.standing)}</td></tr>"
    )


def _front(standing: Standing, names: Names) -> str:
    """The leaders, and below them the algorithms that may be as good."""
    if standing.verdict is Verdict.MIXED:
        return "differs"

    def some(every: Sequence[str]) -> str:
        others = len(every) - MOST_TIED
        more = f" and {counted(others, 'other')}" if others > 0 else ""
        return names.some(every[:MOST_TIED]) + more

    first = some(standing.leaders) or "none"
    if not standing.tied:
        return first
    where = " on each function" * standing.on_each
    below = f"not significantly behind{where}" if standing.leaders else "no significant lead"
    return f'{first}<span class="detail">{below}: {some(standing.tied)}</span>'


def _verdict(standing: Standing) -> str:
    return f'<span class="verdict {standing.verdict}">{SIGNIFICANT[standing.verdict]}</span>'
