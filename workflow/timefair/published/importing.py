"""Writes the runs of one algorithm from published data to a record file, without times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pyarrow as pa

from timefair.basics.errors import InputError
from timefair.published import coco, ioh
from timefair.published.archive import Folder, digest, unpacked
from timefair.published.batches import batch
from timefair.published.cautions import Cautions
from timefair.published.choice import one_algorithm, one_suite
from timefair.published.runs import DataSet, PublishedRun, content
from timefair.records.schema import PUBLISHED
from timefair.records.store import write_record

Format = Literal["coco", "ioh"]

READERS: dict[Format, Callable[[Folder, Cautions], list[DataSet]]] = {
    "coco": coco.data_sets,
    "ioh": ioh.data_sets,
}
INDEX = {"coco": "no .info file", "ioh": "no .json or .info file"}

READING = {
    "bbob-noisy": "precisions are those of f without noise",
    "bbob-constrained": "evaluations of f and of the constraints are summed",
    "bbob-biobj": "precisions are distances of the hypervolume indicator from COCO's reference "
    "value, and 0 beyond it",
}
"""Meaning of the data of some COCO suites, by the beginning of the suite's name."""

NOT_COMPARABLE = {"bbob-noisy": "have no noise in their values, while records do"}
"""COCO suites whose data differ in meaning from the records of a campaign."""


@dataclass(frozen=True)
class WantedProblems:
    """The problems of a campaign."""

    suite: str
    functions: Collection[int]
    dimensions: Collection[int]
    instances: Collection[int]

    @property
    def problems(self) -> int:
        """The number of problems."""
        return len(self.functions) * len(self.dimensions) * len(self.instances)


@dataclass
class Imported:
    """A summary of what was imported."""

    algorithm: str
    suite: str
    runs: Counter[tuple[int, int, int]] = field(default_factory=Counter)
    """Number of runs per (function, dimension, instance)."""
    cautions: list[str] = field(default_factory=list)
    """Tolerated defects of the data, one line per kind."""

    def lacking(self, wanted: WantedProblems) -> list[str]:
        """What the data lack of a campaign's problems, such as ``no functions 6``."""
        kinds = ("functions", "dimensions", "instances")
        there = {kind: {key[k] for key in self.runs} for k, kind in enumerate(kinds)}
        clauses = []
        for kind in kinds:
            if absent := sorted(set(getattr(wanted, kind)) - there[kind]):
                clauses.append(f"no {kind} {', '.join(map(str, absent))}")
        return clauses


def import_data(
    path: Path, format: Format, output: Path, *, algorithm: str | None = None,
    label: str | None = None, wanted: WantedProblems | None = None,
) -> Imported:  # fmt: skip
    """Write the runs of one algorithm from published data to a record file.

    A COCO trial is a run. Runs on the same instance are numbered from 0 in the order of the data.

    Parameters
    ----------
    path : Path
        A folder or an archive.
    format : {"coco", "ioh"}
        Format of the data.
    output : Path
        The Parquet file to write.
    algorithm : str, optional
        Name of the algorithm in the data. Needed if the data contain several.
    label : str, optional
        Label of the algorithm in the record; by default its name in the data.
    wanted : WantedProblems, optional
        The problems to import; by default all.

    Returns
    -------
    Imported
        Name, suite, number of runs per problem, and cautions.

    Raises
    ------
    InputError
        If the path has no data of this format, no run on a wanted problem, several algorithms or
        suites, another suite than `wanted`, or damaged files. Nothing is written then.
    """
    cautions = Cautions()
    with unpacked(path) as folder:
        try:
            sets = READERS[format](folder, cautions)
            if not sets:
                raise InputError(_nothing(format, cautions))
            name, sets = one_algorithm(sets, algorithm, cautions)
            suite, sets = one_suite(sets, wanted.suite if wanted else None)
            found = Imported(name, suite)
            _check_suite(found.suite, format, wanted, cautions)
            label = label or found.algorithm
            batches = list(_batches(sets, found, label, wanted, cautions))
            if not found.runs:
                none = "no run on a problem of the campaign" if wanted else "no run"
                raise InputError("; ".join([none, *cautions.lines[:1]]))
        except InputError as error:
            raise InputError(*(f"{path}: {fault}" for fault in error.faults)) from None
    found.cautions = cautions.lines
    source = {
        "format": format,
        "path": str(path),
        "algorithm": found.algorithm,
        "sha256": digest(path),
        "cautions": found.cautions,
    }
    write_record(output, batches, {"algorithm": label, PUBLISHED: source})
    return found


def _nothing(format: Format, cautions: Cautions) -> str:
    reason = next(iter(cautions.lines), INDEX[format])
    return f"{reason}: not data of this format" if reason == INDEX[format] else reason


def _check_suite(
    suite: str, format: Format, wanted: WantedProblems | None, cautions: Cautions
) -> None:
    if wanted is not None and suite != wanted.suite:
        raise InputError(f"data of the suite {suite!r}, but the campaign uses {wanted.suite!r}")
    if format != "coco":
        return
    if wanted is not None and suite in NOT_COMPARABLE:
        raise InputError(f"data of {suite} {NOT_COMPARABLE[suite]}: they are not comparable")
    for beginning, meaning in READING.items():
        if suite.startswith(beginning):
            cautions.add("", f"{suite}: {meaning}")


def _batches(
    sets: list[DataSet],
    found: Imported,
    label: str,
    wanted: WantedProblems | None,
    cautions: Cautions,
) -> Iterator[pa.RecordBatch]:
    seen: set[tuple[int, int, bytes]] = set()
    for one in sets:
        if wanted is not None and not (
            one.function in wanted.functions and one.dimension in wanted.dimensions
        ):
            continue
        runs = one.read()
        key = (one.function, one.dimension, content(runs))
        if runs and key in seen:
            cautions.add(one.index, "same runs as in another file; skipped")
            continue
        seen.add(key)
        runs = [run for run in runs if wanted is None or run.instance in wanted.instances]
        if runs:
            numbers = list(_numbers(found.runs, one, runs))
            yield batch(one, runs, numbers, suite=found.suite, label=label)


def _numbers(
    counts: Counter[tuple[int, int, int]], one: DataSet, runs: list[PublishedRun]
) -> Iterator[int]:
    """Number each run within its problem and add it to the counts."""
    for run in runs:
        key = (one.function, one.dimension, run.instance)
        yield counts[key]
        counts[key] += 1
