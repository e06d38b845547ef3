"""Combines an ``.info`` file's list of trials with the ``.dat`` and ``.tdat`` lines of each."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.basics.optimum import LARGEST
from timefair.basics.words import counted
from timefair.published.archive import Folder
from timefair.published.cautions import Cautions
from timefair.published.coco.logs import CocoColumns, CocoLog, logs
from timefair.published.info_files import DataFile
from timefair.published.pairing import paired
from timefair.published.runs import ListedRun, PublishedRun

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


def published_runs(
    files: list[DataFile], columns: CocoColumns, folder: Folder, cautions: Cautions
) -> list[PublishedRun]:
    """Read the trials that an ``.info`` entry lists.

    ``.tdat`` lines that are better than the ``.dat`` file allows are dropped with a caution; cocopp
    computes its ERT from ``.dat`` files only.

    Raises
    ------
    InputError
        If a data file has fewer trials than listed and the missing ones cannot be determined, or a
        line in another format.
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
    return counted(count, "trial")


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
