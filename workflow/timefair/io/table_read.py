"""Reads tables of runs with times: one row per improvement, or per line of a trace.

A reader of another program's form gives rows of `COLUMNS`, or None for a file of another form.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from timefair.basics.errors import InputError, suggest
from timefair.basics.optimum import ROUNDING, difference, is_below, precision
from timefair.basics.words import counted, first
from timefair.io.common import (
    LARGEST_COUNT,
    LARGEST_NAME,
    MOST_EVALUATIONS,
    MOST_SECONDS,
    Cautions,
    DataSet,
    Direction,
    PublishedRun,
    Timed,
    parsed_number,
    status_of,
    stop_reason_of,
)
from timefair.records.status import Status, StopReason

pa.enable_signal_handlers(False)
"""Its pipe for signals would abort the forks of a run, which has closed what it inherited."""

Kind = Literal["text", "count", "number"]
"""``count`` is a whole number of at least 0; ``number`` may be infinite."""


class TableColumn(NamedTuple):
    """A column that timefair reads: whether a table must have it, and its meaning in one clause."""

    kind: Kind
    needed: bool
    meaning: str


COLUMNS: Mapping[str, TableColumn] = {
    "algorithm": TableColumn("text", True, "name of the algorithm"),
    "function": TableColumn("text", True, "number or name of the function"),
    "dimension": TableColumn("count", True, "number of variables, at least 1"),
    "instance": TableColumn("text", True, "number or name of the instance"),
    "run": TableColumn("text", True, "number or name of the run"),
    "evaluations": TableColumn("count", False, "evaluations so far; needed with `seconds`"),
    "seconds": TableColumn("number", False, "seconds since the start of the run"),
    "value": TableColumn("number", True, "f, or the best so far; `inf`: no finite value yet"),
    "optimum": TableColumn("number", False, "optimum of the problem; empty: not known"),
    "precision": TableColumn(
        "number", False, "`value` − `optimum`, if you know it with more digits than these"
    ),
    "suite": TableColumn("text", False, "name of the suite, such as `bbob`"),
    "end_s": TableColumn("number", False, "seconds at which the run ended"),
    "end_evaluations": TableColumn("count", False, "evaluations of the complete run"),
    "budget_s": TableColumn("number", False, "T: seconds that the run was allowed"),
    "budget_evaluations": TableColumn("count", False, "evaluations that it was allowed"),
    "status": TableColumn("text", False, "status of the run, such as `ok`, `raised`"),
    "stop_reason": TableColumn("text", False, "what ended it, such as `time`, `target`"),
}
"""Every column by its name, in the order in which tables are written."""

SIGNED = ("value", "optimum")
"""Columns whose names in a file may have a sign: ``-`` for values that are maximized."""
NEEDED = tuple(name for name, column in COLUMNS.items() if column.needed)


@dataclass(frozen=True)
class Layout:
    """Where the columns of a table are in a file, by the names of `COLUMNS`.

    `columns` are names in the file, of `SIGNED` maybe with a sign; `constants` are cells of absent
    ones.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: str = "", constants: str = "") -> Layout:
        """Read two options such as ``seconds=time,value=best_f`` and ``dimension=10``."""
        mapped, fixed = _options("--columns", columns), _options("--set", constants)
        for name, word in fixed.items():
            if COLUMNS[name].kind != "text" and not _is_number(word):
                raise InputError(f"--set: {name}: {word!r}: should be a number")
        if twice := sorted(mapped.keys() & fixed.keys()):
            raise InputError(f"--set: {twice[0]}: --columns has it too; give it once")
        return cls(mapped, fixed)

    def over(self, columns: Mapping[str, str], constants: Mapping[str, str]) -> Layout:
        """The same layout, over one that a campaign has; `InputError` for an unknown column."""
        for name in (*columns, *constants):
            if name not in COLUMNS:
                raise InputError(f"{name!r}: unknown column{suggest(name, COLUMNS)}")
        return Layout({**columns, **self.columns}, {**constants, **self.constants})

    def in_file(self, name: str) -> str:
        """The name in the file of one of `COLUMNS`, without its sign."""
        return self.columns.get(name, name).removeprefix(self.sign(name))

    def sign(self, name: str) -> str:
        """The sign before the name in the file of one of `COLUMNS`; empty without one."""
        first = self.columns.get(name, "")[:1]
        return first if name in SIGNED and first in ("+", "-") else ""


def _options(option: str, text: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for part in filter(None, (word.strip() for word in text.split(","))):
        name, _, value = (word.strip() for word in part.partition("="))
        if not value:
            example = _EXAMPLES[option]
            raise InputError(f"{option}: {part!r}: should be NAME=WORD, such as {example}")
        if name not in COLUMNS:
            unknown = f"unknown column{suggest(name, COLUMNS)}; known: {', '.join(COLUMNS)}"
            raise InputError(f"{option}: {name!r}: {unknown}")
        if name in parts:
            raise InputError(f"{option}: {name}: given twice")
        parts[name] = value
    return parts


def _is_number(word: str) -> bool:
    try:
        parsed_number(word)
    except ValueError:
        return False
    return True


_EXAMPLES = {"--columns": "seconds=time", "--set": "dimension=10"}
SHOWN_ROWS = 10  # the largest number of rows in a message
SEPARATORS = (",", ";", "\t")  # separators of a CSV file; the header decides
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffd]")
_PARQUET = b"PAR1"
_HEADER_BYTES = 1 << 16
_WIDE = (pa.types.is_nested, pa.types.is_binary, pa.types.is_temporal)
"""Kinds of Parquet columns that have neither text nor a number in a cell."""


class Faults:
    """Collects what is wrong, by row; rows are counted from 1 below the header."""

    def __init__(self) -> None:
        self._rows: list[NDArray[np.intp]] = []
        self._texts: list[Callable[[], str]] = []

    def add(
        self,
        rows: NDArray[np.intp],
        text: str | Callable[[int], str],
        places: NDArray[np.intp] | None = None,
    ) -> None:
        """Add a fault of some rows, from 0; `text` says of each, or of its place, what it is."""
        given = rows if places is None else places
        self._rows.append(rows)
        said = (lambda _: text) if isinstance(text, str) else text
        self._texts += [partial(said, place) for place in given.tolist()]

    def refuse(self) -> None:
        """Raise `InputError` if there is a fault: a line for each of the first rows with one."""
        rows = np.concatenate([np.empty(0, np.intp), *self._rows])
        wrong, first = np.unique(rows, return_index=True)
        shown = [
            f"row {row + 1}: {self._texts[k]()}"
            for row, k in zip(wrong[:SHOWN_ROWS], first[:SHOWN_ROWS], strict=True)
        ]
        if more := len(wrong) - len(shown):
            shown.append(f"and {counted(more, 'more row')} with faults")
        if shown:
            raise InputError(*shown)


@dataclass(frozen=True)
class Cells:
    """The cells of a table by the names of `COLUMNS`, shape (rows,); empty: the empty string or
    NaN.

    `in_file` is the index of each row in the file, `value` where the values are, with a given sign.
    """

    texts: Mapping[str, NDArray[np.object_]]
    numbers: Mapping[str, NDArray[np.float64]]
    in_file: NDArray[np.intp]
    value: str = "value"

    @property
    def rows(self) -> int:
        return len(self.in_file)

    def at(self, rows: NDArray[np.intp]) -> Cells:
        texts = {name: cells[rows] for name, cells in self.texts.items()}
        numbers = {name: cells[rows] for name, cells in self.numbers.items()}
        return Cells(texts, numbers, self.in_file[rows], self.value)


