"""Reads tables of runs with times, one row per improvement or line of a trace, and similar files.

Cells are a frame with the columns `COLUMNS`; its index is the row in the file, empty cells are the
empty string or NaN, and the attribute ``value`` is the name of the values, with a given sign.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import ArrayLike, NDArray

from timefair.basics.errors import InputError, suggest
from timefair.basics.optimum import LARGEST, ROUNDING, difference, is_below, precision
from timefair.basics.words import counted, first
from timefair.io.reading import (
    LARGEST_COUNT,
    LARGEST_NAME,
    MOST_EVALUATIONS,
    MOST_SECONDS,
    Cautions,
    DataSet,
    Row,
    parsed_number,
    row_of,
    with_end,
)
from timefair.records.status import Status, StopReason

if TYPE_CHECKING:
    from timefair.io.importing import WantedProblems

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
    """Where the columns of a table are in a file, by the names of `COLUMNS`: names in the file, of
    `SIGNED` maybe with a sign, and cells of absent ones.
    """

    columns: dict[str, str] = field(default_factory=dict)
    constants: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, columns: str = "", constants: str = "") -> Layout:
        """Read two options such as ``seconds=time,value=best_f`` and ``dimension=10``."""
        found = cls({}, {})
        for option, text, example, named in (
            ("--columns", columns, "seconds=time", found.columns),
            ("--set", constants, "dimension=10", found.constants),
        ):
            for part in filter(None, map(str.strip, text.split(","))):
                name, _, word = map(str.strip, part.partition("="))
                if not word:
                    raise InputError(f"{option}: {part!r}: should be NAME=WORD, such as {example}")
                if name not in COLUMNS:
                    unknown = f"unknown column{suggest(name, COLUMNS)}; known: {', '.join(COLUMNS)}"
                    raise InputError(f"{option}: {name!r}: {unknown}")
                if name in found.columns or name in found.constants:
                    raise InputError(f"{option}: {name}: given twice")
                is_number = COLUMNS[name].kind != "text" and option == "--set"
                if is_number and _floats(pd.Series([word])) is None:
                    raise InputError(f"--set: {name}: {word!r}: should be a number")
                named[name] = word
        return found

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


SHOWN_ROWS = 10  # the largest number of rows in a message
SEPARATORS = (",", ";", "\t")  # separators of a CSV file; the header decides
_COMMA = r"^\s*([+-]?\d+),(\d+([eE][+-]?\d+)?)\s*$"  # a number with a decimal comma
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffd]")
_PARQUET = b"PAR1"
_HEADER_BYTES = 1 << 16
ABSENT = ("", "nan", "na", "n/a", "-", "--", "null", "none")  # cells without a value


class Faults:
    """What is wrong, by row from 0; `rows` are those of the places in columns if they differ."""

    def __init__(self, rows: NDArray[np.intp] | None = None) -> None:
        self._rows = rows
        self._wrong: set[int] = set()
        self._texts: dict[int, str] = {}  # at least of the first wrong rows

    def add(self, wrong: ArrayLike, text: str, **cells: ArrayLike) -> None:
        """Add a fault of the places that are `wrong`; `text` has fields for `cells` of a place."""
        places = np.flatnonzero(wrong)
        rows = places if self._rows is None else self._rows[places]
        self._wrong.update(rows.tolist())
        for k in np.argsort(rows)[:SHOWN_ROWS]:
            shown = {name: np.asarray(column)[places[k]] for name, column in cells.items()}
            self.say(int(rows[k]), text.format_map(shown))

    def say(self, row: int, text: str) -> None:
        self._wrong.add(row)
        self._texts.setdefault(row, text)

    def refuse(self) -> None:
        """Raise `InputError` if there is a fault: a line for each of the first rows with one."""
        first_rows = sorted(self._wrong)[:SHOWN_ROWS]
        shown = [f"row {row + 1}: {self._texts[row]}" for row in first_rows]
        if more := len(self._wrong) - len(shown):
            shown.append(f"and {counted(more, 'more row')} with faults")
        if shown:
            raise InputError(*shown)


def rows_of(path: Path, cautions: Cautions) -> pd.DataFrame:
    """The columns of a Parquet file, or of a CSV file as text; without a header, of runs.

    Of numbers in a file without commas between its cells, decimal commas become points.
    """
    faults = Faults()

    def refuse(row: pa_csv.InvalidRow) -> str:
        text = f"{counted(row.actual_columns, 'cell')}, but the header has {row.expected_columns}"
        faults.say((row.number or 2) - 2, text)  # the header is 1
        return "skip"

    with path.open("rb") as file:
        parquet = file.read(len(_PARQUET)) == _PARQUET
    try:
        if parquet:
            with pq.ParquetFile(path) as file:
                stored = file.read()
            stored.validate(full=True)
            return pd.DataFrame(stored.to_pandas(ignore_metadata=True))
        with pa.input_stream(path) as file:
            names, separator = _header(file)
        with pa.input_stream(path) as file:
            content = file
            if not separator:
                rows = (b",".join(row.split()) for row in file.read().split(b"\n"))
                content = io.BytesIO(b"\n".join(rows))
            columns = [str(k) for k in range(len(names))]
            frame: pd.DataFrame = pa_csv.read_csv(
                content,
                pa_csv.ReadOptions(use_threads=False, column_names=columns),
                pa_csv.ParseOptions(delimiter=separator or ",", invalid_row_handler=refuse),
                pa_csv.ConvertOptions(
                    column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False
                ),
            ).to_pandas()
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)[:200].rstrip(".")
        kind = "Parquet" if parquet else "CSV or Parquet"
        raise InputError(f"not a {kind} file ({reason})") from None
    faults.refuse()
    if separator != ",":
        pointed = frame.replace(_COMMA, r"\1.\2", regex=True)
        if not pointed.equals(frame):
            cautions.add("", "decimal commas are read as points")
        frame = pointed
    head, body = [word.strip() for word in frame.iloc[0]], frame[1:]
    seeds = len({*head}) == len(head) > 1 and all(map(str.isdigit, head))
    if (seeds and not all(body[name].str.isdigit().all() for name in body)) or _floats(
        frame.iloc[0]
    ) is None:
        return body.set_axis(head, axis=1)
    return frame.set_axis([f"run{k}" for k in range(len(head))], axis=1)


def _header(file: Any) -> tuple[list[str], str]:
    """The cells of the first line, and what separates them; empty: white space."""
    text = file.read(_HEADER_BYTES).decode("utf-8-sig", errors="replace")
    line, second = ([line for line in text.splitlines() if line.strip()] + ["", ""])[:2]
    if not line:
        raise InputError("the file is empty; expected a header and one row per improvement")
    if _NO_TEXT.search(line):
        raise InputError(
            "neither Parquet nor text in UTF-8; the name of a compressed file ends in .gz, .bz2, "
            ".lz4 or .zst"
        )
    bare, words = re.sub(r"\d,\d", "", line), line.split()  # without decimal commas
    separator = max(SEPARATORS, key=bare.count)
    if separator not in line and 1 < len(words) == len(second.split()):
        return words, ""
    return next(csv.reader([line], delimiter=separator)), separator


def cells_of(table: pd.DataFrame, layout: Layout) -> pd.DataFrame:
    """The cells of a table in memory; `InputError` for an absent column, or wrong rows."""
    absent = {name for name in COLUMNS if layout.in_file(name) not in table}
    absent -= layout.constants.keys()
    needed = NEEDED if "seconds" in absent else ("evaluations", *NEEDED)
    if missing := [name for name in needed if name in absent]:
        raise InputError(
            f"no column {', '.join(missing)}; columns: {first(table.columns, 20)}; map them "
            f"with --columns {missing[0]}=NAME, or give a constant with --set {missing[0]}=WORD"
        )
    if table.empty:
        raise InputError("no rows; expected a header, and one row per improvement of a run")
    faults = Faults()
    cells: dict[str, NDArray[Any]] = {}
    for name, column in COLUMNS.items():
        if name in absent or name in layout.constants:
            given = pd.Series(layout.constants.get(name, ""), range(len(table)))
        else:
            given = table[layout.in_file(name)]
        if column.kind == "text":
            cells[name] = _texts(given)
            empty = cells[name] == ""
        else:
            sign = -1 if layout.sign(name) == "-" else 1
            cells[name] = sign * numbers_of(given, name, faults)
            empty = np.isnan(cells[name])
        if column.needed or (name in ("evaluations", "seconds") and not empty.all()):
            faults.add(empty, f"{name} is empty or NaN")
    faults.refuse()
    frame = pd.DataFrame({name: pd.Series(of, dtype=of.dtype) for name, of in cells.items()})
    frame.attrs["value"] = layout.columns.get("value", "value")
    return frame


def _texts(cells: pd.Series) -> NDArray[np.object_]:
    """Words without surrounding space, empty for absent ones; of whole numbers, their digits."""
    if pd.api.types.is_float_dtype(cells):
        known = cells.dropna()
        if ((known % 1 == 0) & (known.abs() <= LARGEST_COUNT)).all():
            cells = cells.astype("Int64")
    return cells.astype("string").str.strip().fillna("").to_numpy(object)


def numbers_of(cells: pd.Series, name: str, faults: Faults) -> NDArray[np.float64]:
    """Numbers, shape (rows,), NaN for empty cells; what is no number or no count is a fault."""
    values, wrong = _parsed(cells)
    if wrong.any():
        words = pd.Series(_texts(cells)).str.slice(0, 40)
        more = np.where(words.str.match(_COMMA), " with a decimal point", "")
        faults.add(wrong, f"{name} is {{word!r}}; expected a number{{more}}", word=words, more=more)
    if name in COLUMNS and COLUMNS[name].kind == "count":
        whole = (values >= 0) & (values <= LARGEST_COUNT) & (values == np.floor(values))
        text = f"{name} is {{value:.16g}}; expected a whole number of at least 0"
        faults.add(~whole & ~np.isnan(values), text, value=values)
    return values


def _parsed(cells: pd.Series) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The numbers of a column, NaN for absent ones, and which cells have something else."""
    wrong = np.zeros(len(cells), bool)
    if pd.api.types.is_numeric_dtype(cells):
        return cells.to_numpy(np.float64, na_value=np.nan), wrong
    words = _texts(cells)
    with contextlib.suppress(pa.ArrowInvalid):
        return np.array(pa.array(words, mask=words == "").cast(pa.float64())), wrong
    values = np.full(len(cells), np.nan)
    for row, word in enumerate(words):
        try:
            values[row] = np.nan if word.lower() in ABSENT else parsed_number(word)
        except ValueError:
            wrong[row] = True
    return values, wrong


