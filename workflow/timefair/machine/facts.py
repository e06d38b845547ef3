"""The lists of facts: those that stay the same from run to run, and those of one moment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from timefair.machine import software, system
from timefair.machine.host import Host, Reader, gather

STANDING: dict[str, Reader] = {
    # the hardware
    "cpu": system.model,
    "architecture": software.architecture,
    "cores": system.logical_cores,
    "cores_physical": system.physical_cores,
    "siblings": system.siblings,
    "governor": system.governor,
    "turbo": system.turbo,
    "memory_mb": system.total_mb,
    "swap_mb": system.swap_mb,
    # the system
    "hostname": system.hostname,
    "system": software.system,
    "distribution": system.distribution,
    "kernel": system.kernel,
    "libc": software.libc,
    "virtual_machine": system.virtual_machine,
    "container": system.container,
    "clock_source": system.clock_source,
    # what this process may use
    "cores_usable": system.usable_cores,
    "affinity": system.affinity,
    "cpu_quota": system.cpu_quota,
    # its software
    "python": software.python,
    "python_implementation": software.python_implementation,
    "python_flags": software.python_flags,
    "numpy_compilers": software.numpy_compilers,
    "numpy_instructions": software.numpy_instructions,
    "blas": software.blas,
    "blas_threads": software.blas_threads,
    "environment": software.environment,
    "packages": software.packages,
    "commit": software.commit,
    "package_commit": software.package_commit,
}

MOMENTARY: dict[str, Reader] = {
    "load": system.load,
    "steal_s": system.steal_s,
    "throttled_periods": system.throttled_periods,
    "thermal_throttles": system.thermal_throttles,
    "memory_available_mb": system.available_mb,
    "memory_left_mb": system.memory_left_mb,
    "swap_used_mb": system.swap_used_mb,
    "swapped_pages": system.swapped_pages,
    "power": system.power,
    "slurm": system.slurm,
}


def machine_facts(distributions: Iterable[str] = (), host: Host | None = None) -> dict[str, Any]:
    """The facts of `STANDING` of this machine by name, and ``versions``, of installed packages.

    Versions are those of timefair, numpy and `distributions`. A fact that is not available is None,
    with the reason under its name in ``missing``.
    """
    versions = software.versions(("timefair", "numpy", *distributions))
    return gather(STANDING, host or Host()) | {"versions": versions}


def some_facts(names: Iterable[str], host: Host | None = None) -> dict[str, Any]:
    """Some of the facts of `STANDING`, in the form of `machine_facts` but without versions."""
    return gather({name: STANDING[name] for name in names}, host or Host())


def machine_state(host: Host | None = None) -> dict[str, Any]:
    """The facts of `MOMENTARY`, in the form of `machine_facts`."""
    return gather(MOMENTARY, host or Host())
