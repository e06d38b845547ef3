"""Published data as a record file: the runs of one algorithm, without times."""

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

UNLIKE = {
    "bbob-noisy": "precisions are those of f without its noise",
    "bbob-constrained": "evaluations of f and of constraints are added",
    "bbob-biobj": "precisions are distances of the hypervolume indicator from COCO's reference, "
    "and 0 beyond it",
}
"""How the data of some suites of COCO are to be read; also of those whose names begin so."""

INCOMPARABLE = {"bbob-noisy": "have values without noise, and records those with it"}
"""Suites of COCO whose data say something else than a campaign's records do."""


@dataclass(frozen=True)
class WantedProblems:
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
class Imported:
    """What was taken from published data."""

    algorithm: str
    suite: str
    runs: Counter[tuple[int, int, int]] = field(default_factory=Counter)
    """How many runs there are of each (function, dimension, instance)."""
    cautions: list[str] = field(default_factory=list)
    """What is amiss with the data and was put up with, a line each."""

    def lacking(self, wanted: WantedProblems) -> list[str]:
        """What a campaign wants and the data do not have, a clause each."""
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
    algorithm
        Which one is taken of several, as the data call it.
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
    cautions = Cautions()
    with unpacked(path) as folder:
        try:
            sets = READERS[format](folder, cautions)
            if not sets:
                raise InputError(_nothing(format, cautions))
            name, sets = one_algorithm(sets, algorithm, cautions)
            suite, sets = one_suite(sets, wanted.suite if wanted else None)
            found = Imported(name, suite)
            _weigh_suite(found.suite, format, wanted, cautions)
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


def _weigh_suite(
    suite: str, format: Format, wanted: WantedProblems | None, cautions: Cautions
) -> None:
    if wanted is not None and suite != wanted.suite:
        raise InputError(f"data of the suite {suite!r}, and the campaign has {wanted.suite!r}")
    if format != "coco":
        return
    if wanted is not None and suite in INCOMPARABLE:
        raise InputError(f"data of {suite} {INCOMPARABLE[suite]}: they do not compare")
    for beginning, remark in UNLIKE.items():
        if suite.startswith(beginning):
            cautions.add("", f"{suite}: {remark}")


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
        trials = one.read()
        said = (one.function, one.dimension, content(trials))
        if trials and said in seen:
            cautions.add(one.index, "has the same trials as another file, and is left out")
            continue
        seen.add(said)
        trials = [t for t in trials if wanted is None or t.instance in wanted.instances]
        if trials:
            numbers = list(_numbers(found.runs, one, trials))
            yield batch(one, trials, numbers, suite=found.suite, label=label)


def _numbers(
    runs: Counter[tuple[int, int, int]], one: DataSet, trials: list[PublishedRun]
) -> Iterator[int]:
    """The numbers of these runs among all of their problem, which they are added to."""
    for trial in trials:
        key = (one.function, one.dimension, trial.instance)
        yield runs[key]
        runs[key] += 1
