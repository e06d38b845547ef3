"""Algorithms that reach for the clock, the counters, priority, or what other runs have found."""

import contextlib
import ctypes
import gc
import os
import shutil
import socket
import sys
import tempfile
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


def found_nothing(row):
    """No run began at the best point of another one."""
    return row["events"][0]["precision"] > row["best_precision"] or row["evaluations"] == 1


def write_shared_memory(name, data):
    """Overwrite the beginning of an anonymous file of the run, opened by /proc/self/fd."""
    for fd in os.listdir("/proc/self/fd"):
        try:
            if name in os.readlink(f"/proc/self/fd/{fd}"):
                os.pwrite(os.open(f"/proc/self/fd/{fd}", os.O_RDWR), data, 0)
        except OSError:
            continue


# --- The clock --------------------------------------------------------------------------------


@adversary("raised", FAILED, message="AttributeError")
def starts_again(objective, rng):
    """Moves t0 and T by the method that the measuring code has."""
    one(objective)
    now = time.monotonic_ns()
    objective.start(now + 10**9, now + 2 * 10**9)


@adversary("raised", FAILED, message="AttributeError")
def ends_its_launch_itself(objective, rng):
    one(objective)
    objective.end_launch(0)


@adversary("ok", shows=in_its_time)
def starts_again_through_gc(objective, rng):
    """Looks for an object with a method `start` among all that the interpreter knows."""
    one(objective)
    now = time.monotonic_ns()
    for each in gc.get_objects():
        if type(each).__module__.startswith("timefair.measure"):
            for name in ("start", "finish", "disown"):
                try:
                    getattr(each, name)(now + 10**9, now + 2 * 10**9)
                except Exception:
                    continue
    search(objective, rng)


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


@adversary("ok", shows=in_its_time)
def replaces_the_end_of_a_process(objective, rng):
    """``os._exit`` returns, and so would into the code of the parent."""
    os._exit = lambda status: None
    search(objective, rng)


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


def begins_where_another_ended(objective, rng, cache):
    """Reads the best point of an earlier run, or of the trial launch, and writes its own."""
    x = np.load(cache) if cache.exists() else rng.uniform(-5, 5, objective.dimension)
    best = objective(x)
    np.save(cache, x)
    for _ in range(100):
        y = x + 0.1 * rng.standard_normal(objective.dimension)
        value = objective(y)
        if value < best:
            x, best = y, value
            np.save(cache, x)
    search(objective, rng)


@adversary("ok", shows=found_nothing)
def leaves_a_cache_in_its_folder(objective, rng):
    begins_where_another_ended(objective, rng, Path("cache.npy").absolute())


@adversary("ok", shows=found_nothing)
def leaves_a_cache_in_tmp(objective, rng):
    begins_where_another_ended(objective, rng, Path("/tmp/timefair-adversary-cache.npy"))


@adversary("ok", shows=found_nothing)
def leaves_a_cache_in_shared_memory(objective, rng):
    begins_where_another_ended(objective, rng, Path("/dev/shm/timefair-adversary-cache.npy"))


@adversary("ok", shows=found_nothing)
def leaves_a_cache_beside_its_module(objective, rng):
    begins_where_another_ended(objective, rng, Path(__file__).with_name("cache.npy"))


@adversary("ok", shows=found_nothing)
def leaves_a_server(objective, rng):
    """A process that tells the best point to whoever connects; the next run asks it."""
    address, x = b"\0timefair-adversary", rng.uniform(-5, 5, objective.dimension)
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as asking:
        asking.connect(address)
        x = np.frombuffer(asking.recv(1000))
    value = objective(x)
    for _ in range(100):
        y = x + 0.1 * rng.standard_normal(objective.dimension)
        if (one_more := objective(y)) < value:
            x, value = y, one_more
    server = socket.socket(socket.AF_UNIX)
    server.bind(address)
    server.listen()
    if os.fork() == 0:
        os.setsid()
        while True:
            server.accept()[0].send(x.tobytes())
    search(objective, rng)


@adversary("ok", shows=lambda row: row["left_processes"] == 0)
def looks_for_the_folder_of_another_run(objective, rng):
    """Removes what lies in the temporary folders of all runs; its own view alone changes."""
    one(objective)
    for path in Path(tempfile.gettempdir()).parent.glob("timefair-run-*"):
        shutil.rmtree(path, ignore_errors=True)
    search(objective, rng)


@adversary("raised", FAILED, message="PermissionError")
def opens_the_memory_of_the_process_that_measures_it(objective, rng):
    """To read what other runs have found, or to write another count."""
    one(objective)
    os.open(f"/proc/{os.getppid()}/mem", os.O_RDWR)
    search(objective, rng)
