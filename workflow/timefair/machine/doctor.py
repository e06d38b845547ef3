"""Checks for what would perturb times on a machine; one function per finding.

A check reads facts of an observation of the machine. If one is unknown, so is its finding.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

from timefair.machine import facts
from timefair.machine.facts import (
    MOMENTARY,
    STANDING,
    Host,
    Reader,
    Unknown,
    core_list,
    gather,
    whole,
)
from timefair.machine.linux import private_folders

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


ok, warn, bad = partial(Finding, "ok"), partial(Finding, "warn"), partial(Finding, "bad")


def graded(evidence: str, remedy: str, *, is_bad: bool, is_odd: bool) -> Finding:
    """``bad`` or else ``warn``, both with one remedy; ``ok`` if neither holds."""
    if is_bad:
        return bad(evidence, remedy)
    return warn(evidence, remedy) if is_odd else ok(evidence)


@dataclass(frozen=True)
class Observation:
    """Facts and measurements by name; an unknown one raises `Unknown`.

    ``growth`` is how much each counter grew in the ``watched_s`` seconds of the observation.
    ``cores_asked`` is the number of runs to be timed at once; None for all usable cores.
    """

    facts: Mapping[str, Any]
    growth: Mapping[str, Any] = field(default_factory=dict)
    watched_s: float = 1.0
    cores_asked: int | None = None

    def __getitem__(self, name: str) -> Any:
        value = self.facts[name]
        if value is None:
            raise Unknown(self.facts["missing"][name])
        return value

    @property
    def cores(self) -> int:
        """The number of runs to be timed at once."""
        return self.cores_asked or int(self["cores_usable"])

    def grown(self, name: str) -> Any:
        if self.growth.get(name) is None:
            raise Unknown(self.facts["missing"].get(name, f"{name} was read only once"))
        return self.growth[name]


# --- Measurements, which take about a second --------------------------------------------------

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
    """The time since its start in which this thread was ready to run and did not."""
    path = "proc/thread-self/schedstat"
    words = host.text(path).split()
    if len(words) < 2:
        raise Unknown(f"/{path} is cut off")
    return whole(words[1], f"/{path}")


def private_folders_refused(_: Host) -> str:
    """Why a process gets no private view of a temporary folder; empty if it gets one."""
    folder = Path(tempfile.gettempdir()).resolve()
    steps = private_folders.plan([folder], private_folders.mount_points())
    return private_folders.refusal(steps, network=True) or ""


def blas_threads(host: Host) -> dict[str, int]:
    """The threads of the native libraries of numpy and scipy, by file, in this environment."""
    import_module("numpy")
    import_module("scipy.linalg")  # has a library of its own

    return {pool["file"]: pool["threads"] for pool in facts.blas_threads(host)}


PROBES: dict[str, Reader] = {
    "waiting": waiting,
    "private_folders_refused": private_folders_refused,
    "library_threads": blas_threads,
    "unsupported_packages": facts.unsupported,
}


def look(host: Host, cores_asked: int | None = None) -> Observation:
    seen = gather(STANDING | MOMENTARY, host)
    start = time.perf_counter()
    measured = gather(PROBES, host)
    watched_s = time.perf_counter() - start
    after = gather({name: MOMENTARY[name] for name in COUNTERS}, host)
    growth = {
        name: after[name] - seen[name]
        for name in COUNTERS
        if after[name] is not None and seen[name] is not None
    }
    missing = seen["missing"] | measured["missing"]
    return Observation(seen | measured | {"missing": missing}, growth, watched_s, cores_asked)


# --- Findings ---------------------------------------------------------------------------------

WAITING_BAD, WAITING_WARN = 0.05, 0.02
"""Shares of time without a core; a run above the first is perturbed."""

ORDER: tuple[Severity, ...] = ("bad", "warn", "unknown", "ok")


def findings(seen: Observation) -> list[Finding]:
    """Run all checks; the worst finding comes first."""
    found = [_assessment(check, seen)._replace(name=name) for name, check in CHECKS.items()]
    return sorted(found, key=lambda finding: ORDER.index(finding.severity))


def summary(found: Iterable[Finding]) -> str:
    counts = Counter(finding.severity for finding in found)
    return ", ".join(f"{counts[severity]} {severity}" for severity in ORDER)


def as_json(found: Iterable[Finding], seen: Observation) -> dict[str, Any]:
    return {
        "cores_asked": seen.cores_asked,
        "findings": [{"name": one.name} | one._asdict() for one in found],
        "facts": dict(seen.facts),
        "growth": dict(seen.growth),
        "watched_s": seen.watched_s,
    }


def _assessment(check: Callable[[Observation], Finding], seen: Observation) -> Finding:
    try:
        return check(seen)
    except Unknown as reason:
        return Finding("unknown", str(reason))


# --- Cores and who else uses them -------------------------------------------------------------


def _cores(seen: Observation) -> Finding:
    usable = seen["cores_usable"]
    evidence = f"{seen.cores} requested, {usable} usable of {seen['cores']}"
    if seen.cores > usable:
        return bad(evidence, f"use --cores {usable}, or give this process more")
    return ok(evidence)


def _batch_job(seen: Observation) -> Finding:
    job = seen.facts["slurm"] or {}
    given, usable = job.get("SLURM_CPUS_ON_NODE"), seen["cores_usable"]
    if given is None:
        return ok("not inside a job of Slurm")
    evidence = f"Slurm gives this job {given} cores, {usable} are usable"
    if usable > int(given):
        return bad(
            evidence,
            "jobs of a node may be timed on the same core: have Slurm bind them "
            "(TaskPlugin=task/affinity or task/cgroup), or ask for whole nodes",
        )
    return ok(evidence)


def _hyper_threads(seen: Observation) -> Finding:
    usable = set(core_list(seen["affinity"], "affinity"))
    shared = [together for group in seen["siblings"] if (together := usable & set(group))]
    pairs = ["-".join(map(str, sorted(group))) for group in shared if len(group) > 1]
    if not pairs:
        return ok(f"{len(shared)} usable cores, one hardware thread each")
    evidence = f"{seen.cores} requested, {len(shared)} physical; sharing a core: {_some(pairs)}"
    off = "turn them off: echo off > /sys/devices/system/cpu/smt/control"
    if seen.cores > len(shared):
        return bad(evidence, f"use --cores {len(shared)}, or {off}")
    return ok(evidence + "; timed runs take one thread of each core first")


def _waiting(seen: Observation) -> Finding:
    shares = seen["waiting"]
    worst = max(shares.values())
    largest = [f"core {core} {share:.1%}" for core, share in _largest(shares)]
    evidence = f"share of a loop of {LOOP_NS / 1e6:.0f} ms: {_some(largest)}"
    remedy = "end other work, or keep it off these cores (taskset, cpuset)"
    return graded(evidence, remedy, is_bad=worst > WAITING_BAD, is_odd=worst > WAITING_WARN)


def _load(seen: Observation) -> Finding:
    load, cores = seen["load"][0], seen["cores"]
    evidence = f"{load:.2f} processes on {cores} cores, mean of the last minute"
    if load > 0.5 + 0.05 * cores:
        return warn(evidence, "look for other work (top), and start when it has ended")
    return ok(evidence)


def _quota(seen: Observation) -> Finding:
    quota = seen["cpu_quota"]
    if isinstance(quota, str):
        return ok("none")
    evidence = f"CPU time of {quota:g} cores, {seen.cores} requested"
    remedy = "give the container whole cores (cpuset) in place of a quota"
    if quota < seen.cores:
        return bad(evidence, f"{remedy}, or use fewer --cores")
    return warn(evidence, remedy)


def _throttling(seen: Observation) -> Finding:
    before, now = seen["throttled_periods"], seen.grown("throttled_periods")
    evidence = f"stopped in {before} periods so far, in {now} just now"
    remedy = "raise the quota of the control group, or use fewer --cores"
    return graded(evidence, remedy, is_bad=now > 0, is_odd=before > 0)


def _virtual_machine(seen: Observation) -> Finding:
    name = seen["virtual_machine"]
    if name == "none":
        return ok("none")
    stolen = seen.grown("steal_s") / (seen.watched_s * seen["cores"])
    evidence = f"{name}; steal {stolen:.1%} just now, {seen['steal_s']:.1f} s since the start"
    if stolen > WAITING_BAD:
        return bad(evidence, "use a host that gives this machine cores of its own")
    return warn(
        evidence,
        "the host can slow it down unnoticed: repeat, and compare in units of the reference kernel",
    )


# --- Frequency --------------------------------------------------------------------------------


def _governor(seen: Observation) -> Finding:
    governor = seen["governor"]
    if governor == "performance":
        return ok(governor)
    return warn(governor, "set it: cpupower frequency-set -g performance")


def _turbo(seen: Observation) -> Finding:
    if seen["turbo"] == "off":
        return ok("off")
    return warn(
        "on: the frequency depends on heat and on the other cores",
        "turn it off: 1 in intel_pstate/no_turbo or 0 in cpufreq/boost, "
        "below /sys/devices/system/cpu",
    )


def _heat(seen: Observation) -> Finding:
    before, now = seen["thermal_throttles"], seen.grown("thermal_throttles")
    evidence = f"slowed {before} times since the start, {now} just now"
    remedy = "cool it, or use fewer --cores"
    return graded(evidence, remedy, is_bad=now > 0, is_odd=before > 0)


def _power(seen: Observation) -> Finding:
    if seen["power"] == "battery":
        return bad("battery", "plug it in")
    return ok(seen["power"])


# --- Memory -----------------------------------------------------------------------------------


def _memory(seen: Observation) -> Finding:
    left, available = seen["memory_left_mb"], seen["memory_available_mb"]
    free = available if isinstance(left, str) else min(left, available)
    share = free / max(seen.cores, 1)
    evidence = f"{free:.0f} MB available, {share:.0f} MB per core"
    remedy = "free memory, or use fewer --cores"
    return graded(evidence, remedy, is_bad=share < 256, is_odd=share < 1024)


def _swap(seen: Observation) -> Finding:
    used, moved = seen["swap_used_mb"], seen.grown("swapped_pages")
    evidence = f"{used:.0f} of {seen['swap_mb']:.0f} MB in use, {moved} pages moved just now"
    if moved > 0:
        return bad(evidence, "free memory, or use fewer --cores")
    if used > 0.01 * seen["memory_mb"]:
        return warn(evidence, "free memory, then swapoff -a && swapon -a")
    return ok(evidence)


# --- Clock and processes ------------------------------------------------------------------------

_FAST_CLOCKS = ("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page")


def _clock_source(seen: Observation) -> Finding:
    source = seen["clock_source"]
    if source in _FAST_CLOCKS:
        return ok(source)
    return bad(source, f"choose one that is read without a system call ({', '.join(_FAST_CLOCKS)})")


def _private_folders(seen: Observation) -> Finding:
    refused = seen["private_folders_refused"]
    if not refused:
        return ok("possible: a run cannot read files of an earlier one")
    remedy = "allow user namespaces (docs/validation/timing.md); without, folders are only compared"
    return warn(f"not possible: {refused}", remedy)


# --- Software ---------------------------------------------------------------------------------


def _library_threads(seen: Observation) -> Finding:
    threads = seen["library_threads"]
    if not threads:
        raise Unknown("threadpoolctl knows no loaded library")
    largest = [f"{file} {count}" for file, count in _largest(threads)]
    if max(threads.values()) > 1:
        return bad(
            f"1 thread requested, more in use: {_some(largest)}",
            "use a build of the library that heeds OMP_NUM_THREADS or OPENBLAS_NUM_THREADS",
        )
    return ok(f"1 thread if 1 is requested: {_some(largest)}")


def _packages(seen: Observation) -> Finding:
    if faults := seen["unsupported_packages"]:
        found, _, remedy = faults[0].partition("; ")
        more = f" (and {len(faults) - 1} more)" * (len(faults) > 1)
        return bad(found + more, remedy)
    return ok("the versions that timefair needs")


_SLOW_OR_PIN = (
    *("LD_PRELOAD", "OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"),
    *("MALLOC_CHECK_", "MALLOC_PERTURB_"),
    *("PYTHONDEVMODE", "PYTHONMALLOC", "PYTHONTRACEMALLOC", "PYTHONPROFILEIMPORTTIME"),
)


def _variables(seen: Observation) -> Finding:
    found = {name: v for name, v in seen["environment"].items() if name in _SLOW_OR_PIN}
    if found:
        evidence = _some([f"{name}={value[:40]!r}" for name, value in found.items()])
        return warn(evidence, "unset them: they slow programs, or move threads")
    return ok("none that slows programs or moves threads")


def _largest(values: dict[str, Any]) -> list[tuple[str, Any]]:
    return sorted(values.items(), key=lambda item: -item[1])


def _some(words: list[str], most: int = 4) -> str:
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


CHECKS: dict[str, Callable[[Observation], Finding]] = {
    "cores": _cores,
    "batch job": _batch_job,
    "hyper-threads": _hyper_threads,
    "waiting for a core": _waiting,
    "load": _load,
    "quota": _quota,
    "throttling": _throttling,
    "virtual machine": _virtual_machine,
    "governor": _governor,
    "turbo": _turbo,
    "heat": _heat,
    "power": _power,
    "memory": _memory,
    "swap": _swap,
    "clock source": _clock_source,
    "private folders": _private_folders,
    "library threads": _library_threads,
    "packages": _packages,
    "other variables": _variables,
}
