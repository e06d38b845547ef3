"""Reads the data of COCO, of all generations since 2009, and of IOHprofiler.

IOHprofiler has JSON files since 2021, and ``.info`` files before. An entry of an ``.info`` file
consists of a line with keys, comment lines that begin with ``%``, and a line with data files and
their trials (instance, number of evaluations and final value):

    funcId = 9, DIM = 2, Precision = 1.000e-008, algId = 'DIRECT'
    % any comment
    data_f9\\x_f9_DIM2.dat, 1:3673|-7.8e-009, 2:3233|-5.6e-009, 3

The trial on instance 3 was aborted: only the data file has its evaluations. Multi-objective data
have one line with the keys of all entries; each entry has further keys before its data file.
"""

from __future__ import annotations

import importlib.util
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import chain, pairwise, takewhile
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.basics.words import counted
from timefair.io.common import (
    MOST_SECONDS,
    Cautions,
    DataSet,
    Direction,
    Folder,
    PublishedRun,
    Timed,
    parsed_count,
    parsed_name,
    parsed_number,
    status_of,
    stop_reason_of,
)
from timefair.io.table_read import Layout
from timefair.problems.ioh import ONE_MAX, PseudoBoolean
from timefair.problems.registry import SUITES

FUNCTION, DIMENSION, ALGORITHM = "funcId", "DIM", "algId"
PROBLEM = (FUNCTION, DIMENSION)
SYNONYMS = {"function": FUNCTION, "dim": DIMENSION, "algorithm": ALGORITHM}
"""Names of these keys in multi-objective data."""
_KEY = re.compile(r"\s*([^,=:|/\\]+?)\s*=\s*(?:'(.*?)'|\"(.*?)\"|([^,]*?))\s*(?:,|$)")
_WORD = re.compile(r"\s*([^,]*?)\s*(?:,|$)")
_LOST_LINE_END = re.compile(r"(?<=[0-9])(?=(?:suite|funcId)\s*=)")
_TRIAL = re.compile(r"(\d+)(?:\s*:\s*([^|\s]+)\s*\|\s*([^;\s]+)(;.*)?)?")


@dataclass(frozen=True)
class ListedRun:
    """A run in an index file; None for what the file does not have (an aborted run).

    `best`, found at the evaluation `best_at`, is the rounded best value or precision.
    """

    instance: int
    evaluations: int | None = None
    best: float | None = None
    best_at: int | None = None


Files = list[tuple[Path, list[ListedRun]]]
"""Data files that exist, and the trials that an index file lists for each."""


@dataclass
class InfoEntry:
    """Trials on a function in a dimension, in `named` data files, of which `files` exist."""

    index: Path
    keys: dict[str, str]
    named: list[tuple[str, list[ListedRun]]] = field(default_factory=list)
    comment: str = ""
    files: Files = field(default_factory=list)
    function: int = 0
    dimension: int = 0


def entries(folder: Folder, suffixes: Sequence[str], cautions: Cautions) -> list[InfoEntry]:
    """The entries of all ``.info`` files in a folder that have a data file; each is in one entry.

    Of data files that differ only in the suffix, the first of `suffixes` is used. `InputError` for
    an entry or a line in another format, or a data file outside the folder or of several functions.
    """
    found = []
    for index in folder.indices(".info"):
        place = folder.place(index)
        listed = list(_entries(index, place))
        if not listed:
            cautions.add(place, "no entry of published data; skipped")
        for entry in listed:
            entry.function, entry.dimension = (_number(entry, k, place) for k in PROBLEM)
            entry.files = list(_files(entry, folder, suffixes, cautions))
        found += listed
    _merge_files(found, folder, cautions)
    return [entry for entry in found if entry.files]


def _entries(index: Path, place: Path) -> Iterator[InfoEntry]:
    common: dict[str, str] = {}
    entry: InfoEntry | None = None
    comment = ""
    for line in _lines(index):
        if line.startswith("%"):
            comment = line
            if entry is not None and not entry.named:
                entry.comment = line
            continue
        keys, words = _parts(line)
        if FUNCTION in keys:
            if entry is not None:
                yield entry
            entry = InfoEntry(index, {**common, **keys}, comment=comment if common else "")
        elif keys:
            if entry is not None:
                yield entry
            common, entry = keys, None
        if keys and not any(map(_is_data_file, words)):
            continue  # the words are a part of a value without quotes
        if words and entry is not None:
            _add(entry, words, place)
        elif words:
            raise InputError(f"{place}: {words[0][:40]!r} is in no entry with {FUNCTION}")
    if entry is not None:
        yield entry


def _lines(index: Path) -> Iterator[str]:
    with index.open(encoding="utf-8-sig", errors="replace") as file:
        for line in file:
            yield from (part.strip() for part in _LOST_LINE_END.split(line) if part.strip())


