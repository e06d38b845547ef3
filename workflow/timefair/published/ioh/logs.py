"""Reads the data files of all generations of IOHprofiler.

A line with column names comes before each run, or once at the beginning. A run begins after such a
line, or at evaluation 1.
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
"""Significant digits of best values in index files, at least."""

VALUES = (
    ("raw_y", "transformed_y"),
    ("best-so-far f(x)", "best af(x)+b"),
    ("raw_y_best", "transformed_y_best"),
    ("current f(x)", "current af(x)+b"),
)
"""Columns of values of the plain function, each with the column of the instance's values.

The first column that exists is read.
"""

PLAIN = tuple(plain for plain, _ in VALUES)

NO_PARAMETERS = "No parameters"
"""Last name in a line of column names if no parameter was logged. It has no column."""

SECOND_OBJECTIVE = "F2"
"""Column of the second objective, in addition to ``raw_y`` or ``F1``."""

SEVERAL_OBJECTIVES = (
    f"data of several objectives (column {SECOND_OBJECTIVE}) have no single optimum"
)

_NAME = re.compile(r'"([^"]*)"|([^\s"]+)')

Row = tuple[int, float, float | None, float | None]
"""Evaluations, the value of the plain function, and of the instance, and seconds.

The last two are None if they were not logged, or are not read.
"""


@dataclass
class IohLog:
    """The lines of a run.

    Attributes
    ----------
    evaluations, values : list, one entry per line
        Evaluations, and values of the plain function.
    transformed : list
        Values of the instance; empty if they were not logged.
    seconds : list
        Seconds since the start of the run; empty if they are not read.
    """

    evaluations: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    transformed: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def shown(self) -> tuple[float, float] | None:
        """The first value of the plain function and of the instance, None if not logged."""
        return (self.values[0], self.transformed[0]) if self.transformed else None

    @property
    def last(self) -> int:
        """The last logged evaluation; 0 if there is none."""
        return self.evaluations[-1] if self.evaluations else 0


def runs(path: Path, place: Path, cautions: Cautions, seconds: str | None = None) -> list[IohLog]:
    """Read the runs of a data file (text or Parquet).

    Parameters
    ----------
    path, place : Path
        The file, and its name in messages.
    cautions : Cautions
        Receives tolerated defects.
    seconds : str, optional
        The column with the seconds since the start of the run; by default none is read.

    Raises
    ------
    InputError
        For a line in another format, evaluations or seconds that decrease within a run, several
        objectives, or if there is no such column of seconds.
    """
    found: list[IohLog] = []
    read = _parquet if path.suffix.lower() == ".parquet" else _text
    rows = read(path, place, seconds)
    number = 0
    for number, row in rows:
        if row is None:
            found.append(IohLog())
            continue
        at, value, of_instance, time_s = row
        if not found or at == 1 <= found[-1].last:
            found.append(IohLog())
        run = found[-1]
        if at < run.last:
            raise InputError(f"{place}:{number}: evaluation {at} follows {run.last} within a run")
        run.evaluations.append(at)
        run.values.append(value)
        if of_instance is not None:
            run.transformed.append(of_instance)
        if time_s is not None:
            _add_time(run, time_s, f"{place}:{number}")
    cautions.rows[path] = sum(len(run.evaluations) for run in found)
    if number and not _ends_a_line(path):
        cautions.add(place, "no line end after the last line; the file may be truncated")
    return found


def _add_time(run: IohLog, time_s: float, where: str) -> None:
    if not 0 <= time_s <= numerals.MOST_SECONDS:
        raise InputError(
            f"{where}: seconds are {time_s:.9g}; expected 0 to 1e7, since the start of the run"
        )
    if run.seconds and time_s < run.seconds[-1]:
        last = run.seconds[-1]
        raise InputError(f"{where}: seconds go back from {last:.9g} to {time_s:.9g} within a run")
    run.seconds.append(time_s)


def _text(path: Path, place: Path, seconds: str | None) -> Iterator[tuple[int, Row | None]]:
    """Rows with their line numbers; None for a line of column names.

    Some loggers name fewer columns than they write, but all lines of a run have the same number.
    """
    least, width = 0, 0
    at, value, of_instance, time = 0, 0, 0, 0
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if not line[:1].isdigit() and (names := _names(line)):
                least, width = len(names), 0
                at, value, of_instance = _places(names, place)
                time = _place_of(seconds, names, place)
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
                    time_s = numerals.number(words[time]) if time else None
                except ValueError:
                    text = line.strip()[:40]
                    raise InputError(
                        f"{place}:{number}: {text!r} is not a line of IOHprofiler data"
                    ) from None
                yield number, (*row, shown, time_s)


def _names(line: str) -> list[str]:
    """The column names in a line; empty if it is not a line of names."""
    names = [quoted or plain for quoted, plain in _NAME.findall(line)]
    if names[-1:] == [NO_PARAMETERS]:
        names.pop()
    return names if any(name in names for name in EVALUATIONS) else []


def _places(names: Sequence[str], place: Path) -> tuple[int, int, int]:
    """The columns of evaluations, value, and instance's value (0 if there is none)."""
    if SECOND_OBJECTIVE in names:
        raise InputError(f"{place}: {SEVERAL_OBJECTIVES}")
    at = next(k for k, name in enumerate(names) if name in EVALUATIONS)
    for value, of_instance in VALUES:
        if value in names:
            return at, names.index(value), (names.index(of_instance) if of_instance in names else 0)
    if len(names) == 2:
        return at, 1 - at, 0
    raise InputError(f"{place}: no column of values; expected one of {', '.join(PLAIN)}")


