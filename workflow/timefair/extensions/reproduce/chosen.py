"""Recorded runs with the facts of their measurement: one of a record, or a random sample."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from math import ceil
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timefair.basics.errors import InputError
from timefair.basics.sections import format_ranges
from timefair.campaign import collected, configuration, plan
from timefair.campaign.plan import Job
from timefair.records.integrity import RUN_KEY, run_name
from timefair.records.schema import PUBLISHED
from timefair.records.status import Status
from timefair.records.store import MEND, Record, open_record

LOST = (Status.KILLED, Status.INCONSISTENT)
"""Statuses of runs without a result that could be compared."""

_CELL = ("function", "dimension")
_ORIGINS = ("campaign", "code", "machine")


@dataclass(frozen=True)
class RecordedRun:
    """A run from its record.

    - `row`: the columns of `records.schema`.
    - `instances`: the instances of this function and dimension in the record, ascending.
    - `campaign`, `code`, `machine`: the configuration, the code digest, facts of the machine.
    - `keys`: the possible measure keys of the run: one, or those of all collected records.
    - `length`: what its schedule gave to the algorithm; None without one.
    """

    path: Path
    row: Mapping[str, Any]
    instances: tuple[int, ...]
    campaign: Mapping[str, Any]
    code: str
    machine: Mapping[str, Any]
    keys: tuple[str, ...]
    schema_version: int
    length: int | None = None

    @property
    def label(self) -> str:
        """The label of its algorithm."""
        return str(self.row["algorithm"])

    @property
    def threads(self) -> int:
        """The threads of its algorithm; `InputError` if the record's campaign lacks it."""
        spec = self.campaign.get("algorithms", {}).get(self.label)
        if spec is None:
            raise InputError(f"{self.path}: its campaign has no algorithm {self.label!r}; {MEND}")
        return int(spec.get("threads", 1))

    @property
    def job(self) -> Job:
        """The job that measured it; of a collected file, one with all its instances."""
        row = self.row
        return Job(self.label, row["function"], row["dimension"], self.instances, row["round"])

    def __str__(self) -> str:
        return f"{run_name(tuple(self.row[name] for name in RUN_KEY))} of {self.label}"


def chosen_run(path: Path, wanted: Mapping[str, int | None]) -> RecordedRun:
    """Read one run of a record or of a collected file, with all checksums.

    - `wanted`: the ``function``, ``dimension``, ``instance`` and ``run``; None for any, where there
      is only one.
    `InputError` if the file is damaged or does not contain measured runs, if no run or more than
    one matches, or if the record has no data of the run.
    """
    record = open_record(path)
    if PUBLISHED in record.facts:
        raise InputError(f"{path}: holds published data; only measured runs can be replayed")
    if "trace" in record.facts.get("tuning", {}):
        raise InputError(
            f"{path}: is the record of a search for parameters; name a record of the comparison"
        )
    origin = _origin(record)
    given = {name: number for name, number in wanted.items() if number is not None}
    instances: set[int] = set()
    places: dict[str, set[int]] = {name: set() for name in RUN_KEY}
    rows: list[dict[str, Any]] = []
    for part in record.row_groups():
        for name in RUN_KEY:
            places[name].update(part[name].to_pylist())
        rows += _with(part, given).slice(0, 2).to_pylist()
        cell = {name: number for name, number in given.items() if name in _CELL}
        instances.update(_with(part, cell)["instance"].to_pylist())
    _refuse_all_but_one(path, rows, given, places)
    (row,) = rows
    if row["status"] in LOST:
        raise InputError(f"{path}: the status of this run is {row['status']}; choose another run")
    for one in record.facts.get("schedule", []):
        if all(one[name] == row[name] for name in one.keys() & row.keys()):
            origin["length"] = one["length"]
    return RecordedRun(path, row, tuple(sorted(instances)), **origin)


def _origin(record: Record) -> dict[str, Any]:
    facts, path = record.facts, record.path
    version = {"schema_version": facts["schema_version"]}
    if "collected" not in facts:
        if lacking := [name for name in (*_ORIGINS, "key") if facts.get(name) is None]:
            raise InputError(f"{path}: its metadata have no {lacking[0]}; it cannot be replayed")
        return {name: facts[name] for name in _ORIGINS} | {"keys": (facts["key"],)} | version
    collected = facts["collected"]
    if name := differing_origin(record):
        folder = os.path.commonpath([source.parent for source in joined_records(record)])
        raise InputError(
            f"{path}: joins records that differ in {name}; name the record of the run, in {folder}"
        )
    keys = tuple(collected["key"])
    return {name: collected[name][0] for name in _ORIGINS} | {"keys": keys} | version


