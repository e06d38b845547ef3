"""Two workflows at once, and a clock that is set back."""

from __future__ import annotations

import os
import time

import pytest
from faults.processes import processes

pytestmark = pytest.mark.workflow

HOUR_S = 3600


def test_of_two_workflows_one_works_and_the_other_says_why_not(trial):
    """The jobs of one that was killed run on; the next waits for them, and nothing is doubled."""
    first = trial.start()
    while not processes(trial.workspace.folder)["run"]:
        assert first.poll() is None
        time.sleep(0.01)
    refused = trial.workspace.run()
    assert refused.returncode != 0
    said = refused.stdout + refused.stderr
    assert f"another snakemake (process {first.pid}) works on this campaign" in said
    first.kill()
    first.wait()
    second = trial.start()
    while second.poll() is None:
        trial.look()
        time.sleep(0.05)
    assert second.returncode == 0
    trial.finish()


def test_a_clock_that_is_set_back(trial):
    """What was written before is from the future then; whole runs are not measured again."""
    campaign = trial.start()
    while len(trial.finished) < 20:
        assert campaign.poll() is None
        trial.look()
        time.sleep(0.05)
    campaign.kill()
    campaign.wait()
    while trial.alive():
        time.sleep(0.05)
    trial.look()
    later = time.time() + HOUR_S
    for path in trial.workspace.folder.rglob("*"):
        if path.is_file():
            os.utime(path, (later, later))
    trial.workspace.complete()
    trial.look()
    assert len(trial.workspace.rows()) == 2 * 2 * 2 * 8
