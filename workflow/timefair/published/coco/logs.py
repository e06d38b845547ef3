"""Reads COCO's ``.dat`` and ``.tdat`` files.

A trial begins with comment lines (``%``), which contain the optimum. The first column of its other
lines counts evaluations. The formats differ in the column of the precision, and in whether a column
counts evaluations of the constraints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.published import numerals
from timefair.published.cautions import Cautions
from timefair.published.pairing import rejoined

BELOW = -1e-6
"""Precisions below this are kept and reported; others below 0 come from rounding, and count as 0.
"""

BEST_F = 4
"""Column of the best f so far. Multi-objective data do not have it."""

_F_OPT = re.compile(r"Fopt\s*\(\s*([^)\s]+)\s*\)", re.IGNORECASE)
_INSTANCE = re.compile(r"\binstance\s*=\s*(\d+)")
_BEST_OF_OTHERS = "algorithm type = best"

BEST_OF_MANY = "best results of many algorithms, not runs of one; give data of one algorithm"


@dataclass(frozen=True)
class CocoColumns:
    """The columns of a data file. Column 0 counts evaluations.

    Attributes
    ----------
    precision : int
        Column of the best precision so far, counted from 0.
    constraints : bool
        Whether column 1 counts evaluations of the constraints.
    tdat_precision : bool
        Whether the precisions of the ``.tdat`` file are read. If not, only the ends of its trials
        are, as in cocopp.
    signed : bool
        Whether precisions can be below 0, because the optimum is the best value known.
    """

    precision: int
    constraints: bool = False
    tdat_precision: bool = True
    signed: bool = False

    @property
    def least(self) -> float:
        """The least precision that counts as 0."""
        return 0.0 if self.signed else BELOW


@dataclass
class CocoLog:
    """The lines of one trial in one file.

    Attributes
    ----------
    f_opt : float or None
        The optimum in the header, or else computed from the first line; None if neither has it.
    instance : int or None
        The instance in the header; None if it has none.
    evaluations, precision : list, one entry per line
        Evaluations of f and of the constraints, as in cocopp, and best precisions.
    end : int
        The last evaluation of f, without constraints.
    falls : list of (int, float or None)
        Indices of lines with fewer evaluations than the line before, each with the optimum
        computed from that line.
    rises : bool
        Whether a best precision is larger than the one before it.
    """

    f_opt: float | None
    instance: int | None
    evaluations: list[int] = field(default_factory=list)
    precision: list[float] = field(default_factory=list)
    end: int = 0
    falls: list[tuple[int, float | None]] = field(default_factory=list)
    rises: bool = False


def logs(
    path: Path, place: Path, columns: CocoColumns, expected: int, cautions: Cautions
) -> list[CocoLog]:
    """Read the trials of a data file. Comment lines separate them.

    Parameters
    ----------
    path, place : Path
        The file, and its name in messages.
    columns : CocoColumns
        Columns of the data file.
    expected : int
        Number of trials. Comments inside trials are ignored, and trials without a comment before
        them are separated, if this gives the expected number.
    cautions : Cautions
        Receives tolerated defects.

    Returns
    -------
    list of CocoLog
        One per trial, in the order of the file.

    Raises
    ------
    InputError
        For a line in another format, or for the best results of many algorithms.
    """
    found = list(_logs(path, place, columns, cautions))
    cautions.rows[path] = sum(len(log.evaluations) for log in found)
    if len(found) > expected:
        joined = rejoined(found, expected, _goes_on, _joined)
        if joined is not None:
            cautions.add(place, "comments inside trials are ignored")
            found = joined
    elif len(found) < expected:
        parts = [part for log in found for part in _parted(log)]
        if len(parts) == expected:
            cautions.add(
                place, "no comment before some trials; a trial begins where evaluations decrease"
            )
            found = parts
    if any(log.falls for log in found):
        cautions.add(place, "evaluations decrease within a trial; its lines are sorted")
    is_used = columns.tdat_precision or path.suffix.lower() == ".dat"
    if is_used and any(log.rises for log in found):
        cautions.add(
            place, "the best precision increases within a trial; the later, larger value is used"
        )
    if columns.tdat_precision and any(min(log.precision) < BELOW for log in found):
        cautions.add(place, "precisions are far below 0; check the optimum in the data")
    return found


def _logs(path: Path, place: Path, columns: CocoColumns, cautions: Cautions) -> Iterator[CocoLog]:
    header: list[str] = []
    log: CocoLog | None = None
    width = 0
    line = "\n"
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if line.startswith("%"):
                if log is not None:
                    yield log
                    log = None
                    header = []
                header.append(line)
                continue
            words = line.split()
            if not words:
                continue
            try:
                if log is None:
                    log, width = _begun(header, words, columns, place), len(words)
                elif len(words) != width:
                    raise ValueError
                _take(log, words, columns)
            except (ValueError, IndexError):
                text = line.strip()[:40]
                raise InputError(f"{place}:{number}: {text!r} is not a line of COCO data") from None
    if log is not None:
        yield log
    if not line.endswith("\n"):
        cautions.add(place, "no line end after the last line; the file may be truncated")


def _begun(header: list[str], words: list[str], columns: CocoColumns, place: Path) -> CocoLog:
    text = "".join(header)
    if _BEST_OF_OTHERS in text:
        raise InputError(f"{place}: {BEST_OF_MANY}")
    instance = _INSTANCE.search(text)
    return CocoLog(_optimum(text, words, columns), int(instance[1]) if instance else None)


def _optimum(header: str, words: list[str], columns: CocoColumns) -> float | None:
    if match := _F_OPT.search(header):
        return numerals.number(match[1])
    if len(words) > BEST_F:
        return numerals.number(words[BEST_F]) - numerals.number(words[columns.precision])
    return None


def _take(log: CocoLog, words: list[str], columns: CocoColumns) -> None:
    evaluations = of_f = numerals.count(words[0])
    if columns.constraints and words[1] != "0":
        evaluations += numerals.count(words[1])
    if log.evaluations and evaluations < log.evaluations[-1]:
        log.falls.append((len(log.evaluations), _optimum("", words, columns)))
    log.end = max(log.end, of_f)
    precision = numerals.number(words[columns.precision])
    log.rises = log.rises or bool(log.precision and precision > log.precision[-1])
    log.evaluations.append(evaluations)
    log.precision.append(precision)


def _parted(log: CocoLog) -> list[CocoLog]:
    """The log as several trials: one begins wherever evaluations decrease."""
    starts = [(0, log.f_opt), *log.falls]
    parts = []
    for (start, f_opt), (stop, _) in pairwise([*starts, (len(log.evaluations), None)]):
        evaluations, precision = log.evaluations[start:stop], log.precision[start:stop]
        instance = None if start else log.instance
        parts.append(CocoLog(f_opt, instance, evaluations, precision, evaluations[-1]))
    return parts


def _goes_on(before: CocoLog, after: CocoLog) -> bool:
    return after.evaluations[0] > before.evaluations[-1]


def _joined(one: CocoLog, other: CocoLog) -> CocoLog:
    return CocoLog(
        one.f_opt,
        one.instance,
        one.evaluations + other.evaluations,
        one.precision + other.precision,
        max(one.end, other.end),
    )
