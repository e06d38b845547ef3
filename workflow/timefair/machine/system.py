"""The machine and its operating system: processor, memory, kernel, limits, and the load."""

from __future__ import annotations

import os
from pathlib import PurePosixPath

from timefair.machine.host import MB, Host, Unknown, core_list, decimal, whole

_CPU = "sys/devices/system/cpu"


def model(host: Host) -> str:
    """The name of the model; virtual machines often give a generic one."""
    return host.field("proc/cpuinfo", "model name")


def online(host: Host) -> list[int]:
    """The numbers of the logical cores that the kernel uses."""
    return core_list(host.text(f"{_CPU}/online"), f"/{_CPU}/online")


def logical_cores(host: Host) -> int:
    """The number of logical cores, that is hardware threads."""
    return len(online(host))


def siblings(host: Host) -> list[list[int]]:
    """The logical cores of each physical core."""
    return [list(group) for group in sorted(set(_groups(host)))]


def _groups(host: Host) -> list[tuple[int, ...]]:
    paths = [f"{_CPU}/cpu{core}/topology/thread_siblings_list" for core in online(host)]
    return [tuple(core_list(host.text(path), f"/{path}")) for path in paths]


def physical_cores(host: Host) -> int:
    """The number of physical cores."""
    return len(siblings(host))


def governor(host: Host) -> str:
    """The governor of the frequency; several names with commas if the cores differ."""
    paths = [f"{_CPU}/cpu{core}/cpufreq/scaling_governor" for core in online(host)]
    return ", ".join(sorted({host.text(path) for path in paths}))


_TURBO = {  # the content of each file when the frequency may rise above the nominal one
    f"{_CPU}/intel_pstate/no_turbo": "0",
    f"{_CPU}/cpufreq/boost": "1",
}


def turbo(host: Host) -> str:
    """``"on"`` if the frequency may rise above the nominal one, else ``"off"``."""
    for path, on in _TURBO.items():
        if host.has(path):
            return "on" if host.text(path) == on else "off"
    raise Unknown(f"neither {' nor '.join(f'/{path}' for path in _TURBO)}")


def thermal_throttles(host: Host) -> int:
    """Number of times that heat has slowed a core since the start, summed over logical cores."""
    paths = [f"{_CPU}/cpu{core}/thermal_throttle/core_throttle_count" for core in online(host)]
    return sum(host.number(path) for path in paths)


_PAGES = "proc/vmstat"


def total_mb(host: Host) -> float:
    """The size of the memory."""
    return _mb(host, "MemTotal")


def available_mb(host: Host) -> float:
    """The kernel's estimate of the memory that programs can get without swapping."""
    return _mb(host, "MemAvailable")


def swap_mb(host: Host) -> float:
    """The size of the swap; 0 without swap."""
    return _mb(host, "SwapTotal")


def swap_used_mb(host: Host) -> float:
    """Swap in use."""
    return swap_mb(host) - _mb(host, "SwapFree")


def swapped_pages(host: Host) -> int:
    """Pages moved from and to swap since the start."""
    counts = (host.field(_PAGES, name, separator=" ") for name in ("pswpin", "pswpout"))
    return sum(whole(count, f"/{_PAGES}") for count in counts)


def _mb(host: Host, name: str) -> float:
    kilobytes = host.field("proc/meminfo", name).removesuffix("kB").strip()
    return round(whole(kilobytes, "/proc/meminfo") / 1024, 1)


_DMI = "sys/class/dmi/id"
_SUPPLIES = "sys/class/power_supply"


def hostname(host: Host) -> str:
    """The name of the machine."""
    return host.text("proc/sys/kernel/hostname")


def kernel(host: Host) -> str:
    """The release of the kernel."""
    return host.text("proc/sys/kernel/osrelease")


def distribution(host: Host) -> str:
    """The distribution and its version."""
    return host.field("etc/os-release", "PRETTY_NAME", separator="=").strip("\"'")


