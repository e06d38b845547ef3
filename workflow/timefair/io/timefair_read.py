"""Reads the runs of a campaign of timefair, from its folder or an archive of it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from timefair.io.archive import Folder
from timefair.io.common import Cautions, DataSet, PublishedRun
from timefair.records.store import open_record

COLLECTED = "collected"
"""The folder of a campaign with one record per algorithm."""
KEYS = ("algorithm", "suite", "function", "dimension")
READ = (*KEYS, "instance", "f_opt", "evaluations", "events")


def timefair_data_sets(folder: Folder, cautions: Cautions) -> list[DataSet]:
    """The runs of all collected records, without their times."""
    found = []
    for path in folder.indices(".parquet"):
        folder.beside(path, path.name)  # tables and single records are not left out by mistake
        if path.parent.name == COLLECTED:
            table = open_record(path).read().select(READ)
            cautions.rows[path] = len(table)
            keys = table.select(KEYS).group_by(KEYS).aggregate([]).to_pylist()
            found += [_data_set(table, key, folder.place(path)) for key in keys]
    return found


def _data_set(table: pa.Table, key: dict[str, Any], index: Path) -> DataSet:
    for name in KEYS:
        table = table.filter(pc.equal(table[name], key[name]))
    return DataSet(**key, read=partial(_runs, table), index=index)


def _runs(table: pa.Table) -> list[PublishedRun]:
    return [
        PublishedRun.of_lines(
            row["instance"],
            row["f_opt"],
            [event["evaluations"] for event in row["events"]],
            [event["precision"] for event in row["events"]],
            row["evaluations"],
        )
        for row in table.to_pylist()
    ]
