"""The loop of a prepared process, which waits for jobs and forks for each
(`processes.prepared`).
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from timefair.linux import kernel
from timefair.linux.interruption import ends_at_once
from timefair.machine import system
from timefair.machine.host import Host, Unknown
from timefair.processes.prepared import LONGEST, NAMES, STARTED, Request, user_of_peer

IDLE_S = 300
"""Time without a job after which a prepared process ends."""

MEMORY_SHARE = 0.25
"""An idle prepared process ends when less than this share of the memory is available."""

HANDOVER_S = 10.0
"""Time within which a job that connects has to send its request."""


class Task(NamedTuple):
    """The task of a fork: the job's request, its number here, from 1, and the connection to the
    job.

    If there is a `listener`, the fork serves on it, as a prepared process of the next level.
    """

    request: Request
    number: int
    listener: socket.socket | None
    connection: socket.socket


Work = Callable[[Task], int]
"""Does the task of a fork; returns the exit status of the job."""


def begin(starter: int) -> None:
    """Begin to get ready on behalf of the process that started this one."""
    kernel.die_with_parent(starter)
    ends_at_once()


def serve(
    listener: socket.socket, driver: int, work: Work, starter: socket.socket | None = None
) -> None:
    """Fork for every job that connects, until this process is no longer needed.

    Call it in the main thread, when everything is ready. It returns when the `driver` ends, the
    snakemake of the campaign. `starter` is the connection to the job that had this process made;
    None if that started the process.
    """
    kernel.name_process(NAMES["ready"])
    try:
        driver_fd = os.pidfd_open(driver)
    except ProcessLookupError:
        return
    _let_go(starter)
    poll = select.poll()
    for fd in (driver_fd, listener.fileno()):
        poll.register(fd, select.POLLIN)
    jobs: dict[int, int] = {}
    number = 0
    while True:
        ready = {fd for fd, _ in poll.poll(None if jobs else IDLE_S * 1000)}
        if not ready or driver_fd in ready:
            return
        for pidfd in ready & jobs.keys():
            os.waitpid(jobs.pop(pidfd), 0)
            poll.unregister(pidfd)
            os.close(pidfd)
            kernel.end_orphans(spare=jobs.values())
        if listener.fileno() in ready:
            number += 1
            inherited = [driver_fd, listener.fileno(), *jobs]
            begun = _take(listener, inherited, number, work)
            if begun is not None:
                jobs[begun[0]] = begun[1]
                poll.register(begun[0], select.POLLIN)
        elif not jobs and _memory_is_scarce():
            return


def _let_go(starter: socket.socket | None) -> None:
    """Be independent of the job that had this process made, and keep nothing of its log."""
    sys.stdout.flush()
    sys.stderr.flush()
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)
    kernel.outlive_parent()
    if starter is not None:
        kernel.no_signal_on_hangup(starter.fileno())
        with contextlib.suppress(OSError), starter:
            starter.send(b"0")


def _take(
    listener: socket.socket, inherited: list[int], number: int, work: Work
) -> tuple[int, int] | None:
    """Accept a job and fork for it. Return the fork's descriptor and number; None without a job."""
    connection, _ = listener.accept()
    with connection:
        connection.settimeout(HANDOVER_S)
        try:
            message, fds, *_ = socket.recv_fds(connection, LONGEST, 3)
        except OSError:
            return None
        connection.setblocking(True)
        try:
            if len(fds) < 2 or user_of_peer(connection) != os.geteuid():
                return None
            pid = os.fork()
            if pid == 0:
                _live(connection, message, fds, inherited, number, work)
        finally:
            for fd in fds:
                os.close(fd)
        return os.pidfd_open(pid), pid


def _live(
    connection: socket.socket,
    message: bytes,
    fds: list[int],
    inherited: list[int],
    number: int,
    work: Work,
) -> NoReturn:
    """Run a fork, from its creation to its end."""
    status = 1
    try:
        kernel.name_process(NAMES["job"])
        os.setpgid(0, 0)  # a signal to the group of this process reaches no other job
        os.dup2(fds[0], 1)
        os.dup2(fds[1], 2)
        for fd in (*fds[:2], *inherited):
            os.close(fd)
        pidfd = os.pidfd_open(os.getpid())
        socket.send_fds(connection, [STARTED], [pidfd])
        os.close(pidfd)
        kernel.signal_on_hangup(connection.fileno(), signal.SIGHUP)
        listener = socket.socket(fileno=fds[2]) if len(fds) > 2 else None
        status = work(Task(json.loads(message), number, listener, connection))
    except ConnectionError:  # the job's own process has ended already
        pass
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        with contextlib.suppress(OSError):  # there is none where this has served
            kernel.no_signal_on_hangup(connection.fileno())
            connection.send(str(status).encode())
        kernel.end_process(status)


def _memory_is_scarce() -> bool:
    host = Host()
    try:
        return system.available_mb(host) < MEMORY_SHARE * system.total_mb(host)
    except Unknown:
        return False
