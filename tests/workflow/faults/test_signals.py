"""Signals that ask a campaign to end: it ends, says so, keeps what it has, and goes on later."""

from __future__ import annotations

import os
import signal
import time

import pytest
from faults.processes import processes

pytestmark = pytest.mark.workflow


def wait_for(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"no {what} after {seconds} s"
        time.sleep(0.01)


def begin(trial, **options):
    """Start, and wait until one more run is finished and another one is there."""
    campaign = trial.start(**options)
    before = len(trial.finished)

    def begun():
        trial.look()
        return len(trial.finished) > before and processes(trial.workspace.folder)["run"]

    wait_for(begun, "run")
    return campaign


def ended(trial, campaign):
    """Wait until every process has ended. The exit status of the workflow."""
    status = campaign.wait(120)
    wait_for(lambda: not trial.alive(), "end of all processes")
    trial.look()
    return status


def test_jobs_that_are_asked_to_end_say_what_they_keep(trial):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        campaign = begin(trial)
        for victim in processes(trial.workspace.folder)["parent"]:
            os.kill(victim, number)
        wait_for(lambda name=number.name: f"ended by {name}" in trial.words, "message")
        campaign.terminate()
        assert ended(trial, campaign) != 0
    assert "runs that are done; the next start goes on from them" in trial.words
    trial.finish()


def test_a_run_that_is_asked_to_end_is_measured_once_more(trial):
    campaign = begin(trial)
    os.kill(processes(trial.workspace.folder)["run"][0], signal.SIGTERM)
    assert ended(trial, campaign) == 0
    trial.finish()
    assert sum(row["attempts"] > 1 for row in trial.workspace.rows()) <= 1


def ignore_interrupts():
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def test_workflows_that_are_asked_to_end(trial):
    """SIGTERM lets its jobs end; Ctrl-C ends them, also in the background, where it is ignored."""
    campaign = begin(trial)
    campaign.terminate()
    ended(trial, campaign)
    campaign = begin(trial)
    os.killpg(campaign.pid, signal.SIGINT)
    ended(trial, campaign)
    assert "ended by SIGINT" in trial.words
    campaign = begin(trial, preexec_fn=ignore_interrupts)
    jobs = processes(trial.workspace.folder)["parent"]
    os.killpg(campaign.pid, signal.SIGINT)
    wait_for(lambda: not {*jobs} & {*trial.alive()}, "end of the jobs")
    campaign.terminate()  # such a workflow starts the next jobs, until it is asked in another way
    ended(trial, campaign)
    trial.finish()
