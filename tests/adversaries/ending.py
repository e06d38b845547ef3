"""Algorithms that end by an error or a signal, that do not end, or reach for what is not theirs."""

import contextlib
import ctypes
import faulthandler
import os
import signal
import sys
import threading
import time
from functools import partial
from pathlib import Path

import adversary as bench
import numpy as np
from adversary import HELD, adversary, one, search

FAILED = "failure"
acts, searches = (partial(declare, globals()) for declare in (bench.acts, bench.searches))


def fail(error):
    raise error


def deeper():
    deeper()


# fmt: off
acts("raises", "raised", "RuntimeError: no convergence",
     lambda: fail(RuntimeError("no convergence")))
acts("recurses", "raised", "RecursionError", deeper)
acts("segfaults", "crashed", "SIGSEGV", lambda: (faulthandler.disable(), ctypes.string_at(0)))
acts("sets_an_alarm", "crashed", "SIGALRM",
     lambda: (signal.setitimer(signal.ITIMER_REAL, 0.01), time.sleep(1000)))
# SIGTERM to its process group, and so to itself.
acts("ends_its_group", "killed", "SIGTERM from outside",
     lambda: (os.killpg(0, signal.SIGTERM), time.sleep(1000)))
acts("sleeps", "ok", None, lambda: time.sleep(1000), HELD)
acts("raises_two_lines", "raised", "RuntimeError: two lines",
     lambda: fail(RuntimeError("two\nlines")), shows=lambda row: "\n" not in row["message"])
acts("raises_a_novel", "raised", "x ...", lambda: fail(RuntimeError("x" * 10_000_000)),
     shows=lambda row: len(row["message"]) < 600)
acts("interrupts_itself", "raised", "KeyboardInterrupt", lambda: fail(KeyboardInterrupt()))
acts("exits_python", "raised", "SystemExit: 3", lambda: sys.exit(3))
acts("ends_the_process", "exited", "exit code 0", lambda: os._exit(0))
# As a licence check calls it.
acts("ends_the_process_in_c", "exited", "exit code 0", lambda: ctypes.CDLL(None).exit(0))
acts("aborts", "crashed", "SIGABRT", os.abort)
acts("kills_itself", "killed", "SIGKILL from outside",
     lambda: os.kill(os.getpid(), signal.SIGKILL), shows=lambda row: row["attempts"] == 3)
acts("stops_itself", "ok", None, lambda: os.kill(os.getpid(), signal.SIGSTOP), HELD)
# This ends the timers of the kernel.
acts("becomes_another_program", "ok", None, lambda: os.execvp("sleep", ["sleep", "1000"]), HELD,
     shows=lambda row: row["wall_s"] == row["budget_s"])
# PyDLL keeps the GIL.
acts("spins_in_c", "ok", None, lambda: ctypes.PyDLL(None).usleep(ctypes.c_uint(999_999_999)), HELD)
acts("spins_on_numbers", "ok", None, lambda: 7 ** (10**9), HELD)
acts("waits_for_input", "raised", "EOFError", lambda: input("step size? "))
# To read what other runs have found, or to write another count.
acts("opens_the_memory_of_the_process_that_measures_it", "raised", "PermissionError",
     lambda: os.open(f"/proc/{os.getppid()}/mem", os.O_RDWR))
# fmt: on


@adversary("raised", FAILED, message="Unspeakable: its text cannot be shown")
def raises_what_has_no_text(objective, rng):
    class Unspeakable(Exception):
        def __str__(self):
            raise ValueError("never")

    one(objective)
    raise Unspeakable


@adversary("exited", FAILED, message="exit code 77")
def ends_the_process_in_a_thread(objective, rng):
    threading.Timer(0.02, lambda: os._exit(77)).start()
    one(objective)
    time.sleep(1000)


@adversary("crashed", FAILED, message="SIGSEGV")
def segfaults_in_a_thread(objective, rng):
    one(objective)
    faulthandler.disable()
    threading.Thread(target=ctypes.string_at, args=(0,)).start()
    time.sleep(1000)


@adversary("ok")
def raises_in_a_thread(objective, rng):
    """An error in a thread of its own; the search goes on in the main thread."""
    threading.excepthook = lambda words: None
    thread = threading.Thread(target=fail, args=(RuntimeError("no convergence"),))
    thread.start()
    thread.join()
    search(objective, rng)


@adversary("no_evaluation", HELD, message="a trial launch was at")
def never_evaluates(objective, rng):
    while True:
        pass


@adversary("no_evaluation", "algorithm_ended", message="the algorithm returned without")
def returns_at_once(objective, rng):
    return None


@adversary("ok", HELD)
def blocks_signals(objective, rng):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    one(objective)
    time.sleep(1000)


@adversary("ok")
def swallows_everything(objective, rng):
    while True:
        try:  # noqa: SIM105
            objective(rng.uniform(objective.lower, objective.upper))
        except BaseException:
            pass


@adversary("ok")
def swallows_in_a_thread(objective, rng):
    threads = [threading.Thread(target=swallows_everything, args=(objective, rng)) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@adversary("ok")
def sleeps_when_it_is_stopped(objective, rng):
    try:
        search(objective, rng)
    finally:
        time.sleep(1000)


@adversary("ok", races=True)
def leaves_a_thread_that_evaluates(objective, rng):
    """Returns, while a thread goes on: what it evaluates is of the next launch, or of none."""
    threading.Thread(target=swallows_everything, args=(objective, rng), daemon=True).start()
    one(objective)


@adversary("ok", shows=lambda row: row["launches"] == row["evaluations"])
def launches_as_often_as_it_can(objective, rng):
    one(objective)


def in_its_time(row):
    """Nothing at or after T, and no more processor time than one core has."""
    late = [event for event in row["events"] if not 0 <= event["time_s"] < row["budget_s"]]
    within = 0 <= row["wall_s"] <= row["budget_s"] and row["reaped_s"] < row["budget_s"] + 3
    return not late and within and row["cpu_s"] < row["budget_s"] + 0.05


def where_it_may(call, *given):
    with contextlib.suppress(PermissionError):
        call(*given)


def stop_the_clocks():
    for name in ("time", "monotonic", "perf_counter", "monotonic_ns", "time_ns"):
        setattr(time, name, lambda: 0)


searches("raises_its_priority", lambda: where_it_may(os.nice, -20), shows=in_its_time)
searches("asks_for_real_time", shows=in_its_time, act=lambda: where_it_may(
    os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(50)
))  # fmt: skip
searches("stops_the_clocks_of_python", stop_the_clocks,
         shows=lambda row: row["wall_s"] <= row["budget_s"])  # fmt: skip
searches("traces_every_call", lambda: sys.setprofile(lambda *event: None))


def write_shared_memory(name, data):
    """Overwrite the beginning of an anonymous file of the run, opened by /proc/self/fd."""
    for fd in os.listdir("/proc/self/fd"):
        try:
            if name in os.readlink(f"/proc/self/fd/{fd}"):
                os.pwrite(os.open(f"/proc/self/fd/{fd}", os.O_RDWR), data, 0)
        except OSError:
            continue


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
