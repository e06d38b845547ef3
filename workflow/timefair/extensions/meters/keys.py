"""The key ``meters`` of a campaign: instructions, joules, and lines of `timefair check`."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field

from timefair.algorithms.algorithm import Algorithm
from timefair.basics import disk
from timefair.basics.extension import Meter
from timefair.basics.sections import Distinct
from timefair.machine.facts import Host, Unknown
from timefair.measure.isolation import lock_folder
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
    """A counter of this thread and, if asked, of children that begin later, or `Unknown`."""
    if (number := _NUMBERS.get(platform.machine())) is None:
        raise Unknown(f"no counter for {platform.machine()}")
    flags = _USER_SPACE | (_INHERIT if inherit else 0)
    attributes = struct.pack("=IIQQQQQ24x", event[0], 64, event[1], 0, 0, _WITH_TIMES, flags)
    fd: int = _libc.syscall(number, attributes, 0, -1, -1, _CLOSE_ON_EXEC)
    if fd < 0:
        raise Unknown(f"perf_event_open: {os.strerror(ctypes.get_errno())}")
    return fd


def begin(event: Event) -> Callable[[], float | None]:
    """Count in children of this thread until the result is called; None if a counter lacks."""
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


# --- Joules of the processor, from RAPL as powercap shows it: packages and memory ----------------

FOLDER = "sys/class/powercap"
PACKAGE = "sys/devices/system/cpu/cpu{}/topology/physical_package_id"
IDLE_S = 1.0  # before the runs of a job, the idle power is measured for so long

MOST_W = 600.0
"""More than any processor uses; a counter that may have begun anew twice tells nothing."""

NOTHING = {"joules": None, "idle_joules": None}


class Counters:
    """The counters of the packages of some cores; `Unknown` if one cannot be read."""

    def __init__(
        self,
        cores: Iterable[int],
        host: Host | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._host, self._clock = host or Host(), clock
        self.packages = sorted({int(self._host.text(PACKAGE.format(core))) for core in cores})
        found = dict(self._found())
        lacking = {*self.packages} - {int(name.split()[0].split("-")[1]) for name in found}
        if lacking:
            raise Unknown(f"/{FOLDER} has no package {min(lacking)}")
        self.names, self._paths = list(found), list(found.values())
        self._ranges_j, _ = self._joules("max_energy_range_uj"), self._joules("energy_uj")

    def begin(self) -> Callable[[], tuple[float, float] | None]:
        """Read now. The result reads again: joules and seconds since then; None: unknown."""
        start, before = self._clock(), self._now()

        def end() -> tuple[float, float] | None:
            spent_s, now = self._clock() - start, self._now()
            if before is None or now is None or spent_s * MOST_W > min(self._ranges_j):
                return None
            read = zip(before, now, self._ranges_j, strict=True)
            return sum((last - first) % most for first, last, most in read), spent_s

        return end

    def _found(self) -> Iterator[tuple[str, str]]:
        """The name of each counter with its path; `intel-rapl`, AMD's too, has each once."""
        for folder in self._host.names(FOLDER):
            top, _, part = folder.partition("intel-rapl:")[2].partition(":")
            if top:
                package = self._host.text(f"{FOLDER}/intel-rapl:{top}/name")
                name = self._host.text(f"{FOLDER}/{folder}/name")
                wanted = {f"package-{number}" for number in self.packages}
                if "-".join(package.split("-")[:2]) in wanted and (not part or name == "dram"):
                    yield f"{package} {name}" if part else name, f"{FOLDER}/{folder}"

    def _now(self) -> list[float] | None:
        try:
            return self._joules("energy_uj")
        except Unknown:
            return None

    def _joules(self, name: str) -> list[float]:
        return [int(self._host.text(f"{path}/{name}")) / 1e6 for path in self._paths]


@contextmanager
def meter(
    made: Callable[[], Counters], sleep: Callable[[float], None] = time.sleep
) -> Iterator[Meter]:
    """Readings of runs, ``joules`` above the idle power and ``idle_joules``, None without `made`,
    after waiting for other jobs with this meter on a package.
    """
    with ExitStack() as stack:
        try:
            counters = made()
        except Unknown:
            yield lambda: lambda: NOTHING
            return
        lock_folder().mkdir(mode=0o1777, parents=True, exist_ok=True)
        for package in counters.packages:
            if (fd := disk.lock(lock_folder() / f"package-{package}", write=False)) is not None:
                stack.callback(os.close, fd)
        idle = counters.begin()
        sleep(IDLE_S)
        power = idle()

        def begin() -> Callable[[], Mapping[str, float | None]]:
            end = counters.begin()

            def ended() -> Mapping[str, float | None]:
                if (used := end()) is None or power is None:
                    return NOTHING
                idle_j = power[0] / power[1] * used[1]
                return {"joules": used[0] - idle_j, "idle_joules": idle_j}

            return ended

        yield begin


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
                told = f"reads {', '.join(Counters(os.sched_getaffinity(0)).names)}"
            else:
                os.close(opened(INSTRUCTIONS, inherit=True))
                told = "can be counted"
        except Unknown as reason:
            told = f"not available here: {reason}"
        yield f"{name:<13} {told}"


def meters(
    campaign: Any, cores: tuple[int, ...], algorithm: Any
) -> Iterator[AbstractContextManager[Meter]]:
    """The meters of a job; instructions only if runs are forks, none if they import themselves."""
    asked = campaign.section("meters") or ()
    if isinstance(algorithm, Fresh):
        return
    if "instructions" in asked and isinstance(algorithm, Algorithm):
        yield nullcontext(_count)
    if "energy" in asked:
        yield meter(partial(Counters, cores))


def _count() -> Callable[[], Mapping[str, float | None]]:
    end = begin(INSTRUCTIONS)
    return lambda: {"instructions": end()}
