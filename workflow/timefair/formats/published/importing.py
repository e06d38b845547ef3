"""Published data as a record file: the runs of one algorithm, without times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from timefair.errors import InputError
from timefair.formats.published import coco, ioh
from timefair.formats.published.places import digest, unpacked
from timefair.formats.published.trials import DataSet, Trial
from timefair.records.published import PUBLISHED
from timefair.records.schema import EVENT, RUN_SCHEMA
from timefair.records.store import write_record

Format = Literal["coco", "ioh"]

READERS: dict[Format, Callable[[Path], list[DataSet]]] = {
    "coco": coco.data_sets,
    "ioh": ioh.data_sets,
}
INDEX = {"coco": ".info", "ioh": ".json"}
UNNAMED = "bbob"
"""The suite of data that do not name theirs."""

INCOMPARABLE = {
    "bbob-noisy": "have values without noise, and records those with it",
    "bbob-constrained": "have evaluations of constraints, and records have none",
}
"""Suites of COCO whose data say something else than a record does."""


@dataclass(frozen=True)
class Wanted:
    """What a campaign has use for."""

    suite: str
    functions: Collection[int]
    dimensions: Collection[int]
    instances: Collection[int]

    @property
    def problems(self) -> int:
        """How many there are."""
        return len(self.functions) * len(self.dimensions) * len(self.instances)


@dataclass
class Found:
    """What was taken from published data."""

    algorithm: str
    suite: str
    runs: Counter[tuple[int, int, int]] = field(default_factory=Counter)
    """How many runs there are of each (function, dimension, instance)."""

    def lacking(self, wanted: Wanted) -> list[str]:
        """What a campaign wants and the data do not have, a clause each."""
        kinds = ("functions", "dimensions", "instances")
        there = {kind: {key[k] for key in self.runs} for k, kind in enumerate(kinds)}
        clauses = []
        for kind in kinds:
            if absent := sorted(set(getattr(wanted, kind)) - there[kind]):
                clauses.append(f"no {kind} {', '.join(map(str, absent))}")
        return clauses


def import_data(
    path: Path, format: Format, output: Path, *, label: str | None = None,
    wanted: Wanted | None = None,
) -> Found:  # fmt: skip
    """Write the runs of the one algorithm that published data are of as a record file.

    A trial is a run; those of the same instance are numbered from 0 in the order of the data.

    Parameters
    ----------
    path
        A folder or an archive.
    format
        Whose data they are.
    output
        The Parquet file.
    label
        What the algorithm is called; by default as in the data.
    wanted
        What is taken; by default everything.

    Raises
    ------
    InputError
        If nothing is found or wanted, the data are of several algorithms or suites, or of another
        suite than the wanted one, or are damaged.
    """
    with unpacked(path) as folder:
        try:
            sets = READERS[format](folder)
            if not sets:
                raise InputError(f"no {INDEX[format]} file: not data of this format")
            found = Found(_sole(sets, "algorithm"), _suite(sets))
            _refuse_suite(found.suite, format, wanted)
            label = label or found.algorithm
            batches = list(_batches(sets, found, label, wanted))
            if not found.runs:
                raise InputError("no run on a problem of the campaign")
        except InputError as error:
            raise InputError(*(f"{path}: {fault}" for fault in error.faults)) from None
    source = {"format": format, "path": str(path), "algorithm": found.algorithm}
    source["sha256"] = digest(path)
    write_record(output, batches, {"algorithm": label, PUBLISHED: source})
    return found


def _sole(sets: list[DataSet], attribute: str) -> str:
    values = sorted({str(getattr(one, attribute)) for one in sets})
    if len(values) > 1:
        shown = ", ".join(values[:8])
        raise InputError(f"data of {len(values)} {attribute}s ({shown}); give those of one")
    return values[0]


def _suite(sets: list[DataSet]) -> str:
    named = [one for one in sets if one.suite is not None]
    return _sole(named, "suite") if named else UNNAMED


def _refuse_suite(suite: str, format: Format, wanted: Wanted | None) -> None:
    if wanted is not None and suite != wanted.suite:
        raise InputError(f"data of the suite {suite!r}, and the campaign has {wanted.suite!r}")
    if format == "coco" and suite in INCOMPARABLE:
        raise InputError(f"data of {suite} {INCOMPARABLE[suite]}: they do not compare")


def _batches(
    sets: list[DataSet], found: Found, label: str, wanted: Wanted | None
) -> Iterator[pa.RecordBatch]:
    for one in sets:
        if wanted is None or (
            one.function in wanted.functions and one.dimension in wanted.dimensions
        ):
            trials = [
                trial
                for trial in one.read()
                if wanted is None or trial.instance in wanted.instances
            ]
            numbers = [_next(found.runs, (one.function, one.dimension, t.instance)) for t in trials]
            yield _batch(one, trials, numbers, suite=found.suite, label=label)


def _next(counter: Counter[tuple[int, int, int]], key: tuple[int, int, int]) -> int:
    counter[key] += 1
    return counter[key] - 1


def _batch(
    one: DataSet, trials: list[Trial], numbers: list[int], *, suite: str, label: str
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


def _events(trials: list[Trial]) -> pa.ListArray:
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
