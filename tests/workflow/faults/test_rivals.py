"""Two workflows at once, and a clock that is set back."""

from __future__ import annotations

import os
import time

import pytest
from faults.trial import MEASURED, RUNS_IN_ALL

pytestmark = pytest.mark.workflow

HOUR_S = 3600


def test_of_two_workflows_one_works_and_the_other_says_why_not(trial):
    """The jobs of one that was killed run on; the next waits for them, and nothing is doubled."""
    first = trial.begin()
    refused = trial.workspace.run(*MEASURED)
    assert refused.returncode != 0
    said = refused.stdout + refused.stderr
    assert f"another snakemake (process {first.pid}) works on this campaign" in said
    first.kill()
    first.wait()
    second = trial.begin()
    assert trial.ended(second) == 0
    trial.finish()


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
