"""What the readers share: archives, notations of numbers, runs, and what a user should know."""

from __future__ import annotations

import hashlib
import math
import os
import re
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.basics.optimum import NOTHING_YET
from timefair.records.status import FINAL_TARGET, Perturbation, Status, StopReason

DATA_SUFFIXES = (".info", ".dat", ".tdat", ".cdat", ".idat", ".json", ".parquet")
"""Suffixes of data files, in lower case."""
LISTED = set(DATA_SUFFIXES) - {".info", ".json"}  # suffixes of the files that an index file lists
_ARCHIVE_SUFFIX = re.compile(r"\.(zip|tgz|tar(\.\w+)?)$", re.IGNORECASE)


@dataclass(frozen=True)
class Folder:
    """A folder of published data. File names match in any case, if only one file matches."""

    root: Path
    name: str  # name of the folder, or of the archive without its suffix
    _named: set[Path] = field(default_factory=set)  # in an index file, as of `_stem`

    @cached_property
    def _files(self) -> list[Path]:
        return [path for path in files(self.root) if path.suffix.lower() in DATA_SUFFIXES]

    def place(self, path: Path) -> Path:
        return path.relative_to(self.root)

    def indices(self, suffix: str) -> list[Path]:
        """Files with a suffix, in any case, except hidden files such as ``._x.info``."""
        found = (path for path in self._files if path.suffix.lower() == suffix)
        return [path for path in found if not path.name.startswith(".")]

    def beside(self, index: Path, name: str) -> Path | None:
        """The data file that an index file names, if it exists; `InputError` outside the folder."""
        path = Path(os.path.normpath(index.parent / name.replace("\\", "/")))
        if not path.is_relative_to(self.root):
            raise InputError(
                f"{self.place(index)}: data file {name!r} is outside the folder of the data"
            )
        self._named.add(_stem(self.place(path)))
        same = [one for one in self._files if str(one).lower() == str(path).lower()]
        return path if path in same else next(iter(same), None) if len(same) == 1 else None

    def unlisted(self) -> list[Path]:
        """Data files whose name no call of `beside` had, with any suffix, and inner archives."""
        return [
            place
            for place in map(self.place, files(self.root))
            if not any(part.startswith(".") for part in place.parts)
            and (
                _ARCHIVE_SUFFIX.search(place.name)
                or (place.suffix.lower() in LISTED and _stem(place) not in self._named)
            )
        ]


def _stem(place: Path) -> Path:
    return Path(place.with_suffix("").as_posix().lower())


@contextmanager
def unpacked(path: Path) -> Iterator[Folder]:
    """The folder, or a temporary one with the data files of a ``.zip`` or ``.tar``, without links.

    `InputError` if there is no whole archive, or a member is outside the archive's folder.
    """
    if path.is_dir():
        root = path.resolve()
        yield Folder(root, root.name)
        return
    if not path.is_file():
        raise InputError(f"{path}: there is no such file or folder")
    with tempfile.TemporaryDirectory(prefix="timefair-") as folder:
        try:
            _unpack(path, folder)
        except InputError:
            raise
        except Exception as error:  # there are many that a damaged archive raises
            text = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise InputError(
                f"{path}: not a complete archive ({text.splitlines()[0].rstrip(':')}); expected a "
                "folder, a .zip or a .tar(.gz)"
            ) from None
        yield Folder(Path(folder).resolve(), _ARCHIVE_SUFFIX.sub("", path.name))


def _unpack(path: Path, folder: str) -> None:
    """Unpack the data files of an archive, once their names are known to be inside."""

    def wanted(name: str) -> bool:
        inside = PurePosixPath(name.replace("\\", "/"))
        if inside.is_absolute() or ".." in inside.parts or ":" in "".join(inside.parts[:1]):
            raise InputError(f"{path}: member {name!r} is outside its folder; not unpacked")
        return name.lower().endswith(DATA_SUFFIXES)

    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder, [name for name in archive.namelist() if wanted(name)])
        return
    with tarfile.open(path) as tar:
        for member in tar:
            if wanted(member.name) and member.isfile():
                tar.extract(member, folder, filter="data")


