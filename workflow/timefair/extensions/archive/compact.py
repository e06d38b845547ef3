"""The runs of a campaign in a small part of their bytes, for an archive that has to be small.

`thinned` keeps the improvements that tables of targets, launches, final results and comparisons at
equal evaluations need, and the last one in each step of a grid over the budget.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path, PurePosixPath

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.campaign import plan
from timefair.campaign.configuration import Campaign
from timefair.extensions.archive.files import Member
from timefair.records.rundata.problems import ENDED_BY_BUDGET
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import open_record, write_record

RESOLUTION = 10
"""Steps of the grid for each factor e of evaluations and of seconds: a step is 10.5 %."""

FACT = "thinned"
"""The fact of a collected file whose runs are thinned: the targets and the resolution."""

LEFT_OUT = ("records", "tables", "figures", "report.html", "checklist.html")
"""What of ``results/NAME`` a compact archive lacks, except the sampled records."""

_EARLIEST_S = 1e-9
Problem = tuple[str | int, ...]  # suite, function and dimension

Equal = Mapping[Problem, NDArray[np.int64]]  # numbers of evaluations of each problem, ascending

_PROBLEM = ("suite", "function", "dimension")
_FIELDS = ("launch", "evaluations", "time_s", "precision")
_VERSION = "schema_version"


def compact_files(
    files: Iterable[Member], folder: Path, campaign: Campaign, within: str
) -> list[Member]:
    """The files of a campaign, ``results/NAME``, for a compact archive, among all that go `within`.

    `InputError` if tables do not depend on targets alone: if optima are unknown, or runs have
    noise, several objectives, constraints or problems that change.
    """
    files, kept = list(files), []
    equal = _equal_evaluations(
        folder / f"collected/{label}.parquet" for label in campaign.algorithms
    )
    sampled = _samples(files, within)
    final = campaign.budget.final_target
    targets = [*campaign.targets, *([] if final is None else [final])]
    for member in files:
        inner = PurePosixPath(member.path).relative_to(within)
        if inner.parts[0] == "collected":
            assert isinstance(member.content, Path)
            kept.append(Member(member.path, _compact(member.content, targets, equal)))
        elif inner.parts[0] not in LEFT_OUT or member.path in sampled:
            kept.append(member)
    return kept


def _samples(files: Iterable[Member], within: str) -> set[str]:
    """The smallest record of each algorithm in each dimension: the quickest to replay."""
    smallest: dict[tuple[str, int], tuple[int, str]] = {}
    for member in files:
        try:
            job = plan.Job.of_record(PurePosixPath(member.path).relative_to(within))
        except ValueError:
            continue
        cell, found = (job.algorithm, job.dimension), (member.size, member.path)
        smallest[cell] = min(found, smallest.get(cell, found))
    return {path for _, path in smallest.values()}


def _equal_evaluations(collected: Iterable[Path]) -> Equal:
    """At which numbers of evaluations tables compare the algorithms of each problem."""
    columns = (*_PROBLEM, "stop_reason", "evaluations")
    found: dict[Problem, set[int]] = defaultdict(set)
    most: dict[Problem, int] = defaultdict(int)
    for path in collected:
        least: dict[Problem, int] = {}
        for runs in open_record(path).row_groups(columns):
            for row in runs.to_pylist():
                problem, evaluations = tuple(row[name] for name in _PROBLEM), row["evaluations"]
                most[problem] = max(most[problem], evaluations)
                if row["stop_reason"] in ENDED_BY_BUDGET and evaluations > 0:
                    least[problem] = min(least.get(problem, evaluations), evaluations)
        for problem, evaluations in least.items():
            found[problem].add(evaluations)
    return {problem: np.array(sorted({*found[problem], most[problem]})) for problem in most}


def _compact(path: Path, targets: Sequence[float], equal: Equal) -> bytes:
    """A collected file with thinned runs; the facts say so."""
    record = open_record(path)
    facts = {name: fact for name, fact in record.facts.items() if name != _VERSION}
    facts[FACT] = {"targets": [*targets], "resolution": RESOLUTION}

    def batches() -> Iterator[pa.RecordBatch]:
        for runs in record.row_groups():
            if clause := _not_by_targets(runs):
                raise InputError(f"--compact: {path}: {clause}; export the complete archive")
            yield from thinned(runs, targets, equal).to_batches()

    with tempfile.TemporaryDirectory(prefix="timefair-compact-") as place:
        written = Path(place) / path.name
        write_record(written, batches(), facts)
        return written.read_bytes()


def _not_by_targets(runs: pa.Table) -> str:
    """Why the tables of runs do not depend on their first times at targets alone; empty if so."""
    if runs["f_opt"].null_count:
        return "the optima of some problems are unknown"
    if runs["noise_free_f"].null_count < len(runs):
        return "its runs are noisy"
    if len(runs["vectors"].drop_null()):
        return "its problems have several objectives or constraints, or change"
    return ""


def thinned(runs: pa.Table, targets: Sequence[float], equal: Equal) -> pa.Table:
    """Runs with the improvements that tables need.

    - `runs`: With the columns of `records.schema.RUN_SCHEMA` and known optima. Null and empty lists
      of improvements stay as they are.
    - `targets`: Precisions to reach; may be empty.
    - `equal`: For each problem, numbers of evaluations at which its runs are compared.
    """
    own, other = (_Events(runs[name]) for name in ("events", "launch_events"))
    first = _first_at_targets(own, other, np.sort(np.asarray(targets, dtype=float)))
    problems = zip(*(runs[name].to_pylist() for name in _PROBLEM), strict=True)
    points = [equal.get(problem, np.empty(0, dtype=np.int64)) for problem in problems]
    keep_own = first[: own.size] | own.ends() | own.steps() | own.latest(points)
    keep_other = first[own.size :]
    for name, events, keep in (("events", own, keep_own), ("launch_events", other, keep_other)):
        place = runs.schema.get_field_index(name)
        runs = runs.set_column(place, RUN_SCHEMA.field(name), events.where(keep))
    return runs


class _Events:
    """The improvements of some runs, one after the other."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        whole = column.combine_chunks()
        if isinstance(whole, pa.ChunkedArray):
            whole = pa.concat_arrays(whole.chunks)
        self._column, self._flat = whole, whole.flatten()
        lengths = whole.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        self.run = np.repeat(np.arange(len(whole)), lengths)
        self.size = len(self.run)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        values: NDArray[np.float64] = self._flat.field(name).to_numpy(zero_copy_only=False)
        return values

    def ends(self) -> NDArray[np.bool_]:
        """The first and the last of each run."""
        other: NDArray[np.bool_] = np.diff(self.run) != 0
        edge = np.ones(1, dtype=bool)[: self.size]
        ends: NDArray[np.bool_] = np.concatenate([edge, other]) | np.concatenate([other, edge])
        return ends

    def steps(self) -> NDArray[np.bool_]:
        """The last of each run in each step of the grid."""
        last = np.zeros(self.size, dtype=bool)
        for cost in (self["evaluations"], np.maximum(self["time_s"], _EARLIEST_S)):
            step = np.floor(RESOLUTION * np.log(cost))
            last[:-1] |= np.diff(step) != 0
        return last

    def latest(self, points: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
        """The last of each run at or before its numbers of evaluations."""
        kept, evaluations = np.zeros(self.size, dtype=bool), self["evaluations"]
        cuts = np.searchsorted(self.run, np.arange(len(points) + 1))
        for asked, (begin, end) in zip(points, pairwise(cuts), strict=True):
            place = np.searchsorted(evaluations[begin:end], asked, side="right") - 1
            kept[begin + place[place >= 0]] = True
        return kept

    def where(self, keep: NDArray[np.bool_]) -> pa.ListArray:
        """The list column with some of them."""
        counts = np.bincount(self.run[keep], minlength=len(self._column))
        offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]), pa.int32())
        lists = pa.ListArray.from_arrays(offsets, self._flat.filter(pa.array(keep)))
        return pc.if_else(self._column.is_valid(), lists, pa.scalar(None, lists.type))


def _first_at_targets(
    own: _Events, other: _Events, targets: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """With which improvements a launch first reaches a target, or ends; those of `own` first.

    The improvements of a launch are those of the run that it made, and its other ones.
    """
    run = np.concatenate([own.run, other.run])
    if not run.size:
        return np.zeros(0, dtype=bool)
    launch, evaluations, _, precision = (
        np.concatenate([own[name], other[name]]) for name in _FIELDS
    )
    order = np.lexsort((evaluations, launch, run))
    new = np.ones(run.size, dtype=bool)
    new[1:] = (np.diff(run[order]) != 0) | (np.diff(launch[order]) != 0)
    reached = targets.size - np.searchsorted(targets, precision[order])
    before = np.where(new, 0, np.concatenate([[0], reached[:-1]]))
    kept = np.zeros(run.size, dtype=bool)
    kept[order] = (reached > before) | np.concatenate([new[1:], [True]])
    return kept
