"""The machine and its operating system: processor, memory, kernel, limits, and the load."""

from __future__ import annotations

import os
import re

from timefair.machine.host import Host, Unknown, core_list, decimal, whole

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


def numa_nodes(host: Host) -> int:
    """The number of NUMA nodes."""
    path = "sys/devices/system/node/online"
    return len(core_list(host.text(path), f"/{path}"))


def caches(host: Host) -> list[str]:
    """The caches of the first core, such as ``"L2 Unified 1024K of cores 0"``."""
    folder = f"{_CPU}/cpu0/cache"
    found = [f"{folder}/{name}" for name in host.names(folder) if name.startswith("index")]
    if not found:
        raise Unknown(f"/{folder} is empty")
    return [_cache(host, path) for path in found]


def _cache(host: Host, path: str) -> str:
    level, kind, size, cores = (
        host.text(f"{path}/{name}") for name in ("level", "type", "size", "shared_cpu_list")
    )
    return f"L{level} {kind} {size} of cores {cores}"


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


def timer_slack_ns(host: Host) -> int:
    """Longest delay, in ns, of a timer of this process to let it expire together with others."""
    return host.number("proc/self/timerslack_ns")


_ASLR = {"0": "off", "1": "without the heap", "2": "full"}


def address_randomisation(host: Host) -> str:
    """Whether addresses differ from process to process."""
    text = host.text("proc/sys/kernel/randomize_va_space")
    if text not in _ASLR:
        raise Unknown(f"/proc/sys/kernel/randomize_va_space is {text[:40]!r}")
    return _ASLR[text]


def affinity(host: Host) -> str:
    """The cores that this process may use, in the kernel's spelling."""
    return host.field("proc/self/status", "Cpus_allowed_list")


def usable(host: Host) -> list[int]:
    """The same as a list."""
    return core_list(affinity(host), "Cpus_allowed_list")


def usable_cores(host: Host) -> int:
    """Number of cores that this process may use."""
    return len(usable(host))


def resource_limits(host: Host) -> dict[str, str]:
    """The soft limits of this process, in the units of /proc/self/limits."""
    rows = [re.split(r"\s{2,}", row) for row in host.text("proc/self/limits").splitlines()[1:]]
    return {row[0].removeprefix("Max "): row[1] for row in rows if len(row) > 1}


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


def pressure(host: Host) -> dict[str, float]:
    """Percent of the last 10 s in which some process waited for each resource."""
    return {what: _pressure(host, f"proc/pressure/{what}") for what in ("cpu", "memory", "io")}


def _pressure(host: Host, path: str) -> float:
    some = re.search(r"^some avg10=([0-9.]+)", host.text(path), re.MULTILINE)
    if some is None:
        raise Unknown(f"/{path} has no avg10")
    return decimal(some[1], f"/{path}")


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
    "SLURM_CLUSTER_NAME",
    "SLURM_JOB_ID",
    "SLURM_ARRAY_JOB_ID",
    "SLURM_ARRAY_TASK_ID",
    "SLURM_JOB_PARTITION",
    "SLURM_JOB_NODELIST",
    "SLURMD_NODENAME",
    "SLURM_CPUS_PER_TASK",
    "SLURM_CPUS_ON_NODE",
    "SLURM_MEM_PER_NODE",
    "SLURM_MEM_PER_CPU",
)


def slurm(host: Host) -> dict[str, str]:
    """The job that Slurm runs this process in."""
    found = {name: host.environment[name] for name in _SLURM if name in host.environment}
    if not found:
        raise Unknown("no SLURM_ variables are set")
    return found
