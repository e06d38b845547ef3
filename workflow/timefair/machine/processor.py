"""Facts about the processor: cores, hardware threads, caches, frequency."""

from __future__ import annotations

from timefair.machine.host import Host, Unknown, core_list

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
