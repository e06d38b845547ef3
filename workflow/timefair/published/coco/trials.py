"""COCO's trials: what an ``.info`` file lists, a ``.dat`` and a ``.tdat`` file have of each."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.published.archive import Folder
from timefair.published.cautions import Cautions
from timefair.published.coco.logs import Columns, Log, logs
from timefair.published.info_files import DataFile
from timefair.published.pairing import paired
from timefair.published.trials import Listed, Trial

ROUNDED_UP = 1 + 1e-9
"""Makes a bound of a precision of ten digits. A ``.tdat`` line between two ``.dat`` lines did not
reach the target of the second, though rounding may make the two equal."""

DIGITS = 2
"""Of the final precisions in ``.info`` files."""


@dataclass
class _Found:
    """A trial in a ``.dat`` file, with what its ``.tdat`` file says of it."""

    log: Log
    between: Log | None = None
    end: int = field(init=False)
    best: float = field(init=False)

    def __post_init__(self) -> None:
        both = [self.log, *([self.between] if self.between else [])]
        self.end = max(log.end for log in both)
        self.best = min(
            (one for log in both for one in log.precision if not math.isnan(one)), default=math.inf
        )

    def trial(self, listed: Listed, columns: Columns) -> Trial:
        """The trial; without a ``.tdat`` file its end is as the ``.info`` file says."""
        evaluations, precision = list(self.log.evaluations), list(self.log.precision)
        said = 0
        if self.between is not None and columns.between:
            evaluations += self.between.evaluations
            precision += [ROUNDED_UP * one for one in self.between.precision]
        elif self.between is not None:
            said = self.between.evaluations[-1]
        elif listed.evaluations is not None:
            said = listed.evaluations
        instance = listed.instance if self.log.instance is None else self.log.instance
        f_opt = 0.0 if self.log.f_opt is None else self.log.f_opt
        return Trial.of_lines(instance, f_opt, evaluations, precision, said)


def read_trials(
    files: list[DataFile], columns: Columns, folder: Folder, cautions: Cautions
) -> list[Trial]:
    """The trials that are listed, as their ``.dat`` and ``.tdat`` files have them.

    InputError if there are fewer than are listed, and it cannot be told which are missing.
    """
    return [
        found.trial(listed, columns)
        for file in files
        for listed, found in _pairs(file, columns, folder, cautions)
    ]


def _pairs(
    file: DataFile, columns: Columns, folder: Folder, cautions: Cautions
) -> list[tuple[Listed, _Found]]:
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


def _agree(listed: Listed, found: _Found) -> bool:
    if listed.evaluations is None:
        return True
    if found.between is None:  # a .dat file alone may end before the trial does
        ends = listed.evaluations >= found.end
    else:
        ends = listed.evaluations == found.end
    return ends and listed.has_best(found.best, DIGITS)


def _trials(count: int) -> str:
    return f"{count} trial{'' if count == 1 else 's'}"


def _found(file: DataFile, columns: Columns, folder: Folder, cautions: Cautions) -> list[_Found]:
    place, expected = folder.place(file.path), len(file.trials)
    by_target = logs(file.path, place, columns, expected, cautions)
    beside = folder.beside(file.path, file.path.with_suffix(".tdat").name)
    if beside is None:
        cautions.add(place, "has no .tdat file beside it; trials end where the .info file says")
        return [_Found(log) for log in by_target]
    return _beside_each_other(by_target, beside, columns, folder, cautions)


def _beside_each_other(
    by_target: list[Log], beside: Path, columns: Columns, folder: Folder, cautions: Cautions
) -> list[_Found]:
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
    return [_Found(*pair) for pair in same] + [_Found(log) for log in by_target[len(same) :]]


def _of_one_trial(log: Log, between: Log) -> bool:
    if log.f_opt is None or between.f_opt is None:
        return log.instance == between.instance
    return math.isclose(log.f_opt, between.f_opt, abs_tol=1e-6)
