"""Prepared processes: each is ready for one kind of job, sleeps, and is forked for every job.

They have levels, each a fork of the previous one: modules, library, algorithm. A job connects by an
abstract address, and has the level that it needs made. docs/validation/integrity.md: who ends whom.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, NoReturn

from timefair.basics import files
from timefair.basics.errors import Interrupted
from timefair.machine import system
from timefair.machine.host import Host, Unknown
from timefair.machine.linux import kernel
from timefair.machine.linux.kernel import SIGNALS, ends_at_once

ATTEMPTS = 3
"""Number of attempts of a job to find or start a prepared process, before it works without one."""

NAMES = {"ready": "timefair-ready", "job": "timefair-job"}
"""Names of a prepared process and of its forks in `ps`."""

LONGEST = 1 << 16
"""Maximal length of a request, in bytes."""

STARTED = b"started"
"""First message of a fork, with a descriptor of itself."""

ENDED = frozenset(128 + number for number in (signal.SIGKILL, *SIGNALS))
"""The exit status of a fork that was ended by a signal."""

CONTINUE_S = 2.0
"""So often a fork gets the signal to continue, in case that its run has stopped it."""

_NAMESPACES = ("pid", "mnt", "net", "user")

Request = dict[str, Any]
"""The request of a job: JSON values."""


def address(*names: object) -> bytes:
    """The address of the prepared process of some names, in this environment.

    Processes share it only if they have the same user, working directory, environment variables,
    limits, priority and namespaces: the fork of one is what the other would be.
    """
    surroundings = [
        list(map(str, names)),
        os.geteuid(),
        os.getcwd(),
        sorted(os.environ.items()),
        sys.executable,
        os.getpriority(os.PRIO_PROCESS, 0),
        sorted(os.sched_getaffinity(0)),
        [_text(f"/proc/self/{name}") for name in ("limits", "cgroup")],
        [os.stat(f"/proc/self/ns/{name}").st_ino for name in _NAMESPACES],
    ]
    digest = hashlib.sha256(json.dumps(surroundings).encode()).hexdigest()
    return b"\0timefair-" + digest[:32].encode()


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


class Level(NamedTuple):
    """A kind of prepared process: its `address`, and the request to the previous level to be it."""

    place: bytes
    request: Request


def hand_over(
    levels: Sequence[Level],
    request: Request,
    command: Sequence[str],
    environment: Mapping[str, str],
    begun: Path | None = None,
) -> int | None:
    """Let a prepared process do a job, wait for its end, and return its exit status.

    `levels` lead to the one that does the job, and `command` starts the first of them: it calls
    `begin` and `serve` with the numbers of its socket and of this process, which
    are appended. A fork notes each run in the file `begun`, which is removed when this process is
    asked to end, because then no run is the cause. None if no prepared process is available, or the
    request is longer than `LONGEST`. `Interrupted` if a signal ends this process before the job has
    begun.
    """
    if len(json.dumps(request).encode()) > LONGEST:
        return None
    with _forwarding(begun) as fork:
        client = _Client(command, environment)
        vain = 0
        while vain < ATTEMPTS:
            before = _written(begun)
            status = client.ensure(levels)
            if status is None:
                status = client.ask(levels[-1].place, request, [1, 2], fork)
                if status in ENDED and not fork.asked and _written(begun) not in (None, before):
                    continue
            if status is None:
                status = client.failure()
            if status is not None:
                return status
            vain += 1
    return None


def _written(path: Path | None) -> tuple[int, int] | None:
    """Identity of a file, and the time of its last write; None if there is no file."""
    if path is None:
        return None
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


class _Fork:
    """The process that does this job, once it is known."""

    pidfd: int | None = None
    asked = False
    """Whether it was asked to end."""


@contextlib.contextmanager
def _forwarding(begun: Path | None) -> Iterator[_Fork]:
    """Pass signals that end this process on to the fork.

    The fork then ends normally and reports its end.
    """
    fork = _Fork()

    def pass_on(number: int, frame: FrameType | None) -> None:
        fork.asked = True
        if begun is not None:
            with contextlib.suppress(OSError):
                begun.unlink()
        if fork.pidfd is None:
            raise Interrupted(number)
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(fork.pidfd, number)

    before = {number: signal.signal(number, pass_on) for number in SIGNALS}
    try:
        yield fork
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Client:
    """A job's own process. It looks for prepared processes and lets them be created."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command, self._environment = command, environment
        self._started: int | None = None

    def ensure(self, levels: Sequence[Level]) -> int | None:
        """Let a process of the last level be created, unless it exists or another job creates it.

        The exit status of one that failed; it has printed why into this job's log.
        """
        *before, level = levels
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            try:
                listener.bind(level.place)
            except OSError:  # in use: whoever binds an address has the process made
                return None
            listener.listen(socket.SOMAXCONN)
            if not before:
                self._start(listener)
                return None
            if status := self.ensure(before):
                return status
            given = [1, 2, listener.fileno()]
            status = self.ask(before[-1].place, level.request, given)
            return status or None

    def _start(self, listener: socket.socket) -> None:
        listener.set_inheritable(True)
        words = [*self._command, str(listener.fileno()), str(os.getpid())]
        self._started = os.posix_spawn(words[0], words, self._environment, setsid=True)

    def ask(
        self, place: bytes, request: Request, given: list[int], fork: _Fork | None = None
    ) -> int | None:
        """Send a request with file descriptors, and wait until it is done.

        Returns the exit status; 0 of a process that is now ready; None if nothing was begun.
        """
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            try:
                connection.connect(place)
                if user_of_peer(connection) != os.geteuid():
                    return None
                socket.send_fds(connection, [json.dumps(request).encode()], given)
                _, fds, *_ = socket.recv_fds(connection, len(STARTED), 1)
            except OSError:  # nobody listens, or not any more
                return None
            if not fds:
                return None
            if fork is not None:
                fork.pidfd = fds[0]
            return _answer(connection, fds[0])

    def failure(self) -> int | None:
        """The exit status of the process that this one started; None if it lives or was killed."""
        for _ in range(100 if self._started else 0):
            assert self._started
            ended, wait_status = os.waitpid(self._started, os.WNOHANG)
            if ended:
                self._started = None
                return max(os.waitstatus_to_exitcode(wait_status), 0) or None
            time.sleep(0.01)  # it has closed its socket
        return None


