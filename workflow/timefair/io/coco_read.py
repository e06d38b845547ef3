"""Reads COCO's data archives of all generations since 2009."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise, takewhile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.basics.optimum import LARGEST
from timefair.io.archive import Folder
from timefair.io.common import (
    Cautions,
    DataSet,
    ListedRun,
    PublishedRun,
    paired,
    parsed_count,
    parsed_number,
    rejoined,
)
from timefair.io.info_files import ALGORITHM, DataFile, InfoEntry, entries

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
    """The trials of a data file, in its order. Comment lines separate them.

    Comments inside trials are ignored, and trials without a comment before them are separated, if
    this gives the expected number. `InputError` for a line in another format, or for the best
    results of many algorithms.
    """
    found = list(_logs(path, place, columns, cautions))
    cautions.rows[path] = sum(len(log.evaluations) for log in found)
    if len(found) > expected:
        joined = rejoined(found, expected, _goes_on, _joined_logs)
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
        return parsed_number(match[1])
    if len(words) > BEST_F:
        return parsed_number(words[BEST_F]) - parsed_number(words[columns.precision])
    return None


def _take(log: CocoLog, words: list[str], columns: CocoColumns) -> None:
    evaluations = of_f = parsed_count(words[0])
    if columns.constraints and words[1] != "0":
        evaluations += parsed_count(words[1])
    if log.evaluations and evaluations < log.evaluations[-1]:
        log.falls.append((len(log.evaluations), _optimum("", words, columns)))
    log.end = max(log.end, of_f)
    precision = parsed_number(words[columns.precision])
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


def _joined_logs(one: CocoLog, other: CocoLog) -> CocoLog:
    return CocoLog(
        one.f_opt,
        one.instance,
        one.evaluations + other.evaluations,
        one.precision + other.precision,
        max(one.end, other.end),
    )


ROUNDED_UP = 1 + 1e-9
"""Factor that makes a ``.tdat`` precision of ten digits an upper bound.

Without it, rounding could let a ``.tdat`` line reach a target before the ``.dat`` file does.
"""

TARGETS = np.array([10 ** (k / 5) for k in range(-40, 1541)])
"""COCO's target precisions, five per decade, from 1e-8 up.

Every COCO logger writes a ``.dat`` line at the first evaluation that reaches one of them.
"""

DIGITS = 2
"""Significant digits of final precisions in ``.info`` files."""

Steps = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Evaluations in increasing order, and the best precision at each, both of shape (lines,)."""


@dataclass
class _LoggedTrial:
    """A trial in a ``.dat`` file, with its lines in the ``.tdat`` file if there are any.

    `least` is the least precision that counts as 0; it is 0 for signed ones.
    """

    least: float
    by_target: CocoLog
    by_evaluations: CocoLog | None = None
    end: int = field(init=False)
    best: float = field(init=False)

    def __post_init__(self) -> None:
        both = [self.by_target, *([self.by_evaluations] if self.by_evaluations else [])]
        self.end = max(log.end for log in both)
        self.best = min(
            (one for log in both for one in log.precision if not math.isnan(one)), default=math.inf
        )

    @cached_property
    def dat_steps(self) -> Steps:
        return _steps(self.by_target, self.least)

    @cached_property
    def tdat_steps(self) -> Steps:
        return _steps(self.by_evaluations or CocoLog(None, None), self.least)

    @cached_property
    def contradictory(self) -> NDArray[np.bool_]:
        """Whether each step of the ``.tdat`` file contradicts the ``.dat`` file."""
        return _contradictory(self.dat_steps, self.tdat_steps)

    def run(self, listed: ListedRun, columns: CocoColumns) -> PublishedRun:
        """The run; its end is that of the ``.info`` file if there is no ``.tdat`` file."""
        evaluations, precision = self.dat_steps
        end = 0
        if self.by_evaluations is not None:
            at, bounds = self.tdat_steps
            end = at[-1]
            if columns.tdat_precision:
                kept = ~self.contradictory
                evaluations = np.concatenate([evaluations, at[kept]])
                precision = np.concatenate([precision, _raised(bounds[kept])])
        elif listed.evaluations is not None:
            end = listed.evaluations
        instance = listed.instance if self.by_target.instance is None else self.by_target.instance
        f_opt = 0.0 if self.by_target.f_opt is None else self.by_target.f_opt
        return PublishedRun.of_lines(instance, f_opt, evaluations, precision, int(end))


