"""A budget of CPU time: what a run's threads and processes compute counts, waiting does not."""

import os
import threading
import time
from functools import partial

import numpy as np
import pytest
from measurements import run_of

from timefair.algorithms.algorithm import Algorithm
from timefair.measure.perturbation import RunMonitor
from timefair.measure.run import Allowance, measure_run
from timefair.policies.restarts import FixedLength, NoRestart
from timefair.records.status import LaunchEnd

CPU_S = 1.2
"""Where the host stalls a virtual machine, its clock of CPU time may go on."""


def run(solve, problem, **allowed):
    given = {"time_ns": round(CPU_S * 1e9), "cpu": True, "restart": NoRestart(), **allowed}
    row = run_of(solve, problem, 1, **given)
    times = [event["time_s"] for event in row["events"]]
    assert times == sorted(times)
    assert all(0 <= at < CPU_S for at in times)
    return row


def one(objective):
    objective(objective.lower)


def spin():
    while True:
        pass


def search(objective, rng):
    while True:
        objective(rng.uniform(objective.lower, objective.upper))


def hangs(objective, rng):
    one(objective)
    spin()


def sleeps(objective, rng):
    while True:
        one(objective)
        time.sleep(0.02)


def sleeps_beside_a_child(objective, rng):
    if os.fork() == 0:
        spin()
    sleeps(objective, rng)


def waits_for_a_child(objective, rng):
    one(objective)
    if (pid := os.fork()) == 0:
        spin()
    os.waitpid(pid, 0)


def waits_for_children_in_turn(objective, rng):
    while True:
        if (pid := os.fork()) == 0:
            while time.process_time() < 0.05:
                pass
            os._exit(0)
        os.waitpid(pid, 0)
        one(objective)


def has_threads(objective, rng):
    matrix = np.ones((300, 300))

    def multiply():
        while True:
            np.dot(matrix, matrix)

    for _ in range(2):
        threading.Thread(target=multiply, daemon=True).start()
    sleeps(objective, rng)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("solve", "reasons"),
    [
        (search, ["time"]),
        (hangs, ["time_killed"]),
        (sleeps_beside_a_child, ["time", "time_killed"]),
        (waits_for_a_child, ["time_killed"]),
        (waits_for_children_in_turn, ["time", "time_killed"]),
        (has_threads, ["time", "time_killed"]),
    ],
)
def test_what_is_computed_ends_the_run(problem, solve, reasons):
    row = run(solve, problem)
    assert (row["status"], row["wall_s"], row["real_s"]) == ("ok", CPU_S, CPU_S)
    assert row["stop_reason"] in reasons
    assert row["cpu_s"] >= CPU_S
    assert row["foreign_delay_s"] == 0


def test_each_evaluation_has_its_own_time(problem):
    """The clock is finer than a tick of the kernel."""

    def improves(objective, rng):
        x = objective.upper
        while True:
            objective(x)
            x = 0.99 * x

    times = [event["time_s"] for event in run(improves, problem, evaluations=30)["events"]]
    assert len(set(times)) == len(times) > 10


def test_waiting_does_not_count(problem):
    begun = time.monotonic()
    row = run(sleeps, problem, evaluations=40)
    assert time.monotonic() - begun >= 39 * 0.02
    assert (row["stop_reason"], row["evaluations"]) == ("evaluations", 40)
    assert row["cpu_s"] == row["real_s"] == row["wall_s"] < CPU_S


def test_a_run_that_only_waits_ends_at_the_limit_of_wall_clock(problem):
    def waits(objective, rng):
        one(objective)
        time.sleep(1000)

    row = run(waits, problem, wall_ns=1_500_000_000)
    assert (row["status"], row["stop_reason"]) == ("wall_limit", "failure")
    assert row["attempts"] == 1


def test_launches_end_after_cpu_time(problem):
    """Each launch that hangs is killed, and the run goes on in a new process with its clock."""
    row = run(hangs, problem, restart=FixedLength(tau_s=0.3))
    *cut, last = row["launch_log"]
    assert 1 <= len(cut) <= 3
    assert all(launch["end"] == LaunchEnd.TAU for launch in cut)
    assert all(launch["end_s"] - launch["start_s"] >= 0.3 for launch in cut)
    assert (last["end_s"], row["cpu_s"] >= CPU_S) == (CPU_S, True)


def test_batches_are_evaluated_by_one_process(problem):
    def batches(objective, rng):
        assert objective.cores == 1
        while True:
            objective.batch(rng.uniform(-5, 5, (10, objective.dimension)))

    assert run(batches, problem, cores=2)["stop_reason"] == "time"


def test_no_clock_that_can_be_set_is_read(problem, monkeypatch):
    def refuse():
        raise AssertionError

    for name in ("time", "time_ns"):
        monkeypatch.setattr(time, name, refuse)
    measure = partial(measure_run, Algorithm(search), problem, Allowance(evaluations=50), seed=1)
    row = RunMonitor([0], reference=True).measure(measure)
    assert (row["status"], row["evaluations"]) == ("ok", 50)
