"""Findings and cautions as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import isfinite

from timefair.basics.words import counted, listed, number
from timefair.report.cautions import Caution
from timefair.report.findings.pairs import TABLE, Standing, Verdict
from timefair.report.findings.situations import WRONG, Findings, OnFunction, Situation, across
from timefair.report.markup import Names, folded

SIGNIFICANT = {
    Verdict.CLEAR: "significant",
    Verdict.SHARED: "shared lead",
    Verdict.OPEN: "not significant",
    Verdict.MIXED: "depends on the function",
    Verdict.NOTHING: "no order",
}

MOST_TIED = 4  # number of names of tied algorithms that are listed; the others are counted

SITUATIONS = """<h4>For whom</h4>
<div class="scroll"><table class="stacked">
<thead><tr><th scope="col">If …</th><th scope="col">first</th><th scope="col">certainty</th></tr>
</thead>
<tbody>
{rows}
</tbody>
</table></div>"""

MOST_FINDINGS = 4  # findings of a space that are shown; the others are folded
MOST_SPACES = 3  # number of spaces up to which their verdicts are not folded on the first screen
MOST_FUNCTIONS = 8  # number of functions of a space up to which their list is not folded

FUNCTIONS = """<p class="note">Algorithms are compared by the expected cost (ERT) to the hardest
target that at least half of the runs of some algorithm reached. If there is no such target, it is
the hardest target that any run reached; if no run reached one, the median precision decides. Each
pair is tested at the hardest target that half of the runs of one of the two reached.</p>
<div class="scroll"><table class="stacked">
<thead><tr><th scope="col">Function</th><th scope="col">first</th>
<th scope="col">compared by</th>
<th scope="col" class="number">best value</th>
<th scope="col" class="number">successful runs</th>
<th scope="col" class="number">next, as a multiple</th>
<th scope="col">certainty</th></tr></thead>
<tbody>
{rows}
</tbody>
</table></div>"""


def cautioned(cautions: Sequence[Caution]) -> str:
    if not cautions:
        return ""
    items = "\n".join(
        f"<dt>{escape(one.topic)}</dt><dd>{escape(one.text)}</dd>" for one in cautions
    )
    return f'<dl class="cautions">\n{items}\n</dl>'


def warned(cautions: Sequence[Caution]) -> str:
    """The most important caution, in a sentence, and the topics of the others, for the first
    screen; empty if there are none.
    """
    if not cautions:
        return ""
    first, *others = cautions
    said = first.text.partition(". ")[0].removesuffix(".")
    also = f"; also {listed([one.topic.lower() for one in others])}" if others else ""
    return (
        f'<p class="brief"><a href="#cautions">{counted(len(cautions), "caution")}</a>: '
        f"{escape(said + also)}.</p>\n"
    )


def summed_up(found: Sequence[Findings]) -> str:
    """Who wins, for the first screen: a sentence on all spaces, and the headline of each one."""
    if len(found) < 2:
        return "".join(_opening(one) for one in found)
    items = "\n".join(
        f'<li><a href="#{one.space.anchor}">{escape(one.space.title)}</a>: '
        f"{escape(f'{one.headline} {one.reversal}'.rstrip())}</li>"
        for one in found
    )
    together = f'<p class="headline">{escape(across(list(found)))}</p>'
    each = f'<ul class="sentences">\n{items}\n</ul>'
    if len(found) > MOST_SPACES:
        each = folded("The verdict of each part", each, len(found), 0)
    return f"{together}\n{each}"


def verdicts(found: Sequence[Findings]) -> list[str]:
    """The headline of each space with a verdict or a wrong optimum; of several ones, with the name
    of the space.
    """
    one = len(found) == 1
    return [
        each.headline if one else f"{each.space.title}: {each.headline}"
        for each in found
        if each.situations or each.headline.startswith(WRONG)
    ]


def concluded(found: Findings, names: Names, *, alone: bool = False) -> str:
    """The findings of one space, without its headline if it is the only space (the first screen has
    it).
    """
    first, more = found.sentences[:MOST_FINDINGS], found.sentences[MOST_FINDINGS:]
    rows = "\n".join(_situation(one, names) for one in found.situations)
    functions = "\n".join(_function(one, names) for one in found.functions)
    parts = [
        f'<article aria-labelledby="{found.space.anchor}">',
        f'<h3 id="{found.space.anchor}">{escape(found.space.title)}</h3>',
        "" if alone else _opening(found),
        _sentences(first),
        SITUATIONS.format(rows=rows) if rows else "",
        folded(
            "Function by function",
            FUNCTIONS.format(rows=functions),
            len(found.functions),
            MOST_FUNCTIONS,
        )
        if functions
        else "",
        folded("More findings", _sentences(more), len(more), 0) if more else "",
        "</article>",
    ]
    return "\n".join(filter(None, parts))


def _sentences(texts: Sequence[str]) -> str:
    items = "\n".join(f"<li>{escape(text)}</li>" for text in texts)
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
    tied = standing.tied
    if standing.verdict is Verdict.MIXED:
        return "differs"
    more = f" and {counted(len(tied) - MOST_TIED, 'other')}" if len(tied) > MOST_TIED else ""
    if not standing.leaders:
        open_ = f"no significant lead: {names.some(tied[:MOST_TIED])}{more}" if tied else ""
        return f'none<span class="detail">{open_}</span>' if open_ else "none"
    others = len(standing.leaders) - MOST_TIED
    level = f" and {counted(others, 'other')}" if others > 0 else ""
    if not tied:
        return names.some(standing.leaders[:MOST_TIED]) + level
    where = " on each function" * standing.on_each
    below = f"not significantly behind{where}: {names.some(tied[:MOST_TIED])}{more}"
    return f'{names.some(standing.leaders[:MOST_TIED])}{level}<span class="detail">{below}</span>'


def _verdict(standing: Standing) -> str:
    return f'<span class="verdict {standing.verdict}">{SIGNIFICANT[standing.verdict]}</span>'
