"""Processes that evaluate the points of a batch at the same time, for runs with several cores.

They are forked before the run's time starts. Points, values and stamps are in memory that all
share; two pipes carry the numbers of the next point and of the points that are ready.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import pickle
import select
import struct
import traceback
from functools import partial

import numpy as np
from numpy.typing import NDArray

from timefair.machine.linux import kernel
from timefair.measure.evaluation.failures import LaunchFailed, failure
from timefair.measure.evaluation.objective import AT_ONCE, NEVER, now_ns
from timefair.problems.base import Problem

_NUMBER = struct.Struct("=i")


class Evaluators:
    """`count` processes that evaluate one problem; each has its own core if it can be had."""

    def __init__(self, problem: Problem, count: int) -> None:
        self.count = count
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
        """Evaluate up to `AT_ONCE` points until all are ready, or the clock reaches `deadline`
        (ns).

        The values and when each was ready, shape ``(k,)``; NEVER for points that were not ready or
        for which the problem raised, see `error`. With several numbers, the values have the shape
        ``(k, numbers)``.
        """
        self._drain()
        count = len(points)
        self._points[:count] = points
        self._stamps[:count] = NEVER
        self._unfinished = count
        os.write(self._next, np.arange(count, dtype=np.int32).tobytes())
        while self._unfinished and self._wait(deadline):
            self._take_ready()
        return self._values[:count].copy(), self._stamps[:count].copy()

    def error(self) -> LaunchFailed:
        """What the problem raised last, in one of the processes."""
        return LaunchFailed(*pickle.loads(self._error[:]))

    def _drain(self) -> None:
        """Wait until the points that were abandoned at a deadline are finished."""
        while self._unfinished and self._wait(NEVER):
            self._take_ready()

    def _wait(self, deadline: int) -> bool:
        """Whether points are ready before the deadline. If one of the processes has ended, as the
        problem may do, this one ends in the same way.
        """
        left = deadline - now_ns()
        if left <= 0:
            return False
        found = self._poll.poll(None if deadline == NEVER else math.ceil(left / 1e6))
        for fd, _ in found:
            if fd in self._pids:
                kernel.end_like(self._pids[fd])
        return bool(found)

    def _take_ready(self) -> None:
        self._unfinished -= len(os.read(self._ready, 4 * AT_ONCE)) // _NUMBER.size

    def _live(self, problem: Problem, cores: set[int]) -> None:
        """Run one of the processes, until the run's process has ended."""
        try:
            with contextlib.suppress(PermissionError):  # refused by `calls`
                os.sched_setaffinity(0, cores)
            while number := os.read(self._waiting, _NUMBER.size):
                self._evaluate_one(problem, _NUMBER.unpack(number)[0])
                os.write(self._done, number)
        except BaseException:
            traceback.print_exc()  # to the run's output
            raise

    def _evaluate_one(self, problem: Problem, i: int) -> None:
        try:
            self._values[i] = problem.evaluate(self._points[i])
        except BaseException as error:
            self._error[:] = pickle.dumps(failure(error, of_problem=True)).ljust(len(self._error))
            return
        self._stamps[i] = now_ns()


def _shared(shape: tuple[int, ...]) -> NDArray[np.float64]:
    size = 8 * math.prod(shape)
    return np.frombuffer(mmap.mmap(-1, size), dtype=np.float64).reshape(shape)
