"""Limits of the control groups of this process: processor time and memory, version 1 or 2.

A limit of a group also holds for the groups inside it. So all groups are read, from that of this
process up to the root of the mount, and the tightest limit counts. In a container the groups
outside are not visible.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from timefair.machine.host import MB, Host, Unknown, decimal, whole

UNLIMITED = "unlimited"

_NO_LIMIT_BYTES = 2**62  # version 1 writes the largest multiple of a page


def cpu_quota(host: Host) -> float | str:
    """The CPU time that the group may use per period, in cores."""
    return min((_quota(host, folder) for folder in folders(host, "cpu")), key=_size)


def throttled_periods(host: Host) -> int:
    """The number of periods in which the group, or one above it, was stopped by its quota."""
    counts = [
        whole(stat["nr_throttled"], "nr_throttled")
        for folder in folders(host, "cpu")
        if "nr_throttled" in (stat := _stat(host, f"{folder}/cpu.stat"))
    ]
    if not counts:
        raise Unknown("no cpu.stat counts throttled periods")
    return max(counts)


def memory_limit_mb(host: Host) -> float | str:
    """The memory that the group may use."""
    return min((_limit(host, folder) for folder in folders(host, "memory")), key=_size)


def memory_left_mb(host: Host) -> float | str:
    """The rest of that memory; file contents that can be dropped do not count as used."""
    return min((_left(host, folder) for folder in folders(host, "memory")), key=_size)


def folders(host: Host, controller: str) -> list[str]:
    """The folders of this process's group and of the groups above it, for one controller.

    They are relative to the root of `host`, and begin with the group of this process.

    Raises
    ------
    Unknown
        If there is no such group.
    """
    version_1 = _memberships(host).get(controller)
    member = version_1 or _memberships(host).get("")
    if member is None:
        raise Unknown(f"/proc/self/cgroup has no {controller}")
    root, mount = _mounted(host, controller if version_1 else "")
    inside = PurePosixPath(member)
    own = inside.relative_to(root) if inside.is_relative_to(root) else PurePosixPath()
    folder = PurePosixPath(mount.lstrip("/")) / own
    above = [folder, *(folder.parents[k] for k in range(len(own.parts)))]
    found = [str(place) for place in above if host.has(str(place))]
    if not found:
        raise Unknown(f"no /{folder}")
    return found


def _quota(host: Host, folder: str) -> float | str:
    if host.has(f"{folder}/cpu.max"):
        quota, _, period = host.text(f"{folder}/cpu.max").partition(" ")
    elif host.has(f"{folder}/cpu.cfs_quota_us"):
        quota = host.text(f"{folder}/cpu.cfs_quota_us")
        period = host.text(f"{folder}/cpu.cfs_period_us")
    else:
        return UNLIMITED
    if quota in ("max", "-1"):
        return UNLIMITED
    length = decimal(period, "the quota's period")
    if length == 0:
        raise Unknown("the quota's period is 0")
    return round(decimal(quota, "the quota") / length, 3)


def _limit(host: Host, folder: str) -> float | str:
    for name in ("memory.max", "memory.limit_in_bytes"):
        if host.has(f"{folder}/{name}"):
            text = host.text(f"{folder}/{name}")
            if text == "max" or (limit := whole(text, f"/{folder}/{name}")) > _NO_LIMIT_BYTES:
                return UNLIMITED
            return round(limit / MB, 1)
    return UNLIMITED


def _left(host: Host, folder: str) -> float | str:
    limit = _limit(host, folder)
    if isinstance(limit, str):
        return limit
    current = "memory.current" if host.has(f"{folder}/memory.max") else "memory.usage_in_bytes"
    stat = _stat(host, f"{folder}/memory.stat")
    files = stat.get("total_inactive_file", stat.get("inactive_file", "0"))
    used = host.number(f"{folder}/{current}") - whole(files, f"/{folder}/memory.stat")
    return round(limit - used / MB, 1)


def _stat(host: Host, path: str) -> dict[str, str]:
    return host.fields(path, separator=" ") if host.has(path) else {}


def _size(limit: float | str) -> float:
    return float("inf") if isinstance(limit, str) else limit


def _memberships(host: Host) -> dict[str, str]:
    """The group of this process by controller; by ``""`` that of version 2."""
    lines = [line.split(":", 2) for line in host.text("proc/self/cgroup").splitlines()]
    return {
        controller: line[2] for line in lines if len(line) == 3 for controller in line[1].split(",")
    }


def _mounted(host: Host, controller: str) -> tuple[str, str]:
    """The root of a mounted hierarchy, and where it is mounted."""
    for line in host.text("proc/self/mountinfo").splitlines():
        place, _, kind = line.partition(" - ")
        places, kinds = place.split(), kind.split()
        if len(places) < 5 or len(kinds) < 3:
            continue
        version_2 = kinds[0] == "cgroup2"
        version_1 = kinds[0] == "cgroup" and controller in kinds[2].split(",")
        if version_1 if controller else version_2:
            return places[3], places[4]
    raise Unknown(f"no mounted control groups of {controller or 'version 2'}")
