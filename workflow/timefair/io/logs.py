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
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain, takewhile
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import AliasPath, BaseModel, Field, StrictBool, ValidationError

from timefair.basics.errors import InputError
from timefair.basics.words import counted
from timefair.io.reading import (
    LARGEST_NAME,
    MOST_SECONDS,
    Cautions,
    DataSet,
    Folder,
    Row,
    parsed_count,
    parsed_name,
    parsed_number,
    refuse_rising,
    row_of_lines,
    with_end,
)
from timefair.io.table_read import Layout
from timefair.problems.ioh import ONE_MAX, PBO
from timefair.problems.suites import SUITES

FUNCTION, DIMENSION, ALGORITHM = "funcId", "DIM", "algId"
PROBLEM = (FUNCTION, DIMENSION)
SYNONYMS = {"function": FUNCTION, "dim": DIMENSION, "algorithm": ALGORITHM}
"""Names of these keys in multi-objective data."""
_PART = re.compile(
    r"\s*(?:([^,=:|/\\]+?)\s*=\s*(?:'(.*?)'|\"(.*?)\"|([^,]*?))\s*(?:,|$)|([^,]*?)\s*(?:,|$))"
)
"""A key with its value, or a word."""
_LOST_LINE_END = re.compile(r"(?<=[0-9])(?=(?:suite|funcId)\s*=)")
_TRIAL = re.compile(r"(\d+)(?:\s*:\s*([^|\s]+)\s*\|\s*[^;\s]+(;.*)?)?")
Number = Annotated[int, Field(ge=0, le=LARGEST_NAME)]


class ListedRun(BaseModel):
    """A run in an index file, and the evaluation of its best value; None: not in the file."""

    instance: Number
    evals: Annotated[int, Field(ge=0)] | None = None
    best_at: Annotated[int | None, Field(validation_alias=AliasPath("best", "evals"))] = None


Files = list[tuple[Path, list[ListedRun]]]
"""Data files that exist, and the trials that an index file lists for each."""


@dataclass
class InfoEntry:
    """Trials on a function in a dimension, in `named` data files, of which `files` exist."""

    index: Path
    keys: dict[str, str]
    function: int
    dimension: int
    named: list[tuple[str, list[ListedRun]]] = field(default_factory=list)
    files: Files = field(default_factory=list)


def entries(folder: Folder, suffixes: Sequence[str], cautions: Cautions) -> list[InfoEntry]:
    """The entries of all ``.info`` files in a folder that have a data file.

    Of data files that differ only in the suffix, the first of `suffixes` is used. The trials of one
    data file are joined in its first entry; equal lists of trials are kept once. `InputError` for
    an entry or a line in another format, or a data file outside the folder or of several functions.
    """
    found: list[InfoEntry] = []
    first: dict[Path, tuple[InfoEntry, list[ListedRun]]] = {}
    for index in folder.indices(".info"):
        place = folder.place(index)
        listed = list(_entries(index, place))
        if not listed:
            cautions.add(place, "no entry of published data; skipped")
        for entry in listed:
            if not entry.named:
                cautions.add(place, "an entry without trials is skipped")
            for name, trials in entry.named:
                stem = str(Path(entry.keys.get("folder", ""), name.rpartition(".")[0]))
                beside = (folder.beside(index, stem + suffix) for suffix in suffixes)
                path = next((path for path in beside if path is not None), None)
                if not trials or path is None:
                    fault = "does not exist; its trials are" if trials else "without trials is"
                    cautions.add(place, f"data file {name!r} {fault} skipped")
                    continue
                earlier, known = first.setdefault(path, (entry, trials))
                where, text = folder.place(path), "listed twice; read once"
                if known is trials:
                    entry.files.append((path, trials))
                    continue
                if (earlier.function, earlier.dimension) != (entry.function, entry.dimension):
                    raise InputError(f"{where}: listed for two functions or dimensions")
                if known != trials:
                    known += trials
                    text = "listed in several entries; its trials are read in their order"
                cautions.add(where, text)
        found += listed
    return [entry for entry in found if entry.files]