def _steps(log: CocoLog, least: float) -> Steps:
    """The lines of a log, sorted by evaluation.

    A finite precision is raised to the largest later one: a best precision cannot increase, and the
    larger value is what cocopp uses. Negative ones from `least` on become 0.
    """
    order = np.argsort(log.evaluations, kind="stable")
    at = np.array(log.evaluations, dtype=np.int64)[order]
    precision = np.array(log.precision, dtype=np.float64)[order]
    precision[(precision < 0) & (precision >= least)] = 0.0
    finite = np.isfinite(precision)
    largest = np.maximum.accumulate(np.where(finite, precision, -np.inf)[::-1])[::-1]
    return at, np.where(finite, largest, precision)


def _raised(precision: NDArray[np.float64]) -> NDArray[np.float64]:
    rises = (precision > 0) & (precision < LARGEST / ROUNDED_UP)
    return np.asarray(precision * np.where(rises, ROUNDED_UP, 1.0), dtype=np.float64)


def _contradictory(by_target: Steps, by_evaluations: Steps) -> NDArray[np.bool_]:
    """Whether each ``.tdat`` step is better than the ``.dat`` file allows.

    A step is too good if it has a better precision than a ``.dat`` line at the same evaluation, or
    if it reaches one of `TARGETS` at an evaluation where the ``.dat`` file has not reached this
    target.
    """
    at, best = by_target[0], np.fmin.accumulate([np.inf, *by_target[1]])
    state = best[np.searchsorted(at, by_evaluations[0], side="right")]
    bound = _raised(by_evaluations[1])
    same = np.isin(by_evaluations[0], at)
    return (same & (bound < state)) | (_hardest_target(bound) < _hardest_target(state))


def _hardest_target(precision: NDArray[np.float64]) -> NDArray[np.intp]:
    """Index in `TARGETS` of the hardest target reached; ``len(TARGETS)`` if none is."""
    return np.searchsorted(TARGETS, precision)


def _published_runs(
    files: list[DataFile], columns: CocoColumns, folder: Folder, cautions: Cautions
) -> list[PublishedRun]:
    """The trials that an ``.info`` entry lists.

    ``.tdat`` lines that are better than the ``.dat`` file allows are dropped with a caution; cocopp
    computes its ERT from ``.dat`` files only. `InputError` if it cannot be determined which of the
    listed trials are missing.
    """
    runs = []
    for file in files:
        pairs = _pairs(file, columns, folder, cautions)
        runs += [found.run(listed, columns) for listed, found in pairs]
        if columns.tdat_precision:
            _report_contradictions(file, [found for _, found in pairs], folder, cautions)
    return runs


def _report_contradictions(
    file: DataFile, trials: list[_LoggedTrial], folder: Folder, cautions: Cautions
) -> None:
    lines = [int(trial.contradictory.sum()) for trial in trials]
    if any(lines):
        cautions.add(
            folder.place(file.path),
            "lines of the .tdat file are better than the .dat file allows; dropped",
            lines=sum(lines),
            trials=sum(count > 0 for count in lines),
        )


def _pairs(
    file: DataFile, columns: CocoColumns, folder: Folder, cautions: Cautions
) -> list[tuple[ListedRun, _LoggedTrial]]:
    """The listed trials, each with its lines in the data files."""
    place, listed = folder.place(file.path), file.trials
    found = _found(file, columns, folder, cautions)
    pairs = paired(listed, found, _agree)
    numbers = f"{_trials(len(found))}, but the .info file lists {len(listed)}"
    if pairs is None:
        raise InputError(f"{place}: {numbers}; cannot determine which are missing")
    if len(found) > len(listed):
        cautions.add(place, f"{numbers}; the others are skipped")
    elif len(found) < len(listed):
        lost = [one.instance for one in listed]
        for one, _ in pairs:
            lost.remove(one.instance)
        missing = ", ".join(map(str, lost))
        cautions.add(place, f"{numbers}; missing instances: {missing}")
    if any(one.evaluations is None for one in listed):
        cautions.add(
            place, "aborted trials, without an end in the .info file, end at their last line"
        )
    if not all(_agree(*pair) for pair in pairs):
        cautions.add(
            place, "ends or final precisions differ from the .info file; the data files are used"
        )
    if any(one.by_target.instance not in (None, listed.instance) for listed, one in pairs):
        cautions.add(place, "instances differ from the .info file; the data files are used")
    return pairs


def _agree(listed: ListedRun, found: _LoggedTrial) -> bool:
    if listed.evaluations is None:
        return True
    if found.by_evaluations is None:  # a .dat file alone may end before the trial does
        ends = listed.evaluations >= found.end
    else:
        ends = listed.evaluations == found.end
    return ends and listed.has_best(found.best, DIGITS)


