"""COCO's trials: what an ``.info`` file lists, a ``.dat`` and a ``.tdat`` file have of each."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.published.archive import Folder
from timefair.published.cautions import Cautions
from timefair.published.coco.logs import CocoColumns, CocoLog, logs
from timefair.published.info_files import DataFile
from timefair.published.pairing import paired
from timefair.published.runs import ListedRun, PublishedRun

ROUNDED_UP = 1 + 1e-9
"""Makes a bound of a precision of ten digits. A ``.tdat`` line between two ``.dat`` lines did not
reach the target of the second, though rounding may make the two equal."""

TARGETS = np.array([10 ** (k / 5) for k in range(-40, 1541)])
"""Precisions down to 1e-8 at each of which every logger of COCO writes a line to ``.dat``."""

DIGITS = 2
"""Of the final precisions in ``.info`` files."""


@dataclass
class _LoggedRun:
    """A trial in a ``.dat`` file, with what its ``.tdat`` file says of it."""

    log: CocoLog
    between: CocoLog | None = None
    end: int = field(init=False)
    best: float = field(init=False)

    def __post_init__(self) -> None:
        both = [self.log, *([self.between] if self.between else [])]
        self.end = max(log.end for log in both)
        self.best = min(
            (one for log in both for one in log.precision if not math.isnan(one)), default=math.inf
        )

    @cached_property
    def contradictory(self) -> NDArray[np.bool_]:
        """Which steps of the ``.tdat`` file contradict the ``.dat`` file, shape (lines,)."""
        if self.between is None:
            return np.zeros(0, dtype=np.bool_)
        return _contradictory(_steps(self.log), _steps(self.between))

    def trial(self, listed: ListedRun, columns: CocoColumns) -> PublishedRun:
        """The trial; without a ``.tdat`` file it ends where the ``.info`` file says."""
        evaluations, precision = _steps(self.log)
        end = 0
        if self.between is not None:
            at, bounds = _steps(self.between)
            end = at[-1]
            if columns.between:
                kept = ~self.contradictory
                evaluations = np.concatenate([evaluations, at[kept]])
                precision = np.concatenate([precision, ROUNDED_UP * bounds[kept]])
        elif listed.evaluations is not None:
            end = listed.evaluations
        instance = listed.instance if self.log.instance is None else self.log.instance
        f_opt = 0.0 if self.log.f_opt is None else self.log.f_opt
        return PublishedRun.of_lines(instance, f_opt, evaluations, precision, int(end))


Steps = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Evaluations, not falling, and the best precision by each, not rising."""


def _steps(log: CocoLog) -> Steps:
    """The lines of a log in order, each precision at least 0 and not smaller than a later one.

    Precisions that are not finite stay as they are.
    """
    order = np.argsort(log.evaluations, kind="stable")
    at = np.array(log.evaluations, dtype=np.int64)[order]
    precision = np.array(log.precision, dtype=np.float64)[order]
    finite = np.isfinite(precision)
    largest = np.maximum.accumulate(np.where(finite, precision.clip(0.0), 0.0)[::-1])[::-1]
    return at, np.where(finite, largest, precision)


def _contradictory(by_target: Steps, between: Steps) -> NDArray[np.bool_]:
    """Steps better than the other file has them.

    They have a better precision at the same evaluation, or reach one of `TARGETS` earlier.
    """
    at, best = by_target[0], np.fmin.accumulate([np.inf, *by_target[1]])
    known = np.searchsorted(at, between[0], side="right")
    state, bound = best[known], ROUNDED_UP * between[1]
    same = np.isin(between[0], at)
    return (same & (bound < state)) | (_hardest_target(bound) < _hardest_target(state))


def _hardest_target(precision: NDArray[np.float64]) -> NDArray[np.intp]:
    """The index in `TARGETS` of the hardest one that is reached; their number if none is."""
    return np.searchsorted(TARGETS, precision)


