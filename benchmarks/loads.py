"""Perturbations that are made on purpose, each in a process of its own on a core of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from timefair.machine.linux import kernel


class Load(NamedTuple):
    """What perturbs, and on which core: that of the measured run, or another."""

    work: Callable[[], None]
    core: Literal["same", "other"]


def spin(duty: float = 1.0, period_s: float = 0.1) -> None:
    while True:
        end = time.monotonic() + duty * period_s
        while time.monotonic() < end:
            pass
        if duty < 1:
            time.sleep((1 - duty) * period_s)


def copy_memory() -> None:
    a = np.ones(2**24)
    b = np.empty_like(a)
    while True:
        b[:] = a


BUSY_SAME = Load(spin, "same")
BUSY_OTHER = Load(spin, "other")
BURSTS = Load(partial(spin, 0.1), "same")
LONG_BURSTS = Load(partial(spin, 0.3), "same")
SPELLS = Load(partial(spin, 1 / 3, 3.0), "same")
MEMORY = Load(copy_memory, "other")


@contextlib.contextmanager
def loaded(load: Load | None, core: int) -> Iterator[None]:
    """While a process perturbs what runs on this core; None: nothing does."""
    if load is None:
        yield
        return
    process = os.fork()
    if process == 0:
        kernel.die_with_parent(os.getppid())
        os.setsid()
        others = sorted(set(range(os.cpu_count() or 1)) - {core})
        os.sched_setaffinity(0, {core if load.core == "same" else others[0]})
        load.work()
    try:
        time.sleep(0.05)
        yield
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
