"""IOHprofiler's data files, of all generations: the lines of each run.

Names of columns stand before each run, or once. The first column counts evaluations; a run begins
at evaluation 1, or after names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from timefair.basics.errors import InputError
from timefair.published import numerals
from timefair.published.cautions import Cautions
from timefair.published.pairing import paired
from timefair.published.runs import ListedRun

EVALUATIONS = ("evaluations", "function evaluation")
DIGITS = 6
"""Of best values in index files, at least."""

VALUES = (
    ("raw_y", "transformed_y"),
    ("best-so-far f(x)", "best af(x)+b"),
    ("raw_y_best", "transformed_y_best"),
    ("current f(x)", "current af(x)+b"),
)
"""CocoColumns of values of the plain function, each with that of the instance's, best first."""

NO_PARAMETERS = "No parameters"
"""The last name where no parameter is logged; it has no column."""

SECOND_OBJECTIVE = "F2"
"""The column that data of several objectives have beside ``raw_y`` or ``F1``."""

SEVERAL_OBJECTIVES = f"data of several objectives (column {SECOND_OBJECTIVE}) have no one optimum"

_NAME = re.compile(r'"([^"]*)"|([^\s"]+)')

Row = tuple[int, float, float | None]
"""Evaluations, the value of the plain function, and that of the instance's if it is there."""


@dataclass
class IohLog:
    """The lines of a run: evaluations, and values of the plain function."""

    evaluations: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    transformed: list[float] = field(default_factory=list)
    """The values of the instance; empty if they were not logged."""

    @property
    def shown(self) -> tuple[float, float] | None:
        """A value of the plain function, and of the instance's at the same point."""
        return (self.values[0], self.transformed[0]) if self.transformed else None

    @property
    def last(self) -> int:
        """The last evaluation that was logged; 0 if none was."""
        return self.evaluations[-1] if self.evaluations else 0


def runs(path: Path, place: Path, cautions: Cautions) -> list[IohLog]:
    """Read a data file (text, or Parquet).

    Raises
    ------
    InputError
        For a line that is none of the format, or evaluations that fall within a run.
    """
    found: list[IohLog] = []
    rows = _parquet(path, place) if path.suffix.lower() == ".parquet" else _text(path, place)
    number = 0
    for number, row in rows:
        if row is None:
            found.append(IohLog())
            continue
        at, value, of_instance = row
        if not found or at == 1 <= found[-1].last:
            found.append(IohLog())
        run = found[-1]
        if at < run.last:
            raise InputError(f"{place}:{number}: evaluation {at} follows {run.last} within a run")
        run.evaluations.append(at)
        run.values.append(value)
        if of_instance is not None:
            run.transformed.append(of_instance)
    if number and not _ends_a_line(path):
        cautions.add(place, "its last line has no end; it may have been cut off")
    return found


def _text(path: Path, place: Path) -> Iterator[tuple[int, Row | None]]:
    """The lines with their numbers, None for one of names.

    Some loggers name fewer columns than there are; but all lines of a run have as many.
    """
    least, width = 0, 0
    at, value, of_instance = 0, 0, 0
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if not line[:1].isdigit() and (names := _names(line)):
                least, width = len(names), 0
                at, value, of_instance = _places(names, place)
                yield number, None
                continue
            words = line.split()
            if words:
                try:
                    width = width or len(words)
                    if len(words) != width or not 0 < least <= width:
                        raise ValueError
                    row = numerals.count(words[at]), numerals.number(words[value])
                    shown = numerals.number(words[of_instance]) if of_instance else None
                except ValueError:
                    told = line.strip()[:40]
                    raise InputError(
                        f"{place}:{number}: {told!r} is no line of IOHprofiler's data"
                    ) from None
                yield number, (*row, shown)


def _names(line: str) -> list[str]:
    """The names of columns in a line; empty if it is of numbers."""
    names = [quoted or plain for quoted, plain in _NAME.findall(line)]
    if names[-1:] == [NO_PARAMETERS]:
        names.pop()
    return names if any(name in names for name in EVALUATIONS) else []


def _places(names: Sequence[str], place: Path) -> tuple[int, int, int]:
    """The columns of evaluations, of a value, and of the instance's value, 0 if there is none."""
    if SECOND_OBJECTIVE in names:
        raise InputError(f"{place}: {SEVERAL_OBJECTIVES}")
    at = next(k for k, name in enumerate(names) if name in EVALUATIONS)
    for value, of_instance in VALUES:
        if value in names:
            return at, names.index(value), (names.index(of_instance) if of_instance in names else 0)
    if len(names) == 2:
        return at, 1 - at, 0
    raise InputError(
        f"{place}: has no column of values; one is called {', '.join(value for value, _ in VALUES)}"
    )


def _parquet(path: Path, place: Path) -> Iterator[tuple[int, Row]]:
    try:
        names = pq.read_schema(path).names
        if EVALUATIONS[0] not in names:
            raise InputError(f"{place}: has no column {EVALUATIONS[0]!r}")
        at, value, of_instance = _places(names, place)
        table = pq.read_table(path, columns=[names[k] for k in (at, value, of_instance)])
        columns = (column.to_pylist() for column in table.columns)
        for number, row in enumerate(zip(*columns, strict=True), start=1):
            yield number, (numerals.count(f"{row[0]}"), float(row[1]), None)
    except (pa.ArrowException, OSError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{place}: no Parquet file of IOHprofiler's ({reason})") from None


def _ends_a_line(path: Path) -> bool:
    if path.suffix.lower() == ".parquet":
        return True
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read() in (b"\n", b"\r")


def chosen(
    listed: Sequence[ListedRun],
    found: Sequence[IohLog],
    place: Path,
    index: str,
    cautions: Cautions,
) -> list[tuple[ListedRun, IohLog]]:
    """The runs that are listed, each with its lines; InputError if it is not to be told which.

    `index` is the ending of the file that lists them.
    """
    pairs = paired(listed, found, _agree)
    runs = f"{len(found)} run{'' if len(found) == 1 else 's'}"
    numbers = f"{runs}, and its {index} file lists {len(listed)}"
    if pairs is None:
        raise InputError(f"{place}: {numbers}; which are missing is not to be told")
    if len(found) != len(listed):
        cautions.add(place, f"{numbers}; those that both have are taken")
    if not all(_agree(*pair) for pair in pairs):
        cautions.add(place, f"runs are not as its {index} file says; the data files are believed")
    return pairs


def _agree(listed: ListedRun, run: IohLog) -> bool:
    """Whether a run may be the listed one.

    Some loggers list the evaluation of its best value instead of how many it made. Files do not all
    say whether the best value is the largest or the smallest, of the plain function or of the
    instance: it may be any.
    """
    if listed.evaluations is None or not run.evaluations:
        return True
    finite = ([v for v in values if math.isfinite(v)] for values in (run.values, run.transformed))
    best = [choose(values) for values in finite if values for choose in (min, max)]
    if best and not any(listed.has_best(one, DIGITS) for one in best):
        return False
    if listed.best_at is None:
        return listed.evaluations >= run.last or listed.evaluations in run.evaluations
    return listed.evaluations >= run.last and listed.best_at in run.evaluations
