"""The facts of a machine: those that stay the same from run to run, and those of one moment.

A check of the doctor reads facts of an observation. If one is unknown, so is its finding.
"""

from __future__ import annotations

import fnmatch
import json
import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module, metadata
from math import inf
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple

from timefair.basics.errors import InputError, described
from timefair.basics.sections import parse_ranges
from timefair.basics.words import counted, first
from timefair.machine.linux import kernel

MB = 2**20


class Unknown(Exception):
    """A fact is not available on this machine; the message is the reason."""


@dataclass(frozen=True)
class Host:
    """Where facts are read: files below `root`, variables of `environment`, code in `folder`. Paths
    have no leading slash. Reading any file returns a value or raises `Unknown`.
    """

    root: Path = Path("/")
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    folder: Path = field(default_factory=Path.cwd)

    def text(self, path: str) -> str:
        """The content of a file without surrounding space; never empty."""
        try:
            content = (self.root / path).read_text(encoding="utf-8", errors="replace").strip()
        except (FileNotFoundError, NotADirectoryError):
            raise Unknown(f"no /{path}") from None
        except OSError:
            raise Unknown(f"/{path} cannot be read") from None
        if not content:
            raise Unknown(f"/{path} is empty")
        return content

    def fields(self, path: str, separator: str = ":") -> dict[str, str]:
        """The first value of each name in a file of ``name: value`` lines."""
        found: dict[str, str] = {}
        for line in self.text(path).splitlines():
            name, _, value = line.partition(separator)
            found.setdefault(name.strip(), value.strip())
        return found

    def names(self, path: str) -> list[str]:
        try:
            return sorted(os.listdir(self.root / path))
        except OSError:
            raise Unknown(f"no /{path}") from None

    def has(self, path: str) -> bool:
        return os.path.exists(self.root / path)


Reader = Callable[[Host], Any]


def gather(readers: Mapping[str, Reader], host: Host) -> dict[str, Any]:
    """Call all readers; an unknown fact, also one in an unexpected form, is None, with the reason
    under ``missing``.
    """
    facts: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for name, read in readers.items():
        try:
            facts[name] = read(host)
        except (Unknown, ArithmeticError, ImportError, LookupError, ValueError) as error:
            facts[name] = None
            reason = error if isinstance(error, Unknown) else described(error)
            missing[name] = f"not available here: {reason}"
    return {**facts, "missing": missing}


# --- The machine and its operating system: processor, memory, kernel, limits, and the load ------

_CPU = "sys/devices/system/cpu"


def online(host: Host) -> list[int]:
    return parse_ranges(host.text(f"{_CPU}/online"))


def siblings(host: Host) -> list[list[int]]:
    texts = _of_cores(host, "topology/thread_siblings_list")
    groups = {tuple(parse_ranges(text)) for text in texts}
    return [list(group) for group in sorted(groups)]


def _of_cores(host: Host, name: str) -> list[str]:
    return [host.text(f"{_CPU}/cpu{core}/{name}") for core in online(host)]


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


def meminfo_mb(host: Host, name: str) -> float:
    return round(int(host.fields("proc/meminfo")[name].split()[0]) / 1024, 1)


_SUPPLIES = "sys/class/power_supply"


def virtual_machine(host: Host) -> str:
    """The name of the virtual machine; ``"none"`` on hardware."""
    if "hypervisor" not in host.fields("proc/cpuinfo")["flags"].split():
        return "none"
    names = [f"sys/class/dmi/id/{name}" for name in ("sys_vendor", "product_name")]
    found = [host.text(path) for path in names if host.has(path)]
    return " ".join(found) or "a hypervisor without a name"


_MARKS = {"docker": ".dockerenv", "podman": "run/.containerenv", "systemd": "run/systemd/container"}
_GROUP_NAMES = ("kubepods", "docker", "lxc", "libpod")


