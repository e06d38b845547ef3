"""Trials of published data as rows of a record."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from timefair.published.runs import DataSet, PublishedRun
from timefair.records.schema import EVENT, RUN_SCHEMA


def batch(
    one: DataSet, trials: list[PublishedRun], numbers: list[int], *, suite: str, label: str
) -> pa.RecordBatch:
    """The runs of a data set, null wherever published data do not say."""
    best = np.array([min(trial.precision, default=np.inf) for trial in trials])
    f_opt = np.array([trial.f_opt for trial in trials])
    count = len(trials)
    known: dict[str, Any] = {
        "suite": [suite] * count,
        "function": [one.function] * count,
        "dimension": [one.dimension] * count,
        "instance": [trial.instance for trial in trials],
        "algorithm": [label] * count,
        "run": numbers,
        "f_opt": f_opt,
        "evaluations": [trial.all_evaluations for trial in trials],
        "best_f": f_opt + best,
        "best_precision": best,
        "events": _events(trials),
    }
    columns = {
        column.name: known.get(column.name, pa.nulls(count, column.type)) for column in RUN_SCHEMA
    }
    return pa.RecordBatch.from_pydict(columns, schema=RUN_SCHEMA)


def _events(trials: list[PublishedRun]) -> pa.ListArray:
    lengths = [trial.evaluations.size for trial in trials]
    known = {
        "evaluations": np.concatenate([np.empty(0, np.int64), *(t.evaluations for t in trials)]),
        "precision": np.concatenate([np.empty(0), *(t.precision for t in trials)]),
    }
    fields = [
        pa.array(known[f.name], f.type) if f.name in known else pa.nulls(sum(lengths), f.type)
        for f in EVENT
    ]
    structs = pa.StructArray.from_arrays(fields, fields=list(EVENT))
    offsets = pa.array(np.cumsum([0, *lengths]), pa.int32())
    return pa.ListArray.from_arrays(offsets, structs, type=RUN_SCHEMA.field("events").type)