def _entries(index: Path, place: Path) -> Iterator[InfoEntry]:
    common: dict[str, str] = {}
    entry: InfoEntry | None = None
    text = index.read_text(encoding="utf-8-sig", errors="replace")
    lines = chain.from_iterable(map(_LOST_LINE_END.split, text.splitlines()))
    for line in filter(None, map(str.strip, lines)):
        if line.startswith("%"):
            if line.startswith("% Combination of"):
                raise InputError(f"{place}: {BEST_OF_MANY}")
            continue
        keys, words = _parts(line)
        if keys and entry is not None:
            yield entry
        if FUNCTION in keys:
            keys = {**common, **keys}
            try:
                function, dimension = (parsed_name(keys[name]) for name in PROBLEM)
            except (KeyError, ValueError) as error:
                raise InputError(f"{place}: {' or '.join(PROBLEM)}: {error}") from None
            entry = InfoEntry(index, keys, function, dimension)
        elif keys:
            common, entry = keys, None
        if keys and not any(word.lower().endswith("dat") for word in words):
            continue  # the words are a part of a value without quotes
        for word in words:
            if entry is None:
                raise InputError(f"{place}: {word[:40]!r} is in no entry with {FUNCTION}")
            _add(entry, word, place)
    if entry is not None:
        yield entry


def _parts(line: str) -> tuple[dict[str, str], list[str]]:
    keys: dict[str, str] = {}
    words: list[str] = []
    for found in _PART.finditer(line):
        name, *values, word = found.groups()
        if name is not None:
            keys[SYNONYMS.get(name, name)] = next((v for v in values if v is not None), "")
        elif word:
            words.append(word)
    return keys, words


def _add(entry: InfoEntry, word: str, place: Path) -> None:
    if word.lower().endswith("dat"):
        entry.named.append((word, []))
        return
    try:
        trial = _TRIAL.fullmatch(word)
        if trial is None or not entry.named:
            raise ValueError
        end = None if trial[2] is None else parsed_count(trial[2])
        listed = ListedRun(instance=parsed_name(trial[1]), evals=end)
    except ValueError:
        raise InputError(
            f"{place}: {word[:40]!r} is not a data file, or a trial such as 1:3673|-7.8e-09"
        ) from None
    entry.named[-1][1].append(listed)


Line = tuple[int, list[str]]
"""The number of a line, and its words."""


def _parts_of(
    path: Path, place: Path, is_header: Callable[[str], bool], cautions: Cautions
) -> list[tuple[list[str], list[Line]]]:
    """The parts of a data file: lines of a header, and the other lines up to the next header."""
    found: list[tuple[list[str], list[Line]]] = [([], [])]
    line = "\n"
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, start=1):
            if is_header(line):
                if found[-1][1]:
                    found.append(([], []))
                found[-1][0].append(line)
            elif words := line.split():
                found[-1][1].append((number, words))
    if not line.endswith("\n"):
        cautions.add(place, "no line end after the last line; the file may be truncated")
    cautions.rows[path] = sum(len(rows) for _, rows in found)
    return found


def _numbers(
    rows: Sequence[Line],
    counts: Sequence[int],
    others: Sequence[int | None],
    place: Path,
    kind: str,
    least: int = 1,
) -> NDArray[np.float64]:
    """Columns of counts and other numbers, NaN for None, shape (columns, lines); `InputError` with
    the number of a line that has not as many words as the first, or too few.
    """
    found = []
    for number, words in rows:
        try:
            if not least <= len(words) == len(rows[0][1]):
                raise ValueError
            numbers = (math.nan if k is None else parsed_number(words[k]) for k in others)
            found.append([*(float(parsed_count(words[k])) for k in counts), *numbers])
        except (ValueError, IndexError):
            text = " ".join(words)[:40]
            raise InputError(f"{place}:{number}: {text!r} is not a line of {kind} data") from None
    return np.array(found).T


FoundT = TypeVar("FoundT", "_Trial", "IohLog")