def container(host: Host) -> str:
    """The signs of a container, separated by commas; ``"none seen"`` if there are none."""
    group, kinds = host.text("proc/self/cgroup"), ("apptainer", "singularity")
    marks = [name for name, path in _MARKS.items() if host.has(path)]
    marks += [name for name in kinds if f"{name.upper()}_CONTAINER" in host.environment]
    marks += [name for name in _GROUP_NAMES if name in group and name not in marks]
    return ", ".join(marks) or "none seen"


def power(host: Host) -> str:
    """``"mains"``, ``"battery"``, or ``"no supply listed"``, as on most machines but laptops."""

    def value(supply: str, name: str) -> str:
        path = f"{_SUPPLIES}/{supply}/{name}"
        return host.text(path) if host.has(path) else ""

    own = [supply for supply in host.names(_SUPPLIES) if value(supply, "scope") != "Device"]
    if any(value(supply, "status") == "Discharging" for supply in own):
        return "battery"
    return "mains" if own else "no supply listed"


_SLURM = (
    *("SLURM_CLUSTER_NAME", "SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"),
    *("SLURM_JOB_PARTITION", "SLURM_JOB_NODELIST", "SLURMD_NODENAME"),
    *("SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE", "SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU"),
)


def slurm(host: Host) -> dict[str, str]:
    found = {name: host.environment[name] for name in _SLURM if name in host.environment}
    if not found:
        raise Unknown("no SLURM_ variables are set")
    return found


# --- Limits of the control groups of this process, version 1 or 2 -------------------------------
# A limit of a group also holds for the groups inside it, so the tightest one counts.

UNLIMITED = "unlimited"
_NO_LIMIT_BYTES = 2**62  # version 1 writes the largest multiple of a page


def cpu_quota(host: Host) -> float | str:
    return _tightest(_quota(host, folder) for folder in folders(host, "cpu"))


def throttled_periods(host: Host) -> int:
    """The number of periods in which the group, or one above it, was stopped by its quota."""
    counts = [int(one["nr_throttled"]) for one in cpu_stats(host) if "nr_throttled" in one]
    if not counts:
        raise Unknown("no cpu.stat counts throttled periods")
    return max(counts)


def cpu_stats(host: Host) -> list[dict[str, str]]:
    paths = [f"{folder}/cpu.stat" for folder in folders(host, "cpu")]
    return [host.fields(path, " ") for path in paths if host.has(path)]


def memory_left_mb(host: Host) -> float | str:
    """The rest of that memory; file contents that can be dropped do not count as used."""
    return _tightest(_left_mb(host, folder) for folder in folders(host, "memory"))


def folders(host: Host, controller: str) -> list[str]:
    """The folders below the root of `host` of this process's group and of those above it, for one
    controller. `Unknown` if there is no such group.
    """
    lines = [line.split(":", 2) for line in host.text("proc/self/cgroup").splitlines()]
    groups = {name: line[2] for line in lines if len(line) == 3 for name in line[1].split(",")}
    version = controller if controller in groups else ""
    if version not in groups:
        raise Unknown(f"/proc/self/cgroup has no {controller}")
    root, mount = _mounted(host, version)
    inside = PurePosixPath(groups[version])
    own = inside.relative_to(root) if inside.is_relative_to(root) else PurePosixPath()
    folder = PurePosixPath(mount.lstrip("/")) / own
    above = [folder, *(folder.parents[k] for k in range(len(own.parts)))]
    found = [str(place) for place in above if host.has(str(place))]
    if not found:
        raise Unknown(f"no /{folder}")
    return found


def _mounted(host: Host, controller: str) -> list[str]:
    """The root of a mounted hierarchy, and where it is mounted; of version 2 without controller."""
    for line in host.text("proc/self/mountinfo").splitlines():
        place, _, kind = line.partition(" - ")
        system, *_, options = kind.split()
        if system == "cgroup2" if not controller else controller in options.split(","):
            return place.split()[3:5]
    raise Unknown(f"no mounted control groups of {controller or 'version 2'}")


