"""Two workflows at once, and a clock that is set back."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from faults.trial import MEASURED, RUNS_IN_ALL
from workspace import ROOT, Workspace

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