def _floats(cells: pd.Series) -> NDArray[np.float64] | None:
    """The numbers of a column, NaN for absent ones; None if it has something else."""
    values, wrong = _parsed(cells)
    return None if wrong.any() else values


SHOWN_NAMES = 5  # the largest number of names in a message
_NUMBER = re.compile(r"\d+(\.\d*)?(e[+-]?\d+)?", re.IGNORECASE)
"""Numbers as programs write them, such as ``3.0`` where a cell of the column is empty."""


Numbering = tuple[Mapping[str, Mapping[str, int]], Mapping[int, str]]
"""The number of each function and instance of tables that are read together, by their kind and
word, and the names of functions that are no numbers.
"""


def numbering_of(
    tables: Sequence[pd.DataFrame], cautions: Cautions, wanted: WantedProblems | None
) -> Numbering:
    """The numbers in all tables: numbers are kept.

    With `wanted`, names are matched by its names, or refused, as a 0 is. Without, they are numbered
    in their order, from 1 or after the numbers, and so are numbers if one of them is 0.
    """
    numbers: dict[str, dict[str, int]] = {}
    names: dict[int, str] = {}
    for kind in ("function", "instance"):
        words = sorted({word for one in tables for word in one[kind].unique()}, key=_by_number)
        given = {word: at for word in words if (at := _number(kind, word)) is not None}
        if wanted is not None:
            named = _matched(kind, words, given, wanted, cautions)
        else:
            given = given if all(given.values()) else {}
            unused = max(given.values(), default=0) + 1
            named = {w: at for at, w in enumerate((w for w in words if w not in given), unused)}
            if named and kind == "instance":
                cautions.add("", f"instances are numbered: {_listed(named)}")
        numbers[kind] = given | named
        names |= {at: word for word, at in named.items() if kind == "function"}
    return numbers, names