def _trials(count: int) -> str:
    return f"{count} trial{'' if count == 1 else 's'}"


def _found(
    file: DataFile, columns: CocoColumns, folder: Folder, cautions: Cautions
) -> list[_LoggedTrial]:
    place, expected = folder.place(file.path), len(file.trials)
    by_target = logs(file.path, place, columns, expected, cautions)
    beside = folder.beside(file.path, file.path.with_suffix(".tdat").name)
    if beside is None:
        cautions.add(place, "no .tdat file; trials end where the .info file has their end")
        return [_LoggedTrial(columns.least, log) for log in by_target]
    return _with_tdat(by_target, beside, columns, folder, cautions)


def _with_tdat(
    by_target: list[CocoLog],
    beside: Path,
    columns: CocoColumns,
    folder: Folder,
    cautions: Cautions,
) -> list[_LoggedTrial]:
    """Trials with their ``.tdat`` lines, up to the first trial that differs between the files."""
    place = folder.place(beside)
    by_evaluations = logs(beside, place, columns, len(by_target), cautions)
    pairs = zip(by_target, by_evaluations, strict=False)
    same = list(takewhile(lambda pair: _of_one_trial(*pair), pairs))
    if not len(same) == len(by_target) == len(by_evaluations):
        cautions.add(
            place,
            f"{_trials(len(by_evaluations))}, of which the first {len(same)} match the .dat file; "
            "the others end where the .info file has their end",
        )
    return [_LoggedTrial(columns.least, *pair) for pair in same] + [
        _LoggedTrial(columns.least, log) for log in by_target[len(same) :]
    ]


def _of_one_trial(one: CocoLog, other: CocoLog) -> bool:
    if one.f_opt is None or other.f_opt is None:
        return one.instance == other.instance
    return math.isclose(one.f_opt, other.f_opt, abs_tol=1e-6)


FORMATS = {
    None: CocoColumns(precision=2),
    "bbob": CocoColumns(precision=2),
    "bbob-old": CocoColumns(precision=2),
    "bbob-new": CocoColumns(precision=2, constraints=True),
    "bbob-new2": CocoColumns(precision=2, constraints=True),
}
"""Columns of the data files, by ``data_format``."""

INDICATOR = CocoColumns(precision=1, tdat_precision=False, signed=True)
"""Columns of multi-objective data, whose entries have the key ``indicator``."""

NOISY = range(101, 131)
"""Functions of ``bbob-noisy``; data from before 2016 do not name the suite."""

FORMER = {"sbox-cost": "bbob-boxed"}
"""Former names of suites."""


def coco_data_sets(folder: Folder, cautions: Cautions) -> list[DataSet]:
    """The data sets of a folder, in the order of its ``.info`` files.

    Raises
    ------
    InputError
        For an ``.info`` file or an entry that is not COCO data.
    """
    return [_data_set(entry, folder, cautions) for entry in entries(folder, (".dat",), cautions)]


def _data_set(entry: InfoEntry, folder: Folder, cautions: Cautions) -> DataSet:
    place, keys = folder.place(entry.index), entry.keys
    if "maximization" in keys or "algInfo" in keys:
        raise InputError(f"{place}: data of IOHprofiler; import them with the format ioh")
    if entry.comment.startswith("% Combination of"):
        raise InputError(f"{place}: {BEST_OF_MANY}")
    algorithm = keys.get(ALGORITHM, "").strip()
    if not algorithm:
        algorithm = folder.name if entry.index.parent == folder.root else entry.index.parent.name
        cautions.add(place, f"no name of the algorithm; {algorithm!r} is used, from its folder")
    read = partial(_published_runs, entry.files, _columns(entry, place), folder, cautions)
    return DataSet(algorithm, _suite(entry), entry.function, entry.dimension, read, place)


def _columns(entry: InfoEntry, place: Path) -> CocoColumns:
    if "indicator" in entry.keys:
        return INDICATOR
    data_format = entry.keys.get("data_format")
    if data_format not in FORMATS:
        known = ", ".join(repr(name) for name in FORMATS if name is not None)
        raise InputError(f"{place}: data_format {data_format!r} is unknown; known: {known}")
    return FORMATS[data_format]


def _suite(entry: InfoEntry) -> str:
    """The suite; it is inferred for data from before 2016, because they do not name it."""
    suite = entry.keys.get("suite")
    if suite:
        return FORMER.get(suite, suite)
    if "indicator" in entry.keys:
        return "bbob-biobj"
    return "bbob-noisy" if entry.function in NOISY else "bbob"