def _place_of(seconds: str | None, names: Sequence[str], place: Path) -> int:
    """The column of seconds; 0 if none is read."""
    if seconds is None:
        return 0
    if seconds not in names[1:]:
        raise InputError(f"{place}: no column {seconds!r}; columns: {', '.join(names)}")
    return names.index(seconds)


def _parquet(path: Path, place: Path, seconds: str | None) -> Iterator[tuple[int, Row]]:
    try:
        names = pq.read_schema(path).names
        if EVALUATIONS[0] not in names:
            raise InputError(f"{place}: no column {EVALUATIONS[0]!r}")
        at, value, _ = _places(names, place)
        wanted = [names[at], names[value], names[_place_of(seconds, names, place)]]
        columns = pq.read_table(path, columns=list(dict.fromkeys(wanted)))
        cells = (columns[name].to_pylist() for name in wanted)
        for number, row in enumerate(zip(*cells, strict=True), start=1):
            time_s = None if seconds is None else float(row[2])
            yield number, (numerals.count(f"{row[0]}"), float(row[1]), None, time_s)
    except (pa.ArrowException, OSError, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{place}: not a Parquet file of IOHprofiler ({reason})") from None


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
    """Pair listed runs with their lines.

    Parameters
    ----------
    listed, found : sequence
        The runs in the index file and in the data file.
    place : Path
        The data file, in messages.
    index : str
        Suffix of the index file.
    cautions : Cautions
        Receives differences between the two files.

    Raises
    ------
    InputError
        If runs are missing and it cannot be determined which.
    """
    pairs = paired(listed, found, _agree)
    runs = f"{len(found)} run{'' if len(found) == 1 else 's'}"
    numbers = f"{runs}, but the {index} file lists {len(listed)}"
    if pairs is None:
        raise InputError(f"{place}: {numbers}; cannot determine which are missing")
    if len(found) != len(listed):
        cautions.add(place, f"{numbers}; only runs in both are read")
    if not all(_agree(*pair) for pair in pairs):
        cautions.add(
            place, f"ends or best values differ from the {index} file; the data files are used"
        )
    return pairs


def _agree(listed: ListedRun, run: IohLog) -> bool:
    """Whether a run can be the listed one.

    Some loggers list the evaluation of the best value instead of the number of evaluations. The
    best value can be the largest or the smallest, of the plain function or of the instance: index
    files do not define it.
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