def _number(kind: str, word: str) -> int | None:
    """The whole number in a word, such as ``3.0``, ``3e0``, of a function ``f3``; None: a name."""
    if kind == "function" and word[:1] in {"f", "F"} and word[1:].isdecimal():
        word = word[1:]
    if not _NUMBER.fullmatch(word) or not (value := float(word)).is_integer():
        return None
    return int(min(value, LARGEST_NAME + 1.0))


def _matched(
    kind: str,
    words: Iterable[str],
    numbers: Mapping[str, int],
    wanted: WantedProblems,
    cautions: Cautions,
) -> dict[str, int]:
    """The numbers of names, by the names of a campaign; of those without one, unused numbers."""
    named = [word for word in words if word not in numbers]
    wrong = [word for word, number in numbers.items() if number == 0]
    wrong += named if kind == "instance" else []
    if wrong:
        raise InputError(
            f"{kind} {wrong[0]!r}: the {kind}s of {wanted.suite} have numbers from 1; give the "
            "same numbers"
        )
    by_name = {name.casefold(): number for number, name in wanted.names.items()}
    found = {word: by_name[word.casefold()] for word in named if word.casefold() in by_name}
    lacking = [word for word in named if word not in found]
    if lacking and not (found or numbers):
        raise InputError(
            f"function {lacking[0]!r}: no function of {wanted.suite} has this name"
            f"{suggest(lacking[0], wanted.names.values())}; give its number"
        )
    if found:
        cautions.add("", f"functions are matched by name: {_listed(found)}")
    if lacking:
        left = first(lacking, SHOWN_NAMES)
        cautions.add("", f"functions that {wanted.suite} does not have are left out: {left}")
    unused = max((*wanted.names, *numbers.values()), default=0) + 1
    return found | {word: unused + k for k, word in enumerate(lacking)}


def _listed(names: Mapping[str, int]) -> str:
    return first([f"{number} is {name}" for name, number in names.items()], SHOWN_NAMES)


def _by_number(word: str) -> list[float | str]:
    """The sorting key of a word: digits in it are sorted by their number."""
    return [float(part) if k % 2 else part for k, part in enumerate(re.split("([0-9]+)", word))]


def _ranked(keys: pd.Series) -> pd.Series:
    """The rank of each word, numbers in it by their size; numbers themselves."""
    if pd.api.types.is_numeric_dtype(keys):
        return keys
    order = {word: at for at, word in enumerate(sorted(keys.unique(), key=_by_number))}
    return keys.map(order)


