"""Progress of a campaign's jobs while Snakemake runs them, and the estimated time that is left.

It uses only the beginnings and ends of jobs. It reads no records, because the process that runs the
workflow shares the machine with timed runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from timefair.campaign import plan

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign


class Pace:
    """The jobs of a campaign in one run of Snakemake.

    Times are seconds of any one clock.

    - `campaign`: The campaign that is measured.
    - `lacking`: The measuring jobs without a record.
    - `cores`: Number of cores that Snakemake uses.
    - `taken_over`: The runs that a job takes from earlier records; they take no time.

    - `done`, `wanted`: Runs in records, and runs at the end of the campaign; the latter is the
      maximum if a stopping rule may end the campaign earlier.
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
        self._report, self._reported = -1, False
        self._spent_s: dict[str, float] = {}
        self._ended = Counter[str]()

    @property
    def measured(self) -> bool:
        """Whether all runs are done."""
        return self.done >= self.wanted

    @property
    def finished(self) -> bool:
        """Whether the report, the last of all files, exists."""
        return self._reported

    def begin(self, number: int, rule: str, wildcards: Mapping[str, str], now_s: float) -> None:
        """A job of this number begins."""
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
        """The job of this number ended and made its files."""
        self._reported = self._reported or number == self._report
        if number in self._searching:
            self._searches.pop(self._searching.pop(number)[0], None)
        jobs, begun_s = self._begun.pop(number, ([], now_s))
        for job in jobs:
            label, runs = job.algorithm, self._sizes[job]
            spent_s = (now_s - begun_s) / len(jobs)
            self._spent_s[label] = self._spent_s.get(label, 0.0) + spent_s
            self._ended[label] += runs
            self._lacking[label] = max(self._lacking[label] - runs, 0)
            self.done = min(self.done + runs, self.wanted)

    def _searches_s(self, now_s: float) -> float:
        """Core-seconds of the searches that have not ended."""
        spent_s = {label: now_s - begun_s for label, begun_s in self._searching.values()}
        return sum(
            max(budget_s - spent_s.get(label, 0.0), 0.0) * self._campaign.cores_of(label)
            for label, budget_s in self._searches.items()
        )

    def left_s(self, now_s: float) -> float | None:
        """Estimated seconds that are left; None if the length of a run is unknown."""
        lacking = +self._lacking
        each_s = {label: self._run_s(label) for label in lacking}
        core_s = sum(self._analysis.values()) + self._searches_s(now_s)
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
