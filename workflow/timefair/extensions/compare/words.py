"""A comparison in words: as lines, in Markdown for a pull request, and as a page of HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from math import exp, log

from timefair import __version__
from timefair.basics.words import counted
from timefair.extensions.compare.answers import Answer, Judged
from timefair.extensions.compare.comparison import (
    NEGLIGIBLE,
    Comparison,
    Measure,
    Sample,
    margin_of,
)
from timefair.report.markup import section

TITLES = {
    Measure.SECONDS: "seconds to the target",
    Measure.EVALUATIONS: "evaluations to the target",
    Measure.SPEED: "seconds per evaluation",
    Measure.QUALITY: "worse at the end",
}
"""Heading of each measure; all but the last are ratios, candidate to baseline."""

UNKNOWN = "n/a"


@dataclass(frozen=True)
class Look:
    """The round after which a comparison ended, and the number of planned rounds."""

    number: int
    planned: int

    def __str__(self) -> str:
        if self.number < self.planned:
            return f"stopped after round {self.number} of {self.planned}, as the answer is decided"
        return f"all {self.planned} rounds"


def verdict(found: Comparison, look: Look | None = None) -> str:
    """The answer over all functions, in one line."""
    baseline, candidate = found.runs
    runs = (
        f"{baseline} runs of each version"
        if baseline == candidate
        else f"{baseline} runs of {found.baseline} and {candidate} runs of {found.candidate}"
    )
    parts = [
        f"{found.verdict.answer}: {_claim(found)}",
        f"margin {_margin(found.by, found)}",
        f"in total {runs} on {counted(len(found.samples), 'function')}{_pairs(found)}",
        *([str(look)] if look else []),
    ]
    return "; ".join(parts)


def _claim(found: Comparison) -> str:
    judged, names = found.verdict, (found.candidate, found.baseline)
    if not judged.change.known:
        return f"too few runs, or no target reached, to compare {names[0]} with {names[1]}"
    confidence = f"{100 * (1 - judged.level):.4g} % confidence"
    if found.by is Measure.QUALITY:
        return f"{names[0]} ends worse than {names[1]} in {value(found.by, judged)}, {confidence}"
    middle, interval = _estimate(judged), _interval(judged)
    unit, *rest = TITLES[found.by].partition(" ")
    of_baseline = f"{unit} of {names[1]}{''.join(rest)}"
    return f"{names[0]} needs {middle} times the {of_baseline} {interval}, {confidence}"


def _pairs(found: Comparison) -> str:
    if not found.paired:
        return ""
    if found.paired == len(found.samples):
        return ", in pairs of one seed"
    return f", in pairs of one seed on {found.paired} of them"


def reasons(found: Comparison) -> Iterator[str]:
    """The factors of the ratio of seconds, and the quality; one line each."""
    if found.overall[Measure.SECONDS].change.known:
        speed, count = found.overall[Measure.SPEED], found.overall[Measure.EVALUATIONS]
        yield (
            f"ratio of seconds {_estimate(found.overall[Measure.SECONDS])} = "
            f"{_estimate(speed)} (seconds per evaluation) x {_estimate(count)} (evaluations)"
        )
    for measure in found.measures:
        if measure is not found.by:
            judged = found.overall[measure]
            yield f"{TITLES[measure]}: {value(measure, judged)}, {judged.answer}"


def drift_line(found: Comparison, references: tuple[str, ...]) -> Iterator[str]:
    """The drift of the machine from the first to the second campaign, if there are two
    campaigns.
    """
    if found.drift is None:
        return
    low, high = found.drift.interval(1 - found.level)
    yield (
        f"drift: seconds per evaluation of {', '.join(references)} are "
        f"{exp(found.drift.estimate):.3f} times [{exp(low):.3f}, {exp(high):.3f}] those of the "
        "first campaign; all ratios of times are divided by this drift, and their intervals "
        "include its error"
    )


def table(found: Comparison) -> list[list[str]]:
    """Rows of texts: the heading, a row for each function, and one for all."""
    rows = [["function", "target", *(TITLES[measure] for measure in found.measures)]]
    for k, sample in enumerate(found.samples):
        cells = [cell(measure, found.on_functions[measure][k]) for measure in found.measures]
        rows.append([function(sample), _target(sample), *cells])
    overall = [cell(measure, found.overall[measure]) for measure in found.measures]
    return [*rows, ["all", "", *overall]]


def function(sample: Sample) -> str:
    """The name of a function in messages."""
    return f"f{sample.key.function} D={sample.key.dimension}"


def _target(sample: Sample) -> str:
    return UNKNOWN if sample.target is None else f"{sample.target:.3g}"


def cell(measure: Measure, judged: Judged) -> str:
    """A value with its interval and its answer."""
    if not judged.change.known:
        return UNKNOWN
    return f"{value(measure, judged)} {judged.answer}"


def value(measure: Measure, judged: Judged) -> str:
    """An estimate with its interval, as a ratio or as a share of the pairs of runs."""
    if not judged.change.known:
        return UNKNOWN
    if measure is Measure.QUALITY:
        low, middle, high = (
            100 * min(max(0.5 + x, 0.0), 1.0)
            for x in (judged.low, judged.change.estimate, judged.high)
        )
        return f"{middle:.0f} % [{low:.0f}, {high:.0f}]"
    return f"{_estimate(judged)} {_interval(judged)}"


def _estimate(judged: Judged) -> str:
    return _ratio(judged.change.estimate)


def _interval(judged: Judged) -> str:
    return f"[{_ratio(judged.low)}, {_ratio(judged.high)}]"


def _ratio(logarithm: float) -> str:
    """A ratio with three digits, and in full up to a million.

    >>> _ratio(0.0953), _ratio(7.0), _ratio(50.0)
    ('1.1', '1,097', '5.2e+21')
    """
    ratio = exp(min(logarithm, 700.0))
    if 1000 <= ratio < 1e6:
        return f"{ratio:,.0f}"
    return f"{ratio:.3g}" if ratio < 1000 else f"{ratio:.2g}"


def _margin(measure: Measure, found: Comparison) -> str:
    if measure is Measure.QUALITY:
        return f"{50 - 100 * NEGLIGIBLE:g} to {50 + 100 * NEGLIGIBLE:g} %"
    return f"{found.ratio:g}"


ANSWERS = {
    Answer.BETTER: "the interval lies below the margin",
    Answer.WORSE: "the interval lies above the margin",
    Answer.EQUAL: "the interval lies within the margin",
    Answer.UNDECIDED: "the interval crosses a limit of the margin: more runs are needed",
}
"""Meaning of the answers."""


def meaning(found: Comparison) -> Iterator[str]:
    """Sentences on the scope of the answers."""
    yield (
        f"The margin is a ratio of {found.ratio:g} of costs, and "
        f"{50 - 100 * NEGLIGIBLE:g} to {50 + 100 * NEGLIGIBLE:g} % of the pairs of runs in quality."
    )
    yield "; ".join(f"{answer}: {text}" for answer, text in ANSWERS.items()) + "."
    yield (
        f"The answer over all functions in {TITLES[found.by]} is right with "
        f"{100 * (1 - found.level):.4g} % confidence, and so are all answers on single functions "
        "in one measure together (Holm). They hold for these functions, instances and budgets."
    )


def markdown(found: Comparison, lines: list[str]) -> str:
    """The verdict, its reasons and the table, in Markdown.

    - `lines`: the lines that the command prints; the last one is the verdict.
    """
    heading, *rows = table(found)
    rows = [heading, ["---"] * len(heading), *rows]
    body = "\n".join(f"| {' | '.join(map(_escaped, row))} |" for row in rows)
    scope = _escaped(" ".join(meaning(found)))
    reasons = "\n".join(f"- {_escaped(line)}" for line in lines[:-1])
    return (
        f"### timefair: {_escaped(found.candidate)} against {_escaped(found.baseline)}\n\n"
        f"**{_escaped(lines[-1])}**\n\n{reasons}\n\n{body}\n\n<sub>{scope}</sub>\n"
    )


def _escaped(text: str) -> str:
    """Escape the characters that have a meaning in Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_|<>" else c for c in text)


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

    - `lines`: the lines that the command prints; the last one is the verdict.
    """
    parts = [
        section("intervals", "Ratios with their intervals", _key(found.ratio), *_figures(found)),
        section("reasons", "The cause of the difference", _listed(lines[:-1])),
        section("functions", "All answers", _table(found)),
        section("meaning", "How to read this", _paragraphs(meaning(found))),
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
    names = [function(sample) for sample in found.samples]
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
    title = f"Ratio of {TITLES[measure]}, candidate to baseline"
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
    heading, *rows = table(found)
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
