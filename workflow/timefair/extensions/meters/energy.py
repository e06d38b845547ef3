"""Joules of the processor around a run, from RAPL as powercap shows it: packages and memory."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from timefair.basics import files
from timefair.basics.extension import Meter
from timefair.machine.host import Host, Unknown
from timefair.measure.job.cores import lock_folder

FOLDER = "sys/class/powercap"
PACKAGE = "sys/devices/system/cpu/cpu{}/topology/physical_package_id"
IDLE_S = 1.0
"""Before the runs of a job, the idle power is measured for so long."""

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
        self._ranges_j = [self._joules(path, "max_energy_range_uj") for path in self._paths]
        self._all()

    def begin(self) -> Callable[[], tuple[float, float] | None]:
        """Read now. The result reads again: joules and seconds since then; None: unknown."""
        start = self._clock()
        try:
            before = self._all()
        except Unknown:
            return lambda: None

        def end() -> tuple[float, float] | None:
            spent_s = self._clock() - start
            try:
                grown = [now - then for now, then in zip(self._all(), before, strict=True)]
            except Unknown:
                return None
            if spent_s * MOST_W > min(self._ranges_j):
                return None
            ranges = zip(grown, self._ranges_j, strict=True)
            return sum(one if one >= 0 else one + most for one, most in ranges), spent_s

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

    def _all(self) -> list[float]:
        return [self._joules(path, "energy_uj") for path in self._paths]

    def _joules(self, path: str, name: str) -> float:
        return self._host.number(f"{path}/{name}") / 1e6


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
        for package in counters.packages:
            stack.callback(os.close, _locked(package))
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


def _locked(package: int) -> int:
    folder = lock_folder()
    folder.mkdir(mode=0o1777, parents=True, exist_ok=True)
    fd = files.lock(folder / f"package-{package}", write=False)
    assert fd is not None
    return fd