def _quota(host: Host, folder: str) -> float:
    if host.has(f"{folder}/cpu.max"):
        quota, period = host.text(f"{folder}/cpu.max").split()
    elif host.has(f"{folder}/cpu.cfs_quota_us"):
        quota, period = (host.text(f"{folder}/cpu.cfs_{what}_us") for what in ("quota", "period"))
    else:
        return inf
    return inf if quota in ("max", "-1") else int(quota) / int(period)


_MEMORY = {  # the limit and the use of a group, in versions 2 and 1
    "memory.max": "memory.current",
    "memory.limit_in_bytes": "memory.usage_in_bytes",
}


def _left_mb(host: Host, folder: str) -> float:
    for name, current in _MEMORY.items():
        if not host.has(f"{folder}/{name}"):
            continue
        limit = host.text(f"{folder}/{name}")
        if limit == "max" or int(limit) > _NO_LIMIT_BYTES:
            return inf
        stat = host.fields(f"{folder}/memory.stat", " ")
        files = stat.get("total_inactive_file", stat.get("inactive_file", "0"))
        return (int(limit) - int(host.text(f"{folder}/{current}")) + int(files)) / MB
    return inf


def _tightest(limits: Iterable[float]) -> float | str:
    least = min(limits)
    return UNLIMITED if least == inf else round(least, 3)


# --- The software of this process: Python, numpy, BLAS, packages, versions ---------------------


def numpy_compilers(_: Host) -> dict[str, str]:
    """The compilers of numpy: name, version and, if numpy kept them, the arguments."""
    keys = ("name", "version", "args", "linker args")
    return {
        language: " ".join(str(tool[key]) for key in keys if tool.get(key))
        for language, tool in _of_numpy("Compilers").items()
    }


def blas(_: Host) -> str:
    """The library for linear algebra that numpy was compiled for."""
    built, keys = _of_numpy("Build Dependencies")["blas"], ("name", "version")
    return " ".join(str(built[key]) for key in (*keys, "openblas configuration") if key in built)


def _of_numpy(section: str) -> Any:
    import numpy as np

    built: Any = np.show_config(mode="dicts")
    return built[section]


def blas_threads(_: Host) -> list[dict[str, Any]]:
    from threadpoolctl import threadpool_info

    return [
        {
            "library": f"{pool['internal_api']} {pool['version'] or 'of unknown version'}",
            "file": os.path.basename(pool["filepath"]),
            "threads": pool["num_threads"],
        }
        for pool in threadpool_info()
    ]


def packages(_: Host) -> dict[str, str]:
    """The version of every installed package, from the names of its metadata folder."""
    found: dict[str, str] = {}
    for place in sys.path:
        for path in sorted(Path(place).glob("*-*.dist-info")):
            package, version = path.stem.split("-", 1)
            found.setdefault(package, version)
    return found


def versions(distributions: Iterable[str]) -> dict[str, str | None]:
    return {name: _version(name) for name in sorted(set(distributions))}


@cache
def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


_MATTER = (
    *("*_NUM_THREADS", "*_MAX_THREADS", "*_MAXIMUM_THREADS"),
    *("OMP_*", "KMP_*", "GOMP_*", "OPENBLAS_*", "MKL_*", "BLIS_*", "NUMBA_*", "NPY_*", "MALLOC_*"),
    *("GLIBC_TUNABLES", "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHON*"),
)


def environment(host: Host) -> dict[str, str]:
    return {
        name: value
        for name, value in sorted(host.environment.items())
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in _MATTER)
    }


# --- Commits ------------------------------------------------------------------------------------

_PACKAGE = Path(__file__).parents[1]
_WAIT_S = 5


