"""What is paid once, before any clock: imports, also those put off to the first call.

A library that imports inside its functions would import anew in every run, since each run is a
fork of one parent. So a trial launch in a process of its own tells which modules such a call
loads, and the parent loads them. The parent launches nothing here: it keeps no thread and no state
of an algorithm but what the algorithm's own `prepare` leaves.
"""

from __future__ import annotations

import faulthandler
import gc
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from timefair.algorithms.base import Algorithm
from timefair.linux import kernel
from timefair.linux.interruption import ends_at_once
from timefair.measure.evaluation.objective import now_ns
from timefair.measure.isolation import descriptors, leftovers
from timefair.measure.isolation.confinement import Confinement
from timefair.measure.isolation.scratch import scratch_folder
from timefair.measure.isolation.views import Views
from timefair.measure.launch.seeds import stream
from timefair.problems.base import Problem

TRIAL_S = 0.3
"""A trial ends at the first evaluation after this time."""

TRIAL_KILL_S = 5 * TRIAL_S
"""A trial ends at that time in any case."""

LATE_S = 1.0
"""The parent ends a trial that has not ended by then, for example because it is stopped."""

TRIAL_EVALUATIONS_PER_DIMENSION = 40


class Trial(NamedTuple):
    """What a trial launch showed.

    Attributes
    ----------
    modules
        What it loaded beyond the modules loaded before, in order.
    trace
        Where it was when its time was up, if it had not evaluated by then, as `faulthandler`
        writes it; empty otherwise.
    appeared
        Files that it made or changed in folders that runs share; None if there are none.
    """

    modules: Sequence[str] = ()
    trace: str = ""
    appeared: str | None = None


def prepare(
    algorithm: Algorithm,
    problem: Problem,
    memory_mb: float | None = None,
    views: Views | None = None,
) -> Trial:
    """Bring this process into the state in which every run is to begin.

    Parameters
    ----------
    memory_mb, views
        What the trial launch gets, as a run does.
    """
    algorithm.prepare()
    trial = _trial_launch(algorithm, problem, memory_mb, views or Views())
    for name in trial.modules:
        try:
            importlib.import_module(name)
        except Exception:  # a module that only its library can import
            continue
    gc.collect()
    gc.freeze()  # no collection touches, and so copies, what the runs share
    return trial


class _Trial:
    """An objective that only tells which modules have been loaded since the last call."""

    def __init__(self, problem: Problem, told: int) -> None:
        self.problem, self.told = problem, told
        self.dimension = problem.dimension
        self.lower, self.upper = problem.lower.copy(), problem.upper.copy()
        self.integer = problem.integer.copy()
        self.evaluations = 0
        self.known = set(sys.modules)
        self.end = now_ns() + round(TRIAL_S * 1e9)

    @property
    def evaluations_left(self) -> int | None:
        return max(TRIAL_EVALUATIONS_PER_DIMENSION * self.dimension - self.evaluations, 0)

    def __call__(self, x: Any) -> float:
        self.evaluations += 1
        faulthandler.cancel_dump_traceback_later()
        value = float(self.problem.evaluate(np.ascontiguousarray(x, dtype=float)))
        self.tell()
        if not self.evaluations_left or now_ns() >= self.end:
            kernel.end_process(0)
        return value

    def batch(self, points: Any) -> NDArray[np.float64]:
        return np.array([self(x) for x in points])

    def tell(self) -> None:
        new = [name for name in sys.modules if name not in self.known]
        if new:
            self.known.update(new)
            os.write(self.told, "".join(f"{name}\n" for name in new).encode())


@scratch_folder()
def _trial_launch(
    algorithm: Algorithm, problem: Problem, memory_mb: float | None, views: Views
) -> Trial:
    before = leftovers.fingerprint(views.watched)
    told = os.memfd_create("timefair-modules")  # not a pipe: what the trial forks may hold it open
    trace = os.memfd_create("timefair-trace")
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:

        def try_out(guard: int) -> None:
            _try_out(guard, algorithm, problem, memory_mb, views, told, trace)

        _guard(parent, try_out)
    kernel.wait_or_kill(pid, TRIAL_KILL_S + LATE_S)
    kernel.end_group_and_orphans(pid)
    os.waitpid(pid, 0)
    views.check()
    changed = leftovers.appeared(before, leftovers.fingerprint(views.watched))
    return Trial(_read(told).split(), _read(trace), changed)


def _guard(parent: int, try_out: Callable[[int], None]) -> NoReturn:
    """Be the parent of a trial, which may end its parent, and wait for its end."""
    try:
        kernel.die_with_parent(parent)
        ends_at_once()
        os.setsid()
        guard = os.getpid()
        pid = os.fork()
        if pid == 0:
            try_out(guard)
        os.waitpid(pid, 0)
    finally:
        kernel.end_process(0)


def _read(fd: int) -> str:
    with os.fdopen(fd, encoding="utf-8", errors="replace") as file:
        file.seek(0)
        return file.read()


def _try_out(
    parent: int,
    algorithm: Algorithm,
    problem: Problem,
    memory_mb: float | None,
    views: Views,
    told: int,
    trace: int,
) -> None:
    try:
        descriptors.close(descriptors.of_the_measurement([]))
        os.setsid()
        views.enter()
        kernel.die_with_parent(parent)
        kernel.limit_memory(memory_mb)
        kernel.KillTimer().set(now_ns() + round(1e9 * TRIAL_KILL_S))
        Confinement(parent).enter()
        faulthandler.dump_traceback_later(4.5 * TRIAL_S, file=trace)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(null, 2)
        rng = stream(0, 0)
        trial = _Trial(problem, told)
        algorithm.solve(trial, rng)
        trial.tell()
    finally:  # what it raises is for its runs to show
        kernel.end_process(0)