def paired(
    listed: Sequence[ListedRun],
    found: Sequence[FoundT],
    noun: str,
    place: Path,
    index: str,
    cautions: Cautions,
) -> list[tuple[ListedRun, FoundT]]:
    """Pair listed runs with as many found ones, in order: those that agree, or the first;
    `InputError` if runs are missing.
    """
    numbers = f"{counted(len(found), noun)}, but the {index} file lists {len(listed)}"
    if len(found) < len(listed):
        raise InputError(f"{place}: {numbers}; give the complete file")
    if len(found) == len(listed):
        return list(zip(listed, found, strict=True))
    cautions.add(place, f"{numbers}; the others are skipped")
    rest = iter(found)
    chosen = [next((run for run in rest if run.agrees(one)), None) for one in listed]
    pairs = [(one, run) for one, run in zip(listed, chosen, strict=True) if run is not None]
    return pairs if len(pairs) == len(listed) else list(zip(listed, found, strict=False))


BELOW = -1e-6  # precisions below it are kept and reported; others below 0 count as 0
BEST_F = 4  # column of the best f so far, which multi-objective data do not have
_F_OPT = re.compile(r"Fopt\s*\(\s*([^)\s]+)\s*\)", re.IGNORECASE)
_INSTANCE = re.compile(r"\binstance\s*=\s*(\d+)")
BEST_OF_MANY = "best results of many algorithms, not runs of one; give data of one algorithm"


Columns = tuple[int, ...]
"""The columns of evaluations, of f and maybe of constraints, and then that of precisions."""

FORMATS: dict[str | None, Columns] = {  # by ``data_format``
    **dict.fromkeys((None, "bbob", "bbob-old"), (0, 2)),
    **dict.fromkeys(("bbob-new", "bbob-new2"), (0, 1, 2)),
}
INDICATOR: Columns = (0, 1)
"""Of multi-objective data, whose precisions can be below 0, as the optimum is the best known."""
NOISY = range(101, 131)  # functions of ``bbob-noisy``; data from before 2016 do not name the suite


@dataclass
class _Trial:
    """The lines of one trial; evaluations are with those of constraints, as in cocopp. `end` is the
    last one in the ``.tdat`` file, `end_of_f` that of f.
    """

    f_opt: float | None
    instance: int | None
    evaluations: NDArray[np.int64]
    precision: NDArray[np.float64]
    end_of_f: int
    end: int | None = None

    def agrees(self, listed: ListedRun) -> bool:
        """Whether it can be a listed trial; a ``.dat`` file alone may end before the trial does."""
        if listed.evals is None:
            return True
        if self.end is None:
            return listed.evals >= self.end_of_f
        return listed.evals == self.end_of_f

    def run(self, listed: ListedRun, columns: Columns) -> Row:
        """The run; finite precisions are raised to the largest later one, as in cocopp."""
        order = np.argsort(self.evaluations, kind="stable")
        precision = self.precision[order]
        if columns != INDICATOR:
            precision[(precision < 0) & (precision >= BELOW)] = 0.0
        finite = np.isfinite(precision)
        largest = np.maximum.accumulate(np.where(finite, precision, -np.inf)[::-1])[::-1]
        raised = np.where(finite, largest, precision)
        end = listed.evals or 0 if self.end is None else self.end
        instance = listed.instance if self.instance is None else self.instance
        at = self.evaluations[order]
        return row_of_lines(instance, self.f_opt or 0.0, at, raised, end)

    def is_of(self, other: _Trial) -> bool:
        """Whether it may be the same trial in another file."""
        if self.f_opt is None or other.f_opt is None:
            return self.instance == other.instance
        return math.isclose(self.f_opt, other.f_opt, abs_tol=1e-6)


def _trials_in(path: Path, place: Path, columns: Columns, cautions: Cautions) -> list[_Trial]:
    """The trials of a data file, between comments; `InputError` for another format."""
    found = []
    for header, rows in _parts_of(path, place, lambda line: line.startswith("%"), cautions):
        if not rows:
            continue
        text = "".join(header)
        if "algorithm type = best" in text:
            raise InputError(f"{place}: {BEST_OF_MANY}")
        *counts, precision = _numbers(rows, columns[:-1], columns[-1:], place, "COCO")
        number, words = rows[0]
        if match := _F_OPT.search(text):
            f_opt = _numbers([(number, [match[1]])], [], [0], place, "COCO")[0, 0]
        elif len(words) > BEST_F:
            f_opt = _numbers(rows[:1], [], [BEST_F], place, "COCO")[0, 0] - precision[0]
        else:
            f_opt = None
        match = _INSTANCE.search(text)
        instance = int(match[1]) if match else None
        at = np.sum(counts, axis=0).astype(np.int64)
        found.append(_Trial(f_opt, instance, at, precision, int(counts[0].max())))
    return found


