"""COCO's data files: what each trial in a ``.dat`` or ``.tdat`` file logged.

A trial begins with lines of ``%`` that say what is measured from what. The first column counts
evaluations; where the precision stands, and whether evaluations of constraints stand before it,
differs between the formats.
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
"""A precision that rounding does not explain."""

BEST_F = 4
"""The column of the best f so far, which multi-objective data do not have."""

_F_OPT = re.compile(r"Fopt\s*\(\s*([^)\s]+)\s*\)", re.IGNORECASE)
_INSTANCE = re.compile(r"\binstance\s*=\s*(\d+)")
_BEST_OF_OTHERS = "algorithm type = best"

NO_RUN_OF_ANY = "has the best of many algorithms, which is no run of any; give data of one"


@dataclass(frozen=True)
class CocoColumns:
    """Where things stand in a line.

    Attributes
    ----------
    precision
        The column of the best precision so far, from 0; evaluations are in column 0.
    constraints
        Whether column 1 counts evaluations of constraints.
    between
        Whether the precisions in a ``.tdat`` file are taken beside those in the ``.dat`` file; if
        not, it tells the end alone, as for cocopp.
    """

    precision: int
    constraints: bool = False
    between: bool = True


@dataclass
class CocoLog:
    """The lines of one trial in one file.

    Attributes
    ----------
    f_opt
        The optimum, as its header or else its first line says; None if neither does.
    instance
        As its header says; None if it does not.
    evaluations, precision
        Of each line; evaluations of constraints count, as cocopp counts them.
    end
        The last evaluation of f alone.
    falls
        The lines whose evaluations are fewer than those of the line before, each with the optimum
        as that line says.
    rises
        Whether a best precision is larger than one before it.
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
    """Read a data file, one log a trial: what lies between lines of ``%``.

    Comments that cut trials are passed over if there are `expected` trials then.

    Raises
    ------
    InputError
        For a line that is none of the format, or data of no algorithm but the best of many.
    """
    found = list(_logs(path, place, columns, cautions))
    if len(found) > expected:
        joined = rejoined(found, expected, _goes_on, _joined)
        if joined is not None:
            cautions.add(place, "has comments within trials, which are passed over")
            found = joined
    elif len(found) < expected:
        parts = [part for log in found for part in _parted(log)]
        if len(parts) == expected:
            cautions.add(place, "trials follow each other unmarked; they begin where counts fall")
            found = parts
    if any(log.falls for log in found):
        cautions.add(place, "evaluations fall within a trial; its lines are put in order")
    told = columns.between or path.suffix.lower() == ".dat"
    if told and any(log.rises for log in found):
        cautions.add(place, "the best precision rises within a trial; the later, larger one counts")
    if columns.between and any(min(log.precision) < BELOW for log in found):
        cautions.add(place, "has precisions far below 0, which count as 0: check its optimum")
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
                told = line.strip()[:40]
                raise InputError(f"{place}:{number}: {told!r} is no line of COCO's data") from None
    if log is not None:
        yield log
    if not line.endswith("\n"):
        cautions.add(place, "its last line has no end; it may have been cut off")


def _begun(header: list[str], words: list[str], columns: CocoColumns, place: Path) -> CocoLog:
    said = "".join(header)
    if _BEST_OF_OTHERS in said:
        raise InputError(f"{place}: {NO_RUN_OF_ANY}")
    instance = _INSTANCE.search(said)
    return CocoLog(_optimum(said, words, columns), int(instance[1]) if instance else None)


def _optimum(header: str, words: list[str], columns: CocoColumns) -> float | None:
    said = _F_OPT.search(header)
    if said:
        return numerals.number(said[1])
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
    """The trials of which a log has the lines, if one begins wherever evaluations fall."""
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
