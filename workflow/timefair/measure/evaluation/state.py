"""Memory that a run's process shares with its parent, in anonymous files that outlive it.

The child writes; the parent reads after its end and checks the contents, which an algorithm that
looks for the files can change (`Unreadable`, `timefair.records.collect`). Also here: the evaluators
of a run, and how failures are reported.
"""

from __future__ import annotations

import contextlib
import errno
import math
import mmap
import os
import pickle
import select
import socket
import struct
import sysconfig
import traceback
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from timefair.basics.errors import described
from timefair.machine.linux import kernel
from timefair.measure.evaluation.objective import (
    AT_ONCE,
    BATCH,
    EVENT,
    HEADER,
    LAUNCH,
    MOST_BATCHES,
    NEVER,
    Log,
    Measurement,
    Stop,
    now_ns,
    vector_dtype,
)
from timefair.problems.problem import Problem
from timefair.records.thinning import THINNING, Thinning

MESSAGE_AT = 512
MESSAGE_END = mmap.PAGESIZE
_START = struct.Struct("=8q")


class Unreadable(ValueError):
    """The run's process wrote something that timefair's code never writes; the text says what."""


class Start(NamedTuple):
    """When the algorithm was first called, and what its process had used until then, in ns: delay
    -1 if unknown; `prepared`: to load the algorithm; `wall`: t0 by CLOCK_MONOTONIC if the run's
    clock is CPU time, else 0.
    """

    t0: int
    deadline: int = NEVER
    cpu: int = 0
    delay: int = -1
    switches: int = 0
    prepared: int = 0
    wall: int = 0
    memory_mb: int = 0


class Logs(NamedTuple):
    """The rows of a run's logs. None: ``batches`` that are unknown, ``vectors`` if an evaluation
    gives one number, ``recommended`` points that are not recorded.
    """

    events: NDArray[np.void]
    launches: NDArray[np.void]
    launch_events: NDArray[np.void]
    batches: NDArray[np.void] | None
    vectors: NDArray[np.void] | None
    recommended: NDArray[np.void] | None


