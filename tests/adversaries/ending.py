"""Algorithms that end by an error, a crash or a signal, that end others, or that do not end."""

import ctypes
import faulthandler
import os
import signal
import sys
import threading
import time

from adversary import HELD, adversary, one, search

FAILED = "failure"


@adversary("raised", FAILED, message="RuntimeError: no convergence")
def raises(objective, rng):
    one(objective)
    raise RuntimeError("no convergence")


@adversary("raised", FAILED, message="Unspeakable: its text cannot be shown")
def raises_what_has_no_text(objective, rng):
    class Unspeakable(Exception):
        def __str__(self):
            raise ValueError("never")

    one(objective)
    raise Unspeakable


@adversary("raised", FAILED, message="x ...", shows=lambda row: len(row["message"]) < 600)
def raises_a_novel(objective, rng):
    one(objective)
    raise RuntimeError("x" * 10_000_000)


@adversary(
    "raised", FAILED, message="RuntimeError: two lines", shows=lambda r: "\n" not in r["message"]
)
def raises_two_lines(objective, rng):
    one(objective)
    raise RuntimeError("two\nlines")


@adversary("raised", FAILED, message="KeyboardInterrupt")
def interrupts_itself(objective, rng):
    one(objective)
    raise KeyboardInterrupt


@adversary("raised", FAILED, message="SystemExit: 3")
def exits_python(objective, rng):
    one(objective)
    sys.exit(3)


@adversary("raised", FAILED, message="RecursionError")
def recurses(objective, rng):
    one(objective)

    def deeper():
        deeper()

    deeper()


@adversary("exited", FAILED, message="exit code 0")
def ends_the_process(objective, rng):
    one(objective)
    os._exit(0)


@adversary("exited", FAILED, message="exit code 0")
def ends_the_process_in_c(objective, rng):
    """``exit`` of the C library, as a licence check calls it."""
    one(objective)
    ctypes.CDLL(None).exit(0)


@adversary("exited", FAILED, message="exit code 77")
def ends_the_process_in_a_thread(objective, rng):
    threading.Timer(0.02, lambda: os._exit(77)).start()
    one(objective)
    time.sleep(1000)


@adversary("crashed", FAILED, message="SIGSEGV")
def segfaults(objective, rng):
    one(objective)
    faulthandler.disable()
    ctypes.string_at(0)


@adversary("crashed", FAILED, message="SIGSEGV")
def segfaults_in_a_thread(objective, rng):
    one(objective)
    faulthandler.disable()
    threading.Thread(target=ctypes.string_at, args=(0,)).start()
    time.sleep(1000)


@adversary("crashed", FAILED, message="SIGABRT")
def aborts(objective, rng):
    one(objective)
    os.abort()


@adversary("crashed", FAILED, message="SIGALRM")
def sets_an_alarm(objective, rng):
    one(objective)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    time.sleep(1000)


@adversary("ok")
def raises_in_a_thread(objective, rng):
    """An error in a thread of its own; the search goes on in the main thread."""
    threading.excepthook = lambda words: None
    thread = threading.Thread(target=raises, args=(lambda x: 0.0, rng))
    thread.start()
    thread.join()
    search(objective, rng)


@adversary("killed", FAILED, message="SIGKILL from outside", shows=lambda row: row["attempts"] == 3)
def kills_itself(objective, rng):
    one(objective)
    os.kill(os.getpid(), signal.SIGKILL)


@adversary("killed", FAILED, message="SIGTERM from outside")
def ends_its_group(objective, rng):
    """SIGTERM to its process group, and so to itself."""
    one(objective)
    os.killpg(0, signal.SIGTERM)
    time.sleep(1000)


@adversary("ok", HELD)
def stops_itself(objective, rng):
    one(objective)
    os.kill(os.getpid(), signal.SIGSTOP)


@adversary("ok", HELD, shows=lambda row: row["wall_s"] == row["budget_s"])
def becomes_another_program(objective, rng):
    """Replaces its process, which ends the timers of the kernel."""
    one(objective)
    os.execvp("sleep", ["sleep", "1000"])


@adversary("no_evaluation", HELD, message="a trial launch was at")
def never_evaluates(objective, rng):
    while True:
        pass


@adversary("no_evaluation", "algorithm_ended", message="the algorithm returned without")
def returns_at_once(objective, rng):
    return None


@adversary("ok", HELD)
def sleeps(objective, rng):
    one(objective)
    time.sleep(1000)


@adversary("ok", HELD)
def blocks_signals(objective, rng):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
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
