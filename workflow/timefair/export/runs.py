"""Runs one by one, as the formats of other tools take them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.basics.errors import InputError

NOTHING_YET = 1e300
"""The precision before the first finite value: cocopp does not come to an end with `inf`."""

NO_FILE_NAME = r"[^\w.-]"
"""What does not go into the names of files, such as the ``:`` of a suite of one's own."""

_NAMES = ("algorithm", "suite", "function", "dimension", "instance")


@dataclass(frozen=True)
class ExportedRun:
    """One run: its names, what is known at each improvement, and what it cost in all.

    Times are in seconds, NaN in runs of published data.
    """

    algorithm: str
    suite: str
    function: int
    dimension: int
    instance: int
    evaluations: NDArray[np.int64]
    time_s: NDArray[np.float64]
    precision: NDArray[np.float64]
    all_evaluations: int
    wall_s: float


def in_order(runs: pa.Table) -> Iterator[ExportedRun]:
    """The runs by algorithm, suite, function, dimension, instance and number."""
    rows = runs.sort_by([(key, "ascending") for key in (*_NAMES, "run")])
    names = rows.select(_NAMES).to_pylist()
    events = pc.list_flatten(rows["events"])
    lengths = pc.fill_null(pc.list_value_length(rows["events"]), 0).to_numpy()
    stops = np.cumsum(lengths, dtype=np.int64)
    columns = {
        name: pc.struct_field(events, name).to_numpy()
        for name in ("evaluations", "time_s", "precision")
    }
    ends = zip(rows["evaluations"].to_numpy(), rows["wall_s"].to_numpy(), strict=True)
    for name, start, stop, (all_evaluations, wall_s) in zip(
        names, stops - lengths, stops, ends, strict=True
    ):
        part = {key: numbers[start:stop] for key, numbers in columns.items()}
        yield ExportedRun(
            **name, **part, all_evaluations=int(all_evaluations), wall_s=float(wall_s)
        )


def file_name(suite: str) -> str:
    """The name of a suite as a part of the name of a file."""
    return re.sub(NO_FILE_NAME, "_", suite)


def refuse_unknown_optima(runs: pa.Table, format: str) -> None:
    """Raise `InputError` for each function whose optimum is not known: no precision is there."""
    unknown = runs.filter(pc.is_null(runs["f_opt"])).select(["suite", "function"])
    functions = sorted({(row["suite"], row["function"]) for row in unknown.to_pylist()})
    if functions:
        raise InputError(
            *(
                f"{suite} f{function}: its optimum is not known, and {format} format has "
                "precisions only"
                for suite, function in functions
            )
        )


def refuse_existing(folders: Iterable[Path]) -> None:
    """Raise `InputError` for each folder that is there: what reads it would join the runs."""
    there = [folder for folder in folders if folder.exists()]
    if there:
        raise InputError(*(f"{path} is there already; delete it or name another" for path in there))
