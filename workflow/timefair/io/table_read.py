"""Reads tables of runs with times: one row per improvement, or per line of a trace."""

from __future__ import annotations

import csv
import re
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
from timefair.basics.words import counted
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
    return _parquet(path, wanted) if _is_parquet(path) else _csv(path, wanted)


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


def _parquet(path: Path, wanted: Callable[[list[str]], list[str]]) -> pa.Table:
    try:
        with pq.ParquetFile(path) as file:
            return file.read(wanted(file.schema_arrow.names))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"not a Parquet file ({_reason(error)})") from None


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

    # --- Checks -----------------------------------------------------------------------------

    def check(self) -> None:
        """Raise `InputError` with one line per row that cannot be right."""
        faults = Faults()
        for wrong, name, text in (*self._wrong_rows(), *self._wrong_problems_and_runs()):
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

    def _wrong_rows(self) -> Iterator[Check]:
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

    def _wrong_problems_and_runs(self) -> Iterator[Check]:
        value, own, given = (self._numbers[name] for name in ("value", "optimum", "precision"))
        optimum = self._optima
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
        for name, first in self._of_run.items():
            word = name in WORDS
            cells = self._words[name] if word else self._numbers[name]
            known = cells != "" if word else ~np.isnan(cells)
            form = "" if word else ":.9g"
            text = f"{{name}} is {{here{form}}}, but {{first{form}}} in an earlier row of this run"
            yield known & (cells != first), name, text
        for name, end in (("seconds", "end_s"), ("evaluations", "end_evaluations")):
            late = self._numbers[name] > self._of_run[end]
            yield late, name, f"{{name}} is {{here:.9g}}, after {end} of this run"

    # --- Runs -------------------------------------------------------------------------------

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
