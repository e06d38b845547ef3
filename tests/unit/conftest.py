"""Records of a small campaign that nobody measured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from timefair.campaign import configuration, plan
from timefair.records.journal import Journal
from timefair.records.store import write_record

KEY = "ab" * 32
CAMPAIGN = {
    "name": "test",
    "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": "1-2"},
    "algorithms": {"a": "timefair:random-search", "b": "timefair:random-search"},
    "budget": {"evaluations": 100},
    "runs": 2,
}
MACHINE = {
    "cpu": "Z80",
    "cores": 2,
    "memory_mb": 15_922.4,
    "python": "3.11.2",
    "versions": {"numpy": "2.3.5"},
}


def _row(run: int, instance: int = 1, events: int = 3, **changes: Any) -> dict[str, Any]:
    return {
        "suite": "bbob", "function": 1, "dimension": 2, "instance": instance, "algorithm": "a",
        "round": 1, "run": run, "seed": 2**64 - 1, "status": "ok", "stop_reason": "time",
        "best_f": 79.5 + run, "f_opt": 79.48, "wall_s": 1.0, "evaluations": events,
        "launch_log": [{"start_s": 0.0, "end_s": 1.0, "end": "returned"}],
        "events": [
            {"restart": 0, "evaluations": k, "time_s": 0.1 * k, "precision": 1.0 / k}
            for k in range(1, events + 1)
        ],
        **changes,
    }  # fmt: skip


def _write(path: Path, *rows: dict[str, Any], **facts: Any) -> None:
    with Journal(path, KEY) as journal:
        for row in rows:
            journal.append(row)
        write_record(path, journal.runs.values(), {"key": KEY, **facts})


@pytest.fixture
def row() -> Callable[..., dict[str, Any]]:
    """A row of a record."""
    return _row


@pytest.fixture
def write() -> Callable[..., None]:
    """Writes rows to a record, with its journal beside it."""
    return _write


class Measured:
    """A campaign's folder in which everything is as if it had been measured."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "results" / "test"
        self.campaign = configuration.parse(CAMPAIGN)
        self.snapshot = plan.write_snapshot(self.campaign, self.folder)
        self.jobs = list(plan.jobs(self.campaign))
        for job in self.jobs:
            self.measure(job)

    def record(self, job: plan.Job) -> Path:
        return self.folder / job.record(KEY)

    def measure(self, job: plan.Job, **changes: Any) -> Path:
        """The job's record; `changes` are facts that are otherwise than they should be."""
        facts = {
            "campaign": self.campaign.model_dump(mode="json"),
            "code": job.algorithm * 64,
            "machine": MACHINE,
            **changes,
        }
        runs = plan.runs_of_round(self.campaign, job.round)
        names = {"algorithm": job.algorithm, "function": job.function, "round": job.round}
        rows = [_row(run, instance, **names) for instance in job.instances for run in runs]
        _write(self.record(job), *rows, **facts)
        return self.record(job)


@pytest.fixture
def measured(tmp_path: Path) -> Measured:
    return Measured(tmp_path)
