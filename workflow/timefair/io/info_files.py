"""Reads the ``.info`` files of COCO, and of IOHprofiler before 2021.

An entry consists of a line with keys, comment lines that begin with ``%``, and a line with data
files and their trials. A trial has an instance, a number of evaluations and a final value:

    funcId = 9, DIM = 2, Precision = 1.000e-008, algId = 'DIRECT'
    % any comment
    data_f9\\x_f9_DIM2.dat, 1:3673|-7.8e-009, 2:3233|-5.6e-009, 3

The trial on instance 3 was aborted: only the data file has its evaluations. Multi-objective data
have one line with the keys of all entries; each entry has further keys before its data file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.io.archive import Folder
from timefair.io.common import Cautions, ListedRun, parsed_count, parsed_name, parsed_number

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
    """An entry: trials on a function in a dimension.

    `named` are the data files in it, with their trials, and `files` those that exist; `comment` is
    its last comment line.
    """

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
    an entry without function or dimension, a line in another format, a data file outside the
    folder, or a data file of several functions or dimensions.
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
    """The keys of a line with their values, and the other words between its commas."""
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
