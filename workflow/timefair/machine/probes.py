"""Short measurements of perturbations; together they take about a second."""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from pathlib import Path

from timefair.linux import private_folders
from timefair.machine import software
from timefair.machine.host import Host, Reader, Unknown, whole

LOOP_NS = 50_000_000
"""The time for which each core is kept busy."""

TIMER_S = 0.001

_TIMERS = 200
_FORKS = 20
_CLOCK_CALLS = 20_000


def waiting(host: Host) -> dict[str, float]:
    """The share of a busy loop in which it waited for its core, by usable core."""
    usable = sorted(os.sched_getaffinity(0))
    try:
        return {str(core): _waiting(host, core) for core in usable}
    finally:
        os.sched_setaffinity(0, usable)


def _waiting(host: Host, core: int) -> float:
    os.sched_setaffinity(0, {core})
    waited, start = _run_queue_ns(host), time.perf_counter_ns()
    while (now := time.perf_counter_ns()) - start < LOOP_NS:
        pass
    return (_run_queue_ns(host) - waited) / (now - start)


def _run_queue_ns(host: Host) -> int:
    """The time since its start in which this thread was ready to run and did not."""
    path = "proc/thread-self/schedstat"
    words = host.text(path).split()
    if len(words) < 2:
        raise Unknown(f"/{path} is cut off")
    return whole(words[1], f"/{path}")


def clock_step_ns(_: Host) -> int:
    """The smallest observed step of the clock."""
    readings = [time.perf_counter_ns() for _ in range(_CLOCK_CALLS)]
    steps = [b - a for a, b in pairwise(readings) if b > a]
    if not steps:
        raise Unknown(f"the clock stood still over {_CLOCK_CALLS} readings")
    return min(steps)


def clock_cost_ns(_: Host) -> float:
    """The time of one reading of the clock, with the loop around it."""

    def read() -> None:
        for _ in range(_CLOCK_CALLS):
            time.perf_counter_ns()

    return min(_durations_ns(read, 5)) / _CLOCK_CALLS


def timer_late_ms(_: Host) -> dict[str, float]:
    """The delay of a timer of 1 ms: median and 99th percentile."""
    late = [ns / 1e6 - TIMER_S * 1e3 for ns in _durations_ns(lambda: time.sleep(TIMER_S), _TIMERS)]
    return {"p50": statistics.median(late), "p99": statistics.quantiles(late, n=100)[98]}


def fork_ms(_: Host) -> float:
    """The median time to start and end a copy of this process."""

    def fork() -> None:
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)

    return statistics.median(_durations_ns(fork, _FORKS)) / 1e6


def private_folders_refused(_: Host) -> str:
    """Why a process gets no private view of a temporary folder; empty if it gets one."""
    folder = Path(tempfile.gettempdir()).resolve()
    steps = private_folders.plan([folder], private_folders.mount_points())
    return private_folders.refusal(steps) or ""


def blas_threads(host: Host) -> dict[str, int]:
    """The threads of the native libraries of numpy and scipy, by file, in this environment."""
    import_module("numpy")
    import_module("scipy.linalg")  # has a library of its own

    return {pool["file"]: pool["threads"] for pool in software.blas_threads(host)}


def _durations_ns(act: Callable[[], None], times: int) -> list[int]:
    durations = []
    for _ in range(times):
        start = time.perf_counter_ns()
        act()
        durations.append(time.perf_counter_ns() - start)
    return durations


PROBES: dict[str, Reader] = {
    "waiting": waiting,
    "clock_step_ns": clock_step_ns,
    "clock_cost_ns": clock_cost_ns,
    "timer_late_ms": timer_late_ms,
    "fork_ms": fork_ms,
    "private_folders_refused": private_folders_refused,
    "library_threads": blas_threads,
}
