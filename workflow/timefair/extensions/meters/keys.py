"""The key ``meters`` of a campaign: its meters, of which that of instructions is here, and lines
of `timefair check`.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from timefair.algorithms.base import Algorithm
from timefair.basics.extension import Meter
from timefair.basics.sections import Distinct
from timefair.extensions.meters import energy
from timefair.machine.facts import Unknown
from timefair.measure.run import Fresh

Event = tuple[int, int]  # type and number of an event, as in <linux/perf_event.h>

INSTRUCTIONS: Event = (0, 1)
CPU_NS: Event = (1, 1)
"""Nanoseconds on a core, which the kernel counts without the processor's counters."""

_NUMBERS = {"x86_64": 298, "aarch64": 241}  # the number of the system call

_INHERIT, _USER_SPACE = 1 << 1, 1 << 5 | 1 << 6
_CLOSE_ON_EXEC, _WITH_TIMES = 8, 3
_libc = ctypes.CDLL(None, use_errno=True)


def opened(event: Event, *, inherit: bool) -> int:
    """The descriptor of a counter of this thread and, if asked, of children that begin later, or
    `Unknown`.
    """
    if (number := _NUMBERS.get(platform.machine())) is None:
        raise Unknown(f"no counter for {platform.machine()}")
    flags = _USER_SPACE | (_INHERIT if inherit else 0)
    attributes = struct.pack("=IIQQQQQ24x", event[0], 64, event[1], 0, 0, _WITH_TIMES, flags)
    fd: int = _libc.syscall(number, attributes, 0, -1, -1, _CLOSE_ON_EXEC)
    if fd < 0:
        raise Unknown(f"perf_event_open: {os.strerror(ctypes.get_errno())}")
    return fd


def begin(event: Event) -> Callable[[], float | None]:
    """Count in the children of this thread that begin from now on, until the result is called.

    None if there is no counter, or there were too few of them for all the time.
    """
    counters: list[int] = []
    try:
        for inherit in (True, False):  # with this thread's own, which are subtracted
            counters.append(opened(event, inherit=inherit))
    except Unknown:
        for fd in counters:
            os.close(fd)
        return lambda: None

    def end() -> float | None:
        told = [struct.unpack("=QQQ", os.read(fd, 24)) for fd in counters]
        for fd in counters:
            os.close(fd)
        complete = all(counted == enabled for _, enabled, counted in told)
        return float(told[0][0] - told[1][0]) if complete else None

    return end


Meters = Annotated[
    tuple[Literal["energy", "instructions"], ...],
    Distinct,
    Field(
        min_length=1,
        strict=False,
        description="What is read around each run besides time. `instructions`: those that its "
        "processes executed in user space. `energy`: joules of the processor (RAPL) above its idle "
        "power; jobs with this key wait for each other, so that a processor has one at a time. "
        "Runs that were measured without the key have no readings.",
    ),
]


def check(campaign: Any) -> Iterator[str]:
    for name in campaign.section("meters") or ():
        try:
            if name == "energy":
                told = f"reads {', '.join(energy.Counters(os.sched_getaffinity(0)).names)}"
            else:
                os.close(opened(INSTRUCTIONS, inherit=True))
                told = "can be counted"
        except Unknown as reason:
            told = f"not available here: {reason}"
        yield f"{name:<13} {told}"


def meters(
    campaign: Any, cores: tuple[int, ...], algorithm: Any
) -> Iterator[AbstractContextManager[Meter]]:
    """The meters of a job; none for runs that import their modules themselves.

    Instructions are counted only if the process of a run is a fork of this one.
    """
    asked = campaign.section("meters") or ()
    if isinstance(algorithm, Fresh):
        return
    if "instructions" in asked and isinstance(algorithm, Algorithm):
        yield nullcontext(_count)
    if "energy" in asked:
        yield energy.meter(partial(energy.Counters, cores))


def _count() -> Callable[[], Mapping[str, float | None]]:
    end = begin(INSTRUCTIONS)
    return lambda: {"instructions": end()}
