"""Iterates over runs, for writers of other data formats."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.basics.errors import InputError

LONGEST_NAME = 80
"""Bytes of the name of a suite in a file name, which contains it with other words."""

NO_FILE_NAME = r"[^\w.-]"
"""Characters replaced in file names, such as the ``:`` of a user-defined suite."""

_NAMES = ("algorithm", "suite", "function", "dimension", "instance")


@dataclass(frozen=True)
class ExportedRun:
    """One run. Its arrays have one entry per improvement, shape (events,).

    Seconds are NaN for published data, and `f_opt` if it is unknown.
    """

    algorithm: str
    suite: str
    function: int
    dimension: int
    instance: int
    evaluations: NDArray[np.int64]
    time_s: NDArray[np.float64]
    precision: NDArray[np.float64]
    f_opt: float
    all_evaluations: int
    wall_s: float


def in_order(runs: pa.Table) -> Iterator[ExportedRun]:
    """The runs, sorted by algorithm, suite, function, dimension, instance and number of the run."""
    rows = runs.sort_by([(key, "ascending") for key in (*_NAMES, "run")])
    names = rows.select(_NAMES).to_pylist()
    events = pc.list_flatten(rows["events"])
    lengths = pc.fill_null(pc.list_value_length(rows["events"]), 0).to_numpy()
    stops = np.cumsum(lengths, dtype=np.int64)
    columns = {
        name: pc.struct_field(events, name).to_numpy()
        for name in ("evaluations", "time_s", "precision")
    }
    ends = zip(*(rows[key].to_numpy() for key in ("evaluations", "wall_s", "f_opt")), strict=True)
    for name, start, stop, (all_evaluations, wall_s, f_opt) in zip(
        names, stops - lengths, stops, ends, strict=True
    ):
        part = {key: numbers[start:stop] for key, numbers in columns.items()}
        yield ExportedRun(
            **name,
            **part,
            f_opt=float(f_opt),
            all_evaluations=int(all_evaluations),
            wall_s=float(wall_s),
        )


def file_name(suite: str) -> str:
    """The name of a suite as a part of a file name; a long one ends in a digest."""
    name = re.sub(NO_FILE_NAME, "_", suite)
    if len(name.encode()) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(suite.encode()).hexdigest()[:8]
    return f"{name.encode()[:LONGEST_NAME].decode(errors='ignore')}_{digest}"


def refuse_unknown_optima(runs: pa.Table, format: str) -> None:
    """Raise `InputError` with one line per function whose optimum is not known."""
    unknown = runs.filter(pc.is_null(runs["f_opt"])).select(["suite", "function"])
    functions = sorted({(row["suite"], row["function"]) for row in unknown.to_pylist()})
    if functions:
        raise InputError(
            *(
                f"{suite} f{function}: its optimum is not known, but {format} format has "
                "precisions only"
                for suite, function in functions
            )
        )


def refuse_existing(folders: Iterable[Path]) -> None:
    """Raise `InputError` with one line per folder that exists: readers would mix the runs."""
    there = [folder for folder in folders if folder.exists()]
    if there:
        raise InputError(
            *(f"{path}: already exists; delete it or choose another folder" for path in there)
        )
