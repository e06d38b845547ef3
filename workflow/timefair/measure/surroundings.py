"""What the machine tells about others: time that they took from these cores, and pressure.

Each figure is a counter in seconds, None where the machine lacks it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
GROUPS = Path("/sys/fs/cgroup")

_STEAL = 8
"""The field of a core's line in /proc/stat."""

_THROTTLED = {"throttled_usec": 1e-6, "throttled_time": 1e-9}
"""What version 2 and version 1 of control groups call it, and the unit in seconds."""


class Surroundings(NamedTuple):
    """The counters at one moment, or what was added between two.

    Attributes
    ----------
    steal_s
        Time in which the host ran something else on the cores, in ticks of 10 ms mostly.
    pressure_s
        Time in which some task of the whole machine waited for a core.
    throttled_s
        Time in which a quota stopped the control groups of this process.
    """

    steal_s: float | None
    pressure_s: float | None
    throttled_s: float | None

    def since(self, before: Surroundings) -> Surroundings:
        """What was added after an earlier moment."""
        return Surroundings(*map(_difference, self, before))


def look(cores: Iterable[int], proc: Path = PROC, groups: Path = GROUPS) -> Surroundings:
    """The counters now, steal of these cores."""
    return Surroundings(
        _steal_s(cores, proc / "stat"),
        _pressure_s(proc / "pressure/cpu"),
        _throttled_s(proc / "self/cgroup", groups),
    )


def _difference(now: float | None, before: float | None) -> float | None:
    return None if now is None or before is None else max(now - before, 0.0)


def _steal_s(cores: Iterable[int], path: Path) -> float | None:
    told = {fields[0]: fields for fields in _lines(path)}
    try:
        ticks = sum(int(told[f"cpu{core}"][_STEAL]) for core in cores)
    except (KeyError, IndexError, ValueError):
        return None
    return ticks / os.sysconf("SC_CLK_TCK")


def _pressure_s(path: Path) -> float | None:
    for kind, *figures in _lines(path):
        if kind == "some":
            total = dict(figure.partition("=")[::2] for figure in figures).get("total", "")
            return int(total) / 1e6 if total.isdecimal() else None
    return None


def _throttled_s(memberships: Path, groups: Path) -> float | None:
    """Added up over the group of this process and those that it lies in: each has a quota."""
    found = [
        int(figures[0]) * _THROTTLED[name]
        for folder in _folders(memberships, groups)
        for name, *figures in _lines(folder / "cpu.stat")
        if name in _THROTTLED and figures and figures[0].isdecimal()
    ]
    return sum(found) if found else None


def _folders(memberships: Path, groups: Path) -> Iterator[Path]:
    """The group of this process that counts time, and all above it."""
    for fields in _lines(memberships):
        _, controllers, inside = " ".join(fields).split(":", 2)
        if not controllers:
            mount = groups
        elif "cpu" in controllers.split(","):
            mount = groups / "cpu"
        else:
            continue
        group = mount / inside.strip("/")
        yield from (folder for folder in (group, *group.parents) if folder.is_relative_to(mount))


def _lines(path: Path) -> list[list[str]]:
    """The words of each line that has any; none of a file that cannot be read."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [line.split() for line in text.splitlines() if line.strip()]
