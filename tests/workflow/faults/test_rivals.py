"""A clock that is set back, full or read-only disks."""

import contextlib
import ctypes
import os
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from faults.trial import MEASURED, RUNS_IN_ALL

pytestmark = pytest.mark.workflow


HOUR_S = 3600


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
