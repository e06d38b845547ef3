"""Counters of the machine about other processes: time that they took from these cores, and
pressure.

Each value is a counter in seconds; None if the machine does not have it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from timefair.linux.kernel import read_file
from timefair.machine.cgroups import folders
from timefair.machine.host import Host, Unknown, whole

_STEAL = 8
"""The field of a core's line in /proc/stat."""

_THROTTLED = {"throttled_usec": 1e-6, "throttled_time": 1e-9}
"""Name of the throttling counter in version 2 and in version 1 of control groups, with its unit in
seconds.
"""


class Surroundings(NamedTuple):
    """The counters at one moment, or their growth between two moments.

    Attributes
    ----------
    steal_s
        Steal time, in which the hypervisor ran something else on the cores; usually counted in
        ticks of 10 ms.
    pressure_s
        Time in which at least one task on the machine waited for a core.
    throttled_s
        Time in which a quota stopped the control groups of this process.
    """

    steal_s: float | None
    pressure_s: float | None
    throttled_s: float | None

    def since(self, before: Surroundings) -> Surroundings:
        """The growth of the counters since an earlier moment; None for unknown counters."""
        return Surroundings(*map(_difference, self, before))


class Counters:
    """Reads the counters of a job.

    A job stays in its control groups, so they are looked up once.

    Parameters
    ----------
    cores
        Cores whose stolen time counts.
    host
        The host whose files are read; None for this machine.
    """

    def __init__(self, cores: Iterable[int], host: Host | None = None) -> None:
        self._host = host or Host()
        self._cores = [f"cpu{core}" for core in cores]
        try:
            self._quotas = [f"{folder}/cpu.stat" for folder in folders(self._host, "cpu")]
        except Unknown:
            self._quotas = []

    def look(self) -> Surroundings:
        """The counters now."""
        return Surroundings(self._steal_s(), self._pressure_s(), self._throttled_s())

    def _steal_s(self) -> float | None:
        told = {fields[0]: fields for fields in self._lines("proc/stat", "cpu")}
        try:
            ticks = sum(whole(told[core][_STEAL], core) for core in self._cores)
        except (KeyError, IndexError, Unknown):
            return None
        return ticks / os.sysconf("SC_CLK_TCK")

    def _pressure_s(self) -> float | None:
        for kind, *figures in self._lines("proc/pressure/cpu"):
            if kind == "some":
                total = dict(figure.partition("=")[::2] for figure in figures).get("total", "")
                return int(total) / 1e6 if total.isdecimal() else None
        return None

    def _throttled_s(self) -> float | None:
        """Throttled time, summed over the control group of this process and the groups that contain
        it: each has its own quota.
        """
        found = [
            int(figures[0]) * _THROTTLED[name]
            for path in self._quotas
            for name, *figures in self._lines(path)
            if name in _THROTTLED and figures and figures[0].isdecimal()
        ]
        return sum(found) if found else None

    def _lines(self, path: str, beginning: str = "") -> list[list[str]]:
        """The words of each line that begins with `beginning`; empty if the file is unreadable."""
        try:
            text = read_file(f"{self._host.root}/{path}").decode(errors="replace")
        except OSError:
            return []
        lines = text.splitlines()
        return [line.split() for line in lines if line.startswith(beginning) and line.strip()]


def _difference(now: float | None, before: float | None) -> float | None:
    return None if now is None or before is None else max(now - before, 0.0)