def _published_runs(
    path: Path, listed: list[ListedRun], columns: Columns, folder: Folder, cautions: Cautions
) -> list[Row]:
    """The listed trials of a data file; `InputError` if one of them is missing."""
    place = folder.place(path)
    found = _trials_in(path, place, columns, cautions)
    _read_ends(found, path, columns, folder, cautions)
    pairs = paired(listed, found, "trial", place, ".info", cautions)
    if any((np.diff(one.evaluations) < 0).any() for one in found):
        cautions.add(place, "evaluations decrease within a trial; its lines are sorted")
    if any((one.precision[1:] > one.precision[:-1]).any() for one in found):
        text = "the best precision increases within a trial; the later, larger value is used"
        cautions.add(place, text)
    if columns != INDICATOR and any((one.precision < BELOW).any() for one in found):
        cautions.add(place, "precisions are far below 0; check the optimum in the data")
    if any(one.evals is None for one in listed):
        text = "aborted trials, without an end in the .info file, end at their last line"
        cautions.add(place, text)
    if not all(trial.agrees(one) for one, trial in pairs):
        cautions.add(place, "ends differ from the .info file; the data files are used")
    if any(trial.instance not in (None, one.instance) for one, trial in pairs):
        cautions.add(place, "instances differ from the .info file; the data files are used")
    return [trial.run(one, columns) for one, trial in pairs]