WORDS = {"status": tuple(Status), "stop_reason": tuple(StopReason)}  # what cells may have
Places = NDArray[np.intp]  # places of rows in the order of their runs
_SECONDS, _EVALUATIONS = ("seconds", "end_s", "budget_s"), ("evaluations", "end_evaluations")
LIMITS: Mapping[str, tuple[float, float, str]] = {
    "dimension": (1, LARGEST_NAME, f"1 to {LARGEST_NAME}"),
    **dict.fromkeys(_SECONDS, (0, MOST_SECONDS, "0 to 1e7 seconds since the start of the run")),
    **dict.fromkeys((*_EVALUATIONS, "budget_evaluations"), (0, MOST_EVALUATIONS, "at most 1e12")),
    "value": (-LARGEST, np.inf, "a number or inf"),
    "optimum": (-LARGEST, LARGEST, "a finite number or nothing"),
}
"""The least and the largest number of a column, and both in words."""
_OF_RUN = ["end_s", "end_evaluations", "budget_s", "budget_evaluations", *WORDS]
"""Columns of which the first cell of a run counts for all of it."""
PROBLEM = ["algorithm", "function", "dimension", "instance"]
RUN = [*PROBLEM, "run"]
_SET = ["algorithm", "suite", "function", "dimension"]
_RUN = [*_SET, "instance", "run"]


def sets_of(
    cells: pd.DataFrame, place: Path, cautions: Cautions, numbering: Numbering
) -> list[DataSet]:
    """The data sets of a table; `InputError` with one line per row that contradicts another."""
    faults = Faults()
    by_word, names = numbering
    numbers = {kind: cells[kind].map(of) for kind, of in by_word.items()}
    for kind, of in numbers.items():
        text = f"{kind} is {{word:.40}}; expected at most {LARGEST_NAME}"
        faults.add(of > LARGEST_NAME, text, word=cells[kind])
    faults.refuse()
    table = _Table(cells.assign(**numbers))
    table.check()
    table.warn(cautions)
    found = []
    keys = [table.cells[name].to_numpy() for name in _SET]
    parts: Any = pd.Series(np.arange(len(cells))).groupby(keys, sort=False)
    for (algorithm, suite, function, dimension), places in parts:
        read, problem = partial(table.runs, places.to_numpy()), (int(function), int(dimension))
        name = names.get(problem[0], "")
        found.append(DataSet(algorithm, suite, *problem, read, place, name))
    return found


