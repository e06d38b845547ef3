"""Algorithms that do what algorithms should not. Each is a `solve(objective, rng)`."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np


def cooperative(objective, rng):
    while True:
        objective(rng.uniform(objective.lower, objective.upper))


def short(objective, rng):
    """Returns after 50 evaluations: a completed restart."""
    for _ in range(50):
        objective(rng.uniform(objective.lower, objective.upper))


def one(objective, rng):
    objective(np.zeros(objective.dimension))


def raises(objective, rng):
    one(objective, rng)
    raise RuntimeError("no convergence")


def exits_python(objective, rng):
    one(objective, rng)
    sys.exit(3)


def evaluates_nan(objective, rng):
    while True:
        objective(np.full(objective.dimension, np.nan))


def never_evaluates(objective, rng):
    while True:
        pass


def returns_at_once(objective, rng):
    return None


def swallows_everything(objective, rng):
    while True:
        try:  # noqa: SIM105
            objective(rng.uniform(objective.lower, objective.upper))
        except BaseException:
            pass


def swallows_in_a_thread(objective, rng):
    threads = [threading.Thread(target=swallows_everything, args=(objective, rng)) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def sleeps(objective, rng):
    one(objective, rng)
    time.sleep(1000)


def blocks_signals(objective, rng):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    sleeps(objective, rng)


def spins_in_c(objective, rng):
    """A loop in C that holds the interpreter: PyDLL keeps the GIL."""
    one(objective, rng)
    ctypes.PyDLL(None).usleep(ctypes.c_uint(999_999_999))


def spins_on_numbers(objective, rng):
    one(objective, rng)
    return 7 ** (10**9)


def allocates(objective, rng):
    one(objective, rng)
    kept = []
    while True:
        kept.append(bytearray(2**24))


def segfaults(objective, rng):
    one(objective, rng)
    ctypes.string_at(0)


def aborts(objective, rng):
    one(objective, rng)
    os.abort()


def ends_the_process(objective, rng):
    one(objective, rng)
    os._exit(0)


def kills_itself(objective, rng):
    one(objective, rng)
    os.kill(os.getpid(), signal.SIGKILL)


def forks_children(objective, rng):
    """Children in the run's session, in one of their own, and by another program."""
    one(objective, rng)
    for own_session in (False, True):
        if os.fork() == 0:
            if own_session:
                os.setsid()
            if os.fork() == 0:
                time.sleep(1000)
            time.sleep(1000)
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    time.sleep(1000)


def evaluates_in_a_fork(objective, rng):
    one(objective, rng)
    pid = os.fork()
    if pid == 0:
        try:
            one(objective, rng)
        except RuntimeError:
            os._exit(7)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    raise ValueError(f"the fork said {os.waitstatus_to_exitcode(status)}")


def litters(objective, rng):
    """Leaves a file in its temporary folder and one where it was started, and a process."""
    Path(tempfile.mkdtemp(), "left.bin").write_bytes(bytes(2_000_000))
    Path("litter.txt").write_text("left")
    if os.fork() == 0:
        os.setsid()
        time.sleep(60)
    one(objective, rng)
