"""Facts about the software of this process: Python, numpy, BLAS, packages, versions."""

from __future__ import annotations

import fnmatch
import os
import platform
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from typing import Any, NoReturn

from timefair.machine.host import Host, Unknown


def system(_: Host) -> str:
    """The name of the operating system."""
    return platform.system() or _absent("the operating system has no name")


def architecture(_: Host) -> str:
    """The instruction set."""
    return platform.machine() or _absent("the instruction set has no name")


def libc(_: Host) -> str:
    """The C library and its version."""
    return " ".join(platform.libc_ver()).strip() or _absent("the C library is not glibc")


def python(_: Host) -> str:
    """The version of Python."""
    return platform.python_version()


def python_implementation(_: Host) -> str:
    """The name of the Python implementation."""
    return sys.implementation.name


def python_flags(_: Host) -> str:
    """The flags that Python was compiled with."""
    return str(sysconfig.get_config_var("CFLAGS") or _absent("Python does not have it"))


def numpy_compilers(_: Host) -> dict[str, str]:
    """The compilers of numpy: name, version and, if numpy kept them, the arguments."""
    return {
        language: " ".join(
            str(tool[key]) for key in ("name", "version", "args", "linker args") if tool.get(key)
        )
        for language, tool in _numpy_section("Compilers").items()
    }


def numpy_instructions(_: Host) -> list[str]:
    """The sets of vector instructions that numpy uses on this machine."""
    extensions = _numpy_section("SIMD Extensions")
    return [*extensions.get("baseline", []), *extensions.get("found", [])]


def blas(_: Host) -> str:
    """The library for linear algebra that numpy was compiled for."""
    built = _numpy_section("Build Dependencies").get("blas", {})
    words = [
        str(built[key]) for key in ("name", "version", "openblas configuration") if key in built
    ]
    return " ".join(words) or _absent("numpy does not have it")


def _numpy_section(name: str) -> dict[str, Any]:
    import numpy as np

    built: Mapping[str, Any] = np.show_config(mode="dicts")
    section: dict[str, Any] | None = built.get(name)
    return section or _absent(f"numpy.show_config has no {name!r}")


def blas_threads(_: Host) -> list[dict[str, Any]]:
    """The thread pools of the native libraries that this process has loaded."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        raise Unknown("threadpoolctl is not installed") from None
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
        for name in sorted(os.listdir(place)) if os.path.isdir(place) else ():
            package, dash, version = name.removesuffix(".dist-info").partition("-")
            if dash and name.endswith(".dist-info"):
                found.setdefault(package, version)
    return found


def versions(distributions: Iterable[str]) -> dict[str, str | None]:
    """Look up the installed version of each distribution; None for one that is not installed."""
    return {name: _version(name) for name in sorted(set(distributions))}


@cache
def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


_MATTER = (
    "*_NUM_THREADS",
    "*_MAX_THREADS",
    "*_MAXIMUM_THREADS",
    "OMP_*",
    "KMP_*",
    "GOMP_*",
    "OPENBLAS_*",
    "MKL_*",
    "BLIS_*",
    "NUMBA_*",
    "NPY_*",
    "MALLOC_*",
    "GLIBC_TUNABLES",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "PYTHON*",
)


def environment(host: Host) -> dict[str, str]:
    """The environment variables that change the speed of programs."""
    return {
        name: value
        for name, value in sorted(host.environment.items())
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in _MATTER)
    }


def _absent(reason: str) -> NoReturn:
    raise Unknown(reason)
