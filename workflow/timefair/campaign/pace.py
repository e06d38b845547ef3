"""How far the jobs of a campaign are while Snakemake runs them, and how long the others take.

Only the beginnings and ends of jobs are used. Nothing is read, because the process that runs the
workflow shares the machine with timed runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from timefair.campaign import plan

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign


class _Measuring(NamedTuple):
    """A measuring job that has begun."""

    job: plan.Job
    begun_s: float


class Pace:
    """The jobs of a campaign in one run of Snakemake.

    Times are seconds of any one clock.

    Parameters
    ----------
    campaign
        What is measured.
    lacking
        The measuring jobs that have no record yet.
    cores
        How many cores Snakemake uses.

    Attributes
    ----------
    done, wanted
        Runs that are in records, and runs that there will be; the latter at most, if a stopping
        rule may end the campaign earlier.
    """

    def __init__(self, campaign: Campaign, lacking: Iterable[plan.Job], cores: int) -> None:
        self._campaign, self._cores = campaign, max(cores, 1)
        self._lacking = Counter[str]()
        for job in lacking:
            self._lacking[job.algorithm] += self._runs(job)
        self.wanted = len(plan.expected_runs(campaign)) * len(campaign.algorithms)
        self.done = self.wanted - self._lacking.total()
        self._analysis = plan.analysis_seconds(campaign)
        self._begun: dict[int, _Measuring] = {}
        self._report, self._reported = -1, False
        self._spent_s: dict[str, float] = {}
        self._ended = Counter[str]()

    @property
    def measured(self) -> bool:
        """Whether all runs are done."""
        return self.done >= self.wanted

    @property
    def finished(self) -> bool:
        """Whether the report, the last file of all, is made."""
        return self._reported

    def begin(self, number: int, rule: str, wildcards: Mapping[str, str], now_s: float) -> None:
        """A job of this number begins."""
        if not rule.startswith(plan.MEASURING):
            self._analysis.pop(_analysing(rule, wildcards), None)
            self._report = number if rule == plan.LAST else self._report
            return
        job = plan.Job(
            algorithm=wildcards["algorithm"],
            function=int(wildcards["function"]),
            dimension=int(wildcards["dimension"]),
            instances=plan.parse_instances(wildcards["instances"]),
            round=int(wildcards["round"]),
        )
        self._begun[number] = _Measuring(job, now_s)

    def end(self, number: int, now_s: float) -> None:
        """The job of this number ended and made its files."""
        self._reported = self._reported or number == self._report
        if (measuring := self._begun.pop(number, None)) is None:
            return
        label, runs = measuring.job.algorithm, self._runs(measuring.job)
        self._spent_s[label] = self._spent_s.get(label, 0.0) + now_s - measuring.begun_s
        self._ended[label] += runs
        self._lacking[label] = max(self._lacking[label] - runs, 0)
        self.done = min(self.done + runs, self.wanted)

    def left_s(self, now_s: float) -> float | None:
        """About so many seconds are left; None if nothing tells how long a run takes."""
        lacking = +self._lacking
        each_s = {label: self._run_s(label) for label in lacking}
        core_s = sum(self._analysis.values())
        for label, runs in lacking.items():
            if (run_s := each_s[label]) is None:
                return None
            core_s += runs * run_s * self._campaign.cores_of(label)
        for job, begun_s in self._begun.values():
            most_s = self._runs(job) * (each_s.get(job.algorithm) or 0.0)
            core_s -= min(now_s - begun_s, most_s) * self._campaign.cores_of(job.algorithm)
        return core_s / self._cores

    def _runs(self, job: plan.Job) -> int:
        return len(plan.runs_of_round(self._campaign, job.round)) * len(job.instances)

    def _run_s(self, label: str) -> float | None:
        """Seconds per run of an algorithm: as measured, as budgeted, or as others take."""
        if self._ended[label]:
            return self._spent_s[label] / self._ended[label]
        if (budget_s := self._campaign.budget.time_s) is not None:
            return budget_s + plan.RUN_OVERHEAD_S
        return sum(self._spent_s.values()) / self._ended.total() if self._ended else None


def _analysing(rule: str, wildcards: Mapping[str, str]) -> str:
    """The name of a job of the analysis in `plan.analysis_seconds`."""
    return " ".join([rule, *wildcards.values()])