def _parts(line: str) -> tuple[dict[str, str], list[str]]:
    keys: dict[str, str] = {}
    words: list[str] = []
    at = 0
    while at < len(line):
        if key := _KEY.match(line, at):
            name = SYNONYMS.get(key[1], key[1])
            keys[name] = next((value for value in key.groups()[1:] if value is not None), "")
            at = key.end()
        else:
            word = _WORD.match(line, at)
            assert word is not None
            words += [word[1]] if word[1] else []
            at = word.end()
    return keys, words


def _is_data_file(word: str) -> bool:
    return word.lower().endswith("dat")


def _add(entry: InfoEntry, words: list[str], place: Path) -> None:
    for word in words:
        if _is_data_file(word):
            entry.named.append((word, []))
            continue
        trial = _TRIAL.fullmatch(word)
        if trial is None or not entry.named:
            raise InputError(f"{place}: {word[:40]!r} is neither a data file nor a trial")
        try:
            evaluations = None if trial[2] is None else parsed_count(trial[2])
            best = None if trial[3] is None else parsed_number(trial[3])
            entry.named[-1][1].append(ListedRun(parsed_name(trial[1]), evaluations, best))
        except ValueError:
            raise InputError(
                f"{place}: {word[:40]!r} is not a trial such as 1:3673|-7.8e-09"
            ) from None


def _number(entry: InfoEntry, key: str, place: Path) -> int:
    if key not in entry.keys:
        raise InputError(f"{place}: an entry has no {key}")
    try:
        return parsed_name(entry.keys[key])
    except ValueError:
        raise InputError(
            f"{place}: {key} is {entry.keys[key][:40]!r}, expected a whole number"
        ) from None


def _files(
    entry: InfoEntry, folder: Folder, suffixes: Sequence[str], cautions: Cautions
) -> Iterator[tuple[Path, list[ListedRun]]]:
    place = folder.place(entry.index)
    if not entry.named:
        cautions.add(place, "an entry without trials is skipped")
    for name, trials in entry.named:
        within = f"{entry.keys['folder']}/" if entry.keys.get("folder") else ""
        stem = within + name.rpartition(".")[0]
        candidates = (folder.beside(entry.index, stem + suffix) for suffix in suffixes)
        path = next((path for path in candidates if path is not None), None)
        if not trials:
            cautions.add(place, f"data file {name!r} without trials is skipped")
        elif path is None:
            cautions.add(place, f"data file {name!r} does not exist; its trials are skipped")
        else:
            yield path, trials


def _merge_files(found: list[InfoEntry], folder: Folder, cautions: Cautions) -> None:
    """Join the trials of one data file in its first entry; equal lists of trials are kept once."""
    first: dict[Path, tuple[InfoEntry, list[ListedRun]]] = {}
    for entry in found:
        kept = []
        for path, trials in entry.files:
            earlier, same = first.setdefault(path, (entry, trials))
            if same is trials:
                kept.append((path, trials))
                continue
            place, text = folder.place(path), "listed twice; read once"
            for key in PROBLEM:
                if (one := earlier.keys[key]) != (other := entry.keys[key]):
                    raise InputError(
                        f"{place}: listed with two values of {key} ({one} and {other}); "
                        "expected one"
                    )
            if same != trials:
                text = "listed in several entries; its trials are read in the order of the entries"
                same += trials
            cautions.add(place, text)
        entry.files = kept


BELOW = -1e-6
"""Precisions below this are kept and reported; others below 0, from rounding, count as 0."""
BEST_F = 4  # column of the best f so far, which multi-objective data do not have
_F_OPT = re.compile(r"Fopt\s*\(\s*([^)\s]+)\s*\)", re.IGNORECASE)
_INSTANCE = re.compile(r"\binstance\s*=\s*(\d+)")
_BEST_OF_OTHERS = "algorithm type = best"
BEST_OF_MANY = "best results of many algorithms, not runs of one; give data of one algorithm"


class CocoColumns(NamedTuple):
    """The columns of a data file, counted from 0, which counts evaluations of f.

    `constraints`: whether column 1 counts those of the constraints. `signed`: whether precisions
    can be below 0, because the optimum is the best value known.
    """

    precision: int
    constraints: bool = False
    signed: bool = False