def virtual_machine(host: Host) -> str:
    """The name of the virtual machine; ``"none"`` on hardware."""
    if "hypervisor" not in host.field("proc/cpuinfo", "flags").split():
        return "none"
    names = [f"{_DMI}/{name}" for name in ("sys_vendor", "product_name")]
    found = [host.text(path) for path in names if host.has(path)]
    return " ".join(found) or "a hypervisor without a name"


_MARKS = {"docker": ".dockerenv", "podman": "run/.containerenv", "systemd": "run/systemd/container"}
_VARIABLES = {"apptainer": "APPTAINER_CONTAINER", "singularity": "SINGULARITY_CONTAINER"}
_GROUP_NAMES = ("kubepods", "docker", "lxc", "libpod")


def container(host: Host) -> str:
    """The signs of a container, separated by commas; ``"none seen"`` if there are none."""
    group = host.text("proc/self/cgroup")
    marks = [name for name, path in _MARKS.items() if host.has(path)]
    marks += [name for name, variable in _VARIABLES.items() if variable in host.environment]
    marks += [name for name in _GROUP_NAMES if name in group and name not in marks]
    return ", ".join(marks) or "none seen"


def clock_source(host: Host) -> str:
    """The clock source of the kernel."""
    return host.text("sys/devices/system/clocksource/clocksource0/current_clocksource")


def affinity(host: Host) -> str:
    """The cores that this process may use, in the kernel's spelling."""
    return host.field("proc/self/status", "Cpus_allowed_list")


def usable(host: Host) -> list[int]:
    """The same as a list."""
    return core_list(affinity(host), "Cpus_allowed_list")


def usable_cores(host: Host) -> int:
    """Number of cores that this process may use."""
    return len(usable(host))


def load(host: Host) -> list[float]:
    """Processes that ran or waited to run: means over 1, 5 and 15 minutes."""
    words = host.text("proc/loadavg").split()
    if len(words) < 3:
        raise Unknown("/proc/loadavg is cut off")
    return [decimal(word, "/proc/loadavg") for word in words[:3]]


def steal_s(host: Host) -> float:
    """Seconds since the start that the host gave to others, summed over the cores."""
    times = host.field("proc/stat", "cpu", separator=" ").split()
    if len(times) < 8:
        raise Unknown("/proc/stat counts no steal")
    return whole(times[7], "/proc/stat") / os.sysconf("SC_CLK_TCK")


def power(host: Host) -> str:
    """``"mains"``, ``"battery"``, or ``"no supply listed"``, as on most machines but laptops."""
    supplies = [f"{_SUPPLIES}/{name}" for name in host.names(_SUPPLIES)]
    own = [path for path in supplies if _value(host, path, "scope") != "Device"]
    kinds = {_value(host, path, "type") for path in own}
    if any(_value(host, path, "status") == "Discharging" for path in own):
        return "battery"
    if any(_value(host, path, "online") == "1" for path in own):
        return "mains"
    if "Mains" in kinds:
        return "battery"
    return "mains" if "Battery" in kinds else "no supply listed"


def _value(host: Host, path: str, name: str) -> str | None:
    """One attribute of a power supply; None where it has none."""
    try:
        return host.text(f"{path}/{name}")
    except Unknown:
        return None


_SLURM = (
    *("SLURM_CLUSTER_NAME", "SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"),
    *("SLURM_JOB_PARTITION", "SLURM_JOB_NODELIST", "SLURMD_NODENAME"),
    *("SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE", "SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU"),
)


def slurm(host: Host) -> dict[str, str]:
    """The job that Slurm runs this process in."""
    found = {name: host.environment[name] for name in _SLURM if name in host.environment}
    if not found:
        raise Unknown("no SLURM_ variables are set")
    return found


# --- Limits of the control groups of this process, version 1 or 2 -------------------------------
# A limit of a group also holds for the groups inside it, so the tightest one counts.

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


def memory_left_mb(host: Host) -> float | str:
    """The rest of that memory; file contents that can be dropped do not count as used."""
    return min((_left(host, folder) for folder in folders(host, "memory")), key=_size)


def folders(host: Host, controller: str) -> list[str]:
    """The folders of this process's group and of the groups above it, for one controller.

    They are relative to the root of `host`. `Unknown` if there is no such group.
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
