"""Algorithms that do not end, do not stop when they should, or never begin."""

import ctypes
import signal
import subprocess
import threading
import time

from adversary import HELD, adversary, one, search


@adversary("no_evaluation", HELD, message="a trial launch was at")
def never_evaluates(objective, rng):
    while True:
        pass


@adversary("no_evaluation", "algorithm_ended", message="the algorithm returned without")
def returns_at_once(objective, rng):
    return None


@adversary("no_evaluation", "algorithm_ended", message="solve is a generator")
def returns_a_generator(objective, rng):
    return (objective(x) for x in rng.uniform(-5, 5, (10, objective.dimension)))


@adversary("ok", HELD)
def sleeps(objective, rng):
    one(objective)
    time.sleep(1000)


@adversary("ok", HELD)
def blocks_signals(objective, rng):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    sleeps(objective, rng)


@adversary("ok", HELD)
def ignores_signals(objective, rng):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    sleeps(objective, rng)


@adversary("ok", HELD)
def spins_in_c(objective, rng):
    """A loop in C that holds the interpreter: PyDLL keeps the GIL."""
    one(objective)
    ctypes.PyDLL(None).usleep(ctypes.c_uint(999_999_999))


@adversary("ok", HELD)
def spins_on_numbers(objective, rng):
    one(objective)
    return 7 ** (10**9)


@adversary("ok", HELD)
def deadlocks(objective, rng):
    one(objective)
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


@adversary("ok", HELD)
def waits_for_another_program(objective, rng):
    one(objective)
    subprocess.run(["sleep", "1000"], check=False)


@adversary("raised", "failure", message="EOFError")
def waits_for_input(objective, rng):
    one(objective)
    return input("step size? ")


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
    """One evaluation for each launch."""
    one(objective)
