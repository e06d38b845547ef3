"""Reads the runs of a campaign of timefair, from its folder or an archive of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timefair.io.archive import Folder
from timefair.io.common import Cautions, DataSet, PublishedRun, Timed
from timefair.records.integrity import Origins, machine_kinds
from timefair.records.status import Status, StopReason
from timefair.records.store import open_record

NO_KERNELS = "no reference kernels of one machine: seconds are not compared, evaluations are"
COLLECTED = "collected"
"""The folder of a campaign with one record per algorithm."""
KEYS = ("algorithm", "suite", "function", "dimension")
TIMES = (
    "wall_s", "cpu_s", "charged_s", "best_f", "status", "stop_reason", "budget_s",
    "budget_evaluations",
)  # fmt: skip
READ = (*KEYS, "instance", "f_opt", "evaluations", "events", *TIMES)


def timefair_data_sets(folder: Folder, cautions: Cautions) -> list[DataSet]:
    """The runs of all collected records; with times if these have times of reference kernels."""
    found = []
    for path in folder.indices(".parquet"):
        folder.beside(path, path.name)  # tables and single records are not left out by mistake
        if path.parent.name == COLLECTED:
            record = open_record(path)
            table, bridge = record.read().select(READ), _bridge(record.facts)
            if bridge is None:
                cautions.add(path, NO_KERNELS)
            cautions.rows[path] = len(table)
            keys = table.select(KEYS).group_by(KEYS).aggregate([]).to_pylist()
            found += [_data_set(table, key, folder.place(path), bridge) for key in keys]
    return found


def _bridge(facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fact `BRIDGE` of runs of one machine; None without kernels, or of several machines."""
    origins = Origins()
    origins.add(facts)
    machines, campaigns = machine_kinds([origins]), filter(None, origins.campaign)
    if not origins.kernels or len(machines) > 1:
        return None
    on_cpu = any(campaign["budget"].get("cpu_s") for campaign in campaigns)
    return {
        "machine": str(*machines),
        "clock": "cpu" if on_cpu else "wall",
        "implementation": origins.kernels[0]["implementation"],
        "kernels": origins.kernels,
    }


def _data_set(
    table: pa.Table, key: dict[str, Any], index: Path, bridge: Mapping[str, Any] | None
) -> DataSet:
    for name in KEYS:
        table = table.filter(pc.equal(table[name], key[name]))
    read = partial(_runs, table, timed=bridge is not None)
    return DataSet(**key, read=read, index=index, bridge=bridge)


def _runs(table: pa.Table, *, timed: bool) -> list[PublishedRun]:
    return [_run(row, timed=timed) for row in table.to_pylist()]


def _run(row: Mapping[str, Any], *, timed: bool) -> PublishedRun:
    events = row["events"]
    if not timed:
        return PublishedRun.of_lines(
            row["instance"],
            row["f_opt"],
            [event["evaluations"] for event in events],
            [event["precision"] for event in events],
            row["evaluations"],
        )
    cost_s = (row["charged_s"] or 0.0) / max(row["evaluations"], 1)
    return PublishedRun(
        row["instance"],
        row["f_opt"],
        np.array([event["evaluations"] for event in events], np.int64),
        np.array([event["precision"] for event in events], np.float64),
        row["evaluations"],
        Timed(
            np.array([event["time_s"] for event in events], np.float64),
            end_s=row["wall_s"],
            best_f=row["best_f"],
            status=Status(row["status"]),
            stop_reason=StopReason(row["stop_reason"]),
            budget_s=row["budget_s"],
            budget_evaluations=row["budget_evaluations"],
            cpu_s=row["cpu_s"],
            cost_s=cost_s or None,
        ),
    )
