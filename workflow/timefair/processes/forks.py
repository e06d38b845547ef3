"""Does independent pieces of work in processes, most of them forks of this one."""

from __future__ import annotations

import os
import pickle
import selectors
import signal
import sys
import time
import traceback
from collections.abc import Callable, Generator, Iterable
from functools import partial
from itertools import takewhile
from typing import NamedTuple, NoReturn, TypeVar

from timefair.linux import kernel

Result = TypeVar("Result")


class Ended(NamedTuple):
    """A process that has ended: its place among those that were started, from 0, and how long it
    lived.

    The status is its exit status, or 128 plus the number of a signal that ended it.
    """

    number: int
    status: int
    seconds: float


def in_processes(starts: Iterable[Callable[[], int]], most: int) -> Generator[Ended]:
    """Start processes, at most so many at a time, and yield each when it has ended.

    Each of `starts` starts one and returns its number; it is taken when there is room. When the
    iterator is closed or an exception passes through it, those that still run are asked to end, and
    have ended afterwards. Other children are not affected.
    """
    waiting = enumerate(starts)
    running: dict[int, tuple[int, int, float]] = {}  # pidfd -> place, number, start
    with selectors.PollSelector() as ends:
        try:
            while True:
                while len(running) < most and (one := next(waiting, None)) is not None:
                    pid = one[1]()
                    descriptor = os.pidfd_open(pid)
                    running[descriptor] = one[0], pid, time.monotonic()
                    ends.register(descriptor, selectors.EVENT_READ)
                if not running:
                    return
                for ended, _ in ends.select():
                    ends.unregister(ended.fd)
                    number, pid, start = running.pop(ended.fd)
                    code, seconds = _status_of(ended.fd, pid), time.monotonic() - start
                    yield Ended(number, code if code >= 0 else 128 - code, seconds)
        finally:
            for _, pid, _ in running.values():
                os.kill(pid, signal.SIGTERM)
            for descriptor, (_, pid, _) in running.items():
                _status_of(descriptor, pid)


def in_forks(work: Iterable[Callable[[], int]], most: int) -> int:
    """Do each piece of work, which returns an exit status, in a fork, at most so many at a time.

    This process must not have started a thread that the work needs. When one fails, no further one
    begins. Returns 0, or the status of the first that failed: 128 plus the number of a signal that
    ended it, 1 after an exception, which the fork prints.
    """
    status = 0
    begun = takewhile(lambda one: not status, work)
    for ended in in_processes((partial(_fork, one) for one in begun), most):
        status = status or ended.status
    return status


def in_new_interpreter(function: Callable[..., Result], *given: object) -> Result:
    """The result of a function in a new interpreter; its arguments and result can be pickled.

    `ChildProcessError` if the function ends its process.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        try:
            return process.submit(function, *given).result()
        except BrokenProcessPool:
            raise ChildProcessError(f"{function.__name__} ended its process") from None


def beside(work: Callable[[], Result]) -> Callable[[], Result]:
    """Begin a piece of work in a fork; the function that is returned waits for its result. Call it
    once.

    This process must not have started a thread that the work needs. The result is pickled, and the
    fork ends at the latest with the calling thread. `ChildProcessError` if it failed; it has
    printed why.
    """
    caller = os.getpid()
    receive, send = os.pipe()

    def work_and_send() -> int:
        kernel.die_with_parent(caller)
        os.close(receive)
        with os.fdopen(send, "wb") as results:
            pickle.dump(work(), results)
        return 0

    pid = _fork(work_and_send)
    os.close(send)

    def result() -> Result:
        with os.fdopen(receive, "rb") as results:
            content = results.read()
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if status:
            raise ChildProcessError(f"a fork ended with the status {status}")
        received: Result = pickle.loads(content)
        return received

    return result


def _status_of(descriptor: int, pid: int) -> int:
    """Wait for the end of a fork, and return its exit status."""
    os.close(descriptor)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _fork(work: Callable[[], int]) -> int:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    pid = os.fork()
    return pid or _work(work)


def _work(work: Callable[[], int]) -> NoReturn:
    status = 1
    try:
        status = work()
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)
