"""``octave:FILE.m`` and ``matlab:FILE.m`` call a function of GNU Octave or MATLAB, unedited.

The arguments are recognized by their names in the function's header, such as ``N, Max_iter, lb, ub,
dim, fobj`` in any order, or named by the parameter ``call``. Each launch is a process that speaks
the line protocol of `timefair.algorithms.external.protocol`. The client is one file for both, of
which only Octave has been tested. Where ``mkoctfile`` is, Octave's objective is compiled.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

from timefair.algorithms.base import CONTINUOUS, Algorithm
from timefair.algorithms.external.protocol import (
    CLIENT,
    CommandLine,
    External,
    package_files,
    solve,
)
from timefair.basics.errors import InputError
from timefair.basics.files import cache_folder, short
from timefair.problems.base import Variables

ASK = "timefair_ask.c"
PARAMETERS = ("population", "iterations", "call")
ITERATIONS = 500
USUAL = {"population": 30, "iterations": ITERATIONS}
"""The values of the parameters that are not given."""
NAMES = {  # names of arguments in published files, in lower case, by what they are
    "population": "n np pop popsize npop ps nind population pop_size pop_num searchagents_no "
    "searchagents searchagents_num n_agents npoints",
    "iterations": "t maxit maxiter max_iter max_it max_iteration max_iterations iterations iter "
    "maxiteration maxgen gen itermax iter_max tmax",
    "lower": "lb low lower lowerbound varmin xmin down",
    "upper": "ub up upper upperbound varmax xmax",
    "dimension": "dim d nvar nd dimension dims",
    "objective": "fobj fhd costfunction f fun func fitness objective cost_function obj",
}
HEADER = re.compile(r"^\s*function\s+(?:[^=\n(]*=)?\s*\w+\s*\(([^)]*)\)", re.MULTILINE)

COMMENTS = re.compile(r"^\s*[%#]\{\s*$.*?^\s*[%#]\}\s*$|[%#].*?$", re.MULTILINE | re.DOTALL)


@dataclass(eq=False, kw_only=True)
class FunctionFile(External):
    """Functions in files, for a program that runs them: `call`, and code as its last argument."""

    title: str
    call: Sequence[str]
    examples: Sequence[str] = ("PO.m",)
    iterated: tuple[str, int] | None = ("iterations", ITERATIONS)

    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        try:
            self._command(name, parameters)
        except InputError as error:
            return list(error.faults)
        place = f"{self.name}:{name}"
        lines = [
            f"{key!r} is not a parameter of {place}; it has: {', '.join(PARAMETERS)}"
            for key in parameters
            if key not in PARAMETERS
        ]
        for key in PARAMETERS[:2]:
            value = parameters.get(key, 1)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                lines.append(f"{key!r} of {place} is a whole number from 1, not {value!r}")
        return lines

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        return CONTINUOUS

    def batches(self, name: str, parameters: Mapping[str, object]) -> None:
        """None, as in `External`, although its objective takes one point."""

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        told = USUAL | {key: value for key, value in parameters.items() if key != "call"}
        return Algorithm(partial(solve, command=self._command(name, parameters), parameters=told))

    def source_files(self, name: str) -> list[Path]:
        """This package, the client, and all ``.m`` files beside the user's, which it may call."""
        beside = sorted(Path(name).absolute().parent.glob("*.m"))
        ask = [Path(CLIENT, ASK)] if self.compiled_objective() else []
        return [*package_files("timefair_serve.m"), *ask, *beside]

    def compiled_objective(self) -> Path | None:
        """The folder of the objective that Octave's compiler makes once; None without it."""
        compiler = shutil.which("mkoctfile") if self.name == "octave" else None
        if compiler is None:
            return None
        stamp = Path(CLIENT, ASK).read_text(), os.stat(compiler).st_mtime_ns
        folder = cache_folder() / "octave" / short(sha256(repr(stamp).encode()).hexdigest())
        made = (folder / ASK).with_suffix(".mex")
        if not made.is_file():
            with contextlib.suppress(OSError, subprocess.CalledProcessError):
                folder.mkdir(parents=True, exist_ok=True)
                with tempfile.TemporaryDirectory(dir=folder) as place:
                    command = [compiler, "--mex", "-O2", str(Path(CLIENT, ASK))]
                    subprocess.run(command, cwd=place, capture_output=True, check=True)
                    os.replace(Path(place, made.name), made)
        return folder if made.is_file() else None

    def _command(self, name: str, parameters: Mapping[str, object]) -> CommandLine:
        """The command of a launch; InputError if there is none."""
        path = Path(name).absolute()
        if path.suffix != ".m" or not path.is_file():
            raise InputError(f"there is no file {name!r}; write {self.name}:FILE.m")
        program, *options = self.call
        found = shutil.which(program)
        if found is None:
            needs = f"it needs {self.title} ({program} on the PATH)"
            raise InputError(f"{self.name}:{name} cannot be used here: {needs}")
        arguments = _arguments(path, parameters.get("call"), self.name)
        served = ", ".join(map(_quoted, (str(path.parent), path.stem, ",".join(arguments))))
        paths = ", ".join(_quoted(str(one)) for one in (CLIENT, self.compiled_objective()) if one)
        call = (found, *options, f"addpath({paths}); timefair_serve({served})")
        return CommandLine(("/bin/sh", "-c", 'exec "$0" "$@" 3>&1 1>&2 4<&0', *call), (path,))


OCTAVE = FunctionFile(
    name="octave",
    title="GNU Octave",
    call=("octave-cli", "--silent", "--no-history", "--no-init-file", "--eval"),
)
"""A function of GNU Octave in the usual signature, unedited."""
MATLAB = FunctionFile(name="matlab", title="MATLAB", call=("matlab", "-batch"))
"""A function of MATLAB in the usual signature, unedited; untested."""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _arguments(path: Path, call: object, library: str) -> list[str]:
    """What each argument of the function is: a key of `NAMES`."""
    if call is not None:
        words = call if isinstance(call, list) else str(call).split()
        if wrong := [word for word in words if word not in NAMES]:
            raise InputError(f"'call' of {library}:{path.name} has {wrong[0]!r}: name {_known()}")
        return list(words)
    text = path.read_text(encoding="utf-8", errors="replace")
    found = HEADER.search(text)
    before = COMMENTS.sub("", text[: found.start()]).split() if found else []
    if found is None or before:
        what = f"with {before[0]!r}" if before else "with no function that takes arguments"
        raise InputError(f"{path.name} begins {what}; its function should come first")
    words = [word.strip() for word in found[1].split(",")]
    roles = {word: role for role, known in NAMES.items() for word in known.split()}
    if wrong := [word for word in words if word.lower() not in roles]:
        raise InputError(
            f"{path.name} has an argument {wrong[0]!r} of unknown meaning: name all arguments "
            f"by 'call', a list of {_known()}"
        )
    return [roles[word.lower()] for word in words]


def _known() -> str:
    return ", ".join(NAMES)
