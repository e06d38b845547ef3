"""A campaign on Slurm: jobs are cancelled, the driver is killed, the result is a local run's."""

import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from timefair.exhibits.registry import TABLES
from timefair.machine.facts import some_facts
from timefair.records.integrity import mixed
from timefair.records.rundata.runs import EVERY_MACHINE, Runs, machines
from timefair.records.rundata.settings import Analysis
from timefair.records.store import open_record, read_journal

pytestmark = pytest.mark.workflow

ROOT = Path(__file__).resolve().parents[3]
UNHURRIED = (ROOT / "tests/workflow/faults/unhurried.py").read_text()
CAMPAIGN = {
    "algorithms": {"own": "own.py:solve"},
    "problems": {"suite": "bbob", "functions": 8, "dimensions": 2, "instances": "1-3"},
    "budget": {"evaluations": 200},
    "runs": 3,
    "instances_per_job": 1,
    "limits": {"memory_mb": 1000},
}
ON_SLURM = (
    "--workflow-profile", str(ROOT / "profiles" / "slurm"),
    "--default-resources", "slurm_partition=bench", "constraint=timed", "runtime=10",
    "--slurm-init-seconds-before-status-checks", "1", "--max-status-checks-per-second", "10",
)  # fmt: skip
OF_TIME = ("_s", "_utc", "_mb", "_switches")
OF_THE_MACHINE = ("core", "perturbation", "perturbed_by")


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


def configure(workspace: Any, **changes: Any) -> None:
    (workspace.folder / "own.py").write_text(UNHURRIED)
    workspace.configure(**CAMPAIGN | changes)


def test_without_a_constraint_jobs_go_to_any_kind_of_node(slurm):
    words = ("srun", "--immediate=20", "printenv", "SLURMD_NODENAME")
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.stdout.strip() == "other"


@pytest.mark.thorough
def test_a_job_on_the_wrong_kind_of_node_ends_before_its_first_run(slurm, workspace):
    """Without a constraint, Slurm gives jobs to the other node first, which has one core only."""
    here = some_facts(["cpu"])["cpu"]
    one = CAMPAIGN["problems"] | {"instances": "1"}
    configure(workspace, machine={"require": {"processor": here}}, problems=one)
    anywhere = [word for word in ON_SLURM if word != "constraint=timed"]
    done = workspace.run(*anywhere, "--retries", "0", "--until", "measure_cell")
    assert done.returncode != 0
    logs = [path.read_text() for path in (workspace.results / "logs").rglob("*_r1.log")]
    refused = [text for text in logs if "machine.require.processor: requires" in text]
    assert refused
    assert all(f"this is {slurm.other_processor} with" in text for text in refused)
    measured_on = {open_record(path).facts["machine"]["cpu"] for path in workspace.records()}
    assert measured_on <= {here}


SLOWER = 1.5
ON_TWO_KINDS = f"""
import time

SLOWER = {SLOWER} if "PROCESSOR" in open("/proc/cpuinfo").read() else 1.0


def sphere(x, instance):
    return float(x @ x)


def solve(objective, rng, pause_s):
    for _ in range(4):
        time.sleep(pause_s * SLOWER)
        objective(objective.upper)
    objective(0 * objective.upper)
"""


@pytest.mark.thorough
def test_a_mixture_of_two_kinds_of_nodes_by_blocks_has_the_ratios_of_one(slurm, workspace):
    """An evaluation takes 1.5 times as long on the other node: the algorithms wait for it."""
    own = ON_TWO_KINDS.replace("PROCESSOR", slurm.other_processor)
    (workspace.folder / "two.py").write_text(own)
    workspace.configure(
        algorithms={
            name: {"use": "two.py:solve", "parameters": {"pause_s": pause_s}}
            for name, pause_s in (("quick", 0.1), ("slow", 0.2))
        },
        problems={
            "suite": "two.py:sphere", "functions": 1, "dimensions": 2, "instances": "1-4",
            "parameters": {"lower": -5, "upper": 5, "f_opt": 0},
        },
        budget={"time_s": 5}, runs=2, block="node", instances_per_job=1, targets=[1e-8],
        limits={"memory_mb": 500},
    )  # fmt: skip
    anywhere = [word for word in ON_SLURM if word != "constraint=timed"]
    workspace.complete(*anywhere, "--until", "finish_round")
    assert "measure_cells" not in workspace.complete("--until", "collect_records")
    runs = Runs.read(sorted((workspace.results / "collected").glob("*.parquet")))
    assert mixed(runs.origins) == []
    assert len(runs.frame) == 4 * 2 * 2
    frame = TABLES["ert_ratios"](runs, Analysis(targets=(1e-8,))).set_index("machine")
    (here,) = (kind for kind in machines(runs) if slurm.other_processor not in kind)
    (there,) = (kind for kind in machines(runs) if kind != here)
    fast_s, slow_s = frame.loc[here, "ert_a_s"], frame.loc[there, "ert_a_s"]
    assert slow_s == pytest.approx(SLOWER * fast_s, rel=0.1)
    ratio = frame.loc[EVERY_MACHINE, "ratio"]
    assert ratio == pytest.approx(frame.loc[here, "ratio"], rel=0.05)
    assert ratio == pytest.approx(0.5, rel=0.05)


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
    local.complete_here()
    expected = by_name(local)
    assert len(expected) == 3 * 3
    assert {name: decided(row) for name, row in found.items()} == {
        name: decided(row) for name, row in expected.items()
    }
