"""Two workflows at once, a clock that is set back, full or read-only disks, damaged files."""

import contextlib
import ctypes
import os
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from faults.trial import MEASURED, RUNS_IN_ALL
from workspace import ROOT, Workspace

from timefair.records.store import read_journal

pytestmark = pytest.mark.workflow


HOUR_S = 3600


OUTER = f"""
configfile: "campaign.yaml"

module timefair:
    snakefile: "{ROOT}/workflow/Snakefile"
    config: config

use rule * from timefair

onstart: print("the hook of the outer workflow alone is called")
"""


def as_a_module(workspace: Workspace) -> None:
    """Let the campaign be a module of another workflow, which has timefair's profile."""
    workspace.snakefile = workspace.folder / "Snakefile"
    workspace.snakefile.write_text(OUTER)
    (workspace.folder / "profiles").symlink_to(ROOT / "profiles")


@pytest.mark.thorough
def test_of_two_workflows_one_works_and_the_other_says_why_not(new_trial):
    """The jobs of one that was killed run on; the next waits for them, and nothing is doubled."""
    trial = new_trial(budget={"evaluations": 50})
    first = trial.begin()
    first.send_signal(signal.SIGSTOP)  # it does not end before the other has looked
    refused = trial.workspace.run(*MEASURED)
    assert refused.returncode != 0
    said = refused.stdout + refused.stderr
    assert f"another snakemake (process {first.pid}) works on this campaign" in said
    assert "Traceback" not in said
    first.kill()
    first.wait()
    second = trial.begin()
    assert trial.ended(second) == 0
    trial.check()


@pytest.mark.thorough
def test_a_campaign_that_is_a_module_of_two_workflows(new_trial):
    """The second changes nothing of what the jobs of the first read, nor does a dry run."""
    trial = new_trial(budget={"evaluations": 100}, runs=20)  # its jobs do not end before the others
    as_a_module(trial.workspace)
    first = trial.begin()
    snapshot = trial.workspace.results / "campaign.json"
    written = snapshot.read_text()
    other = (*MEASURED, "--config", "seed=4")
    first.send_signal(signal.SIGSTOP)  # it does not end before the others have looked
    with ThreadPoolExecutor() as at_once:
        refused, planned = at_once.map(lambda words: trial.workspace.run(*words), [
            other, ("--dry-run", *other),
        ])  # fmt: skip
    assert refused.returncode != 0
    said = refused.stdout + refused.stderr
    assert f"another snakemake (process {first.pid}) works on this campaign" in said
    assert "Traceback" not in said
    assert planned.returncode == 0, planned.stderr
    assert snapshot.read_text() == written
    os.killpg(first.pid, signal.SIGINT)
    first.send_signal(signal.SIGCONT)
    assert trial.ended(first) != 0


@pytest.mark.thorough
def test_a_clock_that_is_set_back(trial):
    """What was written before is from the future then; whole runs are not measured again."""
    campaign = trial.begin(12)
    campaign.kill()
    trial.ended(campaign)
    later = time.time() + HOUR_S
    for path in trial.workspace.folder.rglob("*"):
        if path.is_file():
            os.utime(path, (later, later))
    trial.workspace.complete(*MEASURED)
    trial.look()
    assert len(trial.workspace.rows()) == RUNS_IN_ALL


@pytest.fixture
def disk():
    """An empty folder that is a file system of its own, of 24 MB.

    It is not in the folder of temporary files: as long as there is a mount in that folder, the
    kernel gives no user without privileges a private view of it, and another test needs one.
    """
    try:
        folder = Path(tempfile.mkdtemp(dir="/mnt"))
    except OSError as error:
        pytest.skip(f"no file system of its own: {error}")
    mounted = mount("-t", "tmpfs", "-o", "size=24m", "tmpfs", folder)
    if mounted.returncode != 0:
        folder.rmdir()
        pytest.skip(f"no file system of its own: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=False)
    folder.rmdir()


def mount(*words):
    try:
        return subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no command to mount a file system")


@pytest.fixture
def trial_on_disk(disk, new_trial):
    """A trial whose results, logs and notes of Snakemake lie on that disk."""
    trial = new_trial()
    trial.workspace.folder = disk
    trial.workspace.results = disk / "results" / "test"
    return trial


def fill(folder):
    with contextlib.suppress(OSError), (folder / "ballast").open("wb") as file:
        while True:
            file.write(bytes(4096))
            file.flush()


@pytest.mark.thorough
def test_a_full_disk_is_said_and_what_was_done_stays(trial_on_disk, disk):
    campaign = trial_on_disk.begin(4)
    fill(disk)
    assert campaign.wait(120) != 0
    assert "No space left on device" in trial_on_disk.words
    (disk / "ballast").unlink()
    trial_on_disk.look()
    trial_on_disk.finish()


def became_read_only(folder):
    """By one system call: between two jobs there is little time for more."""
    read_only, remount = 1, 32
    return ctypes.CDLL(None).mount(None, os.fsencode(folder), None, read_only | remount, None) == 0


@pytest.mark.thorough
def test_results_that_became_read_only(trial_on_disk, disk):
    campaign = trial_on_disk.begin(4, cores=1)  # no file is open for writing between two jobs
    time.sleep(0.2)
    while not became_read_only(disk):  # in a job
        assert campaign.poll() is None
        time.sleep(0.0002)
    campaign.wait(120)
    start = trial_on_disk.workspace.run(*MEASURED)
    assert start.returncode != 0
    assert "Read-only file system" in start.stdout + start.stderr
    mount("-o", "remount,rw", disk)
    trial_on_disk.look()
    trial_on_disk.finish()


@pytest.mark.thorough
def test_a_damaged_journal_costs_its_run_and_a_damaged_record_is_named_before_any_table(trial):
    damage_a_journal(trial)
    damage_a_record(trial)


def damage_a_journal(trial):
    campaign = trial.begin(4)
    campaign.kill()
    trial.ended(campaign)
    path = max(trial.workspace.results.rglob("*.journal"), key=lambda p: p.stat().st_size)
    data = bytearray(path.read_bytes())
    before = read_journal(bytes(data)).runs
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    after = read_journal(bytes(data)).runs
    assert len(before) - len(after) == 1
    path.with_suffix("").unlink(missing_ok=True)  # the record, which has the run as well
    (lost,) = before.keys() - after.keys()
    algorithm = before[lost].column("algorithm")[0].as_py()
    del trial.finished[algorithm, path.name.partition(".")[0], *lost]
    trial.finish()
    assert "runs are damaged and measured again" in trial.words or "no whole run" in trial.words


def damage_a_record(trial):
    path = sorted(trial.workspace.results.rglob("records/**/*.parquet"))[0]
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[len(whole) // 3] ^= 0xFF
    path.write_bytes(damaged)
    start = trial.workspace.run(*MEASURED, "--forcerun", "collect_records")
    assert start.returncode != 0
    assert path.name in start.stdout + start.stderr
    assert "delete it and start snakemake again" in start.stdout + start.stderr
    path.unlink()
    record = path.name.partition(".")[0]
    trial.finished = {k: v for k, v in trial.finished.items() if k[1] != record}
    trial.finish()
