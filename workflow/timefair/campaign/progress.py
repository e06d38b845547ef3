"""Progress of a campaign and the time that is left, by its records and journals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from timefair.basics.disk import regular
from timefair.basics.errors import InputError
from timefair.campaign import configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.records.schema import RUN_SCHEMA
from timefair.records.status import Perturbation, Status
from timefair.records.store import journal_path, open_record, read_journal

PAUSE_S = 60.0  # a gap between runs that is longer than this and the longest run is no work
_READ = ["started_utc", "reaped_s", "status", "perturbation"]
_NO_RUNS = RUN_SCHEMA.empty_table().select(_READ)


class CampaignProgress(NamedTuple):
    """The state of a campaign at one moment."""

    runs: int  # completed ones, of which some failed or were perturbed
    failed: int
    perturbed: int
    wanted: int  # runs at the end of the campaign, at most
    damaged: int  # records that cannot be read; they count as missing
    measured: bool  # whether every record exists, and `reported`, a report that is newer
    reported: bool
    worked_s: float  # in which something was measured
    left_s: float | None  # estimated at the pace so far; None before the first run


class ProgressReader:
    """Reads the folder of a campaign, changed files again; `InputError` if there is none."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        if not (folder / plan.SNAPSHOT).exists():
            raise InputError(
                f"{folder}: contains no campaign; name results/NAME, once snakemake has started"
            )
        self.campaign: Campaign = configuration.restore(folder / plan.SNAPSHOT)
        self._keys = plan.read_keys(folder, self.campaign)
        self._seen: dict[Path, tuple[tuple[int, int], pa.Table]] = {}

    def look(self) -> CampaignProgress:
        found, damaged, written_s = [], 0, list[float]()
        spent_s = dict.fromkeys(self.campaign.algorithms, 0.0)
        done, lacking = Counter[str](), Counter[str]()
        for job in plan.jobs(self.campaign):
            record = self._folder / job.record(self._keys[job.algorithm, job.round])
            runs, at_s = self._runs_of(job, record)
            found.append(runs)
            written_s.append(at_s)
            damaged += not at_s and record.exists()
            done[job.algorithm] += len(runs)
            spent_s[job.algorithm] += pc.sum(runs["reaped_s"]).as_py() or 0.0
            if not at_s:
                wanted = len(plan.runs_of_round(self.campaign, job.round)) * len(job.instances)
                lacking[job.algorithm] += max(wanted - len(runs), 0)
        runs = pa.concat_tables(found)
        begun_s = runs["started_utc"].cast(pa.int64()).to_numpy() / 1e3
        worked_s = _covered_s(begun_s, begun_s + runs["reaped_s"].to_numpy())
        report, measured = self._folder / "report.html", all(written_s)
        perturbed = pc.equal(runs["perturbation"], Perturbation.PERTURBED.value)
        return CampaignProgress(
            runs=len(runs),
            failed=pc.sum(pc.not_equal(runs["status"], Status.OK.value)).as_py() or 0,
            perturbed=pc.sum(perturbed).as_py() or 0,
            wanted=len(runs) + lacking.total(),
            damaged=damaged,
            measured=measured,
            reported=measured and report.exists() and report.stat().st_mtime >= max(written_s),
            worked_s=worked_s,
            left_s=self._left_s(spent_s, done, lacking, worked_s),
        )

    def _runs_of(self, job: plan.Job, record: Path) -> tuple[pa.Table, float]:
        """The runs of a job in its record, or else in its journal; when the record was written, or
        0 if there is none that can be read.
        """
        try:
            runs = self._read(record, lambda path: open_record(path).read(_READ).select(_READ))
            return runs, record.stat().st_mtime
        except (FileNotFoundError, InputError):
            of_journal = partial(_of_journal, self._keys[job.algorithm, job.round], record.name)
        try:
            return self._read(journal_path(record), of_journal), 0.0
        except OSError:
            return _NO_RUNS, 0.0

    def _read(self, path: Path, read: Callable[[Path], pa.Table]) -> pa.Table:
        """The runs in a file. The file is read again only if it has changed."""
        stat = path.stat()
        state = stat.st_mtime_ns, stat.st_size
        if path not in self._seen or self._seen[path][0] != state:
            self._seen[path] = state, read(path)
        return self._seen[path][1]

    def _left_s(
        self, spent_s: dict[str, float], done: Counter[str], lacking: Counter[str], worked_s: float
    ) -> float | None:
        """Seconds so far, times the missing core-seconds as a share of those spent."""
        if not done.total():
            return None
        usual_s = sum(spent_s.values()) / done.total()
        spent_core_s = left_core_s = 0.0
        for label, label_s in spent_s.items():
            cores = self.campaign.cores_of(label)
            each_s = label_s / done[label] if done[label] else usual_s
            spent_core_s += label_s * cores
            left_core_s += lacking[label] * each_s * cores
            search = self.campaign.tuned.get(label)
            if search and not (self._folder / plan.tuning_record(label, self._keys)).exists():
                left_core_s += search.seconds() * cores
        return worked_s * left_core_s / spent_core_s


def _of_journal(key: str, record: str, path: Path) -> pa.Table:
    """The complete runs of a journal; empty for a journal of another measurement."""
    content = read_journal(regular(path).read_bytes())
    owner = content.owner or ""
    if not content.runs or not (owner.startswith(f"{key} ") and owner.endswith(f" {record}")):
        return _NO_RUNS
    return pa.Table.from_batches(content.runs.values()).select(_READ)


def _covered_s(start_s: npt.NDArray[np.float64], end_s: npt.NDArray[np.float64]) -> float:
    if not len(start_s):
        return 0.0
    order = np.argsort(start_s)
    begun_s, ended_s = start_s[order], np.maximum.accumulate(end_s[order])
    gaps_s = begun_s[1:] - ended_s[:-1]
    pauses = gaps_s >= PAUSE_S + np.max(end_s - start_s)
    return float(ended_s[-1] - begun_s[0] - np.sum(gaps_s[pauses]))