@dataclass
class _Trial:
    """The lines of one trial; `end` is the last evaluation in the ``.tdat`` file, `end_of_f` that
    of f.

    The optimum is that in the header, or computed from the first line. `evaluations` include those
    of the constraints, as in cocopp.
    """

    f_opt: float | None
    instance: int | None
    evaluations: list[int] = field(default_factory=list)
    precision: list[float] = field(default_factory=list)
    end_of_f: int = 0
    end: int | None = None

    def agrees(self, listed: ListedRun) -> bool:
        """Whether it can be a listed trial; a ``.dat`` file alone may end before the trial does."""
        if listed.evaluations is None:
            return True
        if self.end is None:
            return listed.evaluations >= self.end_of_f
        return listed.evaluations == self.end_of_f

    def run(self, listed: ListedRun, columns: CocoColumns) -> PublishedRun:
        """The run; finite precisions are raised to the largest later one, as in cocopp.

        Its end is that of the ``.info`` file if there is no ``.tdat`` file.
        """
        order = np.argsort(self.evaluations, kind="stable")
        at = np.array(self.evaluations, dtype=np.int64)[order]
        precision = np.array(self.precision, dtype=np.float64)[order]
        if not columns.signed:
            precision[(precision < 0) & (precision >= BELOW)] = 0.0
        finite = np.isfinite(precision)
        largest = np.maximum.accumulate(np.where(finite, precision, -np.inf)[::-1])[::-1]
        end = listed.evaluations or 0 if self.end is None else self.end
        instance = listed.instance if self.instance is None else self.instance
        return PublishedRun.of_lines(
            instance, self.f_opt or 0.0, at, np.where(finite, largest, precision), end
        )


def _trials_in(path: Path, place: Path, columns: CocoColumns, cautions: Cautions) -> list[_Trial]:
    """The trials of a data file, between comments; `InputError` for another format."""
    found: list[_Trial] = []
    header: list[str] = []
    width = 0
    line = "\n"
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if line.startswith("%"):
                header.append(line)
                continue
            words = line.split()
            if not words:
                continue
            try:
                if header or not found:
                    found.append(_begun("".join(header), words, columns, place))
                    header, width = [], len(words)
                elif len(words) != width:
                    raise ValueError
                trial, of_f = found[-1], parsed_count(words[0])
                others = parsed_count(words[1]) if columns.constraints else 0
                trial.evaluations.append(of_f + others)
                trial.precision.append(parsed_number(words[columns.precision]))
                trial.end_of_f = max(trial.end_of_f, of_f)
            except (ValueError, IndexError):
                text = line.strip()[:40]
                raise InputError(f"{place}:{number}: {text!r} is not a line of COCO data") from None
    if not line.endswith("\n"):
        cautions.add(place, "no line end after the last line; the file may be truncated")
    cautions.rows[path] = sum(len(one.evaluations) for one in found)
    return found


def _begun(header: str, words: list[str], columns: CocoColumns, place: Path) -> _Trial:
    if _BEST_OF_OTHERS in header:
        raise InputError(f"{place}: {BEST_OF_MANY}")
    instance, f_opt = _INSTANCE.search(header), None
    if match := _F_OPT.search(header):
        f_opt = parsed_number(match[1])
    elif len(words) > BEST_F:
        f_opt = parsed_number(words[BEST_F]) - parsed_number(words[columns.precision])
    return _Trial(f_opt, int(instance[1]) if instance else None)


def _published_runs(
    path: Path, listed: list[ListedRun], columns: CocoColumns, folder: Folder, cautions: Cautions
) -> list[PublishedRun]:
    """The listed trials of a data file; `InputError` if one of them is missing."""
    place = folder.place(path)
    found = _trials_in(path, place, columns, cautions)
    if any((np.diff(one.evaluations) < 0).any() for one in found):
        cautions.add(place, "evaluations decrease within a trial; its lines are sorted")
    if any(after > before for one in found for before, after in pairwise(one.precision)):
        cautions.add(
            place, "the best precision increases within a trial; the later, larger value is used"
        )
    if not columns.signed and any(min(one.precision) < BELOW for one in found):
        cautions.add(place, "precisions are far below 0; check the optimum in the data")
    _read_ends(found, path, columns, folder, cautions)
    pairs = paired(listed, found, "trial", place, ".info", cautions)
    if any(one.evaluations is None for one in listed):
        cautions.add(
            place, "aborted trials, without an end in the .info file, end at their last line"
        )
    if not all(trial.agrees(one) for one, trial in pairs):
        cautions.add(place, "ends differ from the .info file; the data files are used")
    if any(trial.instance not in (None, one.instance) for one, trial in pairs):
        cautions.add(place, "instances differ from the .info file; the data files are used")
    return [trial.run(one, columns) for one, trial in pairs]


