"""What meters read beside the runs (`timefair.basics.extension`): a fact of their records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa

from timefair.records.schema import KEYS
from timefair.records.store import facts_of

READINGS = "readings"
"""Name of the fact: one row per job and instance, with ``runs`` and a list for each meter."""

PLACE = ("suite", "function", "dimension", "instance", "algorithm", "round")


def listed(done: Iterable[pa.RecordBatch]) -> list[dict[str, Any]]:
    """The fact of a record, from the runs of a journal; empty if no run was metered."""
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for batch in done:
        told = facts_of(batch.schema).get(READINGS)
        if told is not None:
            where = {key: batch.column(key)[0].as_py() for key in PLACE}
            row = rows.setdefault(tuple(where.values()), {**where, "runs": [], READINGS: {}})
            for name, value in told.items():
                of_runs = row[READINGS].setdefault(name, [None] * len(row["runs"]))
                of_runs.append(value)
            row["runs"].append(batch.column("run")[0].as_py())
            for of_runs in row[READINGS].values():
                of_runs += [None] * (len(row["runs"]) - len(of_runs))
    return list(rows.values())


def by_run(fact: Iterable[Mapping[str, Any]]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """The readings of each run by name, None for what was not available; by `schema.KEYS`."""
    return {
        (*(row[key] for key in KEYS[:-1]), run): told for row in fact for run, told in _each(row)
    }


def _each(row: Mapping[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    for place, run in enumerate(row["runs"]):
        yield run, {name: of_runs[place] for name, of_runs in row[READINGS].items()}
