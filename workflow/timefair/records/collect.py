"""Collects many record files into one file per algorithm. A file is complete or not written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from timefair.basics.errors import InputError
from timefair.records import integrity, store
from timefair.records.consistency import contradictions
from timefair.records.integrity import CONSENT, RUN_KEY, Origins, Place, RunKey, run_name
from timefair.records.schema import BY_PLACE, PUBLISHED
from timefair.records.store import MEND, Record, journal_path

_SHOWN = 3
_SAME = ("algorithm", "function", "dimension", "round")
_CLOCK_S = 1e-9  # a budget is rounded to whole nanoseconds


def collect(
    label: str,
    records: Mapping[Path, Place],
    expected: set[RunKey],
    output: Path,
    *,
    allow_mixed: bool = False,
) -> None:
    """Write the runs of all records of an algorithm, by path and its `Place`, to `output`.

    The new file names the records of which it is made. Their journals are deleted. `expected` are
    the runs that should be there; `allow_mixed`: whether machines, software, code or configurations
    may differ. `InputError`, with one line per fault, if a file is not a record or does not belong
    to its path, if a run is missing, duplicate, unexpected or contradictory, or if the records are
    mixed.
    """
    origins = Origins()
    facts: dict[str, Any] = {"algorithm": label, "records": []}
    facts |= {"collected": vars(origins), **{name: [] for name in BY_PLACE}}

    def checked() -> Iterator[pa.RecordBatch]:
        """The runs of all records; after the last one, `InputError` with all faults, if any."""
        seen: set[RunKey] = set()
        faults: list[str] = []
        for path, place in records.items():
            try:
                record = store.open_record(path)
                origins.add(record.facts)
                for name in BY_PLACE:
                    facts[name] += record.facts.get(name, [])
                where, measured = os.path.relpath(path, output.parent), record.facts.get("key")
                source = {"path": where, "key": measured, "checksum": record.checksum}
                facts["records"].append(source)
                for runs in checked_parts(record, place, seen):
                    origins.started(record.facts, runs)
                    yield from runs.to_batches()
            except InputError as error:
                faults += error.faults
        if not faults and not allow_mixed:
            faults += [f"{clause}; {CONSENT}" for clause in integrity.mixed({label: origins})]
        if not faults:
            unmeasured = expected - seen
            faults += _lines(
                "missing", unmeasured - integrity.spared(unmeasured, seen, facts["stopping"])
            )
            faults += _lines("not part of the campaign", seen - expected)
        if faults:
            raise InputError(*faults)

    store.write_record(output, checked(), facts)
    for path in records:
        journal_path(path).unlink(missing_ok=True)


def checked_parts(record: Record, place: Place | None, seen: set[RunKey]) -> Iterator[pa.Table]:
    """The runs of a record, part by part; their keys are added to those that were `seen`.

    `InputError` if they are not those of the place, have another budget, contradict themselves, or
    were seen before.
    """

    def refuse(clause: str) -> None:
        raise InputError(f"{record.path}: {clause}; {MEND}")

    key, wrong_name = str(record.facts.get("key")), "not the record of this name"
    if place is not None and not key.startswith(place.key):
        refuse(f"{wrong_name}: its key is {key[: len(place.key)]}")
    asked_s = (record.facts.get("campaign") or {}).get("budget", {}).get("time_s")
    for runs in record.row_groups():
        rows = runs.select(("algorithm", "round", "budget_s", *RUN_KEY)).to_pylist()
        for row in rows:
            if place is not None and (
                row["instance"] not in place.instances
                or any(row[name] != getattr(place, name) for name in _SAME)
            ):
                found = f"f{row['function']} D={row['dimension']} instance {row['instance']}"
                refuse(f"{wrong_name}: it holds {found} of {row['algorithm']} in round "
                       f"{row['round']}")  # fmt: skip
            budget_s = row["budget_s"]
            if None not in (asked_s, budget_s) and abs(budget_s - asked_s) > _CLOCK_S:
                refuse(
                    f"it holds a run with T = {budget_s:g} s, and its campaign has {asked_s:g} s"
                )
        if lines := list(contradictions(runs, published=PUBLISHED in record.facts)):
            raise InputError(*(f"{record.path}: {line}; {MEND}" for line in lines))
        for row in rows:
            function, dimension, instance, run = (row[name] for name in RUN_KEY)
            if (one := (function, dimension, instance, run)) in seen:
                refuse(f"{run_name(one)} is there twice")
            seen.add(one)
        yield runs


def _lines(what: str, keys: set[RunKey]) -> list[str]:
    shown = [f"{run_name(key)}: {what}" for key in sorted(keys)[:_SHOWN]]
    return [*shown, f"and {len(keys) - _SHOWN} more runs: {what}"] if len(keys) > _SHOWN else shown