def _read_ends(
    trials: list[_Trial], path: Path, columns: CocoColumns, folder: Folder, cautions: Cautions
) -> None:
    """Set the ends by the ``.tdat`` file, up to the first trial that differs between both."""
    beside = folder.beside(path, path.with_suffix(".tdat").name)
    if beside is None:
        text = "no .tdat file; trials end where the .info file has their end"
        cautions.add(folder.place(path), text)
        return
    place = folder.place(beside)
    ends = _trials_in(beside, place, columns, cautions)
    pairs = zip(trials, ends, strict=False)
    same = list(takewhile(lambda pair: _of_one_trial(*pair), pairs))
    for trial, with_end in same:
        trial.end = max(with_end.evaluations)
        trial.end_of_f = max(trial.end_of_f, with_end.end_of_f)
    if not len(same) == len(trials) == len(ends):
        cautions.add(
            place,
            f"{counted(len(ends), 'trial')}, of which the first {len(same)} match the .dat file; "
            "the others end where the .info file has their end",
        )


def _of_one_trial(one: _Trial, other: _Trial) -> bool:
    if one.f_opt is None or other.f_opt is None:
        return one.instance == other.instance
    return math.isclose(one.f_opt, other.f_opt, abs_tol=1e-6)


FORMATS: dict[str | None, CocoColumns] = {  # Columns of the data files, by ``data_format``
    **dict.fromkeys((None, "bbob", "bbob-old"), CocoColumns(precision=2)),
    **dict.fromkeys(("bbob-new", "bbob-new2"), CocoColumns(precision=2, constraints=True)),
}

INDICATOR = CocoColumns(precision=1, signed=True)
"""Columns of multi-objective data, whose entries have the key ``indicator``."""
NOISY = range(101, 131)  # functions of ``bbob-noisy``; data from before 2016 do not name the suite
FORMER = {"sbox-cost": "bbob-boxed"}  # former names of suites


def coco_data_sets(folder: Folder, cautions: Cautions) -> list[DataSet]:
    """The data sets of a folder; `InputError` for an ``.info`` file that is not COCO data."""
    return [_data_set(entry, folder, cautions) for entry in entries(folder, (".dat",), cautions)]


def _data_set(entry: InfoEntry, folder: Folder, cautions: Cautions) -> DataSet:
    """The data set of an entry; the suite is inferred before 2016, when data did not name it."""
    place, keys = folder.place(entry.index), entry.keys
    if "maximization" in keys or "algInfo" in keys:
        raise InputError(f"{place}: data of IOHprofiler; import them with the format ioh")
    if entry.comment.startswith("% Combination of"):
        raise InputError(f"{place}: {BEST_OF_MANY}")
    algorithm = keys.get(ALGORITHM, "").strip()
    if not algorithm:
        algorithm = folder.name if entry.index.parent == folder.root else entry.index.parent.name
        cautions.add(place, f"no name of the algorithm; {algorithm!r} is used, from its folder")
    columns, suite = INDICATOR, "bbob-biobj"
    if "indicator" not in keys:
        data_format = keys.get("data_format")
        if data_format not in FORMATS:
            known = ", ".join(repr(name) for name in FORMATS if name is not None)
            raise InputError(f"{place}: data_format {data_format!r} is unknown; known: {known}")
        columns = FORMATS[data_format]
        suite = "bbob-noisy" if entry.function in NOISY else "bbob"
    if named := keys.get("suite"):
        suite = FORMER.get(named, named)

    def read() -> list[PublishedRun]:
        each = (_published_runs(*file, columns, folder, cautions) for file in entry.files)
        return list(chain.from_iterable(each))

    return DataSet(algorithm, suite, entry.function, entry.dimension, read, place)


EVALUATIONS = ("evaluations", "function evaluation")
DIGITS = 6  # significant digits of best values in index files, at least

VALUES = (
    ("raw_y", "transformed_y"),
    ("best-so-far f(x)", "best af(x)+b"),
    ("raw_y_best", "transformed_y_best"),
    ("current f(x)", "current af(x)+b"),
)
"""Columns of values of the plain function and of the instance; the first that exists is read."""

PLAIN = tuple(plain for plain, _ in VALUES)

ONLY = (  # The columns that a user may state
    "data of IOHprofiler have only seconds=NAME, a logged property, and value=-raw_y for values "
    "that are maximized (value=+raw_y: minimized)"
)

NO_PARAMETERS = "No parameters"
"""Last name in a line of column names if no parameter was logged. It has no column."""
SECOND_OBJECTIVE = "F2"  # column of the second objective, in addition to ``raw_y`` or ``F1``
SEVERAL_OBJECTIVES = (
    f"data of several objectives (column {SECOND_OBJECTIVE}) have no single optimum"
)
_NAME = re.compile(r'"([^"]*)"|([^\s"]+)')