def rows_of(path: Path, wanted: Callable[[list[str]], list[str]] = list) -> pa.Table:
    """The wanted columns of a CSV file, as text, or of a Parquet file."""
    if not _is_parquet(path):
        return _csv(path, wanted)
    try:
        with pq.ParquetFile(path) as file:
            return file.read(wanted(file.schema_arrow.names))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"not a Parquet file ({_reason(error)})") from None


def separator_of(path: Path) -> str:
    """What separates the cells of a CSV file; a comma for Parquet."""
    if _is_parquet(path):
        return SEPARATORS[0]
    with pa.input_stream(path) as file:
        return _header(file)[1]


def cells_of(table: pa.Table, layout: Layout) -> Cells:
    """The cells of a table in memory; `InputError` for an absent column, or wrong rows."""
    refuse_missing(table.column_names, layout)
    if not len(table):
        raise InputError("no rows below the header; expected one row per improvement of a run")
    faults = Faults()
    texts: dict[str, NDArray[np.object_]] = {}
    numbers: dict[str, NDArray[np.float64]] = {}
    for name, column in COLUMNS.items():
        where = layout.in_file(name)
        if name in layout.constants:
            cells = pa.array([layout.constants[name]] * len(table))
        elif where in table.column_names:
            cells = table[where].combine_chunks()
        elif column.kind == "text":
            texts[name] = np.full(len(table), "", dtype=object)
            continue
        else:
            numbers[name] = np.full(len(table), np.nan)
            continue
        if column.kind == "text":
            texts[name] = _texts(cells, name)
            empty = texts[name] == ""
        else:
            numbers[name] = numbers_of(cells, name, faults)
            if layout.sign(name) == "-":
                numbers[name] = -numbers[name]
            empty = np.isnan(numbers[name])
        if column.needed:
            faults.add(np.flatnonzero(empty), f"{name} is empty or NaN")
    for name in ("evaluations", "seconds"):
        if not (empty := np.isnan(numbers[name])).all():
            faults.add(np.flatnonzero(empty), f"{name} is empty or NaN")
    faults.refuse()
    return Cells(texts, numbers, np.arange(len(table)), layout.columns.get("value", "value"))


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_PARQUET)) == _PARQUET


def refuse_names(names: list[str], layout: Layout) -> None:
    """Raise `InputError` if a column that the user has named is absent, or one is there twice."""
    for name in layout.columns:
        where = layout.in_file(name)
        if where not in names:
            raise InputError(
                f"--columns {name}={where}: no column {where!r}{suggest(where, names)}; "
                f"columns: {_some(names)}"
            )
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"two columns are called {twice!r}; expected one of each name")


def refuse_missing(names: list[str], layout: Layout) -> None:
    absent = [name for name in COLUMNS if layout.in_file(name) not in names]
    absent = [name for name in absent if name not in layout.constants]
    needed = NEEDED if "seconds" in absent else ("evaluations", *NEEDED)
    missing = [name for name in absent if name in needed]
    if missing and any(_is_number(name) and name.lower() != "nan" for name in names):
        raise InputError(f"no header; expected a first line with names such as {','.join(NEEDED)}")
    if missing:
        raise InputError(
            f"no column {', '.join(missing)}; columns: {_some(names)}; map them with --columns "
            f"{missing[0]}=NAME, or give a constant with --set {missing[0]}=WORD"
        )


def _some(names: list[str]) -> str:
    return ", ".join(names[:20]) + (", …" if len(names) > 20 else "")


def _csv(path: Path, wanted: Callable[[list[str]], list[str]]) -> pa.Table:
    faults = Faults()

    def refuse(row: pa_csv.InvalidRow) -> str:
        text = f"{counted(row.actual_columns, 'cell')}, but the header has {row.expected_columns}"
        faults.add(np.array([(row.number or 2) - 2]), text)  # the header is 1
        return "skip"

    try:
        with pa.input_stream(path) as file:
            header, separator = _header(file)
        in_file = next(csv.reader([header], delimiter=separator))
        names = [name.strip() for name in in_file]
        kept = wanted(names)
        read = [in_file[names.index(name)] for name in kept]
        with pa.input_stream(path) as file:
            table = pa_csv.read_csv(
                file,
                read_options=pa_csv.ReadOptions(use_threads=False),
                parse_options=pa_csv.ParseOptions(
                    delimiter=separator, invalid_row_handler=refuse, newlines_in_values=False
                ),
                convert_options=pa_csv.ConvertOptions(
                    include_columns=read,
                    column_types=dict.fromkeys(read, pa.string()),
                    strings_can_be_null=False,
                ),
            )
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise InputError(f"not a CSV or Parquet file ({_reason(error)})") from None
    faults.refuse()
    return table.rename_columns(kept)


def _header(file: Any) -> tuple[str, str]:
    text = file.read(_HEADER_BYTES).decode("utf-8-sig", errors="replace")
    line = next((line for line in text.splitlines() if line.strip()), "")
    if not line:
        raise InputError("the file is empty; expected a header and one row per improvement")
    if _NO_TEXT.search(line):
        raise InputError(
            "neither Parquet nor text in UTF-8; the name of a compressed file ends in .gz, .bz2, "
            ".lz4 or .zst"
        )
    return line, max(SEPARATORS, key=line.count)


def _reason(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0][:200].rstrip(".") if text else type(error).__name__


def _texts(cells: pa.Array, name: str) -> NDArray[np.object_]:
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    if any(is_wide(cells.type) for is_wide in _WIDE):
        raise InputError(f"column {name}: has {cells.type} cells; expected text or numbers")
    if pa.types.is_floating(cells.type):
        whole = cells.cast(pa.int64(), safe=False)
        if pc.all(pc.equal(whole.cast(cells.type), cells)).as_py():
            cells = whole
    words = pc.fill_null(pc.utf8_trim_whitespace(cells.cast(pa.string())), "")
    return np.asarray(words.to_numpy(zero_copy_only=False), dtype=object)


def numbers_of(cells: pa.Array | pa.ChunkedArray, name: str, faults: Faults) -> NDArray[np.float64]:
    """Numbers, shape (rows,), NaN where a cell is empty; counts are whole and not negative.

    Other cells are faults; `InputError` if the column has neither text nor numbers.
    """
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.combine_chunks()
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    if pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type):
        values = _parsed(cells, name, faults)
    elif any(kind(cells.type) for kind in (pa.types.is_integer, pa.types.is_floating)):
        floats = cells.cast(pa.float64(), safe=False)
        values = np.array(floats.to_numpy(zero_copy_only=False), dtype=np.float64)
    elif pa.types.is_null(cells.type):
        values = np.full(len(cells), np.nan)
    else:
        raise InputError(f"column {name}: has {cells.type} cells; expected numbers")
    if name in COLUMNS and COLUMNS[name].kind == "count":
        known = np.isfinite(values)
        whole = known & (values >= 0) & (values <= LARGEST_COUNT)
        whole &= np.where(known, values, 0.5) == np.floor(np.where(known, values, 0.0))
        faults.add(
            np.flatnonzero(~whole & ~np.isnan(values)),
            lambda row: f"{name} is {values[row]:.16g}; expected a whole number of at least 0",
        )
    return values


