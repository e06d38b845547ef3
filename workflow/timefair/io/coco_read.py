"""Reads COCO's data archives of all generations since 2009, and ``.info`` files of both formats.

An entry of an ``.info`` file consists of a line with keys, comment lines that begin with ``%``, and
a line with data files and their trials (instance, number of evaluations and final value):

    funcId = 9, DIM = 2, Precision = 1.000e-008, algId = 'DIRECT'
    % any comment
    data_f9\\x_f9_DIM2.dat, 1:3673|-7.8e-009, 2:3233|-5.6e-009, 3

The trial on instance 3 was aborted: only the data file has its evaluations. Multi-objective data
have one line with the keys of all entries; each entry has further keys before its data file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, takewhile
from pathlib import Path

import numpy as np

from timefair.basics.errors import InputError
from timefair.basics.words import counted
from timefair.io.common import (
    Cautions,
    DataSet,
    Folder,
    ListedRun,
    PublishedRun,
    paired,
    parsed_count,
    parsed_name,
    parsed_number,
)

FUNCTION, DIMENSION, ALGORITHM = "funcId", "DIM", "algId"

SYNONYMS = {"function": FUNCTION, "dim": DIMENSION, "algorithm": ALGORITHM}
"""Names of these keys in multi-objective data."""

_KEY = re.compile(r"\s*([^,=:|/\\]+?)\s*=\s*(?:'(.*?)'|\"(.*?)\"|([^,]*?))\s*(?:,|$)")
_WORD = re.compile(r"\s*([^,]*?)\s*(?:,|$)")
_LOST_LINE_END = re.compile(r"(?<=[0-9])(?=(?:suite|funcId)\s*=)")
_TRIAL = re.compile(r"(\d+)(?:\s*:\s*([^|\s]+)\s*\|\s*([^;\s]+)(;.*)?)?")


@dataclass
class DataFile:
    """A data file that exists: its name in the index file, and the trials listed there."""

    name: str
    path: Path
    trials: list[ListedRun]


@dataclass
class InfoEntry:
    """Trials on a function in a dimension, in `named` data files, of which `files` exist."""

    index: Path
    keys: dict[str, str]
    named: list[tuple[str, list[ListedRun]]] = field(default_factory=list)
    comment: str = ""
    files: list[DataFile] = field(default_factory=list)

    @property
    def function(self) -> int:
        return parsed_name(self.keys[FUNCTION])

    @property
    def dimension(self) -> int:
        return parsed_name(self.keys[DIMENSION])


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
            _check(entry, place)
            entry.files = list(_files(entry, folder, suffixes, cautions))
            if entry.files:
                found.append(entry)
    return _each_file_once(found, folder, cautions)


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


def _check(entry: InfoEntry, place: Path) -> None:
    for key in (FUNCTION, DIMENSION):
        if key not in entry.keys:
            raise InputError(f"{place}: an entry has no {key}")
        try:
            parsed_name(entry.keys[key])
        except ValueError:
            raise InputError(
                f"{place}: {key} is {entry.keys[key][:40]!r}, expected a whole number"
            ) from None


def _files(
    entry: InfoEntry, folder: Folder, suffixes: Sequence[str], cautions: Cautions
) -> Iterator[DataFile]:
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
            yield DataFile(name, path, trials)


def _each_file_once(found: list[InfoEntry], folder: Folder, cautions: Cautions) -> list[InfoEntry]:
    """Merge the entries of one data file; equal lists of trials are kept once."""
    first: dict[Path, tuple[InfoEntry, DataFile]] = {}
    for entry in found:
        kept = []
        for file in entry.files:
            earlier, same = first.setdefault(file.path, (entry, file))
            if same is file:
                kept.append(file)
                continue
            _check_same(earlier, entry, folder.place(file.path))
            if same.trials == file.trials:
                text = "listed twice; read once"
            else:
                text = "listed in several entries; its trials are read in the order of the entries"
                same.trials += file.trials
            cautions.add(folder.place(file.path), text)
        entry.files = kept
    return [entry for entry in found if entry.files]


def _check_same(one: InfoEntry, other: InfoEntry, place: Path) -> None:
    for key in (FUNCTION, DIMENSION):
        if one.keys.get(key) != other.keys.get(key):
            raise InputError(
                f"{place}: listed with two values of {key} "
                f"({one.keys.get(key)} and {other.keys.get(key)}); expected one"
            )


BELOW = -1e-6
"""Precisions below this are kept and reported; others below 0, from rounding, count as 0."""

BEST_F = 4  # column of the best f so far, which multi-objective data do not have

_F_OPT = re.compile(r"Fopt\s*\(\s*([^)\s]+)\s*\)", re.IGNORECASE)
_INSTANCE = re.compile(r"\binstance\s*=\s*(\d+)")
_BEST_OF_OTHERS = "algorithm type = best"

BEST_OF_MANY = "best results of many algorithms, not runs of one; give data of one algorithm"


@dataclass(frozen=True)
class CocoColumns:
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


def _warn(trials: list[_Trial], place: Path, columns: CocoColumns, cautions: Cautions) -> None:
    if any((np.diff(one.evaluations) < 0).any() for one in trials):
        cautions.add(place, "evaluations decrease within a trial; its lines are sorted")
    if any(after > before for one in trials for before, after in pairwise(one.precision)):
        cautions.add(
            place, "the best precision increases within a trial; the later, larger value is used"
        )
    if not columns.signed and any(min(one.precision) < BELOW for one in trials):
        cautions.add(place, "precisions are far below 0; check the optimum in the data")


def _published_runs(
    file: DataFile, columns: CocoColumns, folder: Folder, cautions: Cautions
) -> list[PublishedRun]:
    """The listed trials of a data file; `InputError` if one of them is missing."""
    place, listed = folder.place(file.path), file.trials
    found = _found(file, columns, folder, cautions)
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


def _found(
    file: DataFile, columns: CocoColumns, folder: Folder, cautions: Cautions
) -> list[_Trial]:
    """Trials, with their ends in the ``.tdat`` file up to the first that differs between both."""
    place = folder.place(file.path)
    trials = _trials_in(file.path, place, columns, cautions)
    _warn(trials, place, columns, cautions)
    beside = folder.beside(file.path, file.path.with_suffix(".tdat").name)
    if beside is None:
        cautions.add(place, "no .tdat file; trials end where the .info file has their end")
        return trials
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
    return trials


def _of_one_trial(one: _Trial, other: _Trial) -> bool:
    if one.f_opt is None or other.f_opt is None:
        return one.instance == other.instance
    return math.isclose(one.f_opt, other.f_opt, abs_tol=1e-6)


FORMATS: dict[str | None, CocoColumns] = {
    **dict.fromkeys((None, "bbob", "bbob-old"), CocoColumns(precision=2)),
    **dict.fromkeys(("bbob-new", "bbob-new2"), CocoColumns(precision=2, constraints=True)),
}
"""Columns of the data files, by ``data_format``."""

INDICATOR = CocoColumns(precision=1, signed=True)
"""Columns of multi-objective data, whose entries have the key ``indicator``."""

NOISY = range(101, 131)  # functions of ``bbob-noisy``; data from before 2016 do not name the suite
FORMER = {"sbox-cost": "bbob-boxed"}  # former names of suites


def coco_data_sets(folder: Folder, cautions: Cautions) -> list[DataSet]:
    """The data sets of a folder; `InputError` for an ``.info`` file that is not COCO data."""
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
    columns = _columns(entry, place)

    def read() -> list[PublishedRun]:
        each = (_published_runs(file, columns, folder, cautions) for file in entry.files)
        return list(chain.from_iterable(each))

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
