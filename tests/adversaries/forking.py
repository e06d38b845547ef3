"""Algorithms with processes and threads of their own, some of which they leave behind."""

import importlib.util
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
from adversary import HELD, adversary, one, search


@adversary("ok", HELD, shows=lambda row: row["left_processes"] >= 5)
def forks_children(objective, rng):
    """Children in the run's session, in one of their own, and by another program."""
    one(objective)
    for own_session in (False, True):
        if os.fork() == 0:
            if own_session:
                os.setsid()
            if os.fork() == 0:
                time.sleep(1000)
            time.sleep(1000)
    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    time.sleep(1000)


@adversary("ok", HELD, shows=lambda row: row["left_processes"] >= 2)
def forks_many_children_that_spin(objective, rng):
    one(objective)
    for _ in range(20):
        if os.fork() == 0:
            while True:
                pass
    time.sleep(1000)


@adversary("ok", HELD, shows=lambda row: row["left_processes"] >= 1)
def leaves_a_daemon(objective, rng):
    """A child of a child, in its own session, without the signal for the end of its parent."""
    one(objective)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            __import__("ctypes").CDLL(None).prctl(1, 0, 0, 0, 0)
            for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(number, signal.SIG_IGN)
            time.sleep(1000)
        os._exit(0)
    time.sleep(1000)


@adversary("ok", HELD)
def waits_for_a_pool(objective, rng):
    one(objective)
    pool = multiprocessing.get_context("fork").Pool(2)
    pool.map(time.sleep, [1000, 1000])


@adversary("ok", shows=lambda row: row["cpu_s"] < 1.5 * row["wall_s"] + 0.02)
def has_threads_that_spin(objective, rng):
    """Four threads in numpy, without the GIL; they share the run's core."""
    matrix = np.ones((300, 300))

    def spin():
        while True:
            np.dot(matrix, matrix)

    for _ in range(4):
        threading.Thread(target=spin, daemon=True).start()
    search(objective, rng)


@adversary("ok", HELD, shows=lambda row: row["cpu_s"] < 1.5 * row["wall_s"] + 0.02)
def raises_the_number_of_threads_of_blas(objective, rng):
    import threadpoolctl

    one(objective)
    threadpoolctl.threadpool_limits(8)
    matrix = np.ones((1000, 1000))
    while True:
        np.dot(matrix, matrix)


def has_threads_of_numba(objective, rng):
    one(objective)
    while True:
        has_threads_of_numba.loop(10**7)


def _compile() -> None:
    os.environ["NUMBA_NUM_THREADS"] = "8"
    numba = importlib.import_module("numba")
    numba.config.THREADING_LAYER = "workqueue"  # OpenMP ends what is forked after its threads began

    @numba.njit("float64(int64)", parallel=True)
    def sum_of_squares(count):
        total = 0.0
        for i in numba.prange(count):
            total += i**2
        return total

    has_threads_of_numba.loop = sum_of_squares


has_threads_of_numba.prepare = _compile
if importlib.util.find_spec("numba"):
    adversary("ok", HELD, shows=lambda row: row["cpu_s"] < 1.5 * row["wall_s"] + 0.02)(
        has_threads_of_numba
    )


@adversary("ok", HELD, shows=lambda row: row["cpu_s"] < 1.5 * row["wall_s"] + 0.02)
def starts_a_program_with_threads(objective, rng):
    """Another interpreter, in which numpy may have 8 threads."""
    one(objective)
    words = "import numpy; a = numpy.ones((999, 999))\nwhile True: a @ a"
    more = os.environ | {"OPENBLAS_NUM_THREADS": "8", "OMP_NUM_THREADS": "8"}
    subprocess.run([sys.executable, "-c", words], env=more, check=False)


@adversary("raised", "failure", message="RuntimeError: can't start new thread")
def starts_threads_for_ever(objective, rng):
    """Each has a stack of 8 MB of address space: the limit of memory ends that."""
    one(objective)
    threading.stack_size(8 * 2**20)
    while True:
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
