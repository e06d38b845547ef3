"""timefair's extension modules for versions of Python other than that for which it was built.

Modules for one version of Python do not load in another one. Therefore those that measure are
compiled again into the user's cache, with the compiler and the flags that the other Python names.
They load with numpy 1.26 and with all newer versions so far (tested: 1.26.4, 2.3.5, 2.5.5).
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from timefair.basics.errors import InputError
from timefair.basics.files import cache_folder
from timefair.environments.bootstrap import OLDEST

PACKAGE = Path(__file__).parents[1]

_DESCRIBE = """
import json, sys, sysconfig
names = ("EXT_SUFFIX", "CC", "CFLAGS", "CCSHARED", "LDSHARED")
found = {name: sysconfig.get_config_var(name) for name in names}
paths = {name: sysconfig.get_path(name) for name in ("include", "platinclude")}
print(json.dumps(dict(found, version=list(sys.version_info[:2]), **paths)))
"""


def sources() -> list[Path]:
    """The Cython files of the package that measure; those of the statistics are not needed."""
    found = (path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.pyx"))
    return sorted(PACKAGE / path for path in found if path.parts[0] != "statistics")


@cache
def compiled_folder() -> Path:
    """The folder with the modules of these sources for all other versions; it may be missing."""
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources())).hexdigest()
    return cache_folder() / "compiled" / digest[:16]


def compile_for(python: str) -> Iterator[str]:
    """Compile the modules that another interpreter lacks.

    Parameters
    ----------
    python
        Path of the interpreter.

    Yields
    ------
    str
        The name of each module that was compiled; none if it can load those of timefair, or those
        that were compiled for it before.

    Raises
    ------
    InputError
        If it is no interpreter or too old, or if Cython, the compiler or Python's headers are
        missing.
    """
    described = _described(python)
    suffix = described["EXT_SUFFIX"]
    lacking = {
        _module(path): path
        for path in sources()
        if not path.with_name(path.stem + suffix).exists()
        and not (compiled_folder() / (_module(path) + suffix)).exists()
    }
    if not lacking:
        return
    if not Path(described["include"], "Python.h").exists():
        version = ".".join(map(str, described["version"]))
        raise InputError(f"{python}: lacks Python.h; install the headers of Python {version}")
    compiled_folder().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=compiled_folder()) as folder:
        for name, path in lacking.items():
            code, built = Path(folder, f"{name}.c"), Path(folder, name + suffix)
            _run([sys.executable, "-P", "-m", "cython", "-3", str(path), "-o", str(code)])
            _run([*_compiler(described), str(code), "-o", str(built)])
            built.replace(compiled_folder() / built.name)
            yield name


def _module(path: Path) -> str:
    return ".".join((PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts))


def _described(python: str) -> dict[str, Any]:
    """The version, the compiler and the folders of an interpreter."""
    try:
        done = subprocess.run(
            [python, "-c", _DESCRIBE], capture_output=True, text=True, check=False
        )
        described: dict[str, Any] = json.loads(done.stdout)
    except OSError as error:
        raise InputError(f"{python}: {error.strerror}; name a Python interpreter") from None
    except ValueError:
        raise InputError(f"{python}: not a Python interpreter; name one") from None
    if tuple(described["version"]) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise InputError(f"{python}: is older than Python {oldest}; name a newer one")
    return described


def _compiler(described: dict[str, Any]) -> list[str]:
    """The command that compiles and links a module, up to its files."""
    import numpy as np

    flags = f"{described['CFLAGS']} {described['CCSHARED']}"
    folders = (described["include"], described["platinclude"], np.get_include())
    return [
        *shlex.split(described["LDSHARED"]),
        *shlex.split(flags),
        "-DNPY_NO_DEPRECATED_API=NPY_1_7_API_VERSION",
        *(f"-I{folder}" for folder in dict.fromkeys(folders)),
    ]


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"}
        )
    except FileNotFoundError:
        raise InputError(f"{command[0]}: there is no such compiler; install it") from None
    if "No module named cython" in done.stderr:
        install = f"run `{sys.executable} -m pip install Cython`"
        raise InputError(f"{sys.executable}: lacks Cython, which compiles the modules; {install}")
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line.lower()]
        raise InputError(f"{command[0]}: {errors[0] if errors else f'exit {done.returncode}'}")
