"""A campaign on Slurm: jobs are cancelled, the driver is killed, the result is a local run's."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from timefair.records.journal import read_journal
from timefair.records.store import open_record

pytestmark = pytest.mark.workflow

ROOT = Path(__file__).resolve().parents[3]
UNHURRIED = """
import time

def solve(objective, rng):
    while True:
        time.sleep(0.004)
        objective(rng.uniform(objective.lower, objective.upper))
"""
CAMPAIGN = {
    "algorithms": {"own": "own.py:solve"},
    "problems": {"suite": "bbob", "functions": 8, "dimensions": 2, "instances": "1-3"},
    "budget": {"evaluations": 200},
    "runs": 4,
    "instances_per_job": 1,
    "limits": {"memory_mb": 1000},
}
ON_SLURM = (
    "--workflow-profile", str(ROOT / "profiles" / "slurm"),
    "--default-resources", "slurm_partition=bench", "constraint=timed", "runtime=10",
    "--slurm-init-seconds-before-status-checks", "1", "--max-status-checks-per-second", "10",
)  # fmt: skip
OF_TIME = ("_s", "_utc", "_mb", "_switches")
OF_THE_MACHINE = ("core", "disturbance", "disturbed_by")


def finished(workspace: Any) -> dict[tuple[str, int, int], object]:
    """(journal, instance, run) -> start, of all runs that a journal holds now."""
    return {
        (str(path.relative_to(workspace.results)), *turn): run.column("started_utc")[0].as_py()
        for path in (workspace.results / "records").rglob("*.journal")
        for turn, run in read_journal(path.read_bytes()).runs.items()
    }


def wait_until(condition: Any, driver: subprocess.Popen) -> None:
    end = time.monotonic() + 300
    while not condition():
        assert driver.poll() is None, "the workflow has ended"
        assert time.monotonic() < end
        time.sleep(0.2)


def start(workspace: Any) -> subprocess.Popen:
    return subprocess.Popen(
        workspace.command(*ON_SLURM, "--until", "measure_cell"), cwd=workspace.folder,
        env=workspace.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def decided(value: Any) -> Any:
    """A run without its times, and without what the machine did meanwhile."""
    if isinstance(value, list):
        return [decided(item) for item in value]
    if isinstance(value, dict):
        return {
            name: decided(part)
            for name, part in value.items()
            if not name.endswith(OF_TIME) and name not in OF_THE_MACHINE
        }
    return value


def by_name(workspace: Any) -> dict[tuple[int, int], dict[str, Any]]:
    return {(row["instance"], row["run"]): row for row in workspace.rows()}


def configure(workspace: Any) -> None:
    (workspace.folder / "own.py").write_text(UNHURRIED)
    workspace.configure(**CAMPAIGN)


def test_without_a_constraint_jobs_go_to_any_kind_of_node(slurm):
    words = ("srun", "--immediate=20", "printenv", "SLURMD_NODENAME")
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.stdout.strip() == "other"


def test_cancelled_jobs_and_a_killed_driver_cost_nothing_and_change_nothing(
    slurm, workspace, tmp_path
):
    configure(workspace)
    driver = start(workspace)
    wait_until(lambda: finished(workspace), driver)
    known = slurm.jobs("running", "pending")
    kept = finished(workspace)
    slurm.cancel(slurm.jobs("running")[0], slurm.jobs("pending")[0])

    def tried_again() -> set[str]:
        return set(slurm.jobs("running")) - set(known)

    wait_until(tried_again, driver)
    kept |= finished(workspace)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    assert tried_again()  # and goes on without its driver
    workspace.complete(*ON_SLURM, "--until", "measure_cell")
    assert {run: started for run, started in finished(workspace).items() if run in kept} == kept

    for path in workspace.records():
        facts = open_record(path).facts
        assert facts["machine"]["cores_usable"] == 1
        assert "SLURM_JOB_ID" in facts["machine_state"]["slurm"]
        assert facts["machine_state"]["slurm"]["SLURMD_NODENAME"] == socket.gethostname()
    starts = finished(workspace)
    assert "measure_cell" not in workspace.complete("--until", "collect_records")
    found = by_name(workspace)
    assert {row["started_utc"] for row in found.values()} == set(starts.values())

    local = type(workspace)(tmp_path / "local")
    local.folder.mkdir()
    configure(local)
    local.complete("--until", "collect_records")
    expected = by_name(local)
    assert len(expected) == 3 * 4
    assert {name: decided(row) for name, row in found.items()} == {
        name: decided(row) for name, row in expected.items()
    }
