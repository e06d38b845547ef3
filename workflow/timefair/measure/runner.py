"""Starts the processes that do pieces of work: forks of this one, or the jobs of a campaign.

A prepared process is ready for one kind of job, sleeps, and is forked for every job, which connects
by an abstract address. docs/validation/integrity.md: who ends whom.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import select
import selectors
import signal
import socket
import struct
import subprocess
import sys
import traceback
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import partial
from itertools import count, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeVar

from timefair.basics import disk
from timefair.basics.errors import InputError, Interrupted, storing
from timefair.machine import facts
from timefair.machine.facts import Host, Unknown
from timefair.machine.linux import kernel
from timefair.machine.linux.kernel import SIGNALS, ends_at_once, interruptible

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign
    from timefair.campaign.plan import Job, Keys

Result = TypeVar("Result")


class Ended(NamedTuple):
    """An ended process: its place from 0, its exit status, or 128 plus the number of a signal."""

    number: int
    status: int


def in_processes(starts: Iterable[Callable[[], int]], most: int) -> Generator[Ended]:
    """Start processes, at most so many at a time, and yield each when it has ended. Each of
    `starts` starts one and returns its number. Those that still run when the iterator is closed are
    ended.
    """
    waiting = enumerate(starts)
    running: dict[int, tuple[int, int]] = {}  # by its pidfd: its place and its process id
    with selectors.PollSelector() as ends:
        try:
            while True:
                while len(running) < most and (one := next(waiting, None)) is not None:
                    pid = one[1]()
                    descriptor = os.pidfd_open(pid)
                    running[descriptor] = one[0], pid
                    ends.register(descriptor, selectors.EVENT_READ)
                if not running:
                    return
                for ended, _ in ends.select():
                    ends.unregister(ended.fd)
                    number, pid = running.pop(ended.fd)
                    code = _status_of(ended.fd, pid)
                    yield Ended(number, code if code >= 0 else 128 - code)
        finally:
            for _, pid in running.values():
                os.kill(pid, signal.SIGTERM)
            for descriptor, (_, pid) in running.items():
                _status_of(descriptor, pid)


def in_forks(work: Iterable[Callable[[], int]], most: int) -> int:
    """Do each piece of work, which returns an exit status, in a fork, at most so many at a time.
    When one fails, no further one begins. Returns 0, or the status of the first that failed, as of
    `Ended`; 1 after an exception, which the fork prints.
    """
    status = 0
    begun = takewhile(lambda one: not status, work)
    for ended in in_processes((partial(_fork, one) for one in begun), most):
        status = status or ended.status
    return status


def in_new_interpreter(function: Callable[..., Result], *given: object) -> Result:
    """The result of a function; all can be pickled. `ChildProcessError` if its process ends."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        try:
            return process.submit(function, *given).result()
        except BrokenProcessPool:
            raise ChildProcessError(f"{function.__name__} ended its process") from None


def _status_of(descriptor: int, pid: int) -> int:
    os.close(descriptor)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()


def _fork(work: Callable[[], int]) -> int:
    _flush()
    if pid := os.fork():
        return pid
    status = 1
    try:
        status = work()
    except BaseException:
        traceback.print_exc()
    finally:
        _flush()
        os._exit(status)


class JobFailed(InputError):
    """A job failed; `number`: its place among those to do; `why`: the last line of its log."""

    def __init__(self, number: int, log: Path, status: int) -> None:
        self.number = number
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        self.why = lines[-1].removeprefix("timefair: ") if lines else f"exit status {status}"
        super().__init__(f"{log}: the job failed: {self.why}")


def command(name: str, options: Mapping[str, Any]) -> list[str]:
    words = (word for option, value in options.items() for word in (f"--{option}", str(value)))
    return [sys.executable, "-P", "-m", "timefair", name, *words]


def measuring(folder: Path, job: Job, keys: Keys) -> list[str]:
    from timefair.campaign import plan

    key = keys[job.algorithm, job.round]
    options = {
        "campaign": folder / plan.SNAPSHOT,
        "algorithm": job.algorithm,
        "function": job.function,
        "dimension": job.dimension,
        "instances": plan.format_instances(job.instances),
        "round": job.round,
        "key": plan.short_key(key),
        "record": folder / job.record(key),
    }
    return command("measure", options)


def in_turn(commands: Iterable[Sequence[str]], most: int) -> Generator[Ended]:
    with interruptible():
        yield from in_processes((partial(_begun, one) for one in commands), most)