def read_trials(
    files: list[DataFile], columns: CocoColumns, folder: Folder, cautions: Cautions
) -> list[PublishedRun]:
    """The trials that are listed, as their ``.dat`` and ``.tdat`` files have them.

    InputError if there are fewer than are listed, and it cannot be told which are missing.
    """
    trials = []
    for file in files:
        pairs = _pairs(file, columns, folder, cautions)
        trials += [found.trial(listed, columns) for listed, found in pairs]
        lines = [int(found.contradictory.sum()) for _, found in pairs] if columns.between else []
        if any(lines):
            cautions.add(
                folder.place(file.path),
                "lines of its .tdat file that are better than the .dat file allows are dropped",
                lines=sum(lines),
                trials=sum(count > 0 for count in lines),
            )
    return trials


def _pairs(
    file: DataFile, columns: CocoColumns, folder: Folder, cautions: Cautions
) -> list[tuple[ListedRun, _LoggedRun]]:
    """The trials that are listed, each with what the data files have of it."""
    place, listed = folder.place(file.path), file.trials
    found = _found(file, columns, folder, cautions)
    pairs = paired(listed, found, _agree)
    if pairs is None:
        raise InputError(
            f"{place}: {_trials(len(found))}, and its .info file lists {len(listed)}; "
            "which are missing is not to be told"
        )
    if len(found) > len(listed):
        cautions.add(
            place,
            f"{_trials(len(found))}, and its .info file lists {len(listed)}; the others are left "
            "out",
        )
    elif len(found) < len(listed):
        lost = [one.instance for one in listed]
        for one, _ in pairs:
            lost.remove(one.instance)
        numbers = ", ".join(map(str, lost))
        cautions.add(place, f"lacks trials that its .info file lists, of instances {numbers}")
    if any(one.evaluations is None for one in listed):
        cautions.add(place, "trials broke off; they end where their lines do")
    if not all(_agree(*pair) for pair in pairs):
        cautions.add(place, "trials do not end as its .info file says; the data files are believed")
    if any(one.log.instance not in (None, listed.instance) for listed, one in pairs):
        cautions.add(
            place, "instances are not those of its .info file; the data files are believed"
        )
    return pairs


def _agree(listed: ListedRun, found: _LoggedRun) -> bool:
    if listed.evaluations is None:
        return True
    if found.between is None:  # a .dat file alone may end before the trial does
        ends = listed.evaluations >= found.end
    else:
        ends = listed.evaluations == found.end
    return ends and listed.has_best(found.best, DIGITS)


def _trials(count: int) -> str:
    return f"{count} trial{'' if count == 1 else 's'}"


def _found(
    file: DataFile, columns: CocoColumns, folder: Folder, cautions: Cautions
) -> list[_LoggedRun]:
    place, expected = folder.place(file.path), len(file.trials)
    by_target = logs(file.path, place, columns, expected, cautions)
    beside = folder.beside(file.path, file.path.with_suffix(".tdat").name)
    if beside is None:
        cautions.add(place, "has no .tdat file beside it; trials end where the .info file says")
        return [_LoggedRun(log) for log in by_target]
    return _beside_each_other(by_target, beside, columns, folder, cautions)


def _beside_each_other(
    by_target: list[CocoLog], beside: Path, columns: CocoColumns, folder: Folder, cautions: Cautions
) -> list[_LoggedRun]:
    """Trials with what a ``.tdat`` file has of them, up to the first that cannot be the same."""
    place = folder.place(beside)
    by_evaluations = logs(beside, place, columns, len(by_target), cautions)
    pairs = zip(by_target, by_evaluations, strict=False)
    same = list(takewhile(lambda pair: _of_one_trial(*pair), pairs))
    if not len(same) == len(by_target) == len(by_evaluations):
        cautions.add(
            place,
            f"{_trials(len(by_evaluations))}, of which {len(same)} can be those of its .dat file; "
            "the others end where the .info file says",
        )
    return [_LoggedRun(*pair) for pair in same] + [
        _LoggedRun(log) for log in by_target[len(same) :]
    ]


def _of_one_trial(log: CocoLog, between: CocoLog) -> bool:
    if log.f_opt is None or between.f_opt is None:
        return log.instance == between.instance
    return math.isclose(log.f_opt, between.f_opt, abs_tol=1e-6)
