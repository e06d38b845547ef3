"""Does independent pieces of work in forks of this process."""

from __future__ import annotations

import os
import pickle
import selectors
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import NoReturn, TypeVar

from timefair.linux import kernel

Result = TypeVar("Result")


def in_forks(work: Sequence[Callable[[], int]], most: int) -> int:
    """Do each piece of work in a separate fork.

    This process must not have started a thread that the work needs. Its other children are not
    affected.

    Parameters
    ----------
    work
        Functions that return an exit status. When one fails, no further one begins.
    most
        How many forks work at the same time, at least 1.

    Returns
    -------
    int
        0, or the status of the first fork that failed: 128 plus the number of a signal that ended
        it, 1 after an exception, which the fork prints.
    """
    waiting, status = list(work), 0
    running: dict[int, int] = {}  # pidfd -> pid
    with selectors.PollSelector() as ends:
        try:
            while running or (waiting and not status):
                while waiting and not status and len(running) < most:
                    pid = _fork(waiting.pop(0))
                    descriptor = os.pidfd_open(pid)
                    running[descriptor] = pid
                    ends.register(descriptor, selectors.EVENT_READ)
                for ended, _ in ends.select():
                    ends.unregister(ended.fd)
                    code = _status_of(ended.fd, running.pop(ended.fd))
                    status = status or (code if code >= 0 else 128 - code)
        finally:
            for pid in running.values():
                os.kill(pid, signal.SIGTERM)
            for descriptor, pid in running.items():
                _status_of(descriptor, pid)
    return status


def beside(work: Callable[[], Result]) -> Callable[[], Result]:
    """Begin a piece of work in a fork, while this process does something else.

    This process must not have started a thread that the work needs. The fork ends at the latest
    with the thread that called this.

    Parameters
    ----------
    work
        Its result can be pickled.

    Returns
    -------
    callable
        Waits for the end of the work and returns its result; call it once. It raises
        `ChildProcessError` if the work failed; the fork has printed why.
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