@dataclass
class IohLog:
    """The lines of a run: evaluations, plain values, and, if read, others and seconds."""

    evaluations: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    transformed: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def last(self) -> int:
        """The last logged evaluation; 0 if there is none."""
        return self.evaluations[-1] if self.evaluations else 0

    def agrees(self, listed: ListedRun) -> bool:
        """Whether it can be a listed run: its best is the largest or least of the function or
        instance.
        """
        if listed.evaluations is None or not self.evaluations:
            return True
        logged = ([v for v in vs if math.isfinite(v)] for vs in (self.values, self.transformed))
        best = [choose(values) for values in logged if values for choose in (min, max)]
        near = partial(math.isclose, listed.best or 0.0, rel_tol=10.0 ** (1 - DIGITS), abs_tol=2e-8)
        known = listed.best is not None and math.isfinite(listed.best)
        if known and best and not any(map(near, best)):
            return False
        if listed.best_at is None:
            return listed.evaluations >= self.last or listed.evaluations in self.evaluations
        return listed.evaluations >= self.last and listed.best_at in self.evaluations


def _logs(path: Path, place: Path, cautions: Cautions, seconds: str | None) -> list[IohLog]:
    """The runs of a data file, with times in the column `seconds`; others may lack a name."""
    found: list[IohLog] = []
    least, width, places = 0, 0, (0, 0, 0, 0)
    line = "\n"
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if not line[:1].isdigit() and (names := _names(line)):
                least, width = len(names), 0
                places = _places(names, place, seconds)
                found.append(IohLog())
                continue
            words = line.split()
            if not words:
                continue
            where = f"{place}:{number}"
            try:
                width = width or len(words)
                if len(words) != width or not 0 < least <= width:
                    raise ValueError
                at = parsed_count(words[places[0]])
                value = parsed_number(words[places[1]])
                shown, time_s = (parsed_number(words[k]) if k else None for k in places[2:])
            except ValueError:
                text = line.strip()[:40]
                raise InputError(f"{where}: {text!r} is not a line of IOHprofiler data") from None
            if at == 1 <= found[-1].last:
                found.append(IohLog())
            run = found[-1]
            if at < run.last:
                raise InputError(f"{where}: evaluation {at} follows {run.last} within a run")
            run.evaluations.append(at)
            run.values.append(value)
            if shown is not None:
                run.transformed.append(shown)
            if time_s is None:
                continue
            if not 0 <= time_s <= MOST_SECONDS:
                why = "expected 0 to 1e7, since the start of the run"
                raise InputError(f"{where}: seconds are {time_s:.9g}; {why}")
            if run.seconds and time_s < (last := run.seconds[-1]):
                back = f"seconds go back from {last:.9g} to {time_s:.9g} within a run"
                raise InputError(f"{where}: {back}")
            run.seconds.append(time_s)
    cautions.rows[path] = sum(len(run.evaluations) for run in found)
    if not line.endswith("\n"):
        cautions.add(place, "no line end after the last line; the file may be truncated")
    return found


def _names(line: str) -> list[str]:
    """The column names in a line; empty if it is not a line of names."""
    names = [quoted or plain for quoted, plain in _NAME.findall(line)]
    if names[-1:] == [NO_PARAMETERS]:
        names.pop()
    return names if any(name in names for name in EVALUATIONS) else []


def _places(names: Sequence[str], place: Path, seconds: str | None) -> tuple[int, int, int, int]:
    """The columns of evaluations, value, instance's value and seconds; 0 for one not read."""
    if SECOND_OBJECTIVE in names:
        raise InputError(f"{place}: {SEVERAL_OBJECTIVES}")
    if seconds is not None and seconds not in names[1:]:
        raise InputError(f"{place}: no column {seconds!r}; columns: {', '.join(names)}")
    time = 0 if seconds is None else names.index(seconds)
    at = next(k for k, name in enumerate(names) if name in EVALUATIONS)
    for value, of_instance in VALUES:
        if value in names:
            shown = names.index(of_instance) if of_instance in names else 0
            return at, names.index(value), shown, time
    if len(names) == 2:
        return at, 1 - at, 0, time
    raise InputError(f"{place}: no column of values; expected one of {', '.join(PLAIN)}")


FoundT = TypeVar("FoundT", _Trial, IohLog)


def paired(
    listed: Sequence[ListedRun],
    found: Sequence[FoundT],
    noun: str,
    place: Path,
    index: str,
    cautions: Cautions,
) -> list[tuple[ListedRun, FoundT]]:
    """Pair listed runs with as many found ones, in order: those that agree, or the first.

    `index` is the suffix of the index file; `InputError` if runs are missing.
    """
    numbers = f"{counted(len(found), noun)}, but the {index} file lists {len(listed)}"
    if len(found) < len(listed):
        raise InputError(f"{place}: {numbers}; give the complete file")
    if len(found) > len(listed):
        cautions.add(place, f"{numbers}; the others are skipped")
    if len(found) == len(listed):
        return list(zip(listed, found, strict=True))
    places: list[int] = []
    for one in listed:
        later = range(places[-1] + 1 if places else 0, len(found))
        match = next((k for k in later if found[k].agrees(one)), None)
        if match is None:
            return list(zip(listed, found, strict=False))
        places.append(match)
    return [(one, found[k]) for one, k in zip(listed, places, strict=True)]


