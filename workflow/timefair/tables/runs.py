"""Collected records as columns: a frame a run, and the events of all runs in flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from timefair.errors import InputError
from timefair.records.schema import KEYS, RUN_SCHEMA
from timefair.statistics.anytime import best_so_far
from timefair.statistics.runtimes import runtimes

Unit = Literal["seconds", "evaluations", "seconds_per_dimension", "evaluations_per_dimension"]
UNITS: tuple[Unit, ...] = ("seconds", "evaluations")
"""The units of most tables; the others compare dimensions."""

PER_DIMENSION: dict[Unit, Unit] = {
    "seconds_per_dimension": "seconds",
    "evaluations_per_dimension": "evaluations",
}

NESTED = ("launch_log", "events")


def load(paths: Iterable[Path]) -> pa.Table:
    """Read collected record files into one table of runs.

    Parameters
    ----------
    paths : iterable of Path
        Parquet files with the columns of `RUN_SCHEMA`.

    Raises
    ------
    InputError
        One line for each file that lacks columns.
    """
    tables, faults = [], []
    for path in paths:
        table = pq.read_table(path)
        missing = [name for name in RUN_SCHEMA.names if name not in table.column_names]
        if missing:
            faults.append(f"{path}: not a record file, no column {', '.join(missing)}")
        else:
            tables.append(table.select(RUN_SCHEMA.names).cast(RUN_SCHEMA))
    if faults:
        raise InputError(*faults)
    return pa.concat_tables(tables) if tables else RUN_SCHEMA.empty_table()


@dataclass(frozen=True)
class Runs:
    """Runs in the order of their keys.

    Attributes
    ----------
    frame
        A row a run: every column of the record that is not nested.
    offsets
        Shape (runs + 1,): the events of run i are ``offsets[i]:offsets[i + 1]`` of the others.
    time_s, evaluations, precision
        Of each event, flat.
    """

    frame: pd.DataFrame
    offsets: NDArray[np.int64]
    time_s: NDArray[np.float64]
    evaluations: NDArray[np.float64]
    precision: NDArray[np.float64]

    @classmethod
    def of(cls, table: pa.Table) -> Runs:
        """Take a table of `RUN_SCHEMA` apart, without a Python object for an event.

        Raises
        ------
        InputError
            If two rows have the same keys.
        """
        rows = table.sort_by([(key, "ascending") for key in KEYS])
        frame = rows.drop_columns([n for n in NESTED if n in rows.column_names]).to_pandas()
        twice = frame.duplicated(list(KEYS))
        if twice.any():
            first = frame.loc[twice.idxmax(), list(KEYS)]
            raise InputError(
                "the same run is there twice: "
                + ", ".join(f"{key} {value}" for key, value in first.items())
            )
        events = rows["events"]
        lengths = pc.fill_null(pc.list_value_length(events), 0).to_numpy()
        offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        flat = pc.list_flatten(events)
        return cls(
            frame=frame,
            offsets=offsets,
            time_s=_field(flat, "time_s"),
            evaluations=_field(flat, "evaluations"),
            precision=_field(flat, "precision"),
        )

    def cost(self, unit: Unit) -> NDArray[np.float64]:
        """What had been spent since the run's start at each event."""
        if unit in PER_DIMENSION:
            dimension = self.frame["dimension"].to_numpy(dtype=np.float64)
            per_event = np.repeat(dimension, np.diff(self.offsets))
            return np.asarray(self.cost(PER_DIMENSION[unit]) / per_event, dtype=np.float64)
        return self.time_s if unit == "seconds" else self.evaluations

    def spent(self, unit: Unit) -> NDArray[np.float64]:
        """What each whole run cost, shape (runs,): what a failure is charged."""
        if unit in PER_DIMENSION:
            dimension = self.frame["dimension"].to_numpy(dtype=np.float64)
            return np.asarray(self.spent(PER_DIMENSION[unit]) / dimension, dtype=np.float64)
        column = "wall_s" if unit == "seconds" else "evaluations"
        return self.frame[column].to_numpy(dtype=np.float64)

    def runtimes(self, unit: Unit, targets: Iterable[float]) -> NDArray[np.float64]:
        """Cost to each target, shape (runs, targets); `inf` where it was not reached."""
        return runtimes(self.cost(unit), self.precision, self.offsets, list(targets))

    def best_so_far(self, unit: Unit, grid: NDArray[np.float64]) -> NDArray[np.float64]:
        """Best precision at each cost of the grid, shape (runs, points)."""
        return best_so_far(self.cost(unit), self.precision, self.offsets, grid)

    def cost_grid(self, unit: Unit, points: int = 101) -> NDArray[np.float64]:
        """Costs, evenly spaced in the logarithm, from the first event to the longest run's end."""
        cost = self.cost(unit)
        positive = cost[cost > 0]
        end = self.spent(unit).max(initial=0.0)
        if positive.size == 0 or end <= 0:
            return np.empty(0)
        first = min(float(positive.min()), end)
        grid = np.geomspace(first, end, points)
        if unit == "evaluations":
            grid = np.unique(np.round(grid))
        grid[0], grid[-1] = first, end
        return grid

    def groups(self, keys: tuple[str, ...]) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
        """The rows of each combination of keys, in the order of the keys' values."""
        if self.frame.empty:
            return
        for names, rows in sorted(self.frame.groupby(list(keys)).indices.items()):
            values = names if isinstance(names, tuple) else (names,)
            yield dict(zip(keys, values, strict=True)), np.asarray(rows, dtype=np.intp)


def _field(events: pa.ChunkedArray, name: str) -> NDArray[np.float64]:
    return np.asarray(pc.struct_field(events, name).to_numpy(), dtype=np.float64)