class Recommendations:
    """Writes the points that launches recommend, as rows of ``vector_dtype(dimension)``.

    Each step (`records.thinning`) has two rows, which are written in turn, so a killed process
    leaves a complete one; the header has the number of rows up to the last one, or 0.
    """

    def __init__(self, log: Log, header: NDArray[np.void], thinning: Thinning = THINNING) -> None:
        self._log, self._header, self._resolution = log, header, thinning.resolution
        self._row = np.zeros(1, dtype=log.dtype)
        self._step = -1, 0, 0  # launch, its evaluations, its time

    def take(
        self, launch: int, evaluations: int, time: int, own: int, own_time: int,
        x: NDArray[np.float64],
    ) -> None:  # fmt: skip
        """Keep a point; `own` and `own_time` (ns since its start) are those of the launch."""
        last, parts = int(self._header["recommended"][0]) - 1, self._resolution
        self._row[0] = launch, evaluations, time, x
        rows = self._row.tobytes()
        if launch == self._step[0] and own <= self._step[1] and own_time <= self._step[2]:
            last ^= 1
        else:
            last, rows = (last | 1) + 1, 2 * rows
            self._step = launch, own + own // parts, own_time + own_time // parts
        os.pwrite(self._log.fd, rows, last * self._row.itemsize)
        self._header["recommended"] = last + 1

    def read(self) -> NDArray[np.void]:
        """The last row of each step, in their order."""
        rows = _rows(self._log, int(self._header["recommended"][0]))
        pairs = rows[: (len(rows) - 1) // 2 * 2].reshape(-1, 2)
        ended = pairs[np.arange(len(pairs)), pairs["time"].argmax(axis=1)]
        return np.concatenate([ended, rows[-1:]])


class State:
    """The shared memory of one run: `numbers` of a vector, dimension of `recommended` points, 0 if
    they are not recorded, and the `fds` of another one.
    """

    def __init__(
        self, numbers: int = 1, recommended: int = 0, fds: Sequence[int] | None = None
    ) -> None:
        self.numbers, self.recommended_dimension = numbers, recommended
        self.fds = _new() if fds is None else list(fds)
        head, events, launches, launch_events, batches, vectors, points, *last = self.fds
        self.best_fd, self._start_fd, self.output_fd = last
        self._page = mmap.mmap(head, MESSAGE_END)
        self.header_array: NDArray[np.void] = np.frombuffer(self._page, dtype=HEADER, count=1)
        if fds is None:
            self["kill_at"] = NEVER
        self.event_log = Log(events, EVENT)
        self.launch_log = Log(launches, LAUNCH)
        self.launch_event_log = Log(launch_events, EVENT)
        self.batch_log = Log(batches, BATCH, MOST_BATCHES)
        self.vector_log = Log(vectors, vector_dtype(numbers)) if numbers > 1 else None
        self.recommendations = None
        if recommended:
            log = Log(points, vector_dtype(recommended))
            self.recommendations = Recommendations(log, self.header_array)

    @classmethod
    def of(cls, problem: Problem, fds: Sequence[int] | None = None) -> State:
        return cls(problem.kept, problem.dimension if problem.kind.recommends else 0, fds)

    def measurement(self, problem: Problem, **options: Any) -> Measurement:
        return Measurement(problem, self, **options)

    def now_ns(self) -> int:
        """The run's clock without the charge, in a process of the run that has started."""
        start = self.start
        elsewhere: int = self["elsewhere"]
        return now_ns(start is not None and start.wall > 0) + elsewhere

    def begin(self, start: Start) -> None:
        os.pwrite(self._start_fd, _START.pack(*start), 0)

    @property
    def start(self) -> Start | None:
        written = os.pread(self._start_fd, _START.size, 0)
        return Start(*_START.unpack(written)) if len(written) == _START.size else None

    def __getitem__(self, name: str) -> Any:
        return self.header_array[name][0].item()

    def __setitem__(self, name: str, value: float) -> None:
        self.header_array[name] = value

    def report(self, message: str) -> None:
        """Leave a message for the parent; it is cut at the length of a page."""
        room = MESSAGE_END - MESSAGE_AT
        text = message.encode("utf-8", "replace")[: room - 1]
        self._page[MESSAGE_AT:MESSAGE_END] = text.ljust(room, b"\0")

    @property
    def message(self) -> str | None:
        text = self._page[MESSAGE_AT:MESSAGE_END].split(b"\0", 1)[0]
        return text.decode("utf-8", "ignore") or None

    def launches(self) -> NDArray[np.void]:
        return _rows(self.launch_log, self["launches"])

    def logs(self) -> Logs:
        batches, vectors, points = self["batches"], self.vector_log, self.recommendations
        return Logs(
            _rows(self.event_log, self["events"]),
            self.launches(),
            _rows(self.launch_event_log, self["launch_events"]),
            None if batches < 0 else _rows(self.batch_log, batches),
            None if vectors is None else _rows(vectors, self["vectors"]),
            None if points is None else points.read(),
        )

    def best(self, dimension: int) -> tuple[float, NDArray[np.float64] | None]:
        """The best value and its point; infinity and None without a finite value."""
        if not (events := self["events"]):
            return np.inf, None
        size = 8 * (1 + dimension)
        found = np.frombuffer(os.pread(self.best_fd, size, (events - 1) % 2 * size))
        return found[0].item(), found[1:]

    def close_open_launch(self, code: int, end: int) -> None:
        row = self.launches()[-1:]
        if not row.size:
            raise Unreadable("a launch was killed, and none was begun")
        row["code"], row["end"], row["last"] = code, end, self["evaluations"]
        os.pwrite(self.launch_log.fd, row.tobytes(), (self["launches"] - 1) * LAUNCH.itemsize)

    def close(self) -> None:
        for fd in self.fds:
            os.close(fd)
        self.fds = []


def take_output(fd: int) -> None:
    """Let this process read nothing, and print to a descriptor."""
    null = os.open(os.devnull, os.O_RDONLY)
    for source, place in ((null, 0), (fd, 1), (fd, 2)):
        os.dup2(source, place)
    os.close(null)


def _new() -> list[int]:
    parts = (
        "head", "events", "launches", "launch-events", "batches", "vectors", "recommended", "best",
        "start", "output",
    )  # fmt: skip
    fds = [os.memfd_create(f"timefair-{part}") for part in parts]
    os.ftruncate(fds[0], MESSAGE_END)
    return fds


def _rows(log: Log, count: int) -> NDArray[np.void]:
    size, looks = count * log.dtype.itemsize, os.fstat(log.fd)
    if not 0 <= size <= min(looks.st_size, looks.st_blocks * 512):
        raise Unreadable(f"{count} rows are committed to a log that is shorter")
    with open(log.fd, "rb", closefd=False) as file:
        file.seek(0)
        return np.fromfile(file, dtype=log.dtype, count=count)


class Evaluators:
    """`count` processes that evaluate one problem, on cores of their own if possible. Two pipes
    carry the numbers of the next point and of the points that are ready.
    """

    def __init__(self, problem: Problem, count: int) -> None:
        self._points = _shared((AT_ONCE, problem.dimension))
        self._values = _shared((AT_ONCE, problem.numbers)[: 1 + (problem.numbers > 1)])
        self._stamps = _shared((AT_ONCE,)).view(np.int64)
        self._error = mmap.mmap(-1, mmap.PAGESIZE)
        self._waiting, self._next = os.pipe()
        self._ready, self._done = os.pipe()
        self._unfinished = 0
        self._pids: dict[int, int] = {}  # by their descriptors
        cores = sorted(os.sched_getaffinity(0))
        for i in range(count):
            own = {cores[i]} if len(cores) == count else set(cores)
            pid = kernel.forked(partial(self._live, problem, own))
            self._pids[os.pidfd_open(pid)] = pid
        self._poll = select.poll()
        for fd in (self._ready, *self._pids):
            self._poll.register(fd, select.POLLIN)

    def evaluate(
        self, points: NDArray[np.float64], deadline: int = NEVER
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The values of up to `AT_ONCE` points, shape ``(k,)`` or ``(k, numbers)``, and when each
        was ready before `deadline` (ns): NEVER if it was not, or raised (see `error`).
        """
        self._await(NEVER)  # the points that were abandoned at a deadline
        count = len(points)
        self._points[:count] = points
        self._stamps[:count] = NEVER
        self._unfinished = count
        os.write(self._next, np.arange(count, dtype=np.int32).tobytes())
        self._await(deadline)
        return self._values[:count].copy(), self._stamps[:count].copy()

    def error(self) -> LaunchFailed:
        return LaunchFailed(*pickle.loads(self._error[:]))

    def _await(self, deadline: int) -> None:
        """Wait until all points are ready, or the deadline, or end as one of the processes has."""
        while self._unfinished and (left := deadline - now_ns()) > 0:
            found = self._poll.poll(None if deadline == NEVER else math.ceil(left / 1e6))
            for fd, _ in found:
                if fd in self._pids:
                    kernel.end_like(self._pids[fd])
            if found:
                self._unfinished -= len(os.read(self._ready, 4 * AT_ONCE)) // 4

    def _live(self, problem: Problem, cores: set[int]) -> None:
        try:
            with contextlib.suppress(PermissionError):  # `kernel.refuse_calls`
                os.sched_setaffinity(0, cores)
            while number := os.read(self._waiting, 4):
                i = int.from_bytes(number, "little")
                try:
                    self._values[i] = problem.evaluate(self._points[i])
                    self._stamps[i] = now_ns()
                except BaseException as error:
                    text = pickle.dumps(failure(error, of_problem=True))
                    self._error[:] = text.ljust(len(self._error))
                os.write(self._done, number)
        except BaseException:
            traceback.print_exc()  # to the run's output
            raise


def _shared(shape: tuple[int, ...]) -> NDArray[np.float64]:
    size = 8 * math.prod(shape)
    return np.frombuffer(mmap.mmap(-1, size), dtype=np.float64).reshape(shape)


# --- Failures of the algorithm or the problem that did not end its process ----------------------

_UNREACHABLE = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ECONNREFUSED, errno.EADDRNOTAVAIL}

_PACKAGE = Path(__file__).parents[2]


class SolverGone(Exception):
    """The process that a `Confined` algorithm has for a launch ended; the argument is its id."""


class LaunchFailed(Exception):
    """Raised by the algorithm in a solver, or the problem in an evaluator; see `failure`."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code if code == Stop.OUT_OF_MEMORY else Stop.FAILURE
        self.text = text


def failure(error: BaseException, of_problem: bool = False) -> tuple[int, str]:
    """The `Stop` for an exception, and its description on one line: `of_problem`, with the user's
    line that raised it, else with the exception that it replaced (``raise ... from``).
    """
    if isinstance(error, LaunchFailed):
        return error.code, error.text
    lacked_memory = isinstance(error, MemoryError) or (
        isinstance(error, OSError) and error.errno == errno.ENOMEM
    )
    text = described(error)
    if of_problem:
        text += _where(error)
    elif error.__cause__ is not None:
        text += f"; from {described(error.__cause__)}"
    if kernel.in_own_network and _lacks_network(error):
        text += "; with network: true, runs use the network of the machine"
    return int(Stop.OUT_OF_MEMORY if lacked_memory else Stop.FAILURE), text


def _lacks_network(error: BaseException | None) -> bool:
    for _ in range(10):
        if isinstance(error, OSError) and (
            error.errno in _UNREACHABLE or isinstance(error, socket.gaierror)
        ):
            return True
        error = None if error is None else error.__cause__ or error.__context__
    return False


def _where(error: BaseException) -> str:
    """The last line in the user's files, or else in a package; empty if only timefair raised."""
    frames = traceback.extract_tb(error.__traceback__)
    found = [(Path(frame.filename), frame.lineno) for frame in frames]
    found = [(p, n) for p, n in found if p.is_absolute() and not p.is_relative_to(_PACKAGE)]
    libraries = [sysconfig.get_path(key) for key in ("stdlib", "purelib", "platlib")]
    own = [(p, n) for p, n in found if not any(p.is_relative_to(at) for at in libraries)]
    return "".join(f" ({path.name}:{line})" for path, line in (own or found)[-1:])