NAMES = {"BBOB": "bbob", "SBOX": "bbob-boxed", "PBO": "pbo"}  # IOHprofiler's names of suites
UNNAMED = ("", "None", "No suite", "unknown_suite", "Real", "Integer")
"""Names that IOHprofiler writes for a function without a suite, or of an unspecific one."""
UNKNOWN = "unknown_suite"

BBOB = (
    "Sphere Ellipsoid Rastrigin BuecheRastrigin LinearSlope AttractiveSector StepEllipsoid "
    "Rosenbrock RosenbrockRotated EllipsoidRotated Discus BentCigar SharpRidge DifferentPowers "
    "RastriginRotated Weierstrass Schaffers10 Schaffers1000 GriewankRosenbrock Schwefel "
    "Gallagher101 Gallagher21 Katsuura LunacekBiRastrigin"
).lower().split()  # fmt: skip
"""Names of the functions of ``bbob``, in lower case, letters and digits only."""

BEYOND = 1e-6  # relative tolerance for values beyond the optimum, for rounding


class IohFunction(NamedTuple):
    """A function as an index file describes it, and whether its values are maximized."""

    suite: str
    number: int
    name: str
    dimension: int
    maximized: bool


class OtherProblemError(Exception):
    """The run is on another problem than the suite's of the same numbers."""


Precisions = Callable[[IohLog, int], tuple[float | None, NDArray[np.float64]]]
"""From a run and its instance to the optimum, if known, and precisions, shape (lines,)."""


def suite_and_precisions(
    function: IohFunction, place: Path, cautions: Cautions
) -> tuple[str, Precisions] | None:
    """The suite of a function, and the conversion of its values to precisions.

    None, with a caution, without a known optimum. `InputError` if values are maximized, and the
    suite is another than ``pbo``, or it lacks the function.
    """
    suite = _suite_of_ioh(function, place, cautions)
    if not function.maximized:
        return suite, partial(_minimized, suite, place)
    if suite not in SUITES:
        cautions.add(place, "values are maximized; they are read with the other sign")
        return suite, _negated
    if suite != PseudoBoolean.name:
        raise InputError(f"{place}: values are maximized, but those of {suite} are minimized")
    if faults := PseudoBoolean().faults([function.number], [function.dimension], [1]):
        raise InputError(f"{place}: {faults[0]}")
    if not PseudoBoolean().knows_optimum(function.number, function.dimension, 1):
        cautions.add(place, "the optimum is not known; its runs are skipped")
        return None
    return suite, partial(_maximized, function, place)


def _suite_of_ioh(function: IohFunction, place: Path, cautions: Cautions) -> str:
    if function.suite not in UNNAMED:
        suite = NAMES.get(function.suite, function.suite)
        if suite not in SUITES and not function.maximized:
            cautions.add("", f"{suite}: values are read as distances to the optimum")
        return suite
    if function.maximized:
        return PseudoBoolean.name if _is_pseudo_boolean(function) else UNKNOWN
    if BBOB[function.number - 1 : function.number] == [_plain(function.name)]:
        cautions.add(place, "no name of the suite; bbob is used, from the name of the function")
        return "bbob"
    cautions.add(place, "no name of the suite; values are read as distances to the optimum")
    return UNKNOWN


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _is_pseudo_boolean(function: IohFunction) -> bool:
    if function.number not in PseudoBoolean.functions or importlib.util.find_spec("ioh") is None:
        return False
    import ioh

    return _plain(ioh.ProblemClass.PBO.problems[function.number]) == _plain(function.name)


def _minimized(
    suite: str, place: Path, run: IohLog, instance: int
) -> tuple[float, NDArray[np.float64]]:
    """IOHprofiler logs distances to the optimum of minimized functions."""
    precision = np.array(run.values, dtype=np.float64)
    f_opt = run.transformed[0] - run.values[0] if run.transformed else 0.0
    least = np.nanmin(precision, initial=np.inf)
    if least < -BEYOND:
        raise InputError(f"{place}: value {least:g} is not a distance to the optimum")
    if suite == "bbob" and run.transformed and f_opt == 0:
        raise InputError(
            f"{place}: values of f (such as {run.values[0]:g}), expected distances to the optimum"
        )
    return f_opt if np.isfinite(f_opt) else 0.0, np.maximum(precision, 0.0)


