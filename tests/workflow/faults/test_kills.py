"""After kill -9 at random moments, and after signals that ask it to end, a campaign goes on."""

import contextlib
import os
import random
import signal
import time
from collections import Counter

import pytest
from faults.trial import KINDS, MEASURED, processes, wait_for

pytestmark = pytest.mark.workflow


AT_ONCE_S = 30
"""A campaign that has started shows a process of each kind within that time."""


def kill_one(folder, kind, wait_s):
    """Kill a process of this kind when that time is over, or as soon as there is one."""
    time.sleep(wait_s)
    end = time.monotonic() + AT_ONCE_S
    while time.monotonic() < end:
        there = processes(folder)
        for victim in there[kind]:
            try:
                os.kill(victim, signal.SIGKILL)
                return True
            except ProcessLookupError:  # it has just ended
                continue
        if not there["snakemake"]:
            return False
        time.sleep(0.005)
    return False


@pytest.mark.thorough
def test_kill_9_of_anything_at_random_moments(new_trial, moments):
    chance = random.Random(moments)
    killed = Counter(dict.fromkeys(KINDS, 0))
    campaigns = 0
    while killed.total() < moments:
        trial = new_trial()
        campaigns += 1
        campaign = trial.start()
        while campaign.poll() is None and killed.total() < moments:
            kind = min(KINDS, key=lambda k: killed[k])
            done = kill_one(trial.workspace.folder, kind, chance.uniform(0, 0.8))
            killed[kind] += done
            if done and kind == "snakemake":
                campaign.wait()  # its jobs run on
            trial.look()
            if campaign.poll() not in (None, 0):
                campaign = trial.start()
        campaign.wait(120)
        if campaign.returncode != 0:
            trial.workspace.complete(*MEASURED)
        trial.check()
    print(f"{dict(killed)} in {campaigns} campaigns: nothing lost, nothing measured twice")
    assert min(killed.values()) >= moments // len(KINDS)


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
