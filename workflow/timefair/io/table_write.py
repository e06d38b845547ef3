"""Writes runs as a tidy table: one row per improvement, and one for the end of each run.

`timefair import table` and `timefair analyse` read this table again. It does not contain launches,
points, seeds, CPU times and facts of the machine.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from timefair.basics.files import atomic_file

SUFFIXES = (".csv", ".parquet")

_KEYS = ("algorithm", "suite", "function", "dimension", "instance", "run")
_OF_RUN = {
    "optimum": "f_opt",
    "budget_s": "budget_s",
    "budget_evaluations": "budget_evaluations",
    "status": "status",
    "stop_reason": "stop_reason",
}
"""Columns with the same cell in all rows of a run, and their names in a record."""


def write_table(runs: pa.Table, path: Path) -> None:
    """Write a CSV or Parquet file of runs with times, depending on the suffix."""
    rows = table_of(runs)
    with atomic_file(path) as file:
        if path.suffix == ".parquet":
            pq.write_table(rows, file, compression="zstd")
        else:
            pa_csv.write_csv(rows, file)


def table_of(runs: pa.Table) -> pa.Table:
    """The rows of all runs, sorted by algorithm, problem and run, each run in its order.

    Values are f itself. If the optimum is known, they are the optimum plus the precision, so they
    are rounded, except the best one; the column ``precision`` has every digit.
    """
    runs = runs.sort_by([(key, "ascending") for key in _KEYS]).combine_chunks()
    events = pc.list_flatten(runs["events"]).combine_chunks()
    at, time_s, precision = (
        _numbers(events.field(name)) for name in ("evaluations", "time_s", "precision")
    )
    lengths = pc.fill_null(pc.list_value_length(runs["events"]), 0).to_numpy()
    last = np.cumsum(lengths) - 1
    any_event = lengths > 0
    end_at, end_s = _numbers(runs["evaluations"]), _numbers(runs["wall_s"])
    best_f, f_opt = _numbers(runs["best_f"]), _numbers(runs["f_opt"])
    owner = np.repeat(np.arange(len(runs)), lengths)
    value = np.where(np.isnan(f_opt[owner]), precision, f_opt[owner] + precision)
    value[last[any_event]] = best_f[any_event]
    before = last[any_event]
    ends_there = np.zeros(len(runs), dtype=np.bool_)
    ends_there[any_event] = (at[before] == end_at[any_event]) & (time_s[before] == end_s[any_event])
    ends = np.flatnonzero(~ends_there)
    best = _numbers(runs["best_precision"])
    of_run = np.concatenate([owner, ends])
    order = np.argsort(of_run, kind="stable")  # the end of a run follows its events
    of_row = pa.array(of_run[order])

    def joined(of_events: NDArray[np.float64], of_ends: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.concatenate([of_events, of_ends[ends]])[order], dtype=np.float64)

    known = ~np.isnan(f_opt)[of_run[order]]
    shown = joined(precision, best)
    columns = {
        **{key: runs[key].take(of_row) for key in _KEYS},
        "evaluations": pa.array(joined(at, end_at).astype(np.int64)),
        "seconds": pa.array(joined(time_s, end_s)),
        "value": pa.array(joined(value, best_f)),
        "precision": pa.array(shown, mask=~(known & np.isfinite(shown))),
        **{name: runs[column].take(of_row) for name, column in _OF_RUN.items()},
    }
    return pa.table(columns)


def _numbers(column: pa.Array | pa.ChunkedArray) -> NDArray[np.float64]:
    """The numbers of a column; NaN where it is null."""
    floats = pc.cast(column, pa.float64())
    return np.array(
        floats.to_numpy(zero_copy_only=False) if isinstance(floats, pa.Array) else floats.to_numpy()
    )