def _negated(run: IohLog, instance: int) -> tuple[None, NDArray[np.float64]]:
    """Maximized values with the other sign; the optimum is not known."""
    return None, -np.array(run.values, dtype=np.float64)


def _maximized(
    function: IohFunction, place: Path, run: IohLog, instance: int
) -> tuple[float, NDArray[np.float64]]:
    """Values of pseudo-Boolean functions, converted to distances in the units of the instance."""
    number, dimension = function.number, function.dimension
    if faults := PseudoBoolean().faults([number], [dimension], [instance]):
        raise InputError(f"{place}: {faults[0]}")
    largest, largest_here = (_largest(number, dimension, i) for i in (1, instance))
    # An instance scales and shifts the values of all functions alike: OneMax gives the scale.
    stretch = _largest(ONE_MAX, 2, instance) - _largest(ONE_MAX, 1, instance)
    precision = stretch * (largest - np.array(run.values, dtype=np.float64))
    finite = precision[np.isfinite(precision)]
    if finite.size and finite.min() < -BEYOND * max(1.0, abs(largest_here)):
        raise OtherProblemError
    if run.transformed:
        ours = largest_here - stretch * (largest - run.values[0])
        if not np.isclose(run.transformed[0], ours, rtol=BEYOND, atol=BEYOND):
            raise OtherProblemError
    return -largest_here, np.maximum(precision, 0.0)


@cache
def _largest(number: int, dimension: int, instance: int) -> float:
    return -PseudoBoolean().problem(number, dimension, instance).f_opt


@dataclass(frozen=True)
class _Reader:
    """Reads a folder; `seconds`: the property with times; `is_maximized`: None: by the files."""

    folder: Folder
    cautions: Cautions
    seconds: str | None
    is_maximized: bool | None

    def of_json(self) -> Iterator[DataSet]:
        """The data sets of all JSON files; `InputError` for one that is damaged."""
        for index in self.folder.indices(".json"):
            place = self.folder.place(index)
            try:
                content = json.loads(index.read_text(encoding="utf-8-sig"))
                if not isinstance(content, dict) or not {"scenarios", "function_id"} & set(content):
                    self.cautions.add(place, "not a file of IOHprofiler; skipped")
                    continue
                algorithm = _text(content["algorithm"]["name"])
                scenarios = [
                    (self._function(content, one), _text(one["path"]), [*map(_run, one["runs"])])
                    for one in content["scenarios"]
                ]
                several = SECOND_OBJECTIVE in (content.get("attributes") or ())
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                reason = f"{type(error).__name__}: {error}".splitlines()[0]
                raise InputError(f"{place}: not a valid file of IOHprofiler ({reason})") from None
            if several:
                raise InputError(f"{place}: {SEVERAL_OBJECTIVES}")
            for function, path, listed in scenarios:
                data = self.folder.beside(index, path)
                if not listed:
                    self.cautions.add(place, "a scenario without runs is skipped")
                elif data is None:
                    self.cautions.add(
                        place, f"data file {path!r} does not exist; its runs are skipped"
                    )
                else:
                    yield from self._set(algorithm, function, place, [(data, listed)], ".json")

    def _function(self, content: dict[str, Any], scenario: dict[str, Any]) -> IohFunction:
        maximized = content["maximization"]
        if not isinstance(maximized, bool):
            raise TypeError(f"maximization is {maximized!r}, expected true or false")
        return IohFunction(
            _text(content["suite"]),
            parsed_name(content["function_id"]),
            _text(content.get("function_name", "")),
            parsed_name(scenario["dimension"]),
            maximized if self.is_maximized is None else self.is_maximized,
        )

    def of_info(self) -> Iterator[DataSet]:
        """The data sets of all ``.info`` files; `InputError` for one that is not IOHprofiler's."""
        for entry in entries(self.folder, (".dat", ".cdat"), self.cautions):
            place, keys = self.folder.place(entry.index), entry.keys
            if "Precision" in keys or "indicator" in keys:
                raise InputError(f"{place}: data of COCO; import them with the format coco")
            maximized = self.is_maximized
            if maximized is None:
                maximized = _is_maximized(entry, place)
            name = keys.get("funcName", "")
            function = IohFunction(
                keys.get("suite", ""), entry.function, name, entry.dimension, maximized
            )
            algorithm = keys.get(ALGORITHM, "").strip() or entry.index.parent.name
            yield from self._set(algorithm, function, place, entry.files, ".info")

    def _set(
        self,
        algorithm: str,
        function: IohFunction,
        place: Path,
        files: Files,
        index: str,
    ) -> Iterator[DataSet]:
        known = suite_and_precisions(function, place, self.cautions)
        if known is None:
            return
        suite, precisions = known
        directed = not function.maximized and self.is_maximized is None

        def read() -> list[PublishedRun]:
            return [
                run
                for data, listed in files
                for run in self._runs(data, listed, precisions, index, directed)
            ]

        yield DataSet(algorithm, suite, function.number, function.dimension, read, place)

    def _runs(
        self,
        data: Path,
        listed: Sequence[ListedRun],
        precisions: Precisions,
        index: str,
        directed: bool,
    ) -> Iterator[PublishedRun]:
        """The runs that an index file lists for a data file, in its order.

        `InputError` if runs are missing, the file is damaged, or values to be minimized only rise.
        """
        place, cautions = self.folder.place(data), self.cautions
        logs = _logs(data, place, cautions, self.seconds)
        if directed:
            direction = Direction()
            for log in logs:
                direction.add(np.array(log.values), np.arange(len(log.values)) == 0)
            direction.refuse("raw_y", place, cautions)
        pairs = paired(listed, logs, "run", place, index, cautions)
        if not all(run.agrees(one) for one, run in pairs):
            cautions.add(
                place, f"ends or best values differ from the {index} file; the data files are used"
            )
        others = 0
        for one, run in pairs:
            try:
                f_opt, precision = precisions(run, one.instance)
            except OtherProblemError:
                others += 1
                continue
            end = one.evaluations or 0
            made = PublishedRun.of_lines(one.instance, f_opt, run.evaluations, precision, end)
            if run.seconds:
                made = _timed(made, run, f_opt)
                if made.all_evaluations > run.last:
                    cautions.add(place, "runs go on after their last line; their seconds end there")
            yield made
        if others:
            cautions.add(
                place, "runs on a problem that differs from that of pbo are skipped", runs=others
            )


