"""Reads COCO's data archives of all generations since 2009."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise, takewhile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.basics.optimum import LARGEST
from timefair.basics.words import counted
from timefair.io.archive import Folder
from timefair.io.common import (
    Cautions,
    DataSet,
    ListedRun,
    PublishedRun,
    paired,
    parsed_count,
    parsed_number,
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


@dataclass(frozen=True)
class CocoColumns:
    """The columns of a data file. Column 0 counts evaluations.

    - `precision`: Column of the best precision so far, counted from 0.
    - `constraints`: Whether column 1 counts evaluations of the constraints.
    - `tdat_precision`: Whether the precisions of the ``.tdat`` file are read. If not, only the ends
      of its trials are, as in cocopp.
    - `signed`: Whether precisions can be below 0, because the optimum is the best value known.
    """

    precision: int
    constraints: bool = False
    tdat_precision: bool = True
    signed: bool = False


@dataclass
class _Lines:
    """The lines of one trial in one file.

    The optimum is that in the header, or computed from the first line; `end` is the last evaluation
    of f. `evaluations` include those of the constraints, as in cocopp.
    """

    f_opt: float | None
    instance: int | None
    evaluations: list[int] = field(default_factory=list)
    precision: list[float] = field(default_factory=list)
    end: int = 0

    def steps(self, columns: CocoColumns) -> Steps:
        """The lines, sorted by evaluation.

        A finite precision is raised to the largest later one: a best precision cannot increase, and
        the larger value is what cocopp uses.
        """
        order = np.argsort(self.evaluations, kind="stable")
        at = np.array(self.evaluations, dtype=np.int64)[order]
        precision = np.array(self.precision, dtype=np.float64)[order]
        if not columns.signed:
            precision[(precision < 0) & (precision >= BELOW)] = 0.0
        finite = np.isfinite(precision)
        largest = np.maximum.accumulate(np.where(finite, precision, -np.inf)[::-1])[::-1]
        return at, np.where(finite, largest, precision)


@dataclass
class _Trial:
    """A trial in a ``.dat`` file, with its lines in the ``.tdat`` file if there are any."""

    dat: _Lines
    tdat: _Lines | None = None

    def agrees(self, listed: ListedRun) -> bool:
        """Whether it can be the trial that the ``.info`` file lists."""
        if listed.evaluations is None:
            return True
        both = [self.dat] if self.tdat is None else [self.dat, self.tdat]
        end = max(lines.end for lines in both)
        found = (one for lines in both for one in lines.precision if not math.isnan(one))
        # a .dat file alone may end before the trial does
        ends = listed.evaluations >= end if self.tdat is None else listed.evaluations == end
        return ends and listed.has_best(min(found, default=math.inf), DIGITS)

    def run(self, listed: ListedRun, columns: CocoColumns) -> tuple[PublishedRun, int]:
        """The run, and the number of lines of the ``.tdat`` file that contradict the ``.dat`` file.

        The end is that of the ``.info`` file if there is no ``.tdat`` file.
        """
        at, precision = self.dat.steps(columns)
        end, dropped = listed.evaluations or 0, 0
        if self.tdat is not None:
            more, bounds = self.tdat.steps(columns)
            end = int(more[-1])
            if columns.tdat_precision:
                kept = ~_contradictory((at, precision), (more, bounds))
                dropped = int((~kept).sum())
                at = np.concatenate([at, more[kept]])
                precision = np.concatenate([precision, _raised(bounds[kept])])
        instance = listed.instance if self.dat.instance is None else self.dat.instance
        f_opt = 0.0 if self.dat.f_opt is None else self.dat.f_opt
        return PublishedRun.of_lines(instance, f_opt, at, precision, end), dropped


def _raised(precision: NDArray[np.float64]) -> NDArray[np.float64]:
    rises = (precision > 0) & (precision < LARGEST / ROUNDED_UP)
    return np.asarray(precision * np.where(rises, ROUNDED_UP, 1.0), dtype=np.float64)


def _contradictory(dat: Steps, tdat: Steps) -> NDArray[np.bool_]:
    """Whether each ``.tdat`` step is better than the ``.dat`` file allows.

    It is if it has a better precision than a ``.dat`` line at the same evaluation, or reaches one
    of `TARGETS` at an evaluation where the ``.dat`` file has not reached this target.
    """
    best = np.fmin.accumulate([np.inf, *dat[1]])
    state = best[np.searchsorted(dat[0], tdat[0], side="right")]
    bound = _raised(tdat[1])
    same = np.isin(tdat[0], dat[0])
    earlier = np.searchsorted(TARGETS, bound) < np.searchsorted(TARGETS, state)
    return np.asarray((same & (bound < state)) | earlier, dtype=np.bool_)


def _trials_in(path: Path, place: Path, columns: CocoColumns, cautions: Cautions) -> list[_Lines]:
    """The trials of a data file, in its order. Comment lines separate them.

    `InputError` for a line in another format, or for the best results of many algorithms.
    """
    found = list(_parsed(path, place, columns, cautions))
    cautions.rows[path] = sum(len(one.evaluations) for one in found)
    if any((np.diff(one.evaluations) < 0).any() for one in found):
        cautions.add(place, "evaluations decrease within a trial; its lines are sorted")
    is_used = columns.tdat_precision or path.suffix.lower() == ".dat"
    if is_used and any(map(_rises, found)):
        cautions.add(
            place, "the best precision increases within a trial; the later, larger value is used"
        )
    if columns.tdat_precision and any(min(one.precision) < BELOW for one in found):
        cautions.add(place, "precisions are far below 0; check the optimum in the data")
    return found


def _rises(trial: _Lines) -> bool:
    return any(after > before for before, after in pairwise(trial.precision))


def _parsed(path: Path, place: Path, columns: CocoColumns, cautions: Cautions) -> Iterator[_Lines]:
    header: list[str] = []
    trial: _Lines | None = None
    width = 0
    line = "\n"
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if line.startswith("%"):
                if trial is not None:
                    yield trial
                    trial, header = None, []
                header.append(line)
                continue
            words = line.split()
            if not words:
                continue
            try:
                if trial is None:
                    trial, width = _begun("".join(header), words, columns, place), len(words)
                elif len(words) != width:
                    raise ValueError
                of_f = parsed_count(words[0])
                others = parsed_count(words[1]) if columns.constraints else 0
                trial.evaluations.append(of_f + others)
                trial.precision.append(parsed_number(words[columns.precision]))
                trial.end = max(trial.end, of_f)
            except (ValueError, IndexError):
                text = line.strip()[:40]
                raise InputError(f"{place}:{number}: {text!r} is not a line of COCO data") from None
    if trial is not None:
        yield trial
    if not line.endswith("\n"):
        cautions.add(place, "no line end after the last line; the file may be truncated")


def _begun(header: str, words: list[str], columns: CocoColumns, place: Path) -> _Lines:
    if _BEST_OF_OTHERS in header:
        raise InputError(f"{place}: {BEST_OF_MANY}")
    instance, f_opt = _INSTANCE.search(header), None
    if match := _F_OPT.search(header):
        f_opt = parsed_number(match[1])
    elif len(words) > BEST_F:
        f_opt = parsed_number(words[BEST_F]) - parsed_number(words[columns.precision])
    return _Lines(f_opt, int(instance[1]) if instance else None)


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
        found = [
            one.run(listed, columns) for listed, one in _pairs(file, columns, folder, cautions)
        ]
        runs += [run for run, _ in found]
        if lines := [dropped for _, dropped in found if dropped]:
            cautions.add(
                folder.place(file.path),
                "lines of the .tdat file are better than the .dat file allows; dropped",
                lines=sum(lines),
                trials=len(lines),
            )
    return runs


def _pairs(
    file: DataFile, columns: CocoColumns, folder: Folder, cautions: Cautions
) -> list[tuple[ListedRun, _Trial]]:
    """The listed trials, each with its lines in the data files."""
    place, listed = folder.place(file.path), file.trials
    found = _found(file, columns, folder, cautions)
    pairs = paired(listed, found, lambda one, trial: trial.agrees(one))
    numbers = f"{counted(len(found), 'trial')}, but the .info file lists {len(listed)}"
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
    if not all(trial.agrees(one) for one, trial in pairs):
        cautions.add(
            place, "ends or final precisions differ from the .info file; the data files are used"
        )
    if any(trial.dat.instance not in (None, one.instance) for one, trial in pairs):
        cautions.add(place, "instances differ from the .info file; the data files are used")
    return pairs


def _found(
    file: DataFile, columns: CocoColumns, folder: Folder, cautions: Cautions
) -> list[_Trial]:
    """Trials with their ``.tdat`` lines, up to the first trial that differs between the files."""
    place = folder.place(file.path)
    dat = _trials_in(file.path, place, columns, cautions)
    beside = folder.beside(file.path, file.path.with_suffix(".tdat").name)
    if beside is None:
        cautions.add(place, "no .tdat file; trials end where the .info file has their end")
        return [_Trial(lines) for lines in dat]
    place = folder.place(beside)
    tdat = _trials_in(beside, place, columns, cautions)
    pairs = zip(dat, tdat, strict=False)
    same = [_Trial(*pair) for pair in takewhile(lambda pair: _of_one_trial(*pair), pairs)]
    if not len(same) == len(dat) == len(tdat):
        cautions.add(
            place,
            f"{counted(len(tdat), 'trial')}, of which the first {len(same)} match the .dat file; "
            "the others end where the .info file has their end",
        )
    return [*same, *(_Trial(lines) for lines in dat[len(same) :])]


def _of_one_trial(one: _Lines, other: _Lines) -> bool:
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
