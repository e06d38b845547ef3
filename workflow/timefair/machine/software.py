"""Facts about the software of this process: Python, numpy, BLAS, packages, versions, commits."""

from __future__ import annotations

import fnmatch
import json
import os
import platform
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from timefair.basics.errors import InputError
from timefair.machine.host import Host, Unknown

if TYPE_CHECKING:
    from packaging.requirements import Requirement


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
    *("*_NUM_THREADS", "*_MAX_THREADS", "*_MAXIMUM_THREADS"),
    *("OMP_*", "KMP_*", "GOMP_*", "OPENBLAS_*", "MKL_*", "BLIS_*", "NUMBA_*", "NPY_*", "MALLOC_*"),
    *("GLIBC_TUNABLES", "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHON*"),
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


# --- Commits ------------------------------------------------------------------------------------

_PACKAGE = Path(__file__).parents[1]
_WAIT_S = 5


def commit(host: Host) -> str:
    """The commit of the working directory, with ``-dirty`` if files differ from it."""
    return describe(host.folder)


def package_commit(_: Host) -> str:
    """The commit of this package, if it is a checkout or was installed from a repository."""
    try:
        _git(_PACKAGE, "ls-files", "--error-unmatch", "__init__.py")
    except Unknown:
        return _installed_commit()
    return describe(_PACKAGE)


def describe(folder: Path) -> str:
    """The commit that is checked out in a folder, with ``-dirty`` if files differ from it."""
    return _git(folder, "describe", "--always", "--dirty")


def _installed_commit() -> str:
    try:
        text = metadata.distribution(_PACKAGE.name).read_text("direct_url.json") or "{}"
    except metadata.PackageNotFoundError:
        raise Unknown("the package is not installed") from None
    installed: str | None = json.loads(text).get("vcs_info", {}).get("commit_id")
    if installed is None:
        raise Unknown("the package is not a checkout and was not installed from one")
    return installed


def _git(folder: Path, *arguments: str) -> str:
    """The output of git; it does not wait for locks or a prompt."""
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env=os.environ | quiet,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_WAIT_S,
        )
    except FileNotFoundError:
        raise Unknown("no git") from None
    except (OSError, subprocess.TimeoutExpired):
        raise Unknown("git does not answer") from None
    if done.returncode != 0:
        errors = done.stderr.strip().splitlines()
        raise Unknown(errors[0] if errors else f"git ends with {done.returncode}")
    return done.stdout.strip()


# --- What pyproject.toml requires ---------------------------------------------------------------

EXTRAS = ("extras", "report", "cluster", "crate")
"""Those that campaigns use."""


def check_installed() -> None:
    """Raise `InputError` if a package has a version that timefair does not support."""
    if faults := unsupported():
        raise InputError(*faults)


def unsupported(_: Host | None = None) -> list[str]:
    """One line per package that is missing or has a version that timefair does not support.

    The packages of extras count if they are installed. Without metadata of timefair, such as in a
    folder of sources, nothing is known.
    """
    from packaging.requirements import Requirement

    try:
        lines = metadata.requires("timefair") or []
    except metadata.PackageNotFoundError:
        return []
    return list(_wrong(map(Requirement, lines)))


def _wrong(requirements: Iterator[Requirement]) -> Iterator[str]:
    """One line per package that is missing or has a version out of the bounds."""
    for needed in requirements:
        applies = needed.marker.evaluate if needed.marker else (lambda environment: True)
        always = applies({"extra": ""})
        if not always and not any(applies({"extra": extra}) for extra in EXTRAS):
            continue
        try:
            found = metadata.version(needed.name)
        except metadata.PackageNotFoundError:
            if not always:
                continue
            found = "missing"
        if found == "missing" or not needed.specifier.contains(found, prereleases=True):
            wanted = f"{needed.name}{needed.specifier}"
            yield (
                f"{needed.name} is {found}, but timefair needs {needed.specifier or 'it'}; "
                f"run `{sys.executable} -m pip install '{wanted}'`; an algorithm that needs "
                "another version can have an environment of its own (algorithms.LABEL.python)"
            )
