"""Progress of a campaign and the time that is left, by what Snakemake does and by the records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from timefair.basics.errors import InputError
from timefair.basics.files import regular
from timefair.campaign import configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.records.status import Perturbation, Status
from timefair.records.store import journal_path, open_record, read_journal


class Pace:
    """The jobs of a campaign in one run of Snakemake; times are seconds of any one clock.

    `lacking`: measuring jobs without a record; `cores`: Snakemake's; `taken_over`: runs that a job
    takes from earlier records. `done`, `wanted`: runs in records, and at most at the end.
    """

    def __init__(
        self,
        campaign: Campaign,
        lacking: Iterable[plan.Job],
        cores: int,
        taken_over: Mapping[plan.Job, int] = MappingProxyType({}),
    ) -> None:
        self._campaign, self._cores = campaign, max(cores, 1)
        self._sizes = {job: plan.runs_of_job(campaign, job) for job in plan.jobs(campaign)}
        self.wanted = sum(self._sizes.values())
        for job, runs in taken_over.items():
            self._sizes[job] -= runs
        self._lacking = Counter[str]()
        for job in lacking:
            self._lacking[job.algorithm] += self._sizes[job]
        self.done = self.wanted - self._lacking.total()
        self._analysis = plan.analysis_seconds(campaign)
        # Searches that have to end before the first run of their variant.
        self._searches = {
            label: search.seconds()
            for label, search in campaign.tuned.items()
            if self._lacking[label]
        }
        self._searching: dict[int, tuple[str, float]] = {}
        self._begun: dict[int, tuple[list[plan.Job], float]] = {}  # a job, or those of a block
        self._report, self.finished = -1, False  # whether the report, the last of all files, exists
        self._spent_s: dict[str, float] = dict.fromkeys(campaign.algorithms, 0.0)
        self._ended = Counter[str]()

    @property
    def measured(self) -> bool:
        return self.done >= self.wanted

    def begin(self, number: int, rule: str, wildcards: Mapping[str, str], now_s: float) -> None:
        if rule.startswith(plan.SEARCHING):
            self._searching[number] = wildcards["algorithm"], now_s
            return
        if jobs := plan.jobs_of_rule(self._campaign, rule, wildcards):
            self._begun[number] = jobs, now_s
            for job in jobs:
                self._searches.pop(job.algorithm, None)
            return
        self._analysis.pop(" ".join([rule, *wildcards.values()]), None)
        self._report = number if rule == plan.LAST else self._report

    def end(self, number: int, now_s: float) -> None:
        self.finished = self.finished or number == self._report
        if number in self._searching:
            self._searches.pop(self._searching.pop(number)[0], None)
        jobs, begun_s = self._begun.pop(number, ([], now_s))
        for job in jobs:
            label, runs = job.algorithm, self._sizes[job]
            self._spent_s[label] += (now_s - begun_s) / len(jobs)
            self._ended[label] += runs
            self._lacking[label] = max(self._lacking[label] - runs, 0)
            self.done = min(self.done + runs, self.wanted)

    def left_s(self, now_s: float) -> float | None:
        """Estimated seconds that are left; None if the length of a run is unknown."""
        lacking = +self._lacking
        each_s = {label: self._run_s(label) for label in lacking}
        searched_s = {label: now_s - begun_s for label, begun_s in self._searching.values()}
        core_s = sum(self._analysis.values()) + sum(
            max(budget_s - searched_s.get(label, 0.0), 0.0) * self._campaign.cores_of(label)
            for label, budget_s in self._searches.items()
        )
        for label, runs in lacking.items():
            if (run_s := each_s[label]) is None:
                return None
            core_s += runs * run_s * plan.held_by_runs(self._campaign, label)
        for jobs, begun_s in self._begun.values():
            for job in jobs:
                most_s = self._sizes[job] * (each_s.get(job.algorithm) or 0.0)
                done_s = min((now_s - begun_s) / len(jobs), most_s)
                core_s -= done_s * plan.held_by_runs(self._campaign, job.algorithm)
        return core_s / self._cores

    def _run_s(self, label: str) -> float | None:
        """Seconds per run of an algorithm: measured, else budgeted, else those of others."""
        if self._ended[label]:
            return self._spent_s[label] / self._ended[label]
        if (budget_s := plan.real_budget_s(self._campaign)) is not None:
            return budget_s + plan.RUN_OVERHEAD_S
        return sum(self._spent_s.values()) / self._ended.total() if self._ended else None


PAUSE_S = 60.0  # a gap between runs that is longer than this and the longest run is no work
_READ = ["started_utc", "reaped_s", "status", "perturbation"]


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
    """One job: its runs, the most that are missing, when its record was written (0: none)."""

    algorithm: str
    runs: _RunTimes
    lacking: int
    written_s: float
    damaged: bool


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
        self._seen: dict[Path, tuple[tuple[int, int], _RunTimes]] = {}

    def look(self) -> CampaignProgress:
        parts = [self._part(job) for job in plan.jobs(self.campaign)]
        runs = [part.runs for part in parts]
        start_s, end_s = (np.concatenate(each) for each in list(zip(*runs, strict=True))[:2])
        worked_s, done = _covered_s(start_s, end_s), len(start_s)
        report, last_s = self._folder / "report.html", max(part.written_s for part in parts)
        measured = all(part.written_s for part in parts)
        return CampaignProgress(
            runs=done,
            failed=sum(some.failed for some in runs),
            perturbed=sum(some.perturbed for some in runs),
            wanted=done + sum(part.lacking for part in parts),
            damaged=sum(part.damaged for part in parts),
            measured=measured,
            reported=measured and report.exists() and report.stat().st_mtime >= last_s,
            worked_s=worked_s,
            left_s=self._left_s(parts, worked_s),
        )

    def _part(self, job: plan.Job) -> _JobState:
        key = self._keys[job.algorithm, job.round]
        record = self._folder / job.record(key)
        damaged = False
        try:
            runs = self._read(record, lambda path: _RunTimes.of(open_record(path).read(_READ)))
            return _JobState(job.algorithm, runs, 0, record.stat().st_mtime, damaged=False)
        except FileNotFoundError:
            pass
        except InputError:
            damaged = record.exists()
        try:
            runs = self._read(journal_path(record), partial(_of_journal, key, record.name))
        except OSError:
            runs = _NO_RUNS
        lacking = max(plan.runs_of_job(self.campaign, job) - len(runs.start_s), 0)
        return _JobState(job.algorithm, runs, lacking, 0.0, damaged)

    def _read(self, path: Path, read: Callable[[Path], _RunTimes]) -> _RunTimes:
        """The runs in a file. The file is read again only if it has changed."""
        stat = path.stat()
        state = stat.st_mtime_ns, stat.st_size
        if path not in self._seen or self._seen[path][0] != state:
            self._seen[path] = state, read(path)
        return self._seen[path][1]

    def _left_s(self, parts: Sequence[_JobState], worked_s: float) -> float | None:
        """Seconds so far, times the missing core-seconds as a share of those spent."""
        spent = dict.fromkeys(self.campaign.algorithms, 0.0)
        done, lacking = Counter[str](), Counter[str]()
        for part in parts:
            spent[part.algorithm] += float(np.sum(part.runs.end_s - part.runs.start_s))
            done[part.algorithm] += len(part.runs.start_s)
            lacking[part.algorithm] += part.lacking
        if not done.total():
            return None
        usual_s = sum(spent.values()) / done.total()
        spent_core_s = left_core_s = 0.0
        for label in spent:
            cores = self.campaign.cores_of(label)
            each_s = spent[label] / done[label] if done[label] else usual_s
            spent_core_s += spent[label] * cores
            left_core_s += lacking[label] * each_s * cores
            search = self.campaign.tuned.get(label)
            if search and not (self._folder / plan.tuning_record(label, self._keys)).exists():
                left_core_s += search.seconds() * cores
        return worked_s * left_core_s / spent_core_s


def _of_journal(key: str, record: str, path: Path) -> _RunTimes:
    """The complete runs of a journal; empty for a journal of another measurement."""
    content = read_journal(regular(path).read_bytes())
    owner = content.owner or ""
    ours = owner.startswith(f"{key} ") and owner.endswith(f" {record}")
    if not ours or not content.runs:
        return _NO_RUNS
    return _RunTimes.of(pa.Table.from_batches(content.runs.values()).select(_READ))


def _covered_s(start_s: npt.NDArray[np.float64], end_s: npt.NDArray[np.float64]) -> float:
    """Seconds covered by at least one run, including gaps that are no pauses."""
    if not len(start_s):
        return 0.0
    order = np.argsort(start_s)
    begun_s, ended_s = start_s[order], np.maximum.accumulate(end_s[order])
    gaps_s = begun_s[1:] - ended_s[:-1]
    pauses = gaps_s >= PAUSE_S + np.max(end_s - start_s)
    return float(ended_s[-1] - begun_s[0] - np.sum(gaps_s[pauses]))
