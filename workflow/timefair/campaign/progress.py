"""Progress of a campaign, from its records and journals; it locks nothing and writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from timefair.basics.errors import InputError
from timefair.basics.files import regular
from timefair.campaign import configuration, plan
from timefair.campaign.allocated import JobSizes
from timefair.campaign.configuration import Campaign
from timefair.records.journal import journal_path, read_journal
from timefair.records.status import Perturbation, Status
from timefair.records.store import open_record

PAUSE_S = 60.0
"""If no run ends for this long beyond the length of the longest run, nothing is being measured."""

_READ = ["started_utc", "reaped_s", "status", "perturbation"]


class CampaignProgress(NamedTuple):
    """The state of a campaign at one moment.

    - `runs`, `failed`, `perturbed`: Completed runs; those whose status is not ``ok``; those that
      were perturbed.
    - `wanted`: Runs at the end of the campaign; a maximum if a stopping rule may end it earlier.
    - `measured`: Whether every record exists.
    - `damaged`: Records that cannot be read; they count as missing.
    - `elsewhere`: Whether there are records of another configuration or code.
    - `worked_s`: Seconds in which something was measured, without pauses.
    - `left_s`: Estimated seconds that are left, at the pace up to now; None before the first run.
    - `quiet_s`: Seconds since the last run ended, if apparently nothing is being measured; else
      None.
    - `tables`, `figures`: Number made since the last record, and number requested.
    """

    runs: int
    failed: int
    perturbed: int
    wanted: int
    measured: bool
    damaged: int
    elsewhere: bool
    worked_s: float
    left_s: float | None
    quiet_s: float | None
    tables: tuple[int, int]
    figures: tuple[int, int]

    @property
    def finished(self) -> bool:
        """Whether everything exists that the campaign requests."""
        return self.measured and all(made == asked for made, asked in (self.tables, self.figures))


class _RunTimes(NamedTuple):
    """Some runs: when they began and ended, in seconds since 1970 (UTC), and their outcome."""

    start_s: npt.NDArray[np.float64]
    end_s: npt.NDArray[np.float64]
    failed: int
    perturbed: int

    @classmethod
    def of(cls, runs: pa.Table) -> _RunTimes:
        start_s = runs["started_utc"].cast(pa.int64()).to_numpy() / 1e3
        failed = pc.sum(pc.not_equal(runs["status"], Status.OK.value)).as_py()
        perturbed = pc.sum(pc.equal(runs["perturbation"], Perturbation.PERTURBED.value)).as_py()
        return cls(start_s, start_s + runs["reaped_s"].to_numpy(), failed or 0, perturbed or 0)


_NO_RUNS = _RunTimes(np.empty(0), np.empty(0), 0, 0)


class _JobState(NamedTuple):
    """One job: its runs, the maximal number of missing runs, and when its record was written (if it
    was).
    """

    algorithm: str
    runs: _RunTimes
    lacking: int
    written_s: float | None
    damaged: bool


class ProgressReader:
    """Reads a campaign's folder, repeatedly if needed; files that did not change are not read
    again.

    - `folder`: ``results/NAME``.

    Raises InputError if there is no campaign, or a campaign of another version of timefair.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        if not (folder / plan.SNAPSHOT).exists():
            raise InputError(
                f"{folder}: contains no campaign; name results/NAME, once snakemake has started"
            )
        self.campaign: Campaign = configuration.restore(folder / plan.SNAPSHOT)
        self._keys = plan.read_keys(folder, self.campaign)
        self._runs_of = JobSizes(self.campaign, self._keys, folder)
        self._seen: dict[Path, tuple[tuple[int, int], _RunTimes]] = {}

    def look(self, now_s: float) -> CampaignProgress:
        """The present state; `now_s` is the time in seconds since 1970 (UTC)."""
        parts = [self._part(job) for job in plan.jobs(self.campaign)]
        runs = [part.runs for part in parts]
        start_s = np.concatenate([some.start_s for some in runs])
        end_s = np.concatenate([some.end_s for some in runs])
        longest_s = float(np.max(end_s - start_s, initial=self.campaign.budget.time_s or 0.0))
        worked_s = _covered_s(start_s, end_s, PAUSE_S + longest_s)
        written = [part.written_s for part in parts if part.written_s is not None]
        measured = len(written) == len(parts)
        seen_s = [*end_s, *self._searched_s()]
        quiet_s = now_s - float(max(seen_s)) if seen_s else 0.0
        return CampaignProgress(
            runs=len(start_s),
            failed=sum(some.failed for some in runs),
            perturbed=sum(some.perturbed for some in runs),
            wanted=len(start_s) + sum(part.lacking for part in parts),
            measured=measured,
            damaged=sum(part.damaged for part in parts),
            elsewhere=self._elsewhere(),
            worked_s=worked_s,
            left_s=self._left_s(parts, worked_s),
            quiet_s=quiet_s if not measured and quiet_s > PAUSE_S + 2 * longest_s else None,
            tables=self._made("tables", self.campaign.table_names, ".csv", written),
            figures=self._made(
                "figures",
                self.campaign.figure_files,
                f".{self.campaign.figures.formats[0]}",
                written,
            ),
        )

    def _part(self, job: plan.Job) -> _JobState:
        key = self._keys[job.algorithm, job.round]
        record = self._folder / job.record(key)
        damaged = False
        try:
            runs = self._read(record, _of_record)
            return _JobState(job.algorithm, runs, 0, record.stat().st_mtime, damaged=False)
        except FileNotFoundError:
            pass
        except InputError:
            damaged = record.exists()
        try:
            runs = self._read(journal_path(record), partial(_of_journal, key, record.name))
        except OSError:
            runs = _NO_RUNS
        return _JobState(
            job.algorithm, runs, max(self._runs_of(job) - len(runs.start_s), 0), None, damaged
        )

    def _searches(self) -> dict[str, Path]:
        """The missing records of searches for parameters, by tuned variant."""
        places = {
            label: self._folder / plan.tuning_record(label, self._keys)
            for label in self.campaign.tuned
        }
        return {label: path for label, path in places.items() if not path.exists()}

    def _searched_s(self) -> Iterator[float]:
        """When each unfinished search last wrote to its journal."""
        for path in map(journal_path, self._searches().values()):
            with suppress(FileNotFoundError):
                yield path.stat().st_mtime

    def _read(self, path: Path, read: Callable[[Path], _RunTimes]) -> _RunTimes:
        """The runs in a file. The file is read again only if it has changed."""
        stat = path.stat()
        state = stat.st_mtime_ns, stat.st_size
        if path not in self._seen or self._seen[path][0] != state:
            self._seen[path] = state, read(path)
        return self._seen[path][1]

    def _left_s(self, parts: Sequence[_JobState], worked_s: float) -> float | None:
        """Core-seconds of the missing runs, estimated from those spent so far."""
        spent = dict.fromkeys(self.campaign.algorithms, 0.0)
        done, lacking = dict.fromkeys(spent, 0), dict.fromkeys(spent, 0)
        for part in parts:
            runs = part.runs
            spent[part.algorithm] += float(np.sum(runs.end_s - runs.start_s))
            done[part.algorithm] += len(runs.start_s)
            lacking[part.algorithm] += part.lacking
        if not any(done.values()):
            return None
        usual_s = sum(spent.values()) / sum(done.values())
        cores = {label: self.campaign.cores_of(label) for label in self.campaign.algorithms}
        each_s = {label: spent[label] / done[label] if done[label] else usual_s for label in spent}
        spent_core_s = sum(spent[label] * cores[label] for label in spent)
        left_core_s = sum(lacking[label] * each_s[label] * cores[label] for label in spent)
        left_core_s += sum(
            self.campaign.tuned[label].seconds() * cores[label] for label in self._searches()
        )
        return worked_s * left_core_s / spent_core_s

    def _elsewhere(self) -> bool:
        keys = {(label, plan.short_key(key)) for (label, _), key in self._keys.items()}
        rooms = self._folder.glob("records/*/*/")
        return any((room.parent.name, room.name) not in keys for room in rooms if room.is_dir())

    def _made(
        self, room: str, names: Iterable[str], suffix: str, written: Sequence[float]
    ) -> tuple[int, int]:
        files = [self._folder / room / f"{name}{suffix}" for name in names]
        last_s = max(written, default=0.0)
        return sum(path.exists() and path.stat().st_mtime >= last_s for path in files), len(files)


def _of_record(path: Path) -> _RunTimes:
    return _RunTimes.of(open_record(path).read(_READ))


def _of_journal(key: str, record: str, path: Path) -> _RunTimes:
    """The complete runs of a journal; empty for a journal of another measurement.

    The owner may contain the search of a tuned variant between the key and the name of the record.
    """
    content = read_journal(regular(path).read_bytes())
    owner = content.owner or ""
    ours = owner.startswith(f"{key} ") and owner.endswith(f" {record}")
    if not ours or not content.runs:
        return _NO_RUNS
    return _RunTimes.of(pa.Table.from_batches(content.runs.values()).select(_READ))


def _covered_s(
    start_s: npt.NDArray[np.float64], end_s: npt.NDArray[np.float64], pause_s: float
) -> float:
    """Seconds covered by at least one of the spans, including gaps of less than `pause_s`."""
    if not len(start_s):
        return 0.0
    order = np.argsort(start_s)
    begun_s, ended_s = start_s[order], np.maximum.accumulate(end_s[order])
    gaps_s = begun_s[1:] - ended_s[:-1]
    return float(ended_s[-1] - begun_s[0] - np.sum(gaps_s[gaps_s >= pause_s]))