def measured(
    folder: Path,
    jobs: Sequence[Job],
    keys: Keys,
    workers: int,
    measured_one: Callable[[], object] = lambda: None,
) -> list[Path]:
    """The records of jobs; those that are missing are measured, in this order, so many at a time.

    `folder` is ``results/<campaign>`` with the snapshot and these keys. If this process holds it
    (`driver.held`), jobs are done by prepared processes. `measured_one` is called after each one.
    `JobFailed` if a job fails; the others are ended.
    """
    records = [folder / job.record(keys[job.algorithm, job.round]) for job in jobs]
    lacking = [job for job, record in zip(jobs, records, strict=True) if not record.is_file()]

    def log(job: Job) -> Path:
        place = str(job.record(keys[job.algorithm, job.round]))
        return folder / Path(place.replace("records/", "logs/", 1)).with_suffix(".log")

    starts = (partial(_begun, measuring(folder, job, keys), log(job)) for job in lacking)
    with interruptible(), contextlib.closing(in_processes(starts, workers)) as ends:
        for number, status in ends:
            if status:
                raise JobFailed(number, log(lacking[number]), status)
            measured_one()
    return records


def complete(
    campaign: Campaign, folder: Path, cores: int, progress: Callable[[int, int], object]
) -> list[Path]:
    """Measure a campaign with fixed numbers of runs and without a search, and return the collected
    files. `progress` gets the number of finished jobs and that of all. A stopped campaign goes on.
    `InputError` if a job fails, records contradict each other, or another process works on the
    folder, ``results/<campaign>``.
    """
    from timefair.campaign import collected, driver, plan, provenance

    keys, jobs = provenance.measure_keys(campaign), list(plan.jobs(campaign))
    with driver.held(folder):
        plan.write_snapshot(campaign, folder)
        plan.write_keys(keys, folder)
        workers = max(1, cores // max(map(campaign.cores_of, campaign.algorithms)))
        records = [folder / job.record(keys[job.algorithm, job.round]) for job in jobs]
        done = count(1 + sum(record.is_file() for record in records))
        measured(folder, jobs, keys, workers, lambda: progress(next(done), len(jobs)))
        return [collected.join(campaign, keys, folder, label) for label in campaign.algorithms]


def _begun(words: Sequence[str], log: Path | None = None) -> int:
    end_with_us = partial(kernel.die_with_parent, os.getpid())
    with storing(), contextlib.ExitStack() as stack:
        given: dict[str, Any] = {}
        if log is not None:
            log.parent.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(log.open("wb"))
            given = {"stdout": file, "stderr": subprocess.STDOUT}
        process = subprocess.Popen(words, preexec_fn=end_with_us, **given)
    process.returncode = 0  # `in_processes` waits for it
    return process.pid


# --- A job that a prepared process does ----------------------------------------------------------

ATTEMPTS = 3  # at a prepared process; then a job works without one

NAMES = {"ready": "timefair-ready", "job": "timefair-job"}  # in `ps`
LONGEST = 1 << 16  # maximal length of a request, in bytes
STARTED = b"started"  # first message of a fork, with a descriptor of itself
ENDED = frozenset(128 + number for number in (signal.SIGKILL, *SIGNALS))
"""The exit status of a fork that was ended by a signal."""
CONTINUE_S = 2.0  # so often a fork gets the signal to continue, in case that its run has stopped it

Request = dict[str, Any]  # the request of a job: JSON values


def address(*names: object) -> bytes:
    """The address of the prepared process of some names, for processes with these surroundings."""
    surroundings = [
        list(map(str, names)),
        os.geteuid(),
        os.getcwd(),
        sorted(os.environ.items()),
        sys.executable,
        sorted(os.sched_getaffinity(0)),
    ]
    digest = hashlib.sha256(json.dumps(surroundings).encode()).hexdigest()
    return b"\0timefair-" + digest[:32].encode()


def hand_over(
    place: bytes,
    request: Request,
    command: Sequence[str],
    environment: Mapping[str, str],
    begun: Path,
) -> int | None:
    """Let a prepared process, of this address, do a job; wait for its end, return its exit status.
    Signals that end this process are passed on to the fork, which ends and reports its end.

    `command` starts the process: it calls `begin` and `serve` with the numbers of its socket and of
    this process, which are appended. A fork notes each run in the file `begun`, which is removed
    when this process is asked to end. None without a prepared process. `Interrupted` if a signal
    ends this process before the job has begun.
    """
    pidfd: int | None = None
    asked, vain = False, 0

    def pass_on(number: int) -> None:
        nonlocal asked
        asked = True
        with contextlib.suppress(OSError):
            begun.unlink()
        if pidfd is None:
            raise Interrupted(number)
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(pidfd, number)

    with interruptible(pass_on):
        while vain < ATTEMPTS:
            before = _written(begun)
            started = _started(place, command, environment)
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
                pidfd = _asked(connection, place, request)
                status = None if pidfd is None else _answered(connection, pidfd)
            if status in ENDED and not asked and _written(begun) not in (None, before):
                continue
            if status is None and started is not None:  # it closes its socket when it ends
                with contextlib.suppress(subprocess.TimeoutExpired):
                    status = max(started.wait(1), 0) or None
            if status is not None:
                return status
            vain += 1
    return None


def _written(path: Path) -> tuple[int, int] | None:
    with contextlib.suppress(FileNotFoundError):
        found = path.stat()
        return found.st_ino, found.st_mtime_ns
    return None


def _started(
    place: bytes, command: Sequence[str], environment: Mapping[str, str]
) -> subprocess.Popen[bytes] | None:
    """Start the prepared process, unless it exists or another job starts it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        try:
            listener.bind(place)
        except OSError:  # in use: whoever binds an address has the process made
            return None
        listener.listen(socket.SOMAXCONN)
        fd = listener.fileno()
        words = [*command, str(fd), str(os.getpid())]
        return subprocess.Popen(words, env=environment, pass_fds=[fd], start_new_session=True)


def _asked(connection: socket.socket, place: bytes, request: Request) -> int | None:
    """Let a prepared process fork for a request; a descriptor of the fork, or None without one."""
    with contextlib.suppress(OSError):  # nobody listens, or not any more
        connection.connect(place)
        if user_of_peer(connection) == os.geteuid():
            socket.send_fds(connection, [json.dumps(request).encode()], [1, 2])
            _, fds, *_ = socket.recv_fds(connection, len(STARTED), 1)
            return next(iter(fds), None)
    return None


def _answered(connection: socket.socket, pidfd: int) -> int:
    poll = select.poll()
    for fd in (pidfd, connection.fileno()):
        poll.register(fd, select.POLLIN)
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
    packed = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", packed)[1])


# --- The prepared process -----------------------------------------------------------------------

IDLE_S = 300  # time without a job after which a prepared process ends
MEMORY_SHARE = 0.25  # an idle prepared process ends when less of the memory is available
HANDOVER_S = 10.0  # time within which a job that connects has to send its request


Work = Callable[[int, Request], int]  # does a job: its number from 1, its request; an exit status


def begin(starter: int) -> None:
    kernel.die_with_parent(starter)
    ends_at_once()


def serve(listener: socket.socket, driver: int, work: Work) -> None:
    """Fork for every job that connects, until this process is no longer needed, or the `driver`,
    the campaign's snakemake, ends. Call it in the main thread.
    """
    kernel.name_process(NAMES["ready"])
    try:
        driver_fd = os.pidfd_open(driver)
    except ProcessLookupError:
        return
    _flush()
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    os.close(null)
    kernel.outlive_parent()  # the job that started this process, whose log is closed here
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
            disk.remove_abandoned()  # of a job that was killed
        if listener.fileno() in ready:
            number += 1
            inherited, act = [driver_fd, listener.fileno(), *jobs], partial(work, number)
            if (pid := _take(listener, inherited, act)) is not None:
                jobs[pidfd := os.pidfd_open(pid)] = pid
                poll.register(pidfd, select.POLLIN)
        elif not jobs and _memory_is_scarce():
            return


def _take(
    listener: socket.socket, inherited: list[int], work: Callable[[Request], int]
) -> int | None:
    """Accept a job and fork for it. Return the fork's number; None without a job."""
    connection, _ = listener.accept()
    with connection:
        connection.settimeout(HANDOVER_S)
        fds: list[int] = []
        try:
            message, fds, *_ = socket.recv_fds(connection, LONGEST, 2)
            connection.setblocking(True)
            if len(fds) < 2 or user_of_peer(connection) != os.geteuid():
                return None
            if not (pid := os.fork()):
                _live(connection, message, fds, inherited, work)
            return pid
        except OSError:  # no further process: the job works without this one, or says so
            return None
        finally:
            for fd in fds:
                os.close(fd)


def _live(
    connection: socket.socket, message: bytes, fds: list[int], inherited: list[int], work: Any
) -> NoReturn:
    status = 1
    try:
        kernel.name_process(NAMES["job"])
        os.setpgid(0, 0)  # a signal to the group of this process reaches no other job
        os.dup2(fds[0], 1)
        os.dup2(fds[1], 2)
        for fd in (*fds, *inherited):
            os.close(fd)
        pidfd = os.pidfd_open(os.getpid())
        socket.send_fds(connection, [STARTED], [pidfd])
        os.close(pidfd)
        kernel.signal_on_hangup(connection.fileno(), signal.SIGHUP)
        status = work(json.loads(message))
    except ConnectionError:  # the job's own process has ended already
        pass
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(OSError, ValueError):
            _flush()
        with contextlib.suppress(OSError):
            kernel.signal_on_hangup(connection.fileno(), None)
            connection.send(str(status).encode())
        kernel.end_process(status)


def _memory_is_scarce() -> bool:
    with contextlib.suppress(Unknown):
        free, whole = (facts.meminfo_mb(Host(), name) for name in ("MemAvailable", "MemTotal"))
        return free < MEMORY_SHARE * whole
    return False