def _steps(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The change from each row to the next; `inf` if it is not known."""
    before = np.concatenate([values[:1], values[:-1]])
    both = np.isfinite(values) & np.isfinite(before)
    return np.where(both | (values == before), difference(values, before), np.inf)


class _Table:
    """The rows of a table, sorted by their runs, within a run as in the file."""

    def __init__(self, cells: pd.DataFrame) -> None:
        words = cells[list(WORDS)]
        cells = cells.assign(**{name: words[name].where(words[name] != "") for name in WORDS})
        self.cells = cells = cells.sort_values(_RUN, key=_ranked, kind="stable")
        self._new = ~cells.duplicated(_RUN).to_numpy()
        run = np.cumsum(self._new) - 1
        first_cells = cells[_OF_RUN].groupby(run).transform("first")
        self._of_run = {name: first_cells[name].to_numpy() for name in _OF_RUN}
        self._numbers = {
            name: cells[name].to_numpy() for name in COLUMNS if COLUMNS[name].kind != "text"
        }
        problem = cells.groupby(["suite", "function", "dimension", "instance"], sort=False)
        self._optima = problem["optimum"].transform("first").to_numpy()
        value, given = self._numbers["value"], self._numbers["precision"]
        known = ~np.isnan(self._optima)
        with np.errstate(invalid="ignore"):
            computed = np.where(known, precision(value, self._optima), value)
        # as given, else from the value and the optimum, else the value
        self._precision = np.where(np.isnan(given) | (computed < 0) & known, computed, given)
        seconds, end_s = self._numbers["seconds"], self._of_run["budget_s"]
        self._within = ~(seconds > end_s) & ~(
            self._numbers["evaluations"] > self._of_run["budget_evaluations"]
        )
        allowed = self._within & ~(seconds >= end_s)
        best = pd.Series(np.where(allowed, self._precision, np.inf)).groupby(run).cummin()
        before = best.groupby(run).shift(fill_value=np.inf).to_numpy()
        self._improves = allowed & (self._precision < before)

    def check(self) -> None:
        """Raise `InputError` with one line per row that cannot be right."""
        faults, numbers, follows = Faults(self.cells.index.to_numpy()), self._numbers, ~self._new
        value, rows = numbers["value"], np.roll(self.cells.index, 1) + 1
        for name, (least, most, said) in LIMITS.items():
            here = numbers[name]
            text = f"{name} is {{here:.9g}}; expected {said}"
            faults.add((here < least) | (here > most), text, here=here)
        for name, words in WORDS.items():
            word = self.cells[name]
            text = f"{name} is {{word:.40}}; expected {', '.join(words)}"
            faults.add(word.notna() & ~word.isin(words), text, word=word)
        step = {name: _steps(numbers[name]) for name in ("evaluations", "seconds", "value")}
        for name, form in (("evaluations", ".0f"), ("seconds", ".9g")):
            here, back = numbers[name], follows & (step[name] < 0)
            text = (
                f"{name} go back from {{before:{form}}} in row {{row}} to {{here:{form}}} within a "
                "run; sort the rows of each run"
            )
            faults.add(back, text, before=np.roll(here, 1), here=here, row=rows)
        again = follows & (step["evaluations"] == 0)
        same = again & (step["seconds"] == 0) & (step["value"] == 0)
        faults.add(same, "repeats row {row}; expected each row once", row=rows)
        text = (
            "evaluation {at:.0f} of this run has another value in row {row}; expected one row per "
            "evaluation"
        )
        faults.add(again & (step["value"] != 0), text, at=numbers["evaluations"], row=rows)
        none = (numbers["evaluations"] == 0) & np.isfinite(value)
        faults.add(none, "evaluations is 0 in a row with a value; expected at least 1")
        own, given, optimum = numbers["optimum"], numbers["precision"], self._optima
        text = "optimum is {own:.9g}, but {optimum:.9g} in another row of this problem"
        faults.add(~np.isnan(own) & (own != optimum), text, own=own, optimum=optimum)
        text = "precision without an optimum; leave it empty, or add the column optimum"
        faults.add(~np.isnan(given) & np.isnan(optimum), text)
        finite = np.isfinite(value) & ~np.isnan(given) & ~np.isnan(optimum)
        gap = np.where(finite, difference(value, optimum), 0.0)
        off = np.abs(np.where(finite, given - np.where(given == 0, np.maximum(gap, 0.0), gap), 0.0))
        scale = np.maximum(np.maximum(1.0, np.abs(optimum)), np.abs(value))
        wrong = finite & ~(off <= 1e3 * ROUNDING * scale)
        text = "precision is {given:.9g}, but value - optimum is {gap:.9g}"
        wrong |= ~np.isfinite(value) & np.isfinite(given)
        faults.add(wrong, text, given=given, gap=value - optimum)
        for name, earlier in self._of_run.items():
            form, cell = "" if name in WORDS else ":.9g", self.cells[name]
            text = f"{name} is {{cell{form}}}, but {{first{form}}} in an earlier row of this run"
            faults.add(cell.notna() & (cell != earlier), text, cell=cell, first=earlier)
        for name, end in (("seconds", "end_s"), ("evaluations", "end_evaluations")):
            late = numbers[name] > self._of_run[end]
            faults.add(late, f"{name} is {{here:.9g}}, after {end} of this run", here=numbers[name])
        faults.refuse()

    def warn(self, cautions: Cautions) -> None:
        """Add a line for each kind of rows that are left out."""
        kept = self._improves | np.append(self._new[1:], True)  # the ends
        if dropped := int((~kept & self._within).sum()):
            cautions.add("", "rows without an improvement are omitted", rows=dropped)
        if beyond := int((~self._within).sum()):
            cautions.add("", "rows beyond the budget of their run are not kept", rows=beyond)
        if below := int(is_below(self._numbers["value"], self._optima).sum()):
            cautions.add("", "values are below the optimum, which is wrong; correct it", rows=below)

    def runs(self, places: Places) -> list[Row]:
        starts = np.flatnonzero(self._new[places])[1:]
        return [self._run(run) for run in np.split(places, starts)]

    def _run(self, run: Places) -> Row:
        """The row of a run; it ends with its last row, as its columns say, or with a budget."""
        begin, events, inside = run[0], run[self._improves[run]], run[self._within[run]][-1:]
        at, seconds = self._numbers["evaluations"], self._numbers["seconds"]
        of_run = {name: of[begin] for name, of in self._of_run.items()}
        end_s, evaluations = (
            cells[run[-1]] if np.isnan(of_run[name]) else of_run[name]
            for cells, name in ((seconds, "end_s"), (at, "end_evaluations"))
        )
        budget_s, most = of_run["budget_s"], of_run["budget_evaluations"]
        if end_s > budget_s:
            end_s, evaluations = budget_s, at[inside[0]] if inside.size else max(at[begin] - 1, 0)
        if evaluations > most:
            end_s, evaluations = seconds[inside[0]] if inside.size else 0.0, most
        if np.isnan(budget_s) and np.isnan(most):
            budget_s, most = end_s, evaluations if np.isnan(end_s) else np.nan
        if not (counted := not np.isnan(at[begin])):
            events = events[-1:]  # the result alone is known
        row = row_of(
            self.cells["instance"].iloc[begin],
            _known(self._optima[begin]),
            at[events].astype(np.int64) if counted else np.ones(events.size, np.int64),
            self._precision[events],
            int(evaluations) if counted else np.nan,
            seconds[events],
        )
        row = with_end(row, float(end_s), _known(budget_s), _known(most))
        row |= {name: of_run[name] for name in WORDS if isinstance(of_run[name], str)}
        row["best_f"] = float(self._numbers["value"][events[-1]]) if events.size else np.inf
        return row if counted else row | {"evaluations": None, "budget_evaluations": None}


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


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
    "globalbestfit fx fval result error errortooptimum besterror finalerror gap y f",
    "optimum": "optimum fopt fstar globaloptimum bestknown optimalvalue",
}
ERRORS = ("error", "errortooptimum", "besterror", "finalerror", "gap")  # to the optimum
MEANS = {"mean", "avg", "average", "ave", "std", "stdev", "sd", "worst", "median"}
STEPS = ("epoch", "epochs", "iteration", "iterations", "iter", "iters", "generation", "gen", "step")
"""What a column that numbers the points of a trace is called."""
INDEX = ("", "unnamed0", "index")  # the index of a data frame, or nothing
FALLING = 8  # least number of falling values that cannot be those of runs by chance
SHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
CEC2017 = (0.01, 0.02, 0.03, 0.05, *(k / 10 for k in range(1, 11)))
"""Shares of 10,000 D evaluations at which errors are recorded."""
CEC2022 = {10: 200_000, 20: 1_000_000}
"""Evaluations per dimension in CEC2021 and CEC2022; errors are recorded at D^(k/5 − 3) of them."""
_RUN_NAME = re.compile(r"(run|trial|rep|repetition|r|seed)?[ _.-]*\d+", re.IGNORECASE)
_FUNCTION_NAME = re.compile(r"f(unc)?[ _-]?\d+", re.IGNORECASE)
_OF_FUNCTION = re.compile(r"(?:^|[_\-. ])[fF](?:unc|un)?[_-]?(\d+)(?=$|[_\-. ])")
_OF_DIMENSION = re.compile(r"(?:^|[_\-. ])(?:[dD]|dim)[_-]?(\d+)(?=$|[_\-. ])|(?<=[_\-])(\d+)[dD]$")
_CEC_NAME = re.compile(r"(.+?)_(\d+)_(\d+)")
_PART = re.compile(r"BEGIN_(\w+)\n(.*?)\nEND_\1", re.DOTALL)  # of a log of moptipy


def form_cells(path: Path, cautions: Cautions, layout: Layout) -> pd.DataFrame:
    """The cells of a table of runs, or of a file of another program; `InputError` for no form."""
    suffix = path.suffix.lower()
    if suffix in SHEETS:
        raise InputError("a spreadsheet; save each sheet as CSV (UTF-8), and give all of them")
    if suffix == ".mat":
        form, frame = "a file of MATLAB", _matlab(path, layout)
    elif suffix == ".json":
        form, frame = "results of pymetaheuristic", pd.DataFrame(_pymetaheuristic(path))
    elif suffix == ".txt" and "BEGIN_STATE" in (text := path.read_text("utf-8", errors="replace")):
        form, frame = "a log of moptipy", pd.DataFrame(_moptipy(path, text))
    else:
        table = rows_of(path, cautions)
        names = [*table]
        for name in layout.columns:
            if (where := layout.in_file(name)) not in names:
                raise InputError(
                    f"--columns {name}={where}: no column {where!r}{suggest(where, names)}; "
                    f"columns: {first(names, 20)}"
                )
        if twice := next((name for name in names if name and names.count(name) > 1), None):
            raise InputError(f"two columns are called {twice!r}; expected one of each name")
        if all(n in layout.constants or layout.in_file(n) in names for n in NEEDED):
            return cells_of(table, layout)
        form, frame = "", _guessed_table(table, path, cautions, layout)
    if form:
        cautions.add("", f"read as {form}")
        frame = _completed(frame, path, layout, cautions)
    sign = layout.sign("value")  # alone counts, as all columns have their own names now
    return cells_of(frame, Layout({"value": f"{sign}value"} if sign else {}, layout.constants))


def _completed(frame: pd.DataFrame, path: Path, layout: Layout, cautions: Cautions) -> pd.DataFrame:
    """The table with the columns that a file need not have: from its name, or 1."""
    told = _in_name(path)
    if "function" not in told and "algorithm" in {*frame, *layout.constants}:
        told["function"] = told.pop("algorithm")
    for name in PROBLEM:
        if name in frame or name in layout.constants:
            continue
        if name in told:
            cautions.add("", f"{name} is taken from the name of the file")
        elif name == "dimension":
            cautions.add(
                "", "dimension is not known and counts as 1; if it matters, --set dimension=D"
            )
        frame = frame.assign(**{name: told.get(name, "1")})
    if "run" not in frame and "run" not in layout.constants:
        runs = frame.groupby([name for name in PROBLEM if name in frame]).cumcount()
        means = "; if these are means, the values of the runs are needed" * (not runs.any())
        cautions.add("", f"each row is a run{means}")
        frame = frame.assign(run=runs)
    return frame


def _in_name(path: Path) -> dict[str, str]:
    """What the name of a file says: the rest of it is the algorithm."""
    stem = path.name.partition(".")[0]
    if stem.endswith("_convergence"):  # of MEALPY: a folder per algorithm
        folder = path.absolute().parent.name
        return {"algorithm": folder, "function": stem.removesuffix("_convergence")}
    if cec := _CEC_NAME.fullmatch(stem):
        return dict(zip(("algorithm", "function", "dimension"), cec.groups(), strict=True))
    found = {"algorithm": stem.removesuffix("_best_fit")}  # of MEALPY
    for name, pattern in (("function", _OF_FUNCTION), ("dimension", _OF_DIMENSION)):
        if match := pattern.search(found["algorithm"]):
            found[name] = next(filter(None, match.groups()))
            rest = found["algorithm"][: match.start()] + found["algorithm"][match.end() :]
            found["algorithm"] = rest.strip("_-. ") or stem
    return found


def guessed(names: Sequence[str], layout: Layout | None = None) -> dict[str, str]:
    """The column of the file for each of `NAMES` that the user has not named."""
    found: dict[str, str] = {}
    there = {_plain(name): name for name in reversed(names)}
    known = {*layout.columns, *layout.constants} if layout else set()
    for name in (name for name in NAMES if name not in known):
        column = next((there[word] for word in NAMES[name].split() if word in there), None)
        if column is not None:
            found[name] = column
    free = "f" in there and "function" not in {*found, *known}
    if free and found.get("value", there["f"]) != there["f"]:
        found["function"] = there["f"]  # beside a column of values
    return found


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\[.*?\]|\(.*?\)|_s$", "", name.lower()))


def _guessed_table(
    table: pd.DataFrame, path: Path, cautions: Cautions, layout: Layout
) -> pd.DataFrame:
    """The columns of `COLUMNS` in a table where they have other names, or lie side by side."""
    names = [name for name in map(str, table) if _plain(name) not in INDEX]
    kept = {name: column for name in COLUMNS if (column := layout.in_file(name)) in names}
    kept |= guessed(names, layout)
    if said := [f"{n} is {c}" for n, c in kept.items() if c != layout.in_file(n)]:
        cautions.add("", f"columns are guessed: {', '.join(said)}; correct them with --columns")
    alone = "value" in {*kept, *layout.constants}
    words = names if alone else [word for name in names for word in re.split(r"[\s_.-]", name)]
    if MEANS & set(map(_plain, words)) and "value" not in layout.columns:
        raise InputError(
            "has means or other summaries, not runs; expected one row per run, with its value"
        )
    step = next((name for name in names if _plain(name) in STEPS), None)
    frame = table[[*kept.values()]].set_axis([*kept], axis=1)
    if step is not None:
        frame["step"] = _floats(table[step])
    if alone and (unused := [n for n in names if n not in {*kept.values(), step}]):
        cautions.add("", f"columns without a use: {first(unused, 4)}")
    if not alone:
        rest = [n for n in names if n not in kept.values() and _plain(n) not in STEPS]
        values = {name: of for name in rest if (of := _floats(table[name])) is not None}
        per = "function" if path.stem.endswith("_best_fit") else _named_by(rest)
        if (
            {per, "evaluations", "seconds"} & {*kept, *layout.constants}
            or len(values) < len(rest)
            or (len(rest) < 2 and per == "algorithm")
        ):
            lacks = "value" if kept else ", ".join(n for n in NEEDED if n not in layout.constants)
            raise InputError(
                f"no column {lacks}; columns: {first(names, 8)}; name them: --columns value=NAME"
            )
        if per == "run" and frame.empty and step is None:
            cautions.add("", "read as a matrix, one column per run")
            matrix = np.column_stack(list(values.values()))
            return _completed(_of_matrix(matrix, path, layout), path, layout, cautions)
        cautions.add("", f"a column per {per}: {first(rest, 4)}")
        frame = frame.assign(**values).melt([*frame], rest, per, "value")
    elif _plain(kept.get("value", "")) in ERRORS and "optimum" not in {*kept, *layout.constants}:
        cautions.add("", f"{kept['value']} is a distance to the optimum")
        frame["optimum"] = 0.0
    if "value" in frame:
        empty = frame["value"].astype(str).str.strip().str.lower().isin(ABSENT)
        if left := int(empty.sum()):
            omitted = "rows without a value are omitted; a run that failed should have inf"
            cautions.add("", f"{omitted} (rows: {left})")
        frame = frame[~empty]
    costs = [name for name in ("evaluations", "seconds") if name in frame]
    if step is not None and not costs:
        keys = [name for name in RUN if name in frame]
        runs = frame.sort_values("step", kind="stable")
        last = runs.groupby(keys).tail(1) if keys else runs.tail(1)
        if len(last) < len(frame):
            cautions.add("", "rows are iterations: the last one of each run counts")
        frame = last.sort_index()
    frame = _completed(frame, path, layout, cautions)
    return _of_complete_runs(frame, costs, cautions)


def _named_by(names: Iterable[str]) -> str:
    for kind, pattern in (("run", _RUN_NAME), ("function", _FUNCTION_NAME)):
        if all(map(pattern.fullmatch, names)):
            return kind
    return "algorithm"


def _of_complete_runs(frame: pd.DataFrame, costs: list[str], cautions: Cautions) -> pd.DataFrame:
    """Without costs if each run has one row: when its value was found is then not known."""
    different = len(frame.drop_duplicates([name for name in RUN if name in frame]))
    if different < len(frame) and not costs:
        raise InputError(
            f"{len(frame)} rows of {counted(different, 'run')}, without evaluations or seconds; "
            "which columns tell the runs apart? name them: --columns function=NAME,dimension=NAME"
        )
    if different < len(frame) or not costs:
        return frame
    cautions.add(
        "", f"one row per run: its {' and '.join(costs)} do not say when a value was found"
    )
    return frame.drop(columns=costs)


def _of_matrix(values: NDArray[np.float64], path: Path, layout: Layout) -> pd.DataFrame:
    """The runs of a matrix with one column per run: checkpoints of CEC, a trace, or the ends."""
    rows, columns = values.shape
    at = None
    if rows > 1 and columns > 1:
        at = _checkpoints(rows, {**_in_name(path), **layout.constants})
        if (np.diff(values[: rows if at is None else at.size], axis=0) > 0).any():
            raise InputError(
                f"a matrix of {rows} x {columns} numbers whose columns rise; expected one column "
                "per run with the best value so far, or a header that names runs or algorithms"
            )
        values = values if at is None else values[: at.size]
    elif rows >= FALLING and not (np.diff(values[:, 0]) > 0).any() and values[0] > values[-1]:
        raise InputError(
            f"{rows} values that never rise: if they are iterations of a run, keep the last line; "
            "if they are runs, add a column run"
        )
    else:
        values = values.reshape(1, -1)
    frame = pd.DataFrame(values).rename_axis("row").reset_index().melt("row", None, "run").dropna()
    if at is None:
        return frame.groupby("run", as_index=False).last().drop(columns="row")
    return frame.assign(evaluations=at[frame["row"]], optimum=0.0).drop(columns="row")


def _checkpoints(rows: int, told: Mapping[str, str]) -> NDArray[np.float64] | None:
    """The evaluations of the rows of a result file of a CEC competition; None for another."""
    if "dimension" not in told:
        return None
    dimension, given = float(told["dimension"]), told.get("budget_evaluations")
    if rows == len(CEC2017):
        return np.rint(np.array(CEC2017) * float(given or 10_000 * dimension))
    if rows not in (16, 17):
        return None
    most = given or CEC2022.get(int(dimension))
    if most is None:
        raise InputError(
            f"16 checkpoints of a CEC competition with D = {dimension:g}: give the evaluations "
            "with --set budget_evaluations=N"
        )
    return np.rint(dimension ** (np.arange(16) / 5 - 3) * float(most))


def _moptipy(path: Path, text: str) -> Iterator[dict[str, Any]]:
    """A log: one run, with evaluations and milliseconds."""
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
    for fes, ms, value in steps:
        yield {**names, "evaluations": fes, "seconds": str(float(ms) / 1000), "value": value}


def _pymetaheuristic(path: Path) -> Iterator[dict[str, Any]]:
    """A saved BenchmarkResult: records with their convergence over evaluations, if it was kept."""
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
    for one in records:
        names = {"algorithm": one["candidate"], "function": one["problem"]}
        names |= {"dimension": one["dimension"], "run": str(one["trial"])}
        sign = -1 if str(one.get("objective")).lower() in ("max", "maximize") else 1
        if one.get("error_to_optimum") is not None:
            names["optimum"] = sign * (one["best_fitness"] - one["error_to_optimum"])
        if not traced:
            yield {**names, "value": sign * one["best_fitness"]}
            continue
        if one.get("budget"):
            names["budget_evaluations"] = one["budget"]
        points = {p["evaluations"]: p["best_fitness"] for p in one["convergence"]}
        points[one["evaluations"]] = one["best_fitness"]
        for at in sorted(points):
            yield {**names, "evaluations": at, "value": sign * points[at]}


def _matlab(path: Path, layout: Layout) -> pd.DataFrame:
    """A result of PlatEMO, or variables of which each has the runs of an algorithm."""
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
    found = []
    for name, values in content.items():
        if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
            if values.ndim > 2:
                raise InputError(f"{name}: {values.ndim} dimensions; expected one column per run")
            matrix = np.atleast_2d(values.astype(np.float64))
            found.append(_of_matrix(matrix, path, layout).assign(algorithm=name))
    if not found:
        raise InputError("no matrix of numbers; expected one variable per algorithm, with its runs")
    return pd.concat(found)


def _platemo(path: Path, content: Mapping[str, Any]) -> pd.DataFrame:
    """One run: the metric Min_value at each saved number of evaluations."""
    values = getattr(content["metric"], "Min_value", None)
    if values is None:
        raise InputError(
            "a result of PlatEMO without the metric Min_value, and its populations are objects "
            "that only MATLAB reads; calculate Min_value before you save it"
        )
    values = np.atleast_1d(np.asarray(values, dtype=np.float64))
    costs = [float(row[0]) for row in np.atleast_2d(content["result"])]
    frame = pd.DataFrame({"value": values[-1:]})
    if len(costs) == len(values):
        frame = pd.DataFrame({"evaluations": costs, "value": np.fmin.accumulate(values)})
    names = {"run": path.stem}
    if name := re.fullmatch(r"(.+?)_(.+)_M\d+_D(\d+)_(\d+)", path.stem):
        names = dict(zip(("algorithm", "function", "dimension", "run"), name.groups(), strict=True))
    return frame.assign(**names)


SUFFIXES = (".csv", ".tsv", ".txt", ".dat", ".out", ".json", ".mat", ".parquet")


def files_in(folder: Path) -> list[Path]:
    """The files of a folder, and of those in it, that a form may have."""
    found = [p for p in sorted(folder.rglob("*")) if p.suffix.lower() in SUFFIXES and p.is_file()]
    if not found:
        raise InputError(
            f"{folder}: no file of results; {counted(len(SUFFIXES), 'suffix')} are read"
        )
    return found
