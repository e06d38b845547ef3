"""kill -9 at random moments, of anything, loses nothing and has nothing measured twice."""

import os
import random
import signal
import time
from collections import Counter

import pytest
from faults.trial import KINDS, MEASURED, processes

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
