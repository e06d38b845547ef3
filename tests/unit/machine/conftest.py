"""Machines made of files."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from timefair.machine.doctor import COUNTERS, Observation
from timefair.machine.facts import MOMENTARY, STANDING
from timefair.machine.host import Host, gather

CPU = "sys/devices/system/cpu"
GIGABYTE = 2**30


def of_each_core(cores: int, path: str, content: str) -> dict[str, str]:
    return {f"{CPU}/cpu{core}/{path}": content.format(core=core) for core in range(cores)}


def meminfo(total_mb: int = 16384, available_mb: int = 12288, swap_used_mb: int = 0) -> str:
    return (
        f"MemTotal: {total_mb * 1024} kB\nMemAvailable: {available_mb * 1024} kB\n"
        f"SwapTotal: {2048 * 1024} kB\nSwapFree: {(2048 - swap_used_mb) * 1024} kB\n"
    )


SERVER: dict[str, str] = {
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: Example 9000 @ 3.0GHz\nflags\t\t: fpu tsc\n",
    "proc/meminfo": meminfo(),
    "proc/vmstat": "nr_free_pages 1\npswpin 0\npswpout 0\n",
    "proc/loadavg": "0.01 0.05 0.10 1/200 4242\n",
    "proc/stat": "cpu  10 0 10 1000 0 0 0 0 0 0\ncpu0 10 0 10 1000 0 0 0 0 0 0\n",
    "proc/self/cgroup": "0::/jobs\n",
    "proc/self/mountinfo": (
        "20 1 0:4 / /proc rw shared:5 - proc proc rw\n"
        "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw\n"
    ),
    "proc/self/status": "Name:\tpython\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n",
    "proc/sys/kernel/hostname": "bench\n",
    "proc/sys/kernel/osrelease": "6.12.0\n",
    "etc/os-release": 'NAME="Example"\nPRETTY_NAME="Example Linux 13"\n',
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
    "sys/class/power_supply/AC/type": "Mains\n",
    "sys/class/power_supply/AC/online": "1\n",
    "sys/fs/cgroup/jobs/cpu.max": "max 100000\n",
    "sys/fs/cgroup/jobs/cpu.stat": "usage_usec 5\nnr_periods 0\nnr_throttled 0\n",
    "sys/fs/cgroup/jobs/memory.max": "max\n",
    f"{CPU}/online": "0-3\n",
    f"{CPU}/cpufreq/boost": "0\n",
    **of_each_core(4, "topology/thread_siblings_list", "{core}\n"),
    **of_each_core(4, "cpufreq/scaling_governor", "performance\n"),
    **of_each_core(4, "thermal_throttle/core_throttle_count", "0\n"),
}
"""Four cores without a second thread, nothing else running: what times should be taken on."""

LAPTOP = {
    **of_each_core(4, "cpufreq/scaling_governor", "powersave\n"),
    **of_each_core(4, "thermal_throttle/core_throttle_count", "3\n"),
    f"{CPU}/intel_pstate/no_turbo": "0\n",
    "sys/class/power_supply/AC/online": "0\n",
    "sys/class/power_supply/BAT0/type": "Battery\n",
    "sys/class/power_supply/BAT0/status": "Discharging\n",
}
SMT = {f"{CPU}/cpu{core}/topology/thread_siblings_list": f"{core % 2},{core % 2 + 2}\n"
       for core in range(4)}  # fmt: skip
QUOTA_2 = {
    ".dockerenv": "",
    "sys/fs/cgroup/jobs/cpu.max": "150000 100000\n",
    "sys/fs/cgroup/jobs/cpu.stat": "nr_periods 90\nnr_throttled 7\nthrottled_usec 1000\n",
    "sys/fs/cgroup/jobs/memory.max": f"{GIGABYTE}\n",
    "sys/fs/cgroup/jobs/memory.current": f"{GIGABYTE // 2}\n",
    "sys/fs/cgroup/jobs/memory.stat": f"anon 5\ninactive_file {GIGABYTE // 4}\n",
}
QUOTA_1 = {
    "proc/self/cgroup": "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/\n",
    "proc/self/mountinfo": (
        "31 23 0:1 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
        "32 23 0:2 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
        "33 23 0:3 / /sys/fs/cgroup/unified ro - cgroup2 cgroup2 rw\n"
    ),
    "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "150000\n",
    "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
    "sys/fs/cgroup/cpu,cpuacct/cpu.stat": "nr_periods 90\nnr_throttled 7\nthrottled_time 1000\n",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{GIGABYTE}\n",
    "sys/fs/cgroup/memory/memory.usage_in_bytes": f"{GIGABYTE // 2}\n",
    "sys/fs/cgroup/memory/memory.stat": f"cache 5\ntotal_inactive_file {GIGABYTE // 4}\n",
}
VIRTUAL = {
    "proc/cpuinfo": "model name\t: Example\nflags\t\t: fpu hypervisor tsc\n",
    "sys/class/dmi/id/sys_vendor": "QEMU\n",
}

QUIET: dict[str, Any] = {
    "waiting": {"0": 0.0, "1": 0.001, "2": 0.0, "3": 0.0},
    "private_folders_refused": "",
    "library_threads": {"libopenblas.so": 1},
    "unsupported_packages": [],
}
"""What the probes measure on such a machine."""

READ = {
    name: read
    for name, read in (STANDING | MOMENTARY).items()
    if read.__code__.co_varnames[0] == "host" and name != "commit"
}
"""The facts that are read from files and variables: readers of others ignore the host."""

Build = Callable[..., Host]


@pytest.fixture
def build(tmp_path):
    """Makes a machine of the server's files, with changes; a change to None leaves a file out."""

    def build(*changes: Mapping[str, str | None], **environment: str) -> Host:
        files: dict[str, str | None] = dict(SERVER)
        for change in changes:
            files |= change
        for path, content in files.items():
            if content is not None:
                place = tmp_path / "root" / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.unlink(missing_ok=True)  # much faster than to cut it off
                place.write_text(content)
        return Host(tmp_path / "root", environment, tmp_path)

    return build


def observation_of(
    host: Host,
    measured: Mapping[str, Any] | None = None,
    growth: Mapping[str, Any] | None = None,
    cores: int | None = None,
) -> Observation:
    """What the doctor sees of such a machine, quiet unless told."""
    facts = gather(READ, host)
    still = {name: 0 for name in COUNTERS if facts[name] is not None}
    return Observation(
        {**facts, **QUIET, **(measured or {})}, still | dict(growth or {}), 1.0, cores
    )
