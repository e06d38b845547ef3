"""Joules of the processor around a run, from RAPL as powercap shows it: packages and memory."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from timefair.basics import files
from timefair.basics.extension import Meter
from timefair.machine.facts import Host, Unknown
from timefair.measure.isolation import lock_folder

FOLDER = "sys/class/powercap"
PACKAGE = "sys/devices/system/cpu/cpu{}/topology/physical_package_id"
IDLE_S = 1.0  # before the runs of a job, the idle power is measured for so long

MOST_W = 600.0
"""More than any processor uses; a counter that may have begun anew twice tells nothing."""

NOTHING = {"joules": None, "idle_joules": None}


class Counters:
    """The counters of the packages of some cores; `Unknown` if one of them cannot be read.

    ``names`` of the counters, and ``packages``: their numbers. `clock` gives seconds.
    """

    def __init__(
        self,
        cores: Iterable[int],
        host: Host | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._host, self._clock = host or Host(), clock
        self.packages = sorted({self._host.number(PACKAGE.format(core)) for core in cores})
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
        return [self._host.number(f"{path}/{name}") / 1e6 for path in self._paths]


@contextmanager
def meter(
    made: Callable[[], Counters], sleep: Callable[[float], None] = time.sleep
) -> Iterator[Meter]:
    """Readings of runs: ``joules`` above the idle power, and ``idle_joules``; None without `made`.

    Waits while another job with this meter is on a package, then measures the idle power.
    """
    with ExitStack() as stack:
        try:
            counters = made()
        except Unknown:
            yield lambda: lambda: NOTHING
            return
        lock_folder().mkdir(mode=0o1777, parents=True, exist_ok=True)
        for package in counters.packages:
            if (fd := files.lock(lock_folder() / f"package-{package}", write=False)) is not None:
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