def _answer(connection: socket.socket, pidfd: int) -> int:
    """Wait for the exit status of a fork, or until it is ready: 0."""
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    poll.register(connection.fileno(), select.POLLIN)
    while not poll.poll(CONTINUE_S * 1000):
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(pidfd, signal.SIGCONT)
    connection.setblocking(False)
    with contextlib.suppress(BlockingIOError, ConnectionError):
        if answer := connection.recv(16):
            return int(answer)
    print("timefair: the process that did this job was killed", file=sys.stderr, flush=True)
    return 128 + signal.SIGKILL


def user_of_peer(connection: socket.socket) -> int:
    """The user at the other end of a connection."""
    credentials = struct.Struct("3i")
    packed = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, credentials.size)
    uid: int = credentials.unpack(packed)[1]
    return uid


# --- The prepared process -----------------------------------------------------------------------

IDLE_S = 300
"""Time without a job after which a prepared process ends."""

MEMORY_SHARE = 0.25
"""An idle prepared process ends when less than this share of the memory is available."""

HANDOVER_S = 10.0
"""Time within which a job that connects has to send its request."""


class Task(NamedTuple):
    """The task of a fork: the job's request, its number here, from 1, the connection to the job.

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
            files.remove_abandoned()  # of a job that was killed
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
            try:
                pid = os.fork()
            except OSError:  # no further process: the job works without this one, or says so
                return None
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
