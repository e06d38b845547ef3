"""COCO's data archives, of every generation since 2009.

An ``.info`` file has entries of a line of keys, a line of comment that begins with ``%``, and a
line that names the data files and the trials in them:

    funcId = 9, DIM = 2, Precision = 1.000e-008, algId = 'DIRECT'
    % any comment
    data_f9\\x_f9_DIM2.dat, 1:3673|-7.8e-009, 2:3233|-5.6e-009

Later generations name the suite and the format too. A ``.dat`` file has a line for each of COCO's
target precisions that a trial reached, and the ``.tdat`` beside it a line at each of COCO's
triggers in evaluations; in both a trial begins with a line of ``%``. The first column counts
evaluations, the third is the best precision so far, without noise; what is between them differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from timefair.errors import InputError
from timefair.formats.published.places import beside, indices
from timefair.formats.published.trials import DataSet, Trial

SINGLE_OBJECTIVE = (None, "bbob", "bbob-old", "bbob-new", "bbob-new2")
"""The formats whose third column is a precision."""

ROUNDED_UP = 1 + 1e-9
"""Makes a bound of a precision of ten digits. A ``.tdat`` line between two ``.dat`` lines did not
reach the target of the second, though rounding may make the two equal."""

NOISY = range(101, 131)
"""Functions of ``bbob-noisy``, whose data of before 2016 do not name it."""

FORMER = {"sbox-cost": "bbob-boxed"}
"""Names that suites had."""

_KEY = re.compile(r"(\w+)\s*=\s*(?:'(.*?)'|\"(.*?)\"|([^,]*?))\s*(?:,|$)")
_F_OPT = re.compile(r"Fopt\s*\(([^)]*)\)")


def data_sets(folder: Path) -> list[DataSet]:
    """What the ``.info`` files in a folder list, in the order of their names.

    Raises
    ------
    InputError
        For an entry that lacks its function, dimension or algorithm, or is of another format.
    """
    return [found for index in indices(folder, ".info") for found in _listed(index, folder)]


@dataclass
class _Entry:
    keys: dict[str, str]
    files: list[tuple[str, list[int]]] = field(default_factory=list)
    """Each data file with the instances of its trials."""


def _listed(index: Path, folder: Path) -> Iterator[DataSet]:
    place = index.relative_to(folder)
    for entry in _entries(index, place):
        keys = entry.keys
        data_format = keys.get("data_format")
        if data_format not in SINGLE_OBJECTIVE:
            raise InputError(f"{place}: data_format {data_format!r} has no precisions of one f")
        try:
            function, dimension, algorithm = int(keys["funcId"]), int(keys["DIM"]), keys["algId"]
        except (KeyError, ValueError):
            raise InputError(f"{place}: an entry without funcId, DIM or algId") from None
        suite = keys.get("suite", "bbob-noisy" if function in NOISY else None)
        suite = FORMER.get(suite, suite) if suite else None
        read = partial(_read, entry.files, index, folder)
        yield DataSet(algorithm, suite, function, dimension, read)


def _entries(index: Path, place: Path) -> list[_Entry]:
    entries: list[_Entry] = []
    for line in _lines(index):
        if not line or line.startswith("%"):
            continue
        if "funcId" in line:
            keys = {name: "".join(value) for name, *value in _KEY.findall(line)}
            entries.append(_Entry(keys))
        elif entries:
            _add_trials(entries[-1], line, place)
        else:
            raise InputError(f"{place}: does not begin with an entry of COCO's data")
    return entries


def _add_trials(entry: _Entry, line: str, place: Path) -> None:
    """Take in data files and trials, such as ``1:3673|-7.8e-9``, or ``1`` where it broke off."""
    for part in map(str.strip, line.split(",")):
        if part.endswith("dat"):
            entry.files.append((part, []))
        elif part:
            number = part.partition(":")[0]
            if not (number.isdecimal() and entry.files):
                raise InputError(f"{place}: {part[:40]!r} is neither a data file nor a trial")
            entry.files[-1][1].append(int(number))


def _read(files: list[tuple[str, list[int]]], index: Path, folder: Path) -> list[Trial]:
    trials = []
    for name, instances in files:
        by_target = beside(index, Path(name).with_suffix(".dat").as_posix(), folder)
        by_evaluations = by_target.with_suffix(".tdat")
        logs = _logs(by_target, folder, len(instances))
        if by_evaluations.is_file():
            for log, more in zip(logs, _logs(by_evaluations, folder, len(instances)), strict=True):
                log.evaluations += more.evaluations
                log.precision += [ROUNDED_UP * precision for precision in more.precision]
        trials += [
            Trial.of_lines(instance, log.f_opt, log.evaluations, log.precision)
            for instance, log in zip(instances, logs, strict=True)
        ]
    return trials


@dataclass
class _Log:
    """The lines of one trial in one file."""

    f_opt: float
    evaluations: list[int] = field(default_factory=list)
    precision: list[float] = field(default_factory=list)


def _logs(path: Path, folder: Path, expected: int) -> list[_Log]:
    """One a trial: what lies between lines of ``%``."""
    place = path.relative_to(folder)
    logs: list[_Log] = []
    header: str | None = ""
    for number, line in enumerate(_lines(path), start=1):
        if line.startswith("%"):
            header = line
            continue
        if not line:
            continue
        try:
            evaluations, _, precision, *values = line.split(maxsplit=5)
            if header is not None:
                logs.append(_Log(_optimum(header, float(precision), values)))
                header = None
            logs[-1].evaluations.append(int(float(evaluations)))
            logs[-1].precision.append(float(precision))
        except (ValueError, OverflowError):
            raise InputError(f"{place}:{number}: {line[:40]!r} is no line of COCO's data") from None
    if len(logs) != expected:
        raise InputError(f"{place}: {len(logs)} trials, and its .info file lists {expected}")
    return logs


def _optimum(header: str, precision: float, values: list[str]) -> float:
    """What the header of a trial says, or its first line, from f and the best f; 0 if none does."""
    said = _F_OPT.search(header)
    if said:
        return float(said[1])
    return float(values[1]) - precision if len(values) > 1 else 0.0


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace") as file:
        yield from map(str.strip, file)
