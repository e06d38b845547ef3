"""Reads the results of benchopt: one row per sample of a solver's convergence curve.

A sample is the value of the objective after a number of the solver's iterations, and the time until
then. Solvers without a callback are started again for each sample, so that the time of a sample can
be above that of a later one.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.io.common import Cautions
from timefair.io.table_read import Cells, Faults, Layout, cells_of, numbers_of, rows_of

RUN = ("solver_name", "objective_name", "dataset_name", "idx_rep")
"""Columns that name a run; before version 1.7, ``dataset_name`` was ``data_name``."""

SAMPLE = ("stop_val", "time", "objective_value")
STRATEGY = "sampling_strategy"
COUNTED = ("iteration", "callback")
"""Strategies whose ``stop_val`` is a number of iterations."""


def benchopt_cells(path: Path, cautions: Cautions, layout: Layout) -> Cells:
    """The cells of a results file of benchopt (Parquet or CSV), as of `table_read.cells_of`.

    Algorithms are solvers with their parameters, functions are objectives on data sets.
    ``evaluations`` are iterations of the solver plus 1, or the number of the sample if it is
    sampled by tolerance. The dimension is 1. The layout may replace each of these columns.
    """
    table = rows_of(path)
    names = table.column_names
    if "dataset_name" not in names and "data_name" in names:
        table = table.rename_columns(["dataset_name" if n == "data_name" else n for n in names])
    missing = [name for name in (*RUN, *SAMPLE) if name not in table.column_names]
    if missing:
        raise InputError(f"no column {', '.join(missing)}: not a results file of benchopt")
    usual = {name: "1" for name in ("dimension", "instance") if name not in layout.columns}
    layout = layout.over({}, usual)
    value, sign = layout.columns.get("value", "objective_value"), layout.sign("value")
    if layout.in_file("value") == "objective_value":
        layout = replace(layout, columns={k: v for k, v in layout.columns.items() if k != "value"})
    faults = Faults()
    columns = _columns(table, faults, -1 if sign == "-" else 1)
    faults.refuse()
    for name, column in columns.items():
        if name not in layout.constants and name not in layout.columns:
            there = table.column_names
            table = table.drop_columns([name]) if name in there else table
            table = table.append_column(name, column)
    return _without_overtaken(replace(cells_of(table, layout), value=value), cautions)


def _columns(table: pa.Table, faults: Faults, sign: int) -> dict[str, pa.Array]:
    """What benchopt's columns are in a table of runs; a fault for each cell that is no number."""
    words = {name: pc.cast(table[name], pa.string()) for name in RUN}
    values = sign * numbers_of(table["objective_value"], "objective_value", faults)
    return {
        "algorithm": words["solver_name"],
        "function": pc.binary_join_element_wise(
            words["dataset_name"], words["objective_name"], " "
        ),
        "run": words["idx_rep"],
        "evaluations": pa.array(_samples(table, faults)),
        "seconds": table["time"],
        "value": pa.array(np.where(np.isnan(values), np.inf, values)),  # it has diverged
    }


def _samples(table: pa.Table, faults: Faults) -> NDArray[np.float64]:
    """Iterations plus 1, or the number of the sample within its run, shape (rows,)."""
    keys = zip(*(table[name].to_pylist() for name in RUN), strict=True)
    seen: dict[tuple[object, ...], int] = {}
    number = np.empty(len(table))
    for row, key in enumerate(keys):
        number[row] = seen[key] = seen.get(key, 0) + 1
    if STRATEGY not in table.column_names:
        return number
    strategy = pc.utf8_lower(pc.cast(table[STRATEGY], pa.string()))
    counted = np.asarray(pc.is_in(strategy, pa.array(COUNTED)).to_numpy(), dtype=np.bool_)
    stop = numbers_of(table["stop_val"], "stop_val", faults)
    faults.add(
        np.flatnonzero(counted & np.isnan(stop)),
        lambda _: "stop_val is empty or NaN; expected a number of iterations",
    )
    return np.where(counted, stop + 1, number)


def _without_overtaken(cells: Cells, cautions: Cautions) -> Cells:
    """The samples that no later sample of their run was as fast as."""
    keys = [cells.texts[name].astype(str) for name in ("algorithm", "function", "instance", "run")]
    keys.append(cells.numbers["dimension"].astype(str))
    run = np.unique(np.array(keys), axis=1, return_inverse=True)[1].reshape(-1)
    order = np.lexsort((cells.numbers["evaluations"], run))
    kept = np.ones(cells.rows, dtype=np.bool_)
    for rows in np.split(order, np.flatnonzero(np.diff(run[order])) + 1):
        seconds = cells.numbers["seconds"][rows]
        after = np.minimum.accumulate(np.append(seconds[1:], np.inf)[::-1])[::-1]
        kept[rows] = seconds < after
    if dropped := int((~kept).sum()):
        cautions.add("", "samples that took as long as a later one are omitted", rows=dropped)
    cautions.add("", "evaluations are iterations of the solver plus 1, or numbers of samples")
    return cells.at(order[kept[order]])
