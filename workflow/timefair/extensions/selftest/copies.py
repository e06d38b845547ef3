"""A copy of the records of the self-test in memory. Defects change it, and checks read it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from timefair.campaign import configuration, plan
from timefair.campaign.configuration import Campaign
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import open_record, write_record
from timefair.rundata.runs import Runs

LONGEST_JOB = timedelta(minutes=1)
"""Upper limit of the duration of a job of the self-test, even on a busy machine."""


def _changed(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


@dataclass
class Copy:
    """The records of a campaign, and when it was measured.

    Attributes
    ----------
    campaign
        The campaign that was measured.
    keys
        The measure keys of its records.
    facts, rows
        The facts and the runs of each job's record.
    began, ended
        The time of day before the first and after the last run.
    """

    campaign: Campaign
    keys: plan.Keys
    facts: dict[plan.Job, dict[str, Any]]
    rows: dict[plan.Job, list[dict[str, Any]]]
    began: datetime
    ended: datetime

    @classmethod
    def of(cls, folder: Path) -> Copy:
        """Read the records of a campaign's folder.

        The measurement began when its snapshot was last changed, or `LONGEST_JOB` before its oldest
        record was last changed if that is earlier. It ended when its newest record was changed.
        """
        campaign = configuration.restore(folder / plan.SNAPSHOT)
        keys = plan.read_keys(folder, campaign)
        paths = {
            job: folder / job.record(keys[job.algorithm, job.round]) for job in plan.jobs(campaign)
        }
        records = {job: open_record(path) for job, path in paths.items()}
        facts = {
            job: {name: value for name, value in record.facts.items() if name != "schema_version"}
            for job, record in records.items()
        }
        rows = {job: record.read().to_pylist() for job, record in records.items()}
        written = sorted(map(_changed, paths.values()))
        began = min(_changed(folder / plan.SNAPSHOT), written[0] - LONGEST_JOB)
        return cls(campaign, keys, facts, rows, began, written[-1])

    def again(self) -> Copy:
        """Another copy, whose rows can be changed without changing this one."""
        return Copy(
            self.campaign, self.keys, self.facts, copy.deepcopy(self.rows), self.began, self.ended
        )

    def of_algorithm(self, label: str) -> list[dict[str, Any]]:
        """The runs of an algorithm, in the order of its jobs."""
        return [row for job, rows in self.rows.items() if job.algorithm == label for row in rows]

    def all_runs(self) -> Iterator[dict[str, Any]]:
        """The runs of all algorithms."""
        for rows in self.rows.values():
            yield from rows

    def path(self, folder: Path, job: plan.Job) -> Path:
        """The path of a job's record in a folder."""
        return folder / job.record(self.keys[job.algorithm, job.round])

    def write(self, folder: Path) -> None:
        """Write the records as the measurement does, with checksums of their present content."""
        plan.write_snapshot(self.campaign, folder)
        plan.write_keys(self.keys, folder)
        for job, rows in self.rows.items():
            path = self.path(folder, job)
            path.parent.mkdir(parents=True, exist_ok=True)
            table = pa.Table.from_pylist(rows, schema=RUN_SCHEMA)
            write_record(path, table.to_batches(), self.facts[job])

    def runs(self) -> Runs:
        """The runs in the form that tables read; `InputError` if a run occurs twice."""
        return Runs.of(pa.Table.from_pylist(list(self.all_runs()), schema=RUN_SCHEMA))
