"""Reads the cells of a table from a CSV or Parquet file."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from timefair.basics.errors import InputError, suggest
from timefair.published import numerals
from timefair.published.table.columns import COLUMNS, NEEDED, Layout

SHOWN = 10
"""The largest number of rows in a message."""

SEPARATORS = (",", ";", "\t")
"""Separators of a CSV file; the header decides."""

_SEPARATOR_LINE = re.compile(r"sep=(.)")
"""The first line of a file of Excel that states its separator."""

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
        text: Callable[[int], str],
        places: NDArray[np.intp] | None = None,
    ) -> None:
        """Add a fault of some rows.

        Parameters
        ----------
        rows : ndarray, shape (faults,)
            Indices of the rows in the file, from 0.
        text : callable
            The fault of a row, from the index or the place of the row.
        places : ndarray, shape (faults,), optional
            Arguments of `text` instead of the indices.
        """
        given = rows if places is None else places
        self._rows.append(rows)
        self._texts += [partial(text, place) for place in given.tolist()]

    def refuse(self) -> None:
        """Raise `InputError` if there is a fault: a line for each of the first rows with one."""
        rows = np.concatenate([np.empty(0, np.intp), *self._rows])
        wrong, first = np.unique(rows, return_index=True)
        shown = [
            f"row {row + 1}: {self._texts[k]()}"
            for row, k in zip(wrong[:SHOWN], first[:SHOWN], strict=True)
        ]
        if more := len(wrong) - len(shown):
            shown.append(f"and {more} more row{'s' * (more != 1)} with faults")
        if shown:
            raise InputError(*shown)


@dataclass(frozen=True)
class Cells:
    """The cells of a table, by the names of `COLUMNS`.

    Attributes
    ----------
    texts
        Columns of text, with the empty string where a cell is empty; shape (rows,).
    numbers
        Counts and numbers, with NaN where a cell is empty; shape (rows,).
    in_file
        The index of each row in the file, from 0; shape (rows,).
    value
        Where the values are, with the sign that was given.
    """

    texts: Mapping[str, NDArray[np.object_]]
    numbers: Mapping[str, NDArray[np.float64]]

    in_file: NDArray[np.intp]
    value: str = "value"

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.in_file)

    def at(self, rows: NDArray[np.intp]) -> Cells:
        """Some rows, in another order."""
        texts = {name: cells[rows] for name, cells in self.texts.items()}
        numbers = {name: cells[rows] for name, cells in self.numbers.items()}
        return Cells(texts, numbers, self.in_file[rows], self.value)


def read(path: Path, layout: Layout) -> Cells:
    """Read a table.

    Parameters
    ----------
    path : Path
        A CSV file, compressed or not, or a Parquet file.
    layout : Layout
        Where the columns are.

    Raises
    ------
    InputError
        If the file is not a table, is empty, or lacks a column; one line per row with a cell that
        cannot be read.
    """

    def wanted(names: list[str]) -> list[str]:
        _refuse_missing(names, layout)
        return [name for name in dict.fromkeys(map(layout.in_file, COLUMNS)) if name in names]

    return cells_of(rows_of(path, wanted), layout)


def rows_of(path: Path, wanted: Callable[[list[str]], list[str]] = list) -> pa.Table:
    """The rows of a CSV file, as text, or of a Parquet file.

    Parameters
    ----------
    path : Path
        The file.
    wanted : callable
        Gives the columns to read, of all of them.

    Raises
    ------
    InputError
        If the file is neither; one line per row of a CSV file with another number of cells.
    """
    return _parquet(path, wanted) if _is_parquet(path) else _csv(path, wanted)


def cells_of(table: pa.Table, layout: Layout) -> Cells:
    """The cells of a table in memory; see `read`."""
    _refuse_missing(table.column_names, layout)
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
            faults.add(np.flatnonzero(empty), partial(_empty, name))
    faults.refuse()
    return Cells(texts, numbers, np.arange(len(table)), layout.columns.get("value", "value"))


def _empty(name: str, row: int) -> str:
    return f"{name} is empty or NaN"


def _same(text: str, row: int) -> str:
    return text


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_PARQUET)) == _PARQUET


def _refuse_missing(names: list[str], layout: Layout) -> None:
    shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
    for name in layout.columns:
        where = layout.in_file(name)
        if where not in names:
            raise InputError(
                f"--columns {name}={where}: no column {where!r}{suggest(where, names)}; "
                f"columns: {shown}"
            )
    missing = [
        name
        for name in NEEDED
        if name not in layout.constants and layout.in_file(name) not in names
    ]
    if missing and any(map(_is_a_number, names)):
        raise InputError(f"no header; expected a first line with names such as {','.join(NEEDED)}")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"two columns are called {twice!r}; expected one of each name")
    if missing:
        raise InputError(
            f"no column {', '.join(missing)}; columns: {shown}; map them with --columns "
            f"{missing[0]}=NAME, or give a constant with --set {missing[0]}=WORD"
        )


def _is_a_number(word: str) -> bool:
    try:
        return not math.isnan(numerals.number(word))
    except ValueError:
        return False


def _parquet(path: Path, wanted: Callable[[list[str]], list[str]]) -> pa.Table:
    try:
        with pq.ParquetFile(path) as file:
            return file.read(wanted(file.schema_arrow.names))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"not a Parquet file ({_reason(error)})") from None


def _csv(path: Path, wanted: Callable[[list[str]], list[str]]) -> pa.Table:
    faults = Faults()

    def refuse(row: pa_csv.InvalidRow) -> str:
        cells = f"{row.actual_columns} cell{'s' * (row.actual_columns != 1)}"
        text = f"{cells}, but the header has {row.expected_columns}"
        faults.add(np.array([(row.number or 2) - 2 - skipped]), lambda _: text)  # the header is 1
        return "skip"

    try:
        with pa.input_stream(path) as file:
            header, separator, skipped = _header(file)
        in_file = next(csv.reader([header], delimiter=separator))
        names = [name.strip() for name in in_file]
        kept = wanted(names)
        read = [in_file[names.index(name)] for name in kept]
        with pa.input_stream(path) as file:
            table = pa_csv.read_csv(
                file,
                read_options=pa_csv.ReadOptions(use_threads=False, skip_rows=skipped),
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


def _header(file: Any) -> tuple[str, str, int]:
    """The line of the header, the separator, and the number of lines before that state it."""
    text = file.read(_HEADER_BYTES).decode("utf-8-sig", errors="replace")
    line, *others = [line for line in text.splitlines() if line.strip()] or [""]
    if not line:
        raise InputError("the file is empty; expected a header and one row per improvement")
    if _NO_TEXT.search(line):
        raise InputError(
            "neither Parquet nor text in UTF-8; the name of a compressed file ends in .gz, .bz2, "
            ".lz4 or .zst"
        )
    if others and (stated := _SEPARATOR_LINE.fullmatch(line.strip())):
        return others[0], stated[1], text.splitlines().index(line) + 1
    return line, max(SEPARATORS, key=line.count), 0


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
    """Numbers, NaN where a cell is empty; counts are checked to be whole and not negative.

    Parameters
    ----------
    cells : Array, shape (rows,)
        Text or numbers.
    name : str
        The column, in messages.
    faults : Faults
        Receives the cells that are no numbers.

    Raises
    ------
    InputError
        If the cells are neither text nor numbers.
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
        whole = known & (values >= 0) & (values <= numerals.LARGEST_COUNT)
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
            values[row] = np.nan if word is None else numerals.number(word)
        except ValueError:
            comma = " with a decimal point" if _DECIMAL_COMMA.fullmatch(word) else ""
            shown = f"{name} is {word[:40]!r}; expected a number{comma}"
            faults.add(np.array([row]), partial(_same, shown))
    return values