def _parsed(cells: pa.Array, name: str, faults: Faults) -> NDArray[np.float64]:
    words = pc.utf8_trim_whitespace(cells)
    words = pc.if_else(pc.equal(words, ""), None, words)
    try:
        return np.array(words.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    except pa.ArrowInvalid:
        pass
    values = np.full(len(words), np.nan)
    for row, word in enumerate(words.to_pylist()):
        try:
            values[row] = np.nan if word is None else parsed_number(word)
        except ValueError:
            comma = " with a decimal point" if _DECIMAL_COMMA.fullmatch(word) else ""
            shown = f"{name} is {word[:40]!r}; expected a number{comma}"
            faults.add(np.array([row]), shown)
    return values


NamedKind = Literal["function", "instance"]
SHOWN_NAMES = 5  # the largest number of names in a message
_NUMBER = re.compile(r"\d+(\.\d*)?(e[+-]?\d+)?", re.IGNORECASE)
"""Numbers as programs write them, such as ``3.0`` where a cell of the column is empty."""


@dataclass(frozen=True)
class Known:
    """What the other side of a comparison calls its functions; its instances have numbers only."""

    suite: str
    functions: Mapping[int, str]


@dataclass(frozen=True)
class Numbering:
    """The numbers of functions and instances of tables that are read together, by their kind.

    `names` has the number of each name, and `given` that of each word that is one.
    """

    names: Mapping[NamedKind, Mapping[str, int]]
    given: Mapping[NamedKind, Mapping[str, int]]

    @classmethod
    def of(
        cls, tables: Sequence[Cells], cautions: Cautions, known: Known | None = None
    ) -> Numbering:
        """The numbers in all tables: numbers are kept.

        Without `known`, names are numbered in their order, from 1 or after the numbers, and so are
        numbers if one of them is 0. With it, they are matched by its names; else `InputError`, as
        for a 0.
        """
        names: dict[NamedKind, dict[str, int]] = {"function": {}, "instance": {}}
        given: dict[NamedKind, dict[str, int]] = {"function": {}, "instance": {}}
        for kind in names:
            different = {str(word) for one in tables for word in one.texts[kind]}
            words = sorted(different, key=_by_number)
            numbers = {
                word: number for word in words if (number := _number(kind, word)) is not None
            }
            if known is None and 0 in numbers.values():
                numbers = {}
            given[kind] = numbers
            if known is None and len(numbers) < len(words):
                named = [word for word in words if word not in numbers]
                unused = max(numbers.values(), default=0) + 1
                names[kind] = {word: place for place, word in enumerate(named, start=unused)}
                if kind == "instance":
                    cautions.add("", f"instances are numbered: {_listed(names[kind])}")
            elif known is not None:
                names[kind] = _matched(kind, words, numbers, known, cautions)
        return cls(names, given)

    def numbers(
        self, kind: NamedKind, words: NDArray[np.object_], faults: Faults
    ) -> NDArray[np.int64]:
        """The number of each word, shape (rows,); a fault for each row with too large a one."""
        different, places = np.unique(words.astype(str), return_inverse=True)
        every = {**self.given[kind], **self.names[kind]}
        numbers = np.zeros(len(different), np.int64)
        for k, word in enumerate(different.tolist()):
            numbers[k] = every[word]
            if numbers[k] > LARGEST_NAME:
                text = f"{kind} is {word[:40]}; expected at most {LARGEST_NAME}"
                faults.add(np.flatnonzero(places == k), text)
        return numbers[places]


def _number(kind: NamedKind, word: str) -> int | None:
    """The whole number in a word, such as ``3.0``, ``3e0``, of a function ``f3``; None: a name."""
    if kind == "function" and word[:1] in {"f", "F"} and word[1:].isdecimal():
        word = word[1:]
    if not _NUMBER.fullmatch(word) or not (value := float(word)).is_integer():
        return None
    return int(min(value, LARGEST_NAME + 1.0))


def _matched(
    kind: NamedKind,
    words: Iterable[str],
    numbers: Mapping[str, int],
    known: Known,
    cautions: Cautions,
) -> dict[str, int]:
    """The numbers of names, by the names of a campaign; of those without one, unused numbers."""
    if zero := next((word for word, number in numbers.items() if number == 0), None):
        raise InputError(
            f"{kind} {zero}: the {kind}s of {known.suite} are numbered from 1; "
            "give the same numbers"
        )
    named = [word for word in words if word not in numbers]
    if kind == "instance":
        if named:
            raise InputError(
                f"instance {named[0]!r}: the instances of {known.suite} have numbers; "
                "give the same numbers"
            )
        return {}
    by_name = {name.casefold(): number for number, name in known.functions.items()}
    found = {word: by_name[word.casefold()] for word in named if word.casefold() in by_name}
    lacking = [word for word in named if word not in found]
    if lacking and not (found or numbers):
        names = ", ".join(list(known.functions.values())[:SHOWN_NAMES])
        expected = f"its number, or a name such as {names}" if names else "its number"
        raise InputError(
            f"function {lacking[0]!r}: no function of {known.suite} has this name"
            f"{suggest(lacking[0], known.functions.values())}; expected {expected}"
        )
    if found:
        cautions.add("", f"functions are matched by name: {_listed(found)}")
    if lacking:
        cautions.add(
            "", f"functions that {known.suite} does not have are left out: {_shown(lacking)}"
        )
    unused = max((*known.functions, *numbers.values()), default=0) + 1
    return found | {word: unused + k for k, word in enumerate(lacking)}


def _listed(names: Mapping[str, int]) -> str:
    return _shown([f"{number} is {name}" for name, number in names.items()])


def _shown(words: Sequence[str]) -> str:
    return ", ".join(words[:SHOWN_NAMES]) + (", …" if len(words) > SHOWN_NAMES else "")


def _by_number(word: str) -> list[tuple[bool, int, str]]:
    """The sorting key of a word: digits in it are sorted by their number."""
    parts = re.split("([0-9]+)", word)
    bare = [part.lstrip("0") if k % 2 else part for k, part in enumerate(parts)]
    return [(k % 2 == 0, len(part) if k % 2 else 0, part) for k, part in enumerate(bare)]


def ranks(words: NDArray[np.object_]) -> NDArray[np.intp]:
    """The rank of each word; numbers in it by their size."""
    different, places = np.unique(words.astype(str), return_inverse=True)
    order = sorted(range(len(different)), key=lambda place: _by_number(str(different[place])))
    rank = np.empty(len(different), np.intp)
    rank[order] = np.arange(len(different))
    return rank[places]


WORDS = {"status": tuple(Status), "stop_reason": tuple(StopReason)}
"""Columns whose cells are words, and these words."""
Places = NDArray[np.intp]  # places of rows in the order of their runs
Check = tuple[NDArray[np.bool_], str, str]
"""Which places are wrong, a column, and a text with the fields of `_Table._told`."""
_RUN_NUMBERS = ("end_s", "end_evaluations", "budget_s", "budget_evaluations")
_SET = ("algorithm", "suite", "function", "dimension")
_RUN = (*_SET, "instance", "run")
_PROBLEM = ("suite", "function", "dimension", "instance")


def sets_of(
    cells: Cells, place: Path, cautions: Cautions, numbering: Numbering, direction: Direction
) -> list[DataSet]:
    """The data sets of a table; `InputError` with one line per row that contradicts another."""
    faults = Faults()
    function, instance = (
        numbering.numbers(kind, cells.texts[kind], faults) for kind in ("function", "instance")
    )
    faults.refuse()
    table = _Table(cells, function, instance)
    table.check()
    table.warn(cautions, None if cells.value[:1] in ("+", "-") else direction)
    names = {number: name for name, number in numbering.names["function"].items()}
    algorithms, suites = cells.texts["algorithm"], cells.texts["suite"]
    return [
        DataSet(
            algorithm=str(algorithms[table.order[places[0]]]),
            suite=str(suites[table.order[places[0]]]),
            function=int(table.keys["function"][places[0]]),
            dimension=int(table.keys["dimension"][places[0]]),
            read=partial(table.runs, places),
            index=place,
            name=names.get(int(table.keys["function"][places[0]]), ""),
        )
        for places in table.parts(_SET)
    ]


def _first_of(group: NDArray[np.intp], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The first number of each group in all of its rows; NaN if all cells are empty."""
    known = np.flatnonzero(~np.isnan(values))[::-1]
    first = np.full(group.max() + 1, np.nan)
    first[group[known]] = values[known]
    return np.asarray(first[group], dtype=np.float64)


def _steps(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The change from each row to the next; `inf` if it is not known."""
    before = np.concatenate([values[:1], values[:-1]])
    both = np.isfinite(values) & np.isfinite(before)
    return np.where(both | (values == before), difference(values, before), np.inf)


class _Table:
    """The rows of a table, sorted by their runs, within a run as in the file.

    `order` and `rows` are the index of each sorted row, among the cells and in the file; `keys`
    identify a run, with ranks in place of texts.
    """

    def __init__(
        self, cells: Cells, function: NDArray[np.int64], instance: NDArray[np.int64]
    ) -> None:
        keys = {
            "algorithm": ranks(cells.texts["algorithm"]),
            "suite": ranks(cells.texts["suite"]),
            "function": function,
            "dimension": cells.numbers["dimension"].astype(np.int64),
            "instance": instance,
            "run": ranks(cells.texts["run"]),
        }
        self.order: Places = np.lexsort([keys[name] for name in reversed(keys)])
        self.rows: Places = cells.in_file[self.order]
        self.keys = {name: values[self.order] for name, values in keys.items()}
        self._numbers = {name: values[self.order] for name, values in cells.numbers.items()}
        self._words = {name: cells.texts[name][self.order].astype(str) for name in WORDS}
        self._starts = self._new(_RUN)
        run = np.cumsum(self._starts) - 1
        self._of_run: dict[str, NDArray[Any]] = {
            name: _first_of(run, self._numbers[name]) for name in _RUN_NUMBERS
        }
        for name, words in self._words.items():
            different, places = np.unique(words, return_inverse=True)
            first = _first_of(run, np.where(words == "", np.nan, places))
            known = different[np.nan_to_num(first).astype(np.intp)]
            self._of_run[name] = np.where(np.isnan(first), "", known)
        problem = np.zeros(len(self.rows), dtype=np.int64)
        for name in _PROBLEM:
            codes = np.unique(self.keys[name], return_inverse=True)[1].reshape(-1)
            problem = problem * (codes.max() + 1) + codes
        problem = np.unique(problem, return_inverse=True)[1].reshape(-1)
        self._optima = _first_of(problem, self._numbers["optimum"])
        self._precision = self._precisions()
        self._within = ~(self._numbers["seconds"] > self._of_run["budget_s"]) & ~(
            self._numbers["evaluations"] > self._of_run["budget_evaluations"]
        )

    def parts(self, names: tuple[str, ...]) -> list[Places]:
        return np.split(np.arange(len(self.rows)), np.flatnonzero(self._new(names))[1:])

    def _new(self, names: tuple[str, ...]) -> NDArray[np.bool_]:
        """Whether a row is the first of its combination of keys, shape (rows,)."""
        new = np.zeros(len(self.rows), dtype=np.bool_)
        new[0] = True
        for name in names:
            new[1:] |= self.keys[name][1:] != self.keys[name][:-1]
        return new

    def _precisions(self) -> NDArray[np.float64]:
        """Of each row: as given, else from the value and the optimum, else the value."""
        value, optimum = self._numbers["value"], self._optima
        given = self._numbers["precision"]
        with np.errstate(invalid="ignore"):
            computed = np.where(np.isnan(optimum), value, precision(value, optimum))
        return np.where(np.isnan(given) | (computed < 0) & ~np.isnan(optimum), computed, given)

    def check(self) -> None:
        """Raise `InputError` with one line per row that cannot be right."""
        faults = Faults()
        for wrong, name, text in self._wrong():
            places = np.flatnonzero(wrong)
            faults.add(self.rows[places], partial(self._told, text, name), places)
        faults.refuse()

    def _told(self, text: str, name: str, place: int) -> str:
        cells = (self._words if name in WORDS else self._numbers)[name]
        optimum, first = self._optima[place], self._of_run.get(name, cells)[place]
        return text.format(
            name=name, here=cells[place], before=cells[place - 1], first=first, optimum=optimum,
            row=f"row {self.rows[place - 1] + 1}", gap=self._numbers["value"][place] - optimum,
        )  # fmt: skip

    def _wrong(self) -> Iterator[Check]:
        numbers, follows = self._numbers, ~self._starts
        value, dimension = numbers["value"], numbers["dimension"]
        most = f"{{name}} is {{here:.0f}}; expected 1 to {LARGEST_NAME}"
        yield (dimension < 1) | (dimension > LARGEST_NAME), "dimension", most
        since = "{name} is {here:.9g}; expected 0 to 1e7 seconds since the start of the run"
        for name in ("seconds", "end_s", "budget_s"):
            yield (numbers[name] < 0) | (numbers[name] > MOST_SECONDS), name, since
        for name in ("evaluations", "end_evaluations", "budget_evaluations"):
            too_many = "{name} is {here:.9g}; expected at most 1e12"
            yield numbers[name] > MOST_EVALUATIONS, name, too_many
        yield value == -np.inf, "value", "value is -inf; expected a number or inf"
        infinite = "optimum is {here:g}; expected a finite number or nothing"
        yield np.isinf(numbers["optimum"]), "optimum", infinite
        for name, words in WORDS.items():
            expected = "{name} is {here:.40}; expected " + ", ".join(words)
            yield ~np.isin(self._words[name], ["", *words]), name, expected
        step = {name: _steps(numbers[name]) for name in ("evaluations", "seconds", "value")}
        for name, form in (("evaluations", ".0f"), ("seconds", ".9g")):
            text = f"{{name}} go back from {{before:{form}}} in {{row}} to {{here:{form}}} within "
            yield follows & (step[name] < 0), name, f"{text}a run; sort the rows of each run"
        again = follows & (step["evaluations"] == 0)
        same = again & (step["seconds"] == 0) & (step["value"] == 0)
        yield same, "value", "repeats {row}; expected each row once"
        text = "evaluation {here:.0f} of this run has another value in {row}; expected one row per "
        yield again & (step["value"] != 0), "evaluations", f"{text}evaluation"
        none = (numbers["evaluations"] == 0) & np.isfinite(value)
        yield none, "value", "evaluations is 0 in a row with a value; expected at least 1"
        own, given, optimum = numbers["optimum"], numbers["precision"], self._optima
        text = "optimum is {here:.9g}, but {optimum:.9g} in another row of this problem"
        yield ~np.isnan(own) & (own != optimum), "optimum", text
        text = "precision without an optimum; leave it empty, or add the column optimum"
        yield ~np.isnan(given) & np.isnan(optimum), "precision", text
        finite = np.isfinite(value) & ~np.isnan(given) & ~np.isnan(optimum)
        computed = np.where(finite, difference(value, optimum), 0.0)
        computed = np.where(given == 0, np.maximum(computed, 0.0), computed)
        off = np.abs(np.where(finite, given - computed, 0.0))
        scale = np.maximum(np.maximum(1.0, np.abs(optimum)), np.abs(value))
        wrong = finite & ~(off <= 1e3 * ROUNDING * scale)
        text = "precision is {here:.9g}, but value - optimum is {gap:.9g}"
        yield wrong | (~np.isfinite(value) & np.isfinite(given)), "precision", text
        for name, earlier in self._of_run.items():
            word = name in WORDS
            cells = self._words[name] if word else self._numbers[name]
            known = cells != "" if word else ~np.isnan(cells)
            form = "" if word else ":.9g"
            text = f"{{name}} is {{here{form}}}, but {{first{form}}} in an earlier row of this run"
            yield known & (cells != earlier), name, text
        for name, end in (("seconds", "end_s"), ("evaluations", "end_evaluations")):
            late = self._numbers[name] > self._of_run[end]
            yield late, name, f"{{name}} is {{here:.9g}}, after {end} of this run"

    def warn(self, cautions: Cautions, direction: Direction | None) -> None:
        """Add a line for each kind of rows that are left out; count how values change in runs."""
        if direction:
            direction.add(self._numbers["value"], self._starts)
        kept = np.append(self._starts[1:], True)  # the ends
        kept[np.concatenate([self._improvements(run) for run in self.parts(_RUN)])] = True
        if dropped := int((~kept & self._within).sum()):
            cautions.add("", "rows without an improvement are omitted", rows=dropped)
        if beyond := int((~self._within).sum()):
            cautions.add("", "rows beyond the budget of their run are not kept", rows=beyond)
        if below := int(is_below(self._numbers["value"], self._optima).sum()):
            cautions.add("", "values are below the optimum, which is wrong; correct it", rows=below)

    def _improvements(self, run: Places) -> Places:
        """The places of a run that are better than all before them, within its budget."""
        here = run[self._within[run]]
        here = here[~(self._numbers["seconds"][here] >= self._of_run["budget_s"][here])]
        precision = self._precision[here]
        before = np.minimum.accumulate(np.concatenate([[np.inf], precision]))[:-1]
        return np.asarray(here[precision < before], dtype=np.intp)

    def runs(self, places: Places) -> list[PublishedRun]:
        starts = np.flatnonzero(self._starts[places])[1:]
        return [self._run(run) for run in np.split(places, starts)]

    def _run(self, run: Places) -> PublishedRun:
        first, events, of_run = run[0], self._improvements(run), self._of_run
        at = self._numbers["evaluations"][events]
        counted = not np.isnan(self._numbers["evaluations"][first])
        if not counted:
            events, at = events[-1:], np.ones(min(len(events), 1))  # the result alone is known
        limits = (of_run[name][first] for name in ("budget_s", "budget_evaluations"))
        budget_s, most = (None if np.isnan(limit) else float(limit) for limit in limits)
        end_s, evaluations = self._end(run, budget_s, most)
        if budget_s is None and most is None:
            budget_s, most = (None, evaluations) if np.isnan(end_s) else (end_s, None)
        precision = self._precision[events]
        best, optimum = precision[-1] if events.size else np.inf, self._optima[first]
        improved = bool(events.size) and at[-1] == evaluations and not np.isnan(optimum)
        stop_reason = of_run["stop_reason"][first] or stop_reason_of(
            best if improved else np.inf, evaluations, end_s, budget_s, most
        )
        timed = Timed(
            time_s=self._numbers["seconds"][events],
            end_s=end_s,
            best_f=float(self._numbers["value"][events[-1]]) if events.size else np.inf,
            status=Status(of_run["status"][first] or status_of(evaluations, best)),
            stop_reason=StopReason(stop_reason),
            budget_s=budget_s,
            budget_evaluations=int(most) if counted and most is not None else None,
            counted=counted,
        )
        return PublishedRun(
            instance=int(self.keys["instance"][first]),
            f_opt=None if np.isnan(optimum) else float(optimum),
            evaluations=at.astype(np.int64),
            precision=precision,
            all_evaluations=int(evaluations) if counted else at.size,
            timed=timed,
        )

    def _end(self, run: Places, budget_s: float | None, most: float | None) -> tuple[float, float]:
        """Seconds and evaluations of a run: those of its last row, its columns or its budgets."""
        within, at = run[self._within[run]], self._numbers["evaluations"]
        first, last = run[0], within[-1] if within.size else None
        end_s, evaluations = (
            self._numbers[column][run[-1]] if np.isnan(end := self._of_run[name][first]) else end
            for column, name in (("seconds", "end_s"), ("evaluations", "end_evaluations"))
        )
        if budget_s is not None and end_s > budget_s:
            end_s, evaluations = budget_s, max(at[first] - 1, 0.0) if last is None else at[last]
        if most is not None and evaluations > most:
            end_s, evaluations = 0.0 if last is None else self._numbers["seconds"][last], most
        return float(end_s), float(evaluations)


Rows = list[dict[str, Any]]
NOTHING = Layout()

NAMES = {  # Words that a column may be called, without case and punctuation, the likeliest first
    "algorithm": "algorithm algo alg optimizer optimiser solver method candidate metaheuristic "
    "algorithmname optimizername",
    "function": "function func fun problem benchmark functionid problemid functionname problemname "
    "testfunction testproblem fid",
    "dimension": "dimension dim d dims dimensions ndim ndims nvar nvars variables problemsize size",
    "instance": "instance inst iid instanceid",
    "run": "run trial repetition rep repeat runid runno runnumber idtrial trialid idxrep "
    "experiment seed",
    "evaluations": "evaluations evals fes fe nfe nfes nfev nevals functionevaluations fevals",
    "seconds": "seconds second time times timesec runtime elapsed walltime elapsedtime "
    "runtimeseconds",
    "value": "value best bestfitness fitness bestvalue cost bestcost fbest bestf besty bestscore "
    "score objective objectivevalue finalvalue finalfitness bestfitnessvalue finalbest bestsofar "
    "fx fval result error errortooptimum besterror finalerror gap y f",
    "optimum": "optimum fopt fstar globaloptimum bestknown optimalvalue",
}
ERRORS = ("error", "errortooptimum", "besterror", "finalerror", "gap")
"""Those that are distances to the optimum."""
MEANS = {"mean", "avg", "average", "ave", "std", "stdev", "sd", "worst", "median"}
STEPS = ("epoch", "epochs", "iteration", "iterations", "iter", "iters", "generation", "gen", "step")
"""What a column that numbers the points of a trace is called."""
PROBLEM = ("algorithm", "function", "dimension", "instance")
RUN = (*PROBLEM, "run")
FALLING = 8
"""Least length of a column of falling values that cannot be the values of runs by chance."""
ABSENT = ("", "nan", "na", "n/a", "-", "--", "null", "none")
"""What a cell without a value may have, in lower case."""
SHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
CEC2017 = (0.01, 0.02, 0.03, 0.05, *(k / 10 for k in range(1, 11)))
"""Shares of 10,000 D evaluations at which errors are recorded."""
CEC2022 = {10: 200_000, 20: 1_000_000}
"""Evaluations per dimension in CEC2021 and CEC2022; errors are recorded at D^(k/5 − 3) of them."""
_RUN_NAME = re.compile(r"(run|trial|rep|repetition|r|seed)?[ _.-]*\d+", re.IGNORECASE)
_FUNCTION_NAME = re.compile(r"f(unc)?[ _-]?\d+", re.IGNORECASE)
_OF_FUNCTION = re.compile(r"(?:^|[_\-. ])[fF](?:unc|un)?[_-]?(\d+)(?=$|[_\-. ])")
_OF_DIMENSION = re.compile(r"(?:^|[_\-. ])(?:[dD]|dim)[_-]?(\d+)(?=$|[_\-. ])|(?<=[_\-])(\d+)[dD]$")
_COMMA = re.compile(r"\s*([+-]?\d+),(\d+(?:[eE][+-]?\d+)?)\s*")
_PART = re.compile(r"BEGIN_(\w+)\n(.*?)\nEND_\1", re.DOTALL)  # of a log of moptipy
_CEC_NAME = re.compile(r"(.+?)_(\d+)_(\d+)")


def form_cells(path: Path, cautions: Cautions, layout: Layout) -> Cells:
    """The cells of a table of runs, or of any of the `FORMS`; `InputError` for no form."""
    if path.suffix.lower() in SHEETS:
        raise InputError("a spreadsheet; save each sheet as CSV (UTF-8), and give all of them")
    for name, read in FORMS.items():
        rows = read(path, layout)
        if rows is None:
            continue
        if not rows:
            raise InputError(f"{name}: no run in it")
        cautions.add("", f"read as {name}")
        given = {key for row in rows for key in row}
        table = pa.table({key: [row.get(key) for row in rows] for key in COLUMNS if key in given})
        return cells_of(_completed(table, path, layout, cautions), _without_columns(layout))
    return _long_cells(path, cautions, layout)


def _without_columns(layout: Layout) -> Layout:
    """The constants alone; a sign of the value stays."""
    sign = layout.sign("value")
    return Layout({"value": f"{sign}value"} if sign else {}, layout.constants)


def _completed(table: pa.Table, path: Path, layout: Layout, cautions: Cautions) -> pa.Table:
    """The table with the columns that a file need not have: from its name, or 1."""
    told = _in_name(path.name.partition(".")[0])
    for name in PROBLEM:
        if name in table.column_names or name in layout.constants:
            continue
        word = told.get(name, "1")
        if name in told:
            cautions.add("", f"{name} is taken from the name of the file")
        elif name == "dimension":
            cautions.add(
                "", "dimension is not known and counts as 1; if it matters, --set dimension=D"
            )
        table = table.append_column(name, pa.array([word] * len(table)))
    if "run" not in table.column_names and "run" not in layout.constants:
        seen: Counter[tuple[Any, ...]] = Counter()
        numbers = []
        for key in _keys_of(table, PROBLEM):
            numbers.append(str(seen[key]))
            seen[key] += 1
        single = max(seen.values(), default=0) < 2
        means = "; if these are means, the values of the runs are needed" * single
        cautions.add("", f"each row is a run{means}")
        table = table.append_column("run", pa.array(numbers))
    return table


def _in_name(stem: str) -> dict[str, str]:
    if cec := _CEC_NAME.fullmatch(stem):
        return dict(zip(("algorithm", "function", "dimension"), cec.groups(), strict=True))
    found = {"algorithm": stem}
    for name, pattern in (("function", _OF_FUNCTION), ("dimension", _OF_DIMENSION)):
        if match := pattern.search(found["algorithm"]):
            found[name] = next(filter(None, match.groups()))
            rest = found["algorithm"][: match.start()] + found["algorithm"][match.end() :]
            found["algorithm"] = rest.strip("_-. ") or stem
    return found


# --- Tables with one row per run or line of a trace ---------------------------------------------


def _long_cells(path: Path, cautions: Cautions, layout: Layout) -> Cells:
    """The cells of a table, of which columns may have other names, or be absent."""
    kept: dict[str, str] = {}
    beside: list[str] = []
    there: list[str] = []
    steps: list[str] = []

    def wanted(names: list[str]) -> list[str]:
        refuse_names([name for name in names if name], layout)
        there.extend(names)
        kept.update({name: column for name in COLUMNS if (column := layout.in_file(name)) in names})
        if set(NEEDED) - {*kept, *layout.constants}:
            kept.update(guessed(names, layout))
            beside.extend(_side_by_side(names, kept, layout))
        steps.extend([name for name in names if _plain(name) in STEPS][:1])
        return list(dict.fromkeys([*kept.values(), *beside, *steps]))

    table = rows_of(path, wanted)
    numeric = [column for name, column in kept.items() if COLUMNS[name].kind != "text"]
    if separator_of(path) != ",":
        table = with_points(table, [*numeric, *beside], cautions)
    if said := [f"{n} is {c}" for n, c in kept.items() if c != layout.in_file(n)]:
        cautions.add("", f"columns are guessed: {', '.join(said)}; correct them with --columns")
    elif not set(NEEDED) - {*kept, *layout.constants}:
        return cells_of(table, layout)
    columns = {name: table[column] for name, column in kept.items()}
    if steps:
        columns["step"] = table[steps[0]]
    if beside:
        columns = _below(columns, {name: table[name] for name in beside}, there, layout, cautions)
    elif _plain(kept.get("value", "")) in ERRORS and not {*columns, *layout.constants} & {
        "optimum"
    }:
        cautions.add("", f"{kept['value']} is a distance to the optimum")
        columns["optimum"] = pa.chunked_array([["0"] * len(table)])
    if unused := [name for name in there if name and name not in {*kept.values(), *beside, *steps}]:
        cautions.add("", f"columns without a use: {first(unused, 4)}")
    present = _at_last_steps(_with_values(pa.table(columns), cautions), cautions)
    completed = _completed(present, path, layout, cautions)
    return cells_of(_of_complete_runs(completed, cautions), _without_columns(layout))


def _side_by_side(names: list[str], kept: Mapping[str, str], layout: Layout) -> list[str]:
    """The columns of values of a table without `value`; `InputError` if it has none, or means."""
    alone = "value" in {*kept, *layout.constants}
    words = {
        _plain(word) for name in names for word in ([name] if alone else re.split(r"[\s_.-]", name))
    }
    if MEANS & words and "value" not in layout.columns:
        raise InputError(
            "has means or other summaries, not runs; expected one row per run, with its value"
        )
    if alone:
        return []
    rest = [n for n in names if n not in ("", *kept.values()) and _plain(n) not in STEPS]
    if not kept or {"evaluations", "seconds"} & kept.keys() or len(rest) < 2:
        _refuse_without_values(names, kept, layout)
    return rest


def _refuse_without_values(names: list[str], kept: Iterable[str], layout: Layout) -> None:
    if not list(kept):
        refuse_missing(names, layout)
    raise InputError(f"no column value; columns: {first(names, 8)}; name it: --columns value=NAME")


def _below(
    kept: Mapping[str, pa.ChunkedArray],
    beside: Mapping[str, pa.ChunkedArray],
    names: list[str],
    layout: Layout,
    cautions: Cautions,
) -> dict[str, pa.ChunkedArray]:
    """Columns of values, one below the other, with their names as runs, functions or algorithms."""
    per = _named_by(beside)
    if per in {*kept, *layout.constants} or not all(
        _numbers_in(column.to_pylist()) for column in beside.values()
    ):
        _refuse_without_values(names, kept, layout)
    cautions.add("", f"a column per {per}: {first(list(beside), 4)}")
    rows = len(next(iter(beside.values())))
    found = {name: pa.chunked_array(column.chunks * len(beside)) for name, column in kept.items()}
    found[per] = pa.chunked_array([[name for name in beside for _ in range(rows)]])
    found["value"] = pa.chunked_array([chunk for of in beside.values() for chunk in of.chunks])
    return found


def _named_by(names: Iterable[str]) -> str:
    for kind, pattern in (("run", _RUN_NAME), ("function", _FUNCTION_NAME)):
        if all(map(pattern.fullmatch, names)):
            return kind
    return "algorithm"


def with_points(table: pa.Table, columns: Iterable[str], cautions: Cautions) -> pa.Table:
    """The table with decimal points in these columns of text, where it has decimal commas."""
    for name in columns:
        words = table[name].to_pylist()
        pointed = [_COMMA.sub(r"\1.\2", word) if isinstance(word, str) else word for word in words]
        if pointed != words:
            cautions.add("", f"{name}: decimal commas are read as points")
            place = table.column_names.index(name)
            table = table.set_column(place, name, pa.array(pointed))
    return table


def _keys_of(table: pa.Table, names: Sequence[str]) -> list[tuple[Any, ...]]:
    cells = [table[name].to_pylist() for name in names if name in table.column_names]
    return list(zip(*cells, strict=True)) if cells else [()] * len(table)


def _at_last_steps(table: pa.Table, cautions: Cautions) -> pa.Table:
    """Of a trace over iterations, without costs, the last row of each run."""
    if "step" not in table.column_names:
        return table
    steps = _numbers_in(table["step"].to_pylist())
    table = table.drop_columns(["step"])
    if steps is None or {"evaluations", "seconds"} & set(table.column_names):
        return table
    last: dict[tuple[Any, ...], int] = {}
    for row, key in enumerate(_keys_of(table, RUN)):
        if key not in last or steps[row] >= steps[last[key]]:
            last[key] = row
    if len(last) < len(table):
        cautions.add("", "rows are iterations: the last one of each run counts")
    return table.take(pa.array(sorted(last.values()), pa.int64()))


def _with_values(table: pa.Table, cautions: Cautions) -> pa.Table:
    if not len(table):
        raise InputError("has a header and no rows")
    if "value" not in table.column_names:
        return table
    there = [str(word).strip().lower() not in ABSENT for word in table["value"].to_pylist()]
    if left := there.count(False):
        said = "rows without a value are omitted; a run that failed should have inf"
        cautions.add("", f"{said} (rows: {left})")
    return table.filter(pa.array(there))


def _of_complete_runs(table: pa.Table, cautions: Cautions) -> pa.Table:
    """Without costs if each run has one row: when its value was found is then not known."""
    costs = [name for name in ("evaluations", "seconds") if name in table.column_names]
    different = len(set(_keys_of(table, RUN)))
    if different < len(table) and not costs:
        raise InputError(
            f"{len(table)} rows of {counted(different, 'run')}, without evaluations or seconds; "
            "which columns tell the runs apart? name them: --columns function=NAME,dimension=NAME"
        )
    if different < len(table) or not costs:
        return table
    cautions.add(
        "", f"one row per run: its {' and '.join(costs)} do not say when a value was found"
    )
    return table.drop_columns(costs)


def guessed(names: Sequence[str], layout: Layout = NOTHING) -> dict[str, str]:
    """The column of the file for each of `NAMES` that the user has not named."""
    found: dict[str, str] = {}
    there = {_plain(name): name for name in reversed(names)}
    for name, words in NAMES.items():
        if name in layout.columns or name in layout.constants:
            continue
        column = next((there[word] for word in words.split() if word in there), None)
        if column is not None and column not in found.values():
            found[name] = column
    free = "f" in there and "function" not in {*found, *layout.columns, *layout.constants}
    if free and found.get("value", there["f"]) != there["f"]:
        found["function"] = there["f"]  # beside a column of values
    return found


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\[.*?\]|\(.*?\)|_s$", "", name.lower()))


# --- Matrices -----------------------------------------------------------------------------------


def _numbers(path: Path, layout: Layout) -> tuple[list[str], NDArray[np.float64]] | None:
    """The names of the columns, if any, and the numbers of a text file that has nothing else."""
    if path.suffix.lower() not in (".csv", ".txt", ".dat", ".tsv", ".out"):
        return None
    body: list[list[float]] = []
    whole = True
    try:
        with path.open(encoding="utf-8-sig") as file:
            lines = (_words(line) for line in file if line.strip())
            head = next(lines, [])
            top = _numbers_in(head)
            if top is None and guessed(head, layout):
                return None  # a table of rows
            for words in lines:
                numbers = _numbers_in(words)
                if numbers is None or (body and len(numbers) != len(body[0])):
                    return None
                whole = whole and all(map(str.isdigit, words))
                body.append(numbers)
    except (OSError, UnicodeError):
        return None
    seeds = not whole and len(set(head)) == len(head) > 1 and all(map(str.isdigit, head))
    if top is not None and not seeds:
        head, body = [], [top, *body]
    if not body or len(body[0]) != len(body[-1]):
        return None
    values = np.array(body)
    if head and _plain(head[0]) in ("", "unnamed0", "index"):  # the index of a data frame
        head, values = head[1:], values[:, 1:]
    empty = np.isnan(values).all(axis=0)
    if len(head) == len(empty):
        head = [name for name, gone in zip(head, empty, strict=True) if not gone]
    return (head, values[:, ~empty]) if not empty.all() else None


def _words(line: str) -> list[str]:
    mark = next((mark for mark in ";\t," if mark in line), None)
    words = [cell.strip().strip('"') for cell in line.strip("\n").split(mark)]
    return words if mark == "," else [_COMMA.sub(r"\1.\2", word) for word in words]


def _numbers_in(words: Sequence[Any]) -> list[float] | None:
    try:
        return [parsed_number("nan" if str(w).strip().lower() in ABSENT else str(w)) for w in words]
    except ValueError:
        return None


def _over_steps(path: Path, layout: Layout) -> Rows | None:
    """A column of iterations, and one per run, algorithm or function with the best value so far."""
    found = _numbers(path, layout)
    if found is None or not found[0] or _plain(found[0][0]) not in STEPS or len(found[0]) < 2:
        return None
    (_, *head), values = found
    traces = values[values[:, 0].argsort(kind="stable"), 1:]
    ends = [known[-1] if (known := column[~np.isnan(column)]).size else None for column in traces.T]
    told = _in_name(path.name.partition(".")[0])
    per = "run" if len(head) == 1 else _named_by(head)
    common = told if per == "run" else {k: told[k] for k in told if k not in (per, "algorithm")}
    return [{**common, per: name, "value": end} for name, end in zip(head, ends, strict=True)
            if end is not None]  # fmt: skip


def _matrix(path: Path, layout: Layout) -> Rows | None:
    """One column per run or, with a header of other names, per algorithm or function."""
    found = _numbers(path, layout)
    if found is None:
        return None
    head, values = found
    stem = path.name.partition(".")[0]
    if values.shape[1] == 1 and len(values) >= FALLING and not stem.endswith("_best_fit"):
        column = values[~np.isnan(values)]
        if not (np.diff(column) > 0).any() and column[0] > column[-1]:
            raise InputError(
                f"{len(column)} values that never rise: if they are iterations of a run, keep the "
                "last line; if they are runs, add a column run"
            )
    if not head or all(_RUN_NAME.fullmatch(name) for name in head):
        of_name = dict[str, str]()
        if stem.endswith("_convergence"):  # of MEALPY: a folder per algorithm
            of_name = {"algorithm": path.absolute().parent.name}
            of_name["function"] = stem.removesuffix("_convergence")
        return [{**of_name, **row} for row in _runs_of(values, _in_name(stem), layout)]
    if len(head) != values.shape[1] or (len(head) == 1 and not stem.endswith("_best_fit")):
        return None
    per, common = "algorithm", _function_of(stem)
    if stem.endswith("_best_fit") or all(_FUNCTION_NAME.fullmatch(name) for name in head):
        per, common = "function", {"algorithm": stem.removesuffix("_best_fit")}  # as of MEALPY
    return [{**common, per: name, "run": str(run), "value": value}
            for name, column in zip(head, values.T, strict=True)
            for run, value in enumerate(column) if not np.isnan(value)]  # fmt: skip


def _function_of(stem: str) -> dict[str, str]:
    found = _in_name(stem)
    named = {name: word for name, word in found.items() if name != "algorithm"}
    return named if "function" in named else {"function": stem, **named}


def _runs_of(
    values: NDArray[np.float64], told: Mapping[str, str], layout: Layout
) -> Iterator[dict[str, Any]]:
    """The runs of a matrix with one column per run: checkpoints of CEC, a trace, or the ends."""
    rows, columns = values.shape
    if rows == 1 or columns == 1:
        for run, value in enumerate(values.ravel()):
            if not np.isnan(value):
                yield {"run": str(run), "value": value}
        return
    at = _checkpoints(rows, told, layout)
    falling = not (np.diff(values[: len(at) or rows], axis=0) > 0).any()
    if not falling:
        raise InputError(
            f"a matrix of {rows} x {columns} numbers whose columns rise; expected one column per "
            "run with the best value so far, or a header that names runs or algorithms"
        )
    for run, column in enumerate(values.T):
        if at:
            for evaluations, error in zip(at, column, strict=False):
                yield {"run": str(run), "evaluations": evaluations, "value": error, "optimum": 0.0}
        else:
            known = column[~np.isnan(column)]
            if known.size:
                yield {"run": str(run), "value": known[-1]}


def _checkpoints(rows: int, told: Mapping[str, str], layout: Layout) -> list[int]:
    """The evaluations of the rows of a result file of a CEC competition; empty for another."""
    dimension = float(layout.constants.get("dimension", told.get("dimension", "nan")))
    most = float(layout.constants.get("budget_evaluations", "nan"))
    if np.isnan(dimension):
        return []
    if rows == len(CEC2017):
        whole = 10_000 * dimension if np.isnan(most) else most
        return [round(share * whole) for share in CEC2017]
    if rows in (16, 17):
        whole = CEC2022.get(int(dimension), np.nan) if np.isnan(most) else most
        if np.isnan(whole):
            raise InputError(
                f"16 checkpoints of a CEC competition with D = {dimension:g}: give the evaluations "
                "with --set budget_evaluations=N"
            )
        return [round(dimension ** (k / 5 - 3) * whole) for k in range(16)]
    return []


# --- Files of single programs -------------------------------------------------------------------


def _moptipy(path: Path, layout: Layout) -> Rows | None:
    """A log: one run, with evaluations and milliseconds."""
    if path.suffix.lower() != ".txt":
        return None
    text = path.read_text("utf-8", errors="replace")
    if "BEGIN_STATE" not in text:
        return None
    parts = {part[1]: part[2].split("\n") for part in _PART.finditer(text.replace("\r", ""))}
    lines = [line for name in ("STATE", "SETUP") for line in parts.get(name, [])]
    facts = dict(line.partition(": ")[::2] for line in lines)
    if "totalFEs" not in facts or "bestF" not in facts:
        raise InputError("a log of moptipy without totalFEs and bestF; the run has not ended")
    names = {"algorithm": facts.get("a.name", path.stem.partition("_")[0])}
    names["function"] = facts.get("y.inst.name", facts.get("f.name", path.parent.name))
    size = next((facts[key] for key in ("x.n", "x.dim", "y.n", "y.dim") if key in facts), "1")
    names |= {"dimension": size, "run": facts.get("p.randSeed", path.stem)}
    if most := facts.get("p.maxFEs"):
        names["budget_evaluations"] = most
    if most := facts.get("p.maxTimeMillis"):
        names["budget_s"] = str(float(most) / 1000)
    end = [facts["totalFEs"], facts.get("totalTimeMillis", "0"), facts["bestF"]]
    steps = [line.split(";") for line in parts.get("PROGRESS", [])[1:]]
    if not steps and "lastImprovementFE" in facts:
        at = (facts["lastImprovementFE"], facts.get("lastImprovementTimeMillis", "0"))
        steps = [[*at, facts["bestF"]]]
    steps += [end] if not steps or steps[-1][0] != end[0] else []
    return [
        {**names, "evaluations": fes, "seconds": str(float(ms) / 1000), "value": value}
        for fes, ms, value in steps
    ]


def _pymetaheuristic(path: Path, layout: Layout) -> Rows | None:
    """A saved BenchmarkResult: records with their convergence over evaluations, if it was kept."""
    if path.suffix.lower() != ".json":
        return None
    try:
        content = json.loads(path.read_text("utf-8"))
    except ValueError:
        raise InputError("not JSON") from None
    records = content.get("records") if isinstance(content, dict) else None
    if not records or not all(isinstance(one, dict) and "candidate" in one for one in records):
        raise InputError("JSON of an unknown form; expected a BenchmarkResult of pymetaheuristic")
    for place, one in enumerate(records, start=1):
        for key in ("problem", "dimension", "trial", "best_fitness"):
            if one.get(key) is None:
                raise InputError(f"record {place}: {key}: missing")
    traced = all(one.get("convergence") and one.get("evaluations") for one in records)
    sign = {"max": -1.0, "maximize": -1.0}
    rows: Rows = []
    for one in records:
        names = {"algorithm": one["candidate"], "function": one["problem"]}
        names |= {"dimension": one["dimension"], "run": str(one["trial"])}
        turned = sign.get(str(one.get("objective", "min")).lower(), 1.0)
        if one.get("error_to_optimum") is not None:
            names["optimum"] = turned * (one["best_fitness"] - one["error_to_optimum"])
        if not traced:
            rows.append({**names, "value": turned * one["best_fitness"]})
            continue
        if one.get("budget"):
            names["budget_evaluations"] = one["budget"]
        points = {p["evaluations"]: p["best_fitness"] for p in one["convergence"]}
        points[one["evaluations"]] = one["best_fitness"]
        rows += [
            {**names, "evaluations": at, "value": turned * points[at]} for at in sorted(points)
        ]
    return rows


def _matlab(path: Path, layout: Layout) -> Rows | None:
    """A result of PlatEMO, or variables of which each has the runs of an algorithm."""
    if path.suffix.lower() != ".mat":
        return None
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        content = loadmat(path, squeeze_me=True, struct_as_record=False)
    except NotImplementedError:
        raise InputError("MATLAB's format 7.3; save it with -v7") from None
    except (MatReadError, ValueError, TypeError) as error:
        raise InputError(f"not a MATLAB file ({str(error).splitlines()[0]})") from None
    if "metric" in content and "result" in content:
        return _platemo(path, content)
    stem = path.name.partition(".")[0]
    rows: Rows = []
    for name, values in content.items():
        if (
            not name.startswith("__")
            and isinstance(values, np.ndarray)
            and values.dtype.kind in "fiu"
        ):
            if values.ndim > 2:
                raise InputError(f"{name}: {values.ndim} dimensions; expected one column per run")
            matrix = np.atleast_2d(values.astype(np.float64))
            named = {"algorithm": name, **_function_of(stem)}
            rows += [{**named, **row} for row in _runs_of(matrix, _in_name(stem), layout)]
    if not rows:
        raise InputError("no matrix of numbers; expected one variable per algorithm, with its runs")
    return rows


def _platemo(path: Path, content: Mapping[str, Any]) -> Rows:
    """One run: the metric Min_value at each saved number of evaluations."""
    values = getattr(content["metric"], "Min_value", None)
    if values is None:
        raise InputError(
            "a result of PlatEMO without the metric Min_value, and its populations are objects "
            "that only MATLAB reads; calculate Min_value before you save it"
        )
    values = np.atleast_1d(np.asarray(values, dtype=np.float64))
    result = np.atleast_2d(content["result"])
    names = {"run": path.stem}
    folder = (
        path.absolute().parent.name
    )  # PlatEMO writes into one that is called like the algorithm
    own = re.escape(folder) if path.stem.startswith(f"{folder}_") else "(?:.+?)"
    if name := re.fullmatch(rf"({own})_(.+)_M\d+_D(\d+)_(\d+)", path.stem):
        names = dict(zip(("algorithm", "function", "dimension", "run"), name.groups(), strict=True))
    if len(result) != len(values):
        return [{**names, "value": values[-1]}]
    costs = [float(row[0]) for row in result]
    best = np.fmin.accumulate(values)
    return [{**names, "evaluations": n, "value": v} for n, v in zip(costs, best, strict=True)]


FORMS: Mapping[str, Callable[[Path, Layout], Rows | None]] = {
    "a log of moptipy": _moptipy,
    "results of pymetaheuristic": _pymetaheuristic,
    "a file of MATLAB": _matlab,
    "columns over iterations, of which the last counts": _over_steps,
    "a matrix, one column per run or algorithm": _matrix,
}
"""Readers of files that are not tables with one row per run or event, tried in this order."""
SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".out", ".json", ".mat", ".parquet")


def files_in(folder: Path) -> list[Path]:
    """The files of a folder, and of those in it, that a form may have."""
    found = [p for p in sorted(folder.rglob("*")) if p.suffix.lower() in SUFFIXES and p.is_file()]
    if not found:
        raise InputError(
            f"{folder}: no file of results; {counted(len(SUFFIXES), 'suffix')} are read"
        )
    return found
