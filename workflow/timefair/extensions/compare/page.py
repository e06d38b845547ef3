"""A comparison as one file of HTML, in the style of the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from importlib.resources import files
from math import exp, log

from timefair import __version__
from timefair.extensions.compare import words
from timefair.extensions.compare.comparison import Comparison, Measure, margin_of
from timefair.report.markup import section
from timefair.statistics.versions.answers import Answer, Judged

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="timefair {version}">
<link rel="icon" href="data:,">
<title>{candidate} against {baseline}</title>
<style>
{style}
</style>
</head>
<body>
<header>
<p class="kicker">Comparison of two versions</p>
<h1>{candidate} against {baseline}</h1>
<p class="headline">{verdict}</p>
</header>
<main>
{sections}
</main>
<footer><p>Made by timefair {version}.</p></footer>
</body>
</html>
"""

WIDTH, NAMES, ROW, TOP = 640, 110, 26, 20
"""Of the drawing, in its units: in all, for the names, the height of a row, and above the first."""

COLOURS = {
    Answer.BETTER: "var(--good)",
    Answer.WORSE: "var(--bad)",
    Answer.EQUAL: "var(--accent)",
    Answer.UNDECIDED: "var(--soft)",
}


def page(found: Comparison, lines: list[str]) -> str:
    """The page of a comparison.

    Parameters
    ----------
    lines
        The lines that the command prints; the last one is the verdict.
    """
    parts = [
        section("intervals", "Ratios with their intervals", _key(found.ratio), *_figures(found)),
        section("reasons", "The cause of the difference", _listed(lines[:-1])),
        section("functions", "All answers", _table(found)),
        section("meaning", "How to read this", _paragraphs(words.meaning(found))),
    ]
    style = files("timefair.report").joinpath("page.css").read_text(encoding="utf-8")
    return PAGE.format(
        version=__version__,
        candidate=escape(found.candidate),
        baseline=escape(found.baseline),
        verdict=escape(lines[-1]),
        style=style,
        sections="\n".join(parts),
    )


def _key(margin: float) -> str:
    """How to read the figures."""
    return (
        f"<p>Right of 1, the candidate costs more. The band is the margin, {margin:g}. An interval "
        "to the right of the band is worse (red), to the left of it better (green), and within it "
        "equal (blue). Grey is undecided.</p>"
    )


def _figures(found: Comparison) -> list[str]:
    ratios = [measure for measure in found.measures if measure is not Measure.QUALITY]
    judged = [
        one
        for measure in ratios
        for one in (*found.on_functions[measure], found.overall[measure])
        if one.change.known
    ]
    limits = [abs(x) for one in judged for x in (one.low, one.high) if abs(x) < log(100)]
    reach = 1.1 * max(log(found.ratio), *limits, 0.01)
    return [_figure(found, measure, reach) for measure in ratios]


def _figure(found: Comparison, measure: Measure, reach: float) -> str:
    """The ratio on each function and over all, with the margin as a band.

    The logarithms of the ratios that are shown are up to `reach` in size.
    """
    names = [words.function(sample) for sample in found.samples]
    rows = [*zip(names, found.on_functions[measure], strict=True), ("all", found.overall[measure])]
    margin = margin_of(measure, found.ratio)

    def at(x: float) -> float:
        share = min(max((x + reach) / (2 * reach), 0.0), 1.0)
        return NAMES + share * (WIDTH - NAMES - 10)

    height = TOP + ROW * len(rows) + 30
    bottom = height - 25
    drawn = [
        f'<rect x="{at(-margin):.1f}" y="{TOP - 8}" width="{at(margin) - at(-margin):.1f}" '
        f'height="{bottom - TOP + 8}" fill="var(--tint)"/>',
        f'<line x1="{at(0):.1f}" x2="{at(0):.1f}" y1="{TOP - 8}" y2="{bottom}" '
        'stroke="var(--soft)"/>',
        *(_row(name, one, TOP + ROW * k + 8, at) for k, (name, one) in enumerate(rows)),
        *(
            f'<text x="{at(x):.1f}" y="{height - 8}" text-anchor="{anchor}">{exp(x):.3g}</text>'
            for x, anchor in ((-reach, "start"), (0.0, "middle"), (reach, "end"))
        ),
    ]
    title = f"Ratio of {words.TITLES[measure]}, candidate to baseline"
    return (
        f'<figure><h3>{escape(title)}</h3>\n<svg viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)}" style="width:100%;max-width:46rem;font-size:13px;'
        f'fill:var(--ink)">\n' + "\n".join(drawn) + "\n</svg></figure>"
    )


def _row(name: str, judged: Judged, y: float, at: Callable[[float], float]) -> str:
    text = f'<text x="0" y="{y + 4:.1f}">{escape(name)}</text>'
    if not judged.change.known:
        return text
    colour = COLOURS[judged.answer]
    return (
        f'{text}<line x1="{at(judged.low):.1f}" x2="{at(judged.high):.1f}" y1="{y:.1f}" '
        f'y2="{y:.1f}" stroke="{colour}" stroke-width="3"/>'
        f'<circle cx="{at(judged.change.estimate):.1f}" cy="{y:.1f}" r="5" fill="{colour}">'
        f"<title>{escape(judged.answer)}</title></circle>"
    )


def _table(found: Comparison) -> str:
    heading, *rows = words.table(found)
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heading)
    body = "\n".join(
        "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>"


def _listed(lines: list[str]) -> str:
    items = "\n".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<ul class="sentences">{items}</ul>'


def _paragraphs(sentences: Iterable[str]) -> str:
    return "\n".join(f"<p>{escape(one)}</p>" for one in sentences)
