"""Collects many record files into one file per algorithm. A file is complete or not written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from timefair.basics.errors import InputError
from timefair.records.blocks import NODES, node_of
from timefair.records.consistency import another_budget, contradictions
from timefair.records.integrity import (
    CONSENT,
    RUN_KEY,
    Origins,
    Place,
    RunKey,
    misplaced,
    mixed,
    run_name,
    spared,
)
from timefair.records.journal import journal_path
from timefair.records.store import MEND, open_record, write_record

_PLACED = ("algorithm", "round", "budget_s", *RUN_KEY)
_SHOWN = 3


def collect(
    label: str,
    records: Mapping[Path, Place],
    expected: set[RunKey],
    output: Path,
    *,
    allow_mixed: bool = False,
) -> None:
    """Write the runs of all records of an algorithm to `output`, with only a part of a file in
    memory.

    The new file names the records of which it is made. Their journals are deleted, because the runs
    are now in two other places.

    Parameters
    ----------
    records
        The path of each record, and the `Place` that the path states.
    expected
        The runs that should be there.
    allow_mixed
        Whether the records may come from different machines, software, code or configurations.

    Raises
    ------
    InputError
        If a file is not a record or does not belong to its path; if a run is missing, duplicate,
        unexpected or contradictory; or if the records are mixed. There is one line per fault.
    """
    facts, origins = _facts(label, records, output.parent)
    if not allow_mixed and (clauses := mixed({label: origins})):
        raise InputError(*(f"{clause}; {CONSENT}" for clause in clauses))
    write_record(output, _checked(records, expected, facts["stopping"], origins), facts)
    for path in records:
        journal_path(path).unlink(missing_ok=True)


def _facts(label: str, records: Mapping[Path, Place], base: Path) -> tuple[dict[str, Any], Origins]:
    """The facts of the collected file, and the origins of its runs.

    The facts are the different campaigns, keys, code digests and machines that the records name;
    the records, with paths relative to `base`; the decisions of a stopping rule on each problem;
    and the nodes of blocks.
    """
    origins, sources, decided, nodes = Origins(), [], [], []
    faults: list[str] = []
    for path, place in records.items():
        try:
            record = open_record(path)
        except InputError as error:
            faults += error.faults
            continue
        origins.add(record.facts)
        decided += record.facts.get("stopping", [])
        if (node := node_of(record.facts, place)) is not None:
            nodes.append(node)
        sources.append(
            {
                "path": os.path.relpath(path, base),
                "key": record.facts.get("key"),
                "checksum": record.checksum,
            }
        )
    if faults:
        raise InputError(*faults)
    facts = {
        "algorithm": label,
        "collected": vars(origins),
        "records": sources,
        "stopping": decided,
        NODES: nodes,
    }
    return facts, origins


def _checked(
    records: Mapping[Path, Place],
    expected: set[RunKey],
    decided: list[dict[str, Any]],
    origins: Origins,
) -> Iterator[pa.RecordBatch]:
    """The runs of all records; after the last one, `InputError` with all faults, if any. The times
    at which they started are added to the origins.
    """
    seen: set[RunKey] = set()
    faults: list[str] = []
    for path, place in records.items():
        try:
            record = open_record(path)
            for runs in record.row_groups():
                rows = runs.select(_PLACED).to_pylist()
                origins.started(record.facts, runs["started_utc"].to_pylist())
                if clause := misplaced(place, record.facts, rows):
                    raise InputError(f"{path}: not the record of this name: {clause}; {MEND}")
                if clause := another_budget(record.facts, rows):
                    raise InputError(f"{path}: {clause}; {MEND}")
                for row in rows:
                    key = tuple(row[name] for name in RUN_KEY)
                    if key in seen:
                        faults.append(f"{path}: {run_name(key)} is there twice")
                    seen.add(key)
                faults += [f"{path}: {line}; {MEND}" for line in contradictions(runs)]
                yield from runs.to_batches()
        except InputError as error:
            faults += error.faults
    if not faults:
        unmeasured = expected - seen
        faults += _lines("missing", unmeasured - spared(unmeasured, seen, decided))
        faults += _lines("not part of the campaign", seen - expected)
    if faults:
        raise InputError(*faults)


def _lines(what: str, keys: set[RunKey]) -> list[str]:
    shown = [f"{run_name(key)}: {what}" for key in sorted(keys)[:_SHOWN]]
    return [*shown, f"and {len(keys) - _SHOWN} more runs: {what}"] if len(keys) > _SHOWN else shown
