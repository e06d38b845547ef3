"""What an algorithm cannot change, and what is found out if it changes it: clock and counts."""

import copy
import ctypes
import gc
import os
import pickle
import signal
import time

import numpy as np
import pytest
from measurements import run_of

from timefair.measure import run as running
from timefair.measure.evaluation.objective import now_ns
from timefair.measure.evaluation.state import State

T = 2.0
"""Longer than a machine stalls, and than an algorithm looks for an object in its process."""

INTERFACE = {
    "batch", "c_function", "cores", "dimension", "evaluations", "evaluations_left", "integer",
    "lower", "changes", "noisy", "progress", "recommend", "shown", "upper",
}  # fmt: skip


def run(solve, problem, **allowed) -> dict:
    allowed = {"time_ns": 60_000_000_000, **allowed}
    return run_of(solve, problem, 5, **allowed)


def sample(objective, rng, cpu_s=np.inf):
    end = time.process_time() + cpu_s
    while time.process_time() < end:
        objective(rng.uniform(objective.lower, objective.upper))


def found(kind):
    """An object of timefair's in this process, as an algorithm could look for it.

    The newest objects come first: a process that has imported all libraries has millions.
    """
    for generation in range(3):
        for thing in reversed(gc.get_objects(generation)):
            if type(thing).__name__ == kind:
                return thing
    raise LookupError(kind)


def test_an_algorithm_gets_nothing_but_the_interface(problem):
    def looks(objective, rng):
        names = {name for name in dir(objective) if not name.startswith("__")}
        reached = [type(thing).__name__ for thing in gc.get_referents(objective)]
        raise RuntimeError(f"{sorted(names)} {reached}")

    assert run(looks, problem)["message"] == f"RuntimeError: {sorted(INTERFACE)} []"


def test_an_objective_cannot_be_taken_apart():
    for take_apart in (copy.copy, pickle.dumps):
        with pytest.raises(TypeError):
            take_apart(objective_of_a_run())


def objective_of_a_run():
    from timefair.problems.suites import SUITES

    return State().measurement(SUITES["bbob"].problem(1, 2, 1)).objective


def moves_its_clock(objective, rng):
    late = now_ns() + 10**9
    found("Launcher").measurement.start(late, late + 10**9)


def test_time_starts_once(problem):
    row = run(moves_its_clock, problem)
    assert row["status"] == "raised"
    assert "has started already" in row["message"]


def stops_its_timer(objective, rng):
    libc = ctypes.CDLL(None)
    for number in range(8):
        libc.syscall(226, number)  # timer_delete
    time.sleep(1000)


@pytest.mark.slow
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the number of a system call")
def test_without_its_timer_the_parent_ends_it(problem):
    row = run(stops_its_timer, problem, time_ns=150_000_000)
    assert 0.15 < row["reaped_s"] < 30
    assert (row["status"], row["stop_reason"]) == ("no_evaluation", "time_killed")
    assert row["wall_s"] == 0.15


def lengthens_its_deadline(objective, rng):
    """Writes a later deadline into the memory of the measurement, wherever it finds the old one.

    It ends when it has found something after the old one.
    """
    launcher = found("Launcher")
    old = launcher.start.deadline
    memory = ctypes.cast(id(launcher.measurement), ctypes.POINTER(ctypes.c_int64))
    for place in range(60):
        if memory[place] == old:
            memory[place] = old + 10**10
    launcher.timer.set(old + 10**10)
    step, late = 1.0, False
    while not late:  # an improvement at each evaluation
        late = now_ns() > old
        objective(objective.lower * 0 + step)
        step *= 0.99999
    os._exit(1)


@pytest.mark.slow
def test_what_is_found_after_the_end_is_not_kept(problem, monkeypatch):
    monkeypatch.setattr(running, "LATE_NS", 10**10)  # the parent would end it
    row = run(lengthens_its_deadline, problem, time_ns=round(T * 1e9))
    assert row["status"] == "inconsistent"
    assert "is not from" in row["message"]
    assert row["events"] == row["launch_log"] == []
    assert row["best_precision"] == np.inf


def _forge(**fields):
    def forges(objective, rng):
        sample(objective, rng, 0.05)
        state = found("Launcher").state
        for name, value in fields.items():
            state[name] = value
        os._exit(1)

    return forges


@pytest.mark.parametrize(
    "fields",
    [{"evaluations": 3}, {"events": 1}, {"launches": 0}, {"stop": 99}, {"stop": 1, "end": 10}],
    ids=str,
)
def test_forged_counters_are_inconsistent_and_nothing_of_the_run_is_kept(problem, fields):
    row = run(_forge(**fields), problem)
    assert row["status"] == "inconsistent", row["message"]
    assert row["stop_reason"] == "failure"
    assert row["message"]
    assert (row["evaluations"], row["launches"], row["events"]) == (0, 0, [])
    assert row["best_x"] is None
    assert 0 < row["wall_s"] <= row["budget_s"]


@pytest.mark.slow
def test_cpu_time_that_was_told_too_low_is_not_believed(problem):
    def forges(objective, rng):
        sample(objective, rng, 1.2)  # its end may be seen a second later, as if that were teardown
        state = found("Launcher").state
        state["end"], state["cpu_1"], state["stop"] = now_ns(), found("Launcher").start.cpu + 1, 4
        os.kill(os.getpid(), signal.SIGKILL)

    row = run(forges, problem)
    assert row["status"] == "ok"
    assert row["cpu_s"] >= 1.2


def replaces_the_exit(objective, rng):
    os._exit = lambda status: None
    sample(objective, rng)


@pytest.mark.slow
def test_a_replaced_exit_does_not_let_a_run_go_on(problem):
    here = os.getpid()
    row = run(replaces_the_exit, problem, time_ns=round(T * 1e9))
    assert os.getpid() == here  # a run that came back would fail the next lines in its own process
    assert row["status"] == "ok"
    assert row["stop_reason"] in ("time", "time_killed")  # the latter where it stalled
