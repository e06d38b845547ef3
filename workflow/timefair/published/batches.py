"""Converts published runs to rows of a record."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from timefair.published.runs import DataSet, PublishedRun, Timed
from timefair.records.schema import EVENT, RUN_SCHEMA
from timefair.records.status import Perturbation


def batch(
    one: DataSet, runs: list[PublishedRun], numbers: list[int], *, suite: str, label: str
) -> pa.RecordBatch:
    """One row per run of a data set; columns that the data lack are null.

    Parameters
    ----------
    one : DataSet
        Gives function and dimension.
    runs : list of PublishedRun
        The runs: all with times, or all without.
    numbers : list of int, same length
        The number of each run in its cell.
    suite, label : str
        Name of the suite and label of the algorithm.

    Returns
    -------
    RecordBatch
        With `RUN_SCHEMA`. ``best_precision`` is inf for a run without events.
    """
    best = np.array([min(run.precision, default=np.inf) for run in runs])
    f_opt = [run.f_opt for run in runs]
    count = len(runs)
    known: dict[str, Any] = {
        "suite": [suite] * count,
        "function": [one.function] * count,
        "dimension": [one.dimension] * count,
        "instance": [run.instance for run in runs],
        "algorithm": [label] * count,
        "run": numbers,
        "f_opt": f_opt,
        "evaluations": [run.all_evaluations for run in runs],
        "best_f": [(run.f_opt or 0.0) + end for run, end in zip(runs, best, strict=True)],
        "best_precision": best,
        "events": _events(runs),
    }
    if timed := [run.timed for run in runs if run.timed is not None]:
        known |= _timed(timed)
    columns = {
        column.name: known.get(column.name, pa.nulls(count, column.type)) for column in RUN_SCHEMA
    }
    return pa.RecordBatch.from_pydict(columns, schema=RUN_SCHEMA)


def _timed(runs: list[Timed]) -> dict[str, Any]:
    """The columns that only runs with times have."""
    return {
        "wall_s": [run.end_s for run in runs],
        "best_f": [run.best_f for run in runs],
        "status": [run.status for run in runs],
        "stop_reason": [run.stop_reason for run in runs],
        "perturbation": [Perturbation.UNKNOWN] * len(runs),
        "budget_s": [run.budget_s for run in runs],
        "budget_evaluations": [run.budget_evaluations for run in runs],
    }


def _events(runs: list[PublishedRun]) -> pa.ListArray:
    lengths = [run.evaluations.size for run in runs]
    known = {
        "evaluations": np.concatenate([np.empty(0, np.int64), *(run.evaluations for run in runs)]),
        "precision": np.concatenate([np.empty(0), *(run.precision for run in runs)]),
    }
    if timed := [run.timed.time_s for run in runs if run.timed is not None]:
        known["time_s"] = np.concatenate(timed)
    fields = [
        pa.array(known[f.name], f.type) if f.name in known else pa.nulls(sum(lengths), f.type)
        for f in EVENT
    ]
    structs = pa.StructArray.from_arrays(fields, fields=list(EVENT))
    offsets = pa.array(np.cumsum([0, *lengths]), pa.int32())
    return pa.ListArray.from_arrays(offsets, structs, type=RUN_SCHEMA.field("events").type)