def package_commit(_: Host) -> str:
    """The commit of this package, if it is a checkout or was installed from a repository."""
    try:
        _git(_PACKAGE, "ls-files", "--error-unmatch", "__init__.py")
        return describe(_PACKAGE)
    except Unknown:
        text = metadata.distribution(_PACKAGE.name).read_text("direct_url.json") or "{}"
    installed: str | None = json.loads(text).get("vcs_info", {}).get("commit_id")
    if installed is None:
        raise Unknown("the package is not a checkout and was not installed from one")
    return installed


def describe(folder: Path) -> str:
    """The commit that is checked out in a folder, with ``-dirty`` if files differ from it."""
    return _git(folder, "describe", "--always", "--dirty")


def _git(folder: Path, *arguments: str) -> str:
    """The output of git; it does not wait for locks or a prompt."""
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    options: dict[str, Any] = {"cwd": folder, "env": os.environ | quiet, "timeout": _WAIT_S}
    options |= {"stdin": subprocess.DEVNULL, "capture_output": True}
    try:
        done = subprocess.run(["git", *arguments], text=True, errors="replace", **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unknown(f"git does not answer: {described(error)}") from None
    if done.returncode != 0:
        raise Unknown(done.stderr.strip().partition("\n")[0] or "git fails")
    return str(done.stdout.strip())


# --- What pyproject.toml requires ---------------------------------------------------------------

EXTRAS = ("extras", "report", "cluster", "crate")  # those that campaigns use


def check_installed() -> None:
    if faults := unsupported():
        raise InputError(*faults)


def unsupported(_: Host | None = None) -> list[str]:
    """One line per package that is missing, unless an extra needs it, or too old or new. Without
    metadata, such as in a folder of sources, nothing is known.
    """
    from packaging.requirements import Requirement

    faults = []
    try:
        lines = metadata.requires("timefair") or []
    except metadata.PackageNotFoundError:
        return []
    for needed in map(Requirement, lines):
        applies = [
            extra
            for extra in ("", *EXTRAS)
            if needed.marker is None or needed.marker.evaluate({"extra": extra})
        ]
        found = _version(needed.name)
        if not applies or (found is None and "" not in applies):
            continue
        if found is None or not needed.specifier.contains(found, prereleases=True):
            faults.append(
                f"{needed.name} is {found or 'missing'}, but timefair needs "
                f"{needed.specifier or 'it'}; run `{sys.executable} -m pip install "
                f"'{needed.name}{needed.specifier}'`; an algorithm that needs another version can "
                "have an environment of its own (algorithms.LABEL.python)"
            )
    return faults


# --- The lists of facts -------------------------------------------------------------------------


def _named(*readers: Reader) -> dict[str, Reader]:
    return {reader.__name__: reader for reader in readers}


STANDING: dict[str, Reader] = {
    # the hardware; virtual machines often give a generic name of the processor
    "cpu": lambda host: host.fields("proc/cpuinfo")["model name"],
    "architecture": lambda _: platform.machine(),
    "cores": lambda host: len(online(host)),
    "cores_physical": lambda host: len(siblings(host)),
    "swap_mb": lambda host: meminfo_mb(host, "SwapTotal"),
    "memory_mb": lambda host: meminfo_mb(host, "MemTotal"),
    "governor": lambda host: ", ".join(sorted({*_of_cores(host, "cpufreq/scaling_governor")})),
    **_named(siblings, turbo),
    # the system
    "hostname": lambda host: host.text("proc/sys/kernel/hostname"),
    "system": lambda _: platform.system(),
    "distribution": lambda host: host.fields("etc/os-release", "=")["PRETTY_NAME"].strip("\"'"),
    "kernel": lambda host: host.text("proc/sys/kernel/osrelease"),
    "libc": lambda _: " ".join(platform.libc_ver()),
    "clock_source": lambda host: host.text(
        "sys/devices/system/clocksource/clocksource0/current_clocksource"
    ),
    **_named(virtual_machine, container),
    # what this process may use
    "cores_usable": lambda host: len(parse_ranges(STANDING["affinity"](host))),
    "affinity": lambda host: host.fields("proc/self/status")["Cpus_allowed_list"],
    "cpu_quota": cpu_quota,
    # its software
    "python": lambda _: platform.python_version(),
    "python_implementation": lambda _: sys.implementation.name,
    "python_flags": lambda _: sysconfig.get_config_vars()["CFLAGS"],
    "commit": lambda host: describe(host.folder),
    "numpy_instructions": lambda _: [
        *_of_numpy("SIMD Extensions").get("baseline", []),
        *_of_numpy("SIMD Extensions").get("found", []),
    ],
    **_named(numpy_compilers, blas, blas_threads),
    **_named(environment, packages, package_commit),
}

MOMENTARY: dict[str, Reader] = {
    # processes that ran or waited to run: means over 1, 5 and 15 minutes
    "load": lambda host: [float(word) for word in host.text("proc/loadavg").split()[:3]],
    # counters since the start: what the host gave to others, summed over the cores; pages from and
    # to swap; how often heat has slowed a core, summed over logical cores
    "steal_s": lambda host: (
        int(host.fields("proc/stat", " ")["cpu"].split()[7]) / os.sysconf("SC_CLK_TCK")
    ),
    "swapped_pages": lambda host: sum(
        int(host.fields("proc/vmstat", " ")[name]) for name in ("pswpin", "pswpout")
    ),
    "thermal_throttles": lambda host: sum(
        map(int, _of_cores(host, "thermal_throttle/core_throttle_count"))
    ),
    **_named(throttled_periods, power, slurm),
    "swap_used_mb": lambda host: meminfo_mb(host, "SwapTotal") - meminfo_mb(host, "SwapFree"),
    "memory_available_mb": lambda host: meminfo_mb(host, "MemAvailable"),  # without swapping
    "memory_left_mb": memory_left_mb,
}


def machine_facts(distributions: Iterable[str] = (), host: Host | None = None) -> dict[str, Any]:
    """The facts of `STANDING` by name, and ``versions`` of timefair, numpy and `distributions`."""
    installed = versions(("timefair", "numpy", *distributions))
    return gather(STANDING, host or Host()) | {"versions": installed}


def some_facts(names: Iterable[str], host: Host | None = None) -> dict[str, Any]:
    return gather({name: STANDING[name] for name in names}, host or Host())


def machine_state(host: Host | None = None) -> dict[str, Any]:
    return gather(MOMENTARY, host or Host())


# --- The doctor: checks for what would perturb times --------------------------------------------


Severity = Literal["bad", "warn", "unknown", "ok"]
COUNTERS = ("steal_s", "swapped_pages", "thermal_throttles", "throttled_periods")
"""Facts that only grow. Their growth while the doctor measures shows what happens now."""


class Finding(NamedTuple):
    """The severity of something, the numbers behind it, what to do, and the name of the check.

    ``bad``: times are wrong, or runs do not get what was promised; ``warn``: times spread or drift.
    """

    severity: Severity
    evidence: str
    remedy: str = ""
    name: str = ""

    def __str__(self) -> str:
        advice = f"; {self.remedy}" if self.remedy else ""
        return f"{self.severity:<8} {self.name}: {self.evidence}{advice}"


class Observation(dict[str, Any]):
    """Facts and measurements by name; an unknown one raises `Unknown`.

    ``NAME_now`` is how much a counter grew in the ``watched_s`` seconds of the observation,
    ``cores_asked`` the number of runs to be timed at once. Those of `DERIVED` follow from others.
    """

    def __getitem__(self, name: str) -> Any:
        if name in DERIVED:
            return DERIVED[name](self)
        if (value := self.get(name)) is None:
            raise Unknown(self["missing"].get(name.removesuffix("_now"), f"{name} was not read"))
        return value


LOOP_NS = 50_000_000  # the time for which each core is kept busy


def waiting(host: Host) -> dict[str, float]:
    """The share of a busy loop in which it waited for its core, by usable core."""
    usable = sorted(os.sched_getaffinity(0))
    try:
        return {str(core): _waited(host, core) for core in usable}
    finally:
        os.sched_setaffinity(0, usable)


def _waited(host: Host, core: int) -> float:
    os.sched_setaffinity(0, {core})
    start = time.perf_counter_ns()  # before and after the waiting, so that it is a part of it
    before = _run_queue_ns(host)
    while time.perf_counter_ns() - start < LOOP_NS:
        pass
    waited = _run_queue_ns(host) - before
    return waited / (time.perf_counter_ns() - start)


def _run_queue_ns(host: Host) -> int:
    return int(host.text("proc/thread-self/schedstat").split()[1])


def private_folders_refused(_: Host) -> str:
    """Why a process gets no private view of a temporary folder; empty if it gets one."""
    folder = Path(tempfile.gettempdir()).resolve()
    steps = kernel.plan([folder], kernel.mount_points())
    return kernel.refusal(steps, network=True) or ""


def library_threads(host: Host) -> dict[str, int]:
    """The threads of the native libraries of numpy and scipy, by file, in this environment."""
    import_module("numpy")
    import_module("scipy.linalg")  # has a library of its own

    if not (pools := blas_threads(host)):
        raise Unknown("threadpoolctl knows no loaded library")
    return {pool["file"]: pool["threads"] for pool in pools}


PROBES: dict[str, Reader] = {
    "waiting": waiting,
    "private_folders_refused": private_folders_refused,
    "library_threads": library_threads,
    "unsupported_packages": unsupported,
}


def look(host: Host, cores_asked: int | None = None) -> Observation:
    """Observe a machine; without `cores_asked`, as many runs at once as there are usable cores."""
    seen, start = gather(STANDING | MOMENTARY, host), time.perf_counter()
    measured = gather(PROBES, host)
    told = {"watched_s": time.perf_counter() - start}
    told["cores_asked"] = cores_asked or seen["cores_usable"]
    after = gather({name: MOMENTARY[name] for name in COUNTERS}, host)
    for name in COUNTERS:
        if None not in (after[name], seen[name]):
            told[f"{name}_now"] = after[name] - seen[name]
    missing = seen["missing"] | measured["missing"]
    return Observation(seen | measured | told | {"missing": missing})


WAITING_BAD, WAITING_WARN = 0.05, 0.02
"""Shares of time without a core; a run above the first is perturbed."""
ORDER: tuple[Severity, ...] = ("bad", "warn", "unknown", "ok")


Check = Callable[[Observation], Finding]


def findings(seen: Observation) -> list[Finding]:
    found = []
    for name, check in CHECKS.items():
        try:
            finding = check(seen)
        except Unknown as reason:
            finding = Finding("unknown", str(reason))
        found.append(finding._replace(name=name))
    return sorted(found, key=lambda finding: ORDER.index(finding.severity))


def summary(found: Iterable[Finding]) -> str:
    counts = Counter(finding.severity for finding in found)
    return ", ".join(f"{counts[severity]} {severity}" for severity in ORDER)


def _largest(values: dict[str, Any], form: str) -> str:
    each = sorted(values.items(), key=lambda item: -item[1])
    return first([form.format(*item) for item in each], 4)


_SLOW_OR_PIN = (
    *("LD_PRELOAD", "OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"),
    *("MALLOC_CHECK_", "MALLOC_PERTURB_"),
    *("PYTHONDEVMODE", "PYTHONMALLOC", "PYTHONTRACEMALLOC", "PYTHONPROFILEIMPORTTIME"),
)

DERIVED: dict[str, Callable[[Observation], Any]] = {
    "slurm_cores": lambda seen: int((seen.get("slurm") or {}).get("SLURM_CPUS_ON_NODE", 0)),
    "waits": lambda seen: _largest(seen["waiting"], "core {} {:.1%}"),
    "longest_wait": lambda seen: max(seen["waiting"].values()),
    "stolen": lambda seen: seen["steal_s_now"] / (seen["watched_s"] * seen["cores"]),
    "free_mb": lambda seen: min(
        seen["memory_available_mb"], float(str(seen["memory_left_mb"]).replace(UNLIMITED, "inf"))
    ),
    "free_mb_each": lambda seen: seen["free_mb"] / seen["cores_asked"],
    "threads": lambda seen: _largest(seen["library_threads"], "{} {}"),
    "slowing": lambda seen: first(
        [f"{name}={v[:40]!r}" for name, v in seen["environment"].items() if name in _SLOW_OR_PIN], 4
    ),
}

Holds = Callable[[Observation], bool]


def check_of(
    evidence: str,
    remedy: str,
    *,
    bad: Holds = lambda _: False,
    odd: Holds = lambda _: False,
    none: tuple[Holds, str] = (lambda _: False, ""),
) -> Check:
    """A check; `evidence` has places for facts. With `none`, there may be nothing to check."""

    def check(seen: Observation) -> Finding:
        if none[0](seen):
            return Finding("ok", none[1])
        said = evidence.format_map(seen)
        if bad(seen) or odd(seen):
            return Finding("bad" if bad(seen) else "warn", said, remedy)
        return Finding("ok", said)

    return check


def _hyper_threads(seen: Observation) -> Finding:
    usable = set(parse_ranges(seen["affinity"]))
    shared = [together for group in seen["siblings"] if (together := usable & set(group))]
    pairs = ["-".join(map(str, sorted(group))) for group in shared if len(group) > 1]
    if not pairs:
        return Finding("ok", f"{len(shared)} usable cores, one hardware thread each")
    physical = f"{seen['cores_asked']} requested, {len(shared)} physical"
    evidence = f"{physical}; sharing a core: {first(pairs, 4)}"
    if seen["cores_asked"] <= len(shared):
        return Finding("ok", evidence + "; timed runs take one thread of each core first")
    off = "turn them off: echo off > /sys/devices/system/cpu/smt/control"
    return Finding("bad", evidence, f"use --cores {len(shared)}, or {off}")


def _packages(seen: Observation) -> Finding:
    if faults := seen["unsupported_packages"]:
        found, _, remedy = faults[0].partition("; ")
        return Finding("bad", f"{found} ({counted(len(faults), 'package')} in all)", remedy)
    return Finding("ok", "the versions that timefair needs")


_FAST_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page")

CHECKS: dict[str, Check] = {
    "cores": check_of(
        "{cores_asked} requested, {cores_usable} usable of {cores}",
        "use fewer --cores, or give this process more",
        bad=lambda seen: seen["cores_asked"] > seen["cores_usable"],
    ),
    "batch job": check_of(
        "Slurm gives this job {slurm_cores} cores, {cores_usable} are usable",
        "jobs of a node may be timed on the same core: have Slurm bind them "
        "(TaskPlugin=task/affinity or task/cgroup), or ask for whole nodes",
        bad=lambda seen: seen["cores_usable"] > seen["slurm_cores"],
        none=(lambda seen: not seen["slurm_cores"], "not inside a job of Slurm"),
    ),
    "hyper-threads": _hyper_threads,
    "waiting for a core": check_of(
        f"share of a loop of {LOOP_NS / 1e6:.0f} ms: {{waits}}",
        "end other work, or keep it off these cores (taskset, cpuset)",
        bad=lambda seen: seen["longest_wait"] > WAITING_BAD,
        odd=lambda seen: seen["longest_wait"] > WAITING_WARN,
    ),
    "load": check_of(
        "{load[0]:.2f} processes on {cores} cores, mean of the last minute",
        "look for other work (top), and start when it has ended",
        odd=lambda seen: seen["load"][0] > 0.5 + 0.05 * seen["cores"],
    ),
    "quota": check_of(
        "CPU time of {cpu_quota:g} cores, {cores_asked} requested",
        "give the container whole cores (cpuset) in place of a quota, or use fewer --cores",
        bad=lambda seen: seen["cpu_quota"] < seen["cores_asked"],
        odd=lambda _: True,
        none=(lambda seen: seen["cpu_quota"] == UNLIMITED, "none"),
    ),
    "throttling": check_of(
        "stopped in {throttled_periods} periods so far, in {throttled_periods_now} just now",
        "raise the quota of the control group, or use fewer --cores",
        bad=lambda seen: seen["throttled_periods_now"] > 0,
        odd=lambda seen: seen["throttled_periods"] > 0,
    ),
    "virtual machine": check_of(
        "{virtual_machine}; steal {stolen:.1%} just now, {steal_s:.1f} s since the start",
        "the host can slow it down unnoticed: use one that gives this machine cores of its own, or "
        "repeat, and compare in units of the reference kernel",
        bad=lambda seen: seen["stolen"] > WAITING_BAD,
        odd=lambda _: True,
        none=(lambda seen: seen["virtual_machine"] == "none", "none"),
    ),
    "governor": check_of(
        "{governor}",
        "set it: cpupower frequency-set -g performance",
        odd=lambda seen: seen["governor"] != "performance",
    ),
    "turbo": check_of(
        "{turbo}",
        "the frequency depends on heat and on the other cores; turn it off: 1 in "
        "intel_pstate/no_turbo or 0 in cpufreq/boost, below /sys/devices/system/cpu",
        odd=lambda seen: seen["turbo"] == "on",
    ),
    "heat": check_of(
        "slowed {thermal_throttles} times since the start, {thermal_throttles_now} just now",
        "cool it, or use fewer --cores",
        bad=lambda seen: seen["thermal_throttles_now"] > 0,
        odd=lambda seen: seen["thermal_throttles"] > 0,
    ),
    "power": check_of("{power}", "plug it in", bad=lambda seen: seen["power"] == "battery"),
    "memory": check_of(
        "{free_mb:.0f} MB available, {free_mb_each:.0f} MB per core",
        "free memory, or use fewer --cores",
        bad=lambda seen: seen["free_mb_each"] < 256,
        odd=lambda seen: seen["free_mb_each"] < 1024,
    ),
    "swap": check_of(
        "{swap_used_mb:.0f} of {swap_mb:.0f} MB in use, {swapped_pages_now} pages moved just now",
        "free memory, or use fewer --cores; then swapoff -a && swapon -a",
        bad=lambda seen: seen["swapped_pages_now"] > 0,
        odd=lambda seen: seen["swap_used_mb"] > 0.01 * seen["memory_mb"],
    ),
    "clock source": check_of(
        "{clock_source}",
        f"choose one that is read without a system call ({', '.join(_FAST_CLOCKS)})",
        bad=lambda seen: seen["clock_source"] not in _FAST_CLOCKS,
    ),
    "private folders": check_of(
        "not possible: {private_folders_refused}",
        "allow user namespaces (docs/validation/timing.md); without, folders are only compared",
        odd=lambda _: True,
        none=(
            lambda seen: not seen["private_folders_refused"],
            "possible: runs cannot read earlier files",
        ),
    ),
    "library threads": check_of(
        "if 1 thread is requested: {threads}",
        "use a build of the library that heeds OMP_NUM_THREADS or OPENBLAS_NUM_THREADS",
        bad=lambda seen: max(seen["library_threads"].values()) > 1,
    ),
    "packages": _packages,
    "other variables": check_of(
        "{slowing}",
        "unset them: they slow programs, or move threads",
        odd=lambda _: True,
        none=(lambda seen: not seen["slowing"], "none that slows programs"),
    ),
}
