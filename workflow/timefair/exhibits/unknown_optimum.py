"""Unknown and wrong optima, and words of captions and axes for problems without a precision.

The precision of a run is replaced by its gap: f minus the least value that any of the runs found on
the problem. Exhibits are declared for known optima; here are the words for the others.
"""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal

import pandas as pd

from timefair.basics.optimum import is_below
from timefair.problems.suites import COLUMNS, Refutation, least, refutation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from timefair.records.rundata.runs import Runs
    from timefair.records.rundata.settings import Analysis

Optimum = Literal["known", "unknown", "partly"]

KIND = "optimum"
TARGETS = "targets"
REFUTED = "refuted"
"""Attributes of a frame: `Optimum`, the meaning of targets, fields of each `Refutation`."""

PRECISION, SHARE, VALUE = "precision", "share", "value"
"""Meanings of targets: distances to the optimum, shares of what was found, values of f."""

_WORDS = {
    SHARE: "target, as the share of the way left",
    VALUE: "target value of f",
    PRECISION: "target gap",
}
GAP, MEASURE = "gap", "measure"  # word in files instead of `PRECISION`, and a column with it

_WHOLE = {
    r"f\s*[−-]\s*f_opt": "f − least f found",
    r"(?<![a-z])precision": "gap",
    r"(?<![a-z])Precision": "Gap",
    r"\bsolve(s|d)\b": r"reache\1",
    r"\bSolve(s|d)\b": r"Reache\1",
}
"""Words for a known optimum, and their replacements: without it, no problem is solved."""

_GAPS = "A gap is f minus the least f that any run here found, so at least one run has the gap 0."
_PARTLY = "Without a known optimum a precision is the distance to the least f found."
_TARGETS = {
    SHARE: "A target is a share of the distance between the median of the first values and that "
    "least f; it is reached if at most this share is left. The best run reaches every target by "
    "construction.",
    VALUE: "Targets are values of f.",
    PRECISION: "",
}


def note(runs: Runs, analysis: Analysis, frame: pd.DataFrame) -> None:
    """Record in the attributes of a table whether optima are known, which of them are wrong, and
    what its targets are.
    """
    frame.attrs[REFUTED] = [asdict(one) for one in refuted(runs)]
    frame.attrs[KIND] = kind = runs.optimum
    frame.attrs[TARGETS] = (
        VALUE if analysis.target_values else PRECISION if kind == "known" else SHARE
    )


def refuted(runs: Runs) -> list[Refutation]:
    """The run with the least value on each problem whose optimum is wrong."""

    def found() -> list[Refutation]:
        frames = [one.frame for one in (runs, runs.published) if one is not None]
        rows = pd.concat([frame[[*COLUMNS]] for frame in frames])
        below = is_below(rows[["best_f", "noise_free_f"]].min(axis=1), rows["f_opt"])
        return least(map(refutation, rows[below].to_dict("records")))

    return runs.once("refuted", found)


def in_files(frame: pd.DataFrame) -> pd.DataFrame:
    """A table with the names of columns and measures that its files have."""
    if not is_unknown(frame):
        return frame
    return measured(frame).rename(columns=lambda name: str(name).replace(PRECISION, GAP))


def measured(frame: pd.DataFrame, name: str = PRECISION, other: str = GAP) -> pd.DataFrame:
    """A table with the names of measures that its files have."""
    if not is_unknown(frame) or MEASURE not in frame:
        return frame
    return frame.assign(**{MEASURE: frame[MEASURE].replace(name, other)})


def from_files(frame: pd.DataFrame, columns: Iterable[str]) -> pd.DataFrame:
    """A table from a file, with the names that the exhibits read."""
    names = {name.replace(PRECISION, GAP): name for name in columns if PRECISION in name}
    return measured(frame.rename(columns=names), GAP, PRECISION) if is_unknown(frame) else frame


def is_unknown(frame: pd.DataFrame) -> bool:
    return bool(frame.attrs.get(KIND) == "unknown")


def has_words(frame: pd.DataFrame) -> bool:
    return is_unknown(frame) or frame.attrs.get(TARGETS) == VALUE


def worded(text: str, frame: pd.DataFrame) -> str:
    """A label or a part of a sentence, without the word precision if there is no precision."""
    targets = frame.attrs.get(TARGETS, PRECISION)
    if has_words(frame):
        text = text.replace("target precision", _WORDS[targets])
    for known, unknown in _WHOLE.items() if is_unknown(frame) else ():
        text = re.sub(known, unknown, text)
    return text


def captioned(text: str, frame: pd.DataFrame) -> str:
    """A caption; if an optimum is unknown, with other words and their explanation."""
    kind, targets = frame.attrs.get(KIND, "known"), frame.attrs.get(TARGETS, PRECISION)
    aims = re.search("target", text, re.IGNORECASE) is not None
    gaps = re.search("precision", text, re.IGNORECASE) is not None
    if kind == "unknown" or targets == VALUE:
        text = re.sub("target precision", "target", text)
    said, unknown = worded(text, frame), kind == "unknown"
    more = {
        "f is minimized, and its optimum is unknown.": unknown and (aims or gaps),
        _GAPS: unknown and gaps and "gap" in said,
        _PARTLY: kind == "partly" and gaps,
        _TARGETS[targets]: aims,
    }
    return " ".join([said, *(words for words, holds in more.items() if words and holds)])