def _read_ends(
    trials: list[_Trial], path: Path, columns: Columns, folder: Folder, cautions: Cautions
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
    same = list(takewhile(lambda pair: pair[0].is_of(pair[1]), pairs))
    for trial, longer in same:
        trial.end = int(longer.evaluations.max())
        trial.end_of_f = max(trial.end_of_f, longer.end_of_f)
    if not len(same) == len(trials) == len(ends):
        cautions.add(
            place,
            f"{counted(len(ends), 'trial')}, of which the first {len(same)} match the .dat file; "
            "the others end where the .info file has their end",
        )


def coco_data_sets(folder: Folder, cautions: Cautions) -> list[DataSet]:
    """The data sets of a folder; `InputError` for an ``.info`` file that is not COCO data."""
    return [_data_set(entry, folder, cautions) for entry in entries(folder, (".dat",), cautions)]


def _data_set(entry: InfoEntry, folder: Folder, cautions: Cautions) -> DataSet:
    """The data set of an entry; the suite is inferred before 2016, when data did not name it."""
    place, keys = folder.place(entry.index), entry.keys
    if "maximization" in keys or "algInfo" in keys:
        raise InputError(f"{place}: data of IOHprofiler; import them with the format ioh")
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
        suite = "bbob-boxed" if named == "sbox-cost" else named  # its former name

    def read() -> list[Row]:
        each = (_published_runs(*file, columns, folder, cautions) for file in entry.files)
        return list(chain.from_iterable(each))

    return DataSet(algorithm, suite, entry.function, entry.dimension, read, place)


EVALUATIONS = ("evaluations", "function evaluation")
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

_NAME = re.compile(r'"([^"]*)"|([^\s"]+)')


@dataclass
class IohLog:
    """The lines of a run, shape (lines,): plain values, those of the instance; NaN if not read."""

    evaluations: NDArray[np.int64]
    values: NDArray[np.float64]
    transformed: NDArray[np.float64]
    seconds: NDArray[np.float64]

    def agrees(self, listed: ListedRun) -> bool:
        """Whether it can be a listed run."""
        if listed.evals is None:
            return True
        ends_before = listed.evals >= self.evaluations[-1]
        if listed.best_at is None:
            return bool(ends_before or listed.evals in self.evaluations)
        return bool(ends_before and listed.best_at in self.evaluations)


def _logs(path: Path, place: Path, cautions: Cautions, seconds: str | None) -> list[IohLog]:
    """The runs of a data file, with times in the column `seconds`."""

    def is_header(line: str) -> bool:
        return not line[:1].isdigit() and bool(_names(line))

    found = []
    for header, rows in _parts_of(path, place, is_header, cautions):
        if not rows:
            continue
        names = _names(header[-1]) if header else []
        count, *others = _places(names, place, seconds) if names else [len(rows[0][1])]
        at, *values = _numbers(rows, [count or 0], others, place, "IOHprofiler", len(names))
        if (back := np.flatnonzero(np.diff(at) < 0) + 1).size:
            where = f"{place}:{rows[back[0]][0]}"
            follows = f"{at[back[0]]:.0f} follows {at[back[0] - 1]:.0f}"
            raise InputError(f"{where}: evaluation {follows} within a run")
        for k, time_s in enumerate(values[-1].tolist() if seconds else ()):
            where, before_s = f"{place}:{rows[k][0]}", values[-1][max(k - 1, 0)]
            if not 0 <= time_s <= MOST_SECONDS:
                why = "expected 0 to 1e7, since the start of the run"
                raise InputError(f"{where}: seconds are {time_s:.9g}; {why}")
            if time_s < before_s:
                back_s = f"from {before_s:.9g} to {time_s:.9g}"
                raise InputError(f"{where}: seconds go back {back_s} within a run")
        found.append(IohLog(at.astype(np.int64), *values))
    return found


def _names(line: str) -> list[str]:
    """The column names in a line; empty if it is not a line of names."""
    names = [quoted or plain for quoted, plain in _NAME.findall(line)]
    if names[-1:] == ["No parameters"]:
        names.pop()  # if no parameter was logged; it has no column
    return names if any(name in names for name in EVALUATIONS) else []


def _places(names: Sequence[str], place: Path, seconds: str | None) -> list[int | None]:
    """The columns of evaluations, value, instance's value and seconds; None for one not read."""
    if "F2" in names:  # in addition to ``raw_y`` or ``F1``
        text = "data of several objectives (column F2) have no single optimum"
        raise InputError(f"{place}: {text}")
    if seconds is not None and seconds not in names[1:]:
        raise InputError(f"{place}: no column {seconds!r}; columns: {', '.join(names)}")
    time = None if seconds is None else names.index(seconds)
    at = next(k for k, name in enumerate(names) if name in EVALUATIONS)
    for value, of_instance in VALUES:
        if value in names:
            shown = names.index(of_instance) if of_instance in names else None
            return [at, names.index(value), shown, time]
    raise InputError(f"{place}: no column of values; expected one of {', '.join(PLAIN)}")


NAMES = {"BBOB": "bbob", "SBOX": "bbob-boxed", "PBO": "pbo"}  # IOHprofiler's names of suites
UNNAMED = ("", "None", "No suite", "unknown_suite", "Real", "Integer")
"""Names that IOHprofiler writes for a function without a suite, or of an unspecific one."""
UNKNOWN = "unknown_suite"

BEYOND = 1e-6  # relative tolerance for values beyond the optimum, for rounding


class IohFunction(NamedTuple):
    """A function as an index file describes it, and whether its values are maximized."""

    suite: str
    number: int
    name: str
    dimension: int
    maximized: bool

    def in_suite(self, place: Path, cautions: Cautions) -> IohFunction | None:
        """The same, with our name of the suite; None, with a caution, if only an optimum that is
        not known would give precisions. `InputError` for other maximized values.
        """
        suite = NAMES.get(self.suite, self.suite)
        if self.suite in UNNAMED:
            suite = PBO.name if self.maximized else "bbob"
            if not self._is_of(suite.upper()):
                suite = UNKNOWN
            elif not self.maximized:
                text = f"no name of the suite; {suite} is used, from the name of the function"
                cautions.add(place, text)
        if suite not in SUITES and self.maximized:
            cautions.add(place, "values are maximized; they are read with the other sign")
        elif suite not in SUITES:
            cautions.add("", f"{suite}: values are read as distances to the optimum")
        elif self.maximized and suite != PBO.name:
            raise InputError(f"{place}: values are maximized, but those of {suite} are minimized")
        elif self.maximized and not PBO.knows_optimum(self.number, self.dimension, 1):
            cautions.add(place, "the optimum is not known; its runs are skipped")
            return None
        return self._replace(suite=suite)

    def _is_of(self, problems: str) -> bool:
        """Whether a class of ioh's problems has a function of this number and name."""
        if importlib.util.find_spec("ioh") is None:
            return False
        import ioh

        name = getattr(ioh.ProblemClass, problems).problems.get(self.number)
        return name is not None and _plain(name) == _plain(self.name)

    def precisions(
        self, place: Path, run: IohLog, instance: int
    ) -> tuple[float | None, NDArray[np.float64]] | None:
        """The optimum, if it is known, and the precisions of a run, shape (lines,); None for a run
        on another problem than the suite's of the same numbers. Maximized values get the other
        sign, and those of pseudo-Boolean functions become distances in units of the instance.
        """
        if self.maximized and self.suite not in SUITES:
            return None, -run.values
        shown = float(run.transformed[0])
        if self.maximized:
            return self._of_pseudo_boolean(place, run, instance, shown)
        least = np.nanmin(run.values, initial=np.inf)
        if least < -BEYOND:
            raise InputError(f"{place}: value {least:g} is not a distance to the optimum")
        f_opt = shown - float(run.values[0])
        if self.suite == "bbob" and f_opt == 0:
            such = f"such as {run.values[0]:g}"
            raise InputError(f"{place}: values of f ({such}), expected distances to the optimum")
        return f_opt if math.isfinite(f_opt) else 0.0, np.maximum(run.values, 0.0)

    def _of_pseudo_boolean(
        self, place: Path, run: IohLog, instance: int, shown: float
    ) -> tuple[float, NDArray[np.float64]] | None:
        if faults := PBO.faults([self.number], [self.dimension], [instance]):
            raise InputError(f"{place}: {faults[0]}")
        largest, here = (_largest(self.number, self.dimension, i) for i in (1, instance))
        # An instance scales and shifts the values of all functions alike: OneMax gives the scale.
        stretch = _largest(ONE_MAX, 2, instance) - _largest(ONE_MAX, 1, instance)
        precision = stretch * (largest - run.values)
        ours = here - precision[0]
        if precision[np.isfinite(precision)].min(initial=0) < -BEYOND * max(1.0, abs(here)):
            return None
        if not math.isnan(shown) and not np.isclose(shown, ours, rtol=BEYOND, atol=BEYOND):
            return None
        return -here, np.maximum(precision, 0.0)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


@cache
def _largest(number: int, dimension: int, instance: int) -> float:
    return -PBO.problem(number, dimension, instance).f_opt


class _Scenario(BaseModel):
    dimension: Number
    path: str
    runs: list[ListedRun]


class _Index(BaseModel):
    """What is read of a JSON file of IOHprofiler."""

    suite: str
    function_id: Number
    function_name: str = ""
    maximization: StrictBool
    algorithm: str = Field(validation_alias=AliasPath("algorithm", "name"))
    scenarios: list[_Scenario]


@dataclass(frozen=True)
class _Reader:
    """Reads a folder; `seconds`: the property with times; `is_maximized`: None: by the files."""

    folder: Folder
    cautions: Cautions
    seconds: str | None
    is_maximized: bool | None

    def of_json(self) -> Iterator[DataSet]:
        """The data sets of all JSON files; `InputError` for one that is damaged."""
        for path in self.folder.indices(".json"):
            place = self.folder.place(path)
            try:
                content = json.loads(path.read_text(encoding="utf-8-sig"))
                if not isinstance(content, dict) or not {"scenarios", "function_id"} & set(content):
                    self.cautions.add(place, "not a file of IOHprofiler; skipped")
                    continue
                index = _Index.model_validate(content)
            except (ValueError, RecursionError) as error:
                reason = str(error).splitlines()[0]
                if isinstance(error, ValidationError):
                    fault = error.errors()[0]
                    reason = f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
                raise InputError(f"{place}: not a valid file of IOHprofiler ({reason})") from None
            for one in index.scenarios:
                data = self.folder.beside(path, one.path)
                if not one.runs:
                    self.cautions.add(place, "a scenario without runs is skipped")
                elif data is None:
                    text = f"data file {one.path!r} does not exist; its runs are skipped"
                    self.cautions.add(place, text)
                else:
                    name, number = index.function_name, index.function_id
                    kind = index.suite, number, name, one.dimension, index.maximization
                    files = [(data, one.runs)]
                    yield from self._set(index.algorithm, IohFunction(*kind), place, files, ".json")

    def of_info(self) -> Iterator[DataSet]:
        """The data sets of all ``.info`` files; `InputError` for one that is not IOHprofiler's."""
        for entry in entries(self.folder, (".dat", ".cdat"), self.cautions):
            place, keys = self.folder.place(entry.index), entry.keys
            if "Precision" in keys or "indicator" in keys:
                raise InputError(f"{place}: data of COCO; import them with the format coco")
            maximized = self.is_maximized
            if maximized is None:
                maximized = _is_maximized(entry, place)
            suite, name = keys.get("suite", ""), keys.get("funcName", "")
            function = IohFunction(suite, entry.function, name, entry.dimension, maximized)
            algorithm = keys.get(ALGORITHM, "").strip() or entry.index.parent.name
            yield from self._set(algorithm, function, place, entry.files, ".info")

    def _set(
        self, algorithm: str, function: IohFunction, place: Path, files: Files, index: str
    ) -> Iterator[DataSet]:
        if self.is_maximized is not None:
            function = function._replace(maximized=self.is_maximized)
        if (known := function.in_suite(place, self.cautions)) is not None:
            read = partial(self._runs, known, place, files, index)
            yield DataSet(algorithm, known.suite, known.number, known.dimension, read, place)

    def _runs(self, function: IohFunction, place: Path, files: Files, index: str) -> list[Row]:
        """The runs that an index file lists for its data files, in its order."""
        made, cautions = [], self.cautions
        for data, listed in files:
            where = self.folder.place(data)
            logs = _logs(data, where, cautions, self.seconds)
            if not function.maximized and self.is_maximized is None:
                refuse_rising((log.values for log in logs), "raw_y", where, cautions)
            pairs = paired(listed, logs, "run", where, index, cautions)
            if not all(log.agrees(one) for one, log in pairs):
                cautions.add(where, f"ends differ from the {index} file; the data files are used")
            for one, log in pairs:
                if (known := function.precisions(place, log, one.instance)) is None:
                    text = "runs on a problem that differs from that of pbo are skipped"
                    cautions.add(where, text, runs=1)
                    continue
                f_opt, precision = known
                times = log.seconds if self.seconds else None
                run = row_of_lines(
                    one.instance, f_opt, log.evaluations, precision, one.evals or 0, times
                )
                if times is not None:
                    run = with_end(run, float(times[-1]), float(times[-1]))
                    if run["evaluations"] > log.evaluations[-1]:
                        text = "runs go on after their last line; their seconds end there"
                        cautions.add(where, text)
                made.append(run)
        return made


def _is_maximized(entry: InfoEntry, place: Path) -> bool:
    value = entry.keys.get("maximization", "").upper()
    if value in ("T", "TRUE", "1", "F", "FALSE", "0"):
        return value in ("T", "TRUE", "1")
    suite = NAMES.get(entry.keys.get("suite", ""))
    if suite is None or value:
        raise InputError(
            f"{place}: maximization is {value!r}, expected 'T' or 'F'; use --columns value=-raw_y "
            "if values are maximized, value=+raw_y if not"
        )
    return suite == PBO.name


def ioh_data_sets(folder: Folder, cautions: Cautions, layout: Layout) -> list[DataSet]:
    """The data sets of a folder: those of ``.json`` files first, each in the order of the files;
    `InputError` for other columns than `ONLY`, or files that are not IOHprofiler's.
    """
    columns, sign = layout.columns, layout.sign("value")
    if layout.constants or set(columns) - {"seconds", "value"}:
        raise InputError(f"--columns: {ONLY}")
    if "value" in columns and not (sign and layout.in_file("value") in PLAIN):
        raise InputError(f"--columns: value: {columns['value']!r}: {ONLY}")
    maximized = {"-": True, "+": False}.get(sign)
    reader = _Reader(folder, cautions, columns.get("seconds"), maximized)
    return [*reader.of_json(), *reader.of_info()]
