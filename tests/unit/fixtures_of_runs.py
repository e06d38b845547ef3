"""Records and runs of small campaigns that nobody measured."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import scipy.linalg  # noqa: F401  (loads the library that is limited below)
from threadpoolctl import threadpool_limits

from timefair.campaign import configuration, plan
from timefair.machine.linux import kernel
from timefair.problems.suites import SUITES
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import Journal, write_record

__all__ = ["_alone", "campaign", "measured", "no_runs", "row", "run", "table", "write"]

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


@pytest.fixture(autouse=True, scope="session")
def _alone(tmp_path_factory):
    """One thread, as in a campaign, and cores for which no campaign of this machine waits.

    With threads, small models are ten times slower on a busy machine.
    """
    with threadpool_limits(limits=1), pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIMEFAIR_LOCKS", str(tmp_path_factory.mktemp("locks")))
        yield


def _row(run: int, instance: int = 1, events: int = 3, **changes: Any) -> dict[str, Any]:
    best_f, f_opt = 79.5 + run, 79.48
    best = best_f - f_opt
    launch = {
        "start_s": 0.0, "end_s": 1.0, "evaluations": events, "best_precision": best,
        "end": "returned",
    }  # fmt: skip
    return {
        "suite": "bbob", "function": 1, "dimension": 2, "instance": instance, "algorithm": "a",
        "round": 1, "run": run, "seed": 2**64 - 1, "status": "ok", "stop_reason": "time",
        "best_f": best_f, "best_precision": best, "f_opt": f_opt, "wall_s": 1.0, "reaped_s": 1.0,
        "started_utc": datetime(2026, 11, 28, tzinfo=UTC),
        "evaluations": events, "launches": 1, "launch_log": [launch],
        "events": [
            {"launch": 0, "evaluations": k, "time_s": 0.1 * k, "precision": best + events - k}
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
def row():
    return _row


@pytest.fixture
def write():
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
def measured(tmp_path):
    return Measured(tmp_path)


@pytest.fixture(scope="module", autouse=True)
def reaper():
    """As in a job, what a run leaves behind comes to this process."""
    kernel.adopt_orphans()


@pytest.fixture(scope="module")
def problem():
    return SUITES["bbob"].problem(8, 3, 1)


@pytest.fixture(scope="session")
def no_runs():
    from timefair.records.rundata.runs import Runs

    return Runs.of(RUN_SCHEMA.empty_table())


@pytest.fixture(scope="session")
def run():
    """A function: one run as a row, from its events (evaluations, seconds, precision)."""

    def make(events=(), **changes):
        row = {
            "suite": "bbob", "function": 1, "dimension": 2, "instance": 1, "algorithm": "A",
            "round": 1, "run": 0, "f_opt": 0.0, "seed": 7, "budget_s": 1.0, "status": "ok",
            "stop_reason": "time", "attempts": 1, "wall_s": 1.0, "cpu_s": 0.5, "evaluations": 100,
            "launches": 2, "completed_restarts": 1, "best_f": 0.0,
            "best_precision": min((e[2] for e in events), default=float("inf")),
            "overshoot_s": 0.0, "reaped_s": 1.0, "preparation_s": 0.1, "objective_s": 1e-4,
            "bare_s": 2e-4, "isolation": "private", "launch_log": [],
            "events": [
                {"launch": 0, "evaluations": n, "time_s": t, "precision": q} for n, t, q in events
            ],
        }  # fmt: skip
        return row | changes

    return make


@pytest.fixture(scope="session")
def table():
    return lambda *rows: pa.Table.from_pylist(list(rows), RUN_SCHEMA)


@pytest.fixture(scope="session")
def campaign(run, table):
    """Two algorithms on two instances; B fails on the second, after half a second."""
    return table(
        run([(1, 0.1, 5.0), (10, 0.4, 0.5)]),
        run([(1, 0.2, 50.0), (20, 0.6, 0.05)], instance=2),
        run([(2, 0.2, 0.5)], algorithm="B"),
        run([(1, 0.1, 20.0)], algorithm="B", instance=2, wall_s=0.5, evaluations=40),
    )