def digest(path: Path) -> str:
    """Hexadecimal SHA-256 of a file, or of the names and contents of all files in a folder."""
    if path.is_dir():
        lines = [f"{p.relative_to(path).as_posix()} {digest(p)}\n" for p in files(path)]
        return hashlib.sha256("".join(lines).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def files(path: Path) -> list[Path]:
    return sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]


LARGEST_COUNT = 2**53  # largest number of evaluations: floating-point numbers are exact up to it
MOST_EVALUATIONS, MOST_SECONDS = 10**12, 1e7  # largest budgets of a campaign
LARGEST_NAME = 10**9  # largest number of a function, dimension or instance in a campaign
_FORTRAN_EXPONENT = re.compile(r"(?<=[\d.])[dD](?=[+-]?\d)")
_WINDOWS = re.compile(r"([+-]?)1\.#(INF|IND|QNAN|SNAN)0*(e[+-]?\d+)?", re.IGNORECASE)


def parsed_number(text: str) -> float:
    """Parse a number, also of Fortran (``1.5D-08``) or Windows (``1.#INF``); or ValueError."""
    if "_" in text:  # Python reads 1_0 as 10
        raise ValueError(f"{text!r} is not a number")
    try:
        return math.inf if (value := float(text)) == NOTHING_YET else value
    except ValueError:
        if windows := _WINDOWS.fullmatch(text):
            return float(windows[1] + ("inf" if windows[2].upper() == "INF" else "nan"))
        return float(_FORTRAN_EXPONENT.sub("e", text))


def parsed_count(text: str) -> int:
    """Parse a number of evaluations, at least 0, such as ``12`` or ``1.0e+05``; or ValueError."""
    value = int(text) if text.isdecimal() else parsed_number(text)
    if not (0 <= value <= LARGEST_COUNT and value == int(value)):
        raise ValueError(f"{text!r} is not a number of evaluations")
    return int(value)


def parsed_name(value: object) -> int:
    """Parse the number of a function, dimension or instance, at least 0; or ValueError."""
    text = str(value).strip()
    if not (text.isdecimal() and len(text) < 20 and int(text) <= LARGEST_NAME):
        raise ValueError(f"{text[:40]!r} is not a whole number of at least 0")
    return int(text)


class Cautions:
    """Collects what a reader of the data should know while they are read."""

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[dict[str, None], Counter[str]]] = {}  # places and counts
        self.place = ""  # the file that a statement about all of the data is about
        self.rows: dict[Path, int] = {}  # number of rows that were read of each data file

    def add(self, place: Path | str, text: str, **counts: int) -> None:
        """Add a statement that is true of a file, or of all of the data (``""``), with counts."""
        places, before = self._kinds.setdefault(text, ({}, Counter()))
        places[str(place) or self.place] = None
        before.update(counts)

    @property
    def lines(self) -> list[str]:
        """One line per text: its first file, the number of other files, the text, its counts."""
        lines = []
        for text, (places, counts) in self._kinds.items():
            first, *others = places
            more = f" and {len(others)} more" if others else ""
            numbers = ", ".join(f"{name}: {number}" for name, number in counts.items())
            said = f"{text} ({numbers})" if numbers else text
            lines.append(f"{first}{more}: {said}" if first else said)
        return lines


Row = dict[str, Any]
"""What is known of a run: columns of its record (`records.schema`). Precisions of events decrease
strictly, are negative below the optimum of the data, and are values of f if ``f_opt`` is None.
"""


