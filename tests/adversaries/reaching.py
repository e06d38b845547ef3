"""Algorithms that reach for clock, counters or priority, or evaluate what they should not."""

import contextlib
import ctypes
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
from adversary import adversary, one, search

FAILED = "failure"


def in_its_time(row):
    """Nothing at or after T, and no more processor time than one core has."""
    late = [event for event in row["events"] if not 0 <= event["time_s"] < row["budget_s"]]
    within = 0 <= row["wall_s"] <= row["budget_s"] and row["reaped_s"] < row["budget_s"] + 3
    return not late and within and row["cpu_s"] < row["budget_s"] + 0.05


def write_shared_memory(name, data):
    """Overwrite the beginning of an anonymous file of the run, opened by /proc/self/fd."""
    for fd in os.listdir("/proc/self/fd"):
        try:
            if name in os.readlink(f"/proc/self/fd/{fd}"):
                os.pwrite(os.open(f"/proc/self/fd/{fd}", os.O_RDWR), data, 0)
        except OSError:
            continue


# --- The clock --------------------------------------------------------------------------------


@adversary("ok", shows=in_its_time)
def changes_the_variables_of_its_callers(objective, rng):
    """Goes up the frames and gives each state another deadline."""
    one(objective)
    frame = sys._getframe()
    while frame is not None:
        for each in list(frame.f_locals.values()):
            for target in (each, getattr(each, "state", None), getattr(each, "_state", None)):
                for name in ("deadline", "kill_at"):
                    try:
                        target[name] = 2**62
                    except Exception:
                        continue
        frame = frame.f_back
    search(objective, rng)


@adversary("inconsistent", FAILED, message="")
def writes_the_header_through_proc(objective, rng):
    """Opens the shared memory of its run by /proc/self/fd, and writes a later deadline."""
    one(objective)
    write_shared_memory("timefair-head", b"\x7f" * 512)
    search(objective, rng)


@adversary("inconsistent", FAILED, message="")
def forges_its_events(objective, rng):
    """Writes rows into the shared memory of its events."""
    one(objective)
    write_shared_memory("timefair-events", bytes(range(256)))
    search(objective, rng)


@adversary("ok", shows=in_its_time)
def writes_its_own_memory(objective, rng):
    """Looks for its deadline in all memory that it can write, and moves it by a second."""
    one(objective)
    now = time.monotonic_ns()
    maps = Path("/proc/self/maps").read_text().splitlines()
    for line in (line for line in maps if "memfd:timefair" in line and "rw-s" in line):
        first, last = (int(word, 16) for word in line.split()[0].split("-"))
        words = (ctypes.c_int64 * ((last - first) // 8)).from_address(first)
        for k, word in enumerate(words):
            if now < word < now + 10**11:
                words[k] = word + 10**9
    search(objective, rng)


# --- The end of the process -------------------------------------------------------------------


@adversary("raised", FAILED, message="RuntimeError: no convergence")
def replaces_the_end_of_a_process_and_raises(objective, rng):
    os._exit = lambda status: None
    one(objective)
    raise RuntimeError("no convergence")


# --- Priority ----------------------------------------------------------------------------------


@adversary("ok", shows=in_its_time)
def raises_its_priority(objective, rng):
    """nice -20, where it may."""
    with contextlib.suppress(PermissionError):
        os.nice(-20)
    search(objective, rng)


@adversary("ok", shows=in_its_time)
def asks_for_real_time(objective, rng):
    """SCHED_FIFO, where it may."""
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    search(objective, rng)


# --- What one run leaves for the next -----------------------------------------------------------


@adversary("raised", FAILED, message="PermissionError")
def opens_the_memory_of_the_process_that_measures_it(objective, rng):
    """To read what other runs have found, or to write another count."""
    one(objective)
    os.open(f"/proc/{os.getppid()}/mem", os.O_RDWR)
    search(objective, rng)


@adversary("no_finite_value")
def evaluates_nan(objective, rng):
    while True:
        objective(np.full(objective.dimension, np.nan))


@adversary("ok")
def evaluates_far_outside(objective, rng):
    while True:
        objective(rng.uniform(-1e6, 1e6, objective.dimension))


@adversary("raised", FAILED, message="ValueError", shows=lambda row: row["evaluations"] == 1)
def evaluates_text(objective, rng):
    one(objective)
    objective("somewhere")


@adversary("ok", shows=lambda row: row["best_precision"] > 0)
def changes_the_bounds(objective, rng):
    """Writes into the arrays of the bounds; others get new ones."""
    objective.lower[:] = objective.upper[:] = 0
    assert np.all(objective.lower < objective.upper)
    search(objective, rng)


@adversary("ok")
def changes_its_points_meanwhile(objective, rng):
    """A thread changes a point while it is evaluated."""
    x = np.zeros(objective.dimension)

    def scribble():
        other = np.random.default_rng(1)
        while True:
            x[:] = other.uniform(-5, 5, x.size)

    threading.Thread(target=scribble, daemon=True).start()
    sys.setswitchinterval(1e-5)
    while True:
        objective(x)


@adversary("raised", FAILED, message="AttributeError")
def resets_its_count(objective, rng):
    one(objective)
    objective.evaluations = 0


@adversary("raised", FAILED, message="ValueError: the fork said 7")
def evaluates_in_a_fork(objective, rng):
    one(objective)
    pid = os.fork()
    if pid == 0:
        try:
            one(objective)
        except RuntimeError:
            os._exit(7)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    raise ValueError(f"the fork said {os.waitstatus_to_exitcode(status)}")


@adversary("ok", shows=lambda row: row["wall_s"] <= row["budget_s"])
def stops_the_clocks_of_python(objective, rng):
    """Replaces the functions of the module time."""
    for name in ("time", "monotonic", "perf_counter", "monotonic_ns", "time_ns"):
        setattr(time, name, lambda: 0)
    search(objective, rng)


@adversary("ok")
def traces_every_call(objective, rng):
    sys.setprofile(lambda *event: None)
    search(objective, rng)
