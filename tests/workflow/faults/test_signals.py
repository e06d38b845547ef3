"""Signals that ask a campaign to end: it ends, says so, keeps what it has, and goes on later."""

import contextlib
import os
import signal
import time

import pytest
from faults.trial import processes, wait_for

pytestmark = pytest.mark.workflow


def signal_all(trial, kind, number):
    for victim in processes(trial.workspace.folder)[kind]:
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            os.kill(victim, number)


@pytest.mark.thorough
def test_jobs_that_are_asked_to_end_say_what_they_keep(trial):
    """And a run is measured once more. SIGINT is that of Ctrl-C below."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        campaign = trial.begin()
        signal_all(trial, "run", number)
        time.sleep(0.05)
        signal_all(trial, "command", number)
        wait_for(lambda name=number.name: f"ended by {name}" in trial.words, "message")
        time.sleep(0.5)  # snakemake may fail if the signal arrives while it looks at an ended job
        campaign.terminate()
        assert trial.ended(campaign) != 0
    assert "runs that are done; the next start goes on from them" in trial.words
    trial.finish()


@pytest.mark.thorough
def test_processes_that_are_asked_to_end_by_another_one_are_replaced(trial):
    """The process that measures a job may be signalled by the run: the job goes on."""
    campaign = trial.begin()
    signal_all(trial, "parent", signal.SIGTERM)
    assert trial.ended(campaign) == 0, trial.words
    assert "ended by SIGTERM" in trial.words
    trial.finish()


def ignore_interrupts():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.mark.thorough
def test_workflows_that_are_asked_to_end(new_trial):
    """Ctrl-C ends the jobs, which say so, and the next start goes on."""
    trial = new_trial(budget={"evaluations": 60})  # it is not over before the last signal
    campaign = trial.begin()
    os.killpg(campaign.pid, signal.SIGINT)
    trial.ended(campaign)
    assert "ended by SIGINT" in trial.words
    assert "runs are finished and kept" in trial.words
    trial.finish()


@pytest.mark.thorough
def test_workflows_in_the_background_are_asked_to_end(new_trial):
    """SIGTERM lets jobs end; Ctrl-C ends them in the background, too, where it is ignored."""
    trial = new_trial(budget={"evaluations": 60})
    campaign = trial.begin()
    campaign.terminate()
    trial.ended(campaign)
    campaign = trial.begin(preexec_fn=ignore_interrupts)
    jobs = processes(trial.workspace.folder)["parent"]
    os.killpg(campaign.pid, signal.SIGINT)
    wait_for(lambda: not {*jobs} & {*trial.alive()}, "end of the jobs")
    campaign.terminate()  # such a workflow starts the next jobs, until it is asked in another way
    trial.ended(campaign)
    trial.finish()
