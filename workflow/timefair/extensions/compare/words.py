"""A comparison in words: as lines, and in Markdown for a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp

from timefair.basics.words import counted
from timefair.extensions.compare.comparison import (
    NEGLIGIBLE,
    Answer,
    Comparison,
    Judged,
    Measure,
    Sample,
)

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