def row_of(
    instance: int,
    f_opt: float | None,
    evaluations: NDArray[np.int64],
    precision: NDArray[np.float64],
    all_evaluations: float,
    time_s: NDArray[np.float64] | None = None,
) -> Row:
    """The row of a run; arrays of shape (events,). The last event is the best."""
    columns = {"evaluations": evaluations.tolist(), "precision": precision.tolist()}
    if time_s is not None:
        columns["time_s"] = time_s.tolist()
    best = columns["precision"][-1] if precision.size else math.inf
    return {
        "instance": int(instance),
        "f_opt": f_opt,
        "evaluations": all_evaluations,
        "best_f": (f_opt or 0.0) + best,
        "best_precision": best,
        "events": [
            dict(zip(columns, event, strict=True)) for event in zip(*columns.values(), strict=True)
        ],
    }


def row_of_lines(
    instance: int,
    f_opt: float | None,
    evaluations: NDArray[np.int64],
    precision: NDArray[np.float64],
    end: int,
    time_s: NDArray[np.float64] | None = None,
) -> Row:
    """The row of a run from its logged lines, in any order; those that are not finite are no
    improvements. It ends at the last one, or later.
    """
    values = np.where(np.isfinite(precision), precision, np.inf)
    order = np.lexsort((values, evaluations))
    before = np.minimum.accumulate(np.concatenate([[np.inf], values[order]]))[:-1]
    events = order[values[order] < before]
    times = None if time_s is None else time_s[events]
    last = max(int(evaluations.max(initial=0)), end)
    return row_of(instance, f_opt, evaluations[events], values[events], last, times)


def with_end(
    row: Row, wall_s: float, budget_s: float | None = None, budget_evaluations: float | None = None
) -> Row:
    """The row of a complete run that others have timed, with how it ended; NaN: not known."""
    evaluations, best = row["evaluations"], row["best_precision"]
    improved = row["events"] and row["events"][-1]["evaluations"] == evaluations
    status, stop_reason = Status.OK, StopReason.ALGORITHM_ENDED
    if not evaluations:
        status = Status.NO_EVALUATION
    elif math.isinf(best):
        status = Status.NO_FINITE_VALUE
    if improved and row["f_opt"] is not None and best <= FINAL_TARGET:
        stop_reason = StopReason.TARGET
    elif budget_evaluations is not None and evaluations >= budget_evaluations:
        stop_reason = StopReason.EVALUATIONS
    elif budget_s is not None and wall_s >= budget_s:
        stop_reason = StopReason.TIME
    return row | {
        "wall_s": None if math.isnan(wall_s) else wall_s,
        "status": status,
        "stop_reason": stop_reason,
        "perturbation": Perturbation.UNKNOWN,
        "budget_s": budget_s,
        "budget_evaluations": None if budget_evaluations is None else int(budget_evaluations),
    }


@dataclass(frozen=True)
class DataSet:
    """The runs of an algorithm on a function in a dimension; `read` reads the data files.

    `index` is the file that lists the runs, relative to the folder of the data; `name` is empty for
    a number. With a `bridge` (`records.schema.BRIDGE`), its times compare with those of other
    machines.
    """

    algorithm: str
    suite: str
    function: int
    dimension: int
    read: Callable[[], list[Row]]
    index: Path
    name: str = ""
    bridge: Mapping[str, Any] | None = None


SHARE = 0.9  # share of the runs whose values only rise from which values may be maximized
SURE = 6  # number of such steps from which chance cannot explain them


def refuse_rising(
    runs: Iterable[NDArray[np.float64]], value: str, place: Path | str, cautions: Cautions
) -> None:
    """Raise `InputError` if the values of runs, of a column, are maximized; add a line if they may
    be. What is not finite is skipped.
    """
    steps = [np.diff(values[np.isfinite(values)]) for values in runs]
    changing = sum(map(np.any, steps))
    rising = [up for one in steps if (up := np.sum(one > 0)) and not (one < 0).any()]
    if not rising or len(rising) < SHARE * changing:
        return
    what = (
        f"values only rise in {len(rising)} of {changing} runs, but timefair minimizes; "
        f"if they are maximized, use --columns value=-{value}"
    )
    if sum(rising) >= SURE:
        where = f"{place}: " if place else ""
        raise InputError(f"{where}{what}; if not, --columns value=+{value}")
    cautions.add(place, what)