def _timed(run: PublishedRun, log: IohLog, f_opt: float | None) -> PublishedRun:
    """The run with the times of its lines; it has lasted until the last one."""
    lines = np.searchsorted(np.asarray(log.evaluations, np.int64), run.evaluations)
    end_s = log.seconds[-1]
    best = float(run.precision[-1]) if run.precision.size else np.inf
    at_the_end = run.precision.size > 0 and run.evaluations[-1] == run.all_evaluations
    last = best if at_the_end and f_opt is not None else np.inf
    timed = Timed(
        time_s=np.asarray(log.seconds, dtype=np.float64)[lines],
        end_s=end_s,
        best_f=(f_opt or 0.0) + best,
        status=status_of(run.all_evaluations, best),
        stop_reason=stop_reason_of(last, run.all_evaluations, end_s, end_s, None),
        budget_s=end_s,
    )
    return replace(run, timed=timed)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a string")
    return value


def _run(content: dict[str, Any]) -> ListedRun:
    best = content.get("best")
    value, best_at = (best.get("y"), best.get("evals")) if isinstance(best, dict) else (None, None)
    evaluations = content.get("evals")
    return ListedRun(
        parsed_name(content["instance"]),
        None if evaluations is None else parsed_count(str(evaluations)),
        None if value is None else parsed_number(str(value)),
        None if best_at is None else parsed_count(str(best_at)),
    )


def _is_maximized(entry: InfoEntry, place: Path) -> bool:
    value = entry.keys.get("maximization", "").upper()
    if value in ("T", "TRUE", "1"):
        return True
    if value in ("F", "FALSE", "0"):
        return False
    if value:
        raise InputError(f"{place}: maximization is {value!r}, expected 'T' or 'F'")
    if (suite := NAMES.get(entry.keys.get("suite", ""))) is not None:
        return suite == PseudoBoolean.name
    raise InputError(
        f"{place}: no key maximization; use --columns value=-raw_y if values are maximized, "
        "value=+raw_y if not"
    )


def ioh_data_sets(
    folder: Folder, cautions: Cautions, layout: Layout | None = None
) -> list[DataSet]:
    """The data sets of a folder: those of ``.json`` files first, each in the order of the files.

    ``seconds`` of the layout is the logged property with seconds, by default none; its ``value``
    may have a sign, ``-`` for maximized values, whatever the files state. `InputError` for other
    columns, an index file that is not IOHprofiler's, several objectives, or a maximized suite but
    ``pbo``.
    """
    columns = layout or Layout()
    if columns.constants or set(columns.columns) - {"seconds", "value"}:
        raise InputError(f"--columns: {ONLY}")
    sign = columns.sign("value")
    if "value" in columns.columns and not (sign and columns.in_file("value") in PLAIN):
        raise InputError(f"--columns: value: {columns.columns['value']!r}: {ONLY}")
    maximized = {"-": True, "+": False}.get(sign)
    reader = _Reader(folder, cautions, columns.columns.get("seconds"), maximized)
    return [*reader.of_json(), *reader.of_info()]
