"""Counts what the processes of a run do in user space, by perf_event_open(2)."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Callable

from timefair.machine.facts import Unknown

Event = tuple[int, int]  # type and number of an event, as in <linux/perf_event.h>

INSTRUCTIONS: Event = (0, 1)
CPU_NS: Event = (1, 1)
"""Nanoseconds on a core, which the kernel counts without the processor's counters."""

_NUMBERS = {"x86_64": 298, "aarch64": 241}  # the number of the system call

_INHERIT, _USER_SPACE = 1 << 1, 1 << 5 | 1 << 6
_CLOSE_ON_EXEC, _WITH_TIMES = 8, 3
_libc = ctypes.CDLL(None, use_errno=True)


def opened(event: Event, *, inherit: bool) -> int:
    """The descriptor of a counter of this thread and, if asked, of children that begin later.

    `Unknown` if the machine has none.
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