def differing_origin(record: Record) -> str:
    """The first of campaign, code and machine in which the records of a collected file differ.

    Empty if they are the same, and for a record.
    """
    collected = record.facts.get("collected")
    if not collected:
        return ""
    differing = (n for n in _ORIGINS if len(collected[n]) != 1 or collected[n][0] is None)
    return next(differing, "")


def joined_records(record: Record) -> list[Path]:
    """The former folder of the records of a collected file; empty for a record."""
    sources = record.facts.get("records", [])
    return [Path(os.path.normpath(record.path.parent / source["path"])) for source in sources]


def _with(runs: pa.Table, given: Mapping[str, int]) -> pa.Table:
    for name, number in given.items():
        runs = runs.filter(pc.equal(runs[name], number))
    return runs


def _refuse_all_but_one(
    path: Path,
    rows: list[dict[str, Any]],
    given: Mapping[str, int],
    places: Mapping[str, set[int]],
) -> None:
    if len(rows) == 1:
        return
    for name, number in given.items():
        if number not in places[name]:
            known = format_ranges(places[name]) or "none"
            raise InputError(f"--{name}: {number} is not in {path}; it has {known}")
    if not rows:
        raise InputError(f"{path}: has no such run; runs of this problem may have ended earlier")
    open_names = [name for name in RUN_KEY if name not in given and len(places[name]) > 1]
    if not open_names:
        raise InputError(f"{path}: has this run twice; {MEND}")
    choices = [f"--{name} ({format_ranges(places[name])})" for name in open_names]
    raise InputError(f"{path}: has several such runs; choose one by {' '.join(choices)}")


class RunPlace(NamedTuple):
    """The file in which a run is recorded, and its function, dimension, instance and number."""

    path: Path
    function: int
    dimension: int
    instance: int
    run: int

    def read(self) -> RecordedRun:
        """The run, with the facts of its record."""
        numbers = self._asdict()
        return chosen_run(numbers.pop("path"), numbers)


class Stratum(NamedTuple):
    """The runs of one algorithm.

    - `runs`: all runs with a result.
    - `lost`: number of runs without a result in the record; they are not replayed.
    - `sampled`: the chosen ones among `runs`, in the same order.
    """

    label: str
    runs: int
    lost: int
    sampled: tuple[RunPlace, ...]


def sample(folder: Path, share: float, rng: np.random.Generator) -> list[Stratum]:
    """Choose runs at random, the same share of each algorithm, at least one.

    - `folder`: ``results/NAME``. The collected files of the campaign's algorithms count, or its
      planned records if nothing was collected. In place of a collected file that joins records of
      several campaigns, code versions or machines, these records count, if all of them are still
      there.
    - `share`: share of the runs, in (0, 1].
    `InputError` if there is no record, a record is damaged, or no run can be replayed.
    """
    runs: dict[str, list[RunPlace]] = {}
    lost: Counter[str] = Counter()
    for label, status, place in chain.from_iterable(map(_runs, _files(folder))):
        if status in LOST:
            lost[label] += 1
        else:
            runs.setdefault(label, []).append(place)
    if not runs:
        raise InputError(f"{folder}: has no measured runs that can be replayed")
    found = []
    for label, places in sorted(runs.items()):
        size = min(ceil(share * len(places)), len(places))
        chosen = sorted(rng.choice(len(places), size, replace=False))
        found.append(Stratum(label, len(places), lost[label], tuple(places[k] for k in chosen)))
    return found


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder; name results/NAME")
    snapshot, planned = folder / plan.SNAPSHOT, None
    campaign = configuration.restore(snapshot) if snapshot.exists() else None
    if files := sorted((folder / collected.ROOM).rglob("*.parquet")):
        return files if campaign is None else collected.chosen(files, campaign, folder)
    files = sorted((folder / "records").rglob("*.parquet"))
    if campaign is not None:
        planned = collected.planned_records(campaign, folder)
    if planned is not None:
        wanted = set[PurePosixPath]().union(*planned.values())
        files = [path for path in files if collected.relative(path) in wanted]
    if not files:
        raise InputError(f"{folder}: contains no records; name results/NAME")
    return files


def _runs(path: Path) -> Iterator[tuple[str, str, RunPlace]]:
    record = open_record(path)
    if PUBLISHED in record.facts:
        return
    joined = joined_records(record) if differing_origin(record) else []
    if joined and all(one.is_file() for one in joined):
        for one in joined:
            yield from _runs(one)
        return
    for part in record.row_groups(("algorithm", "status", *RUN_KEY)):
        for row in part.to_pylist():
            place = RunPlace(path, **{name: row[name] for name in RUN_KEY})
            yield row["algorithm"], row["status"], place
