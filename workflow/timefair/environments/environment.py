"""The interpreter of an algorithm, for the process that starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from timefair.basics.errors import InputError
from timefair.environments import bootstrap
from timefair.environments.answers import Answers, Question
from timefair.environments.compiled import compiled_folder
from timefair.machine import software
from timefair.machine.host import Unknown

ANSWER_S = 120
"""Time after which an interpreter without an answer counts as failed."""

_OF_ANOTHER_PYTHON = ("PYTHONPATH", "PYTHONHOME", "PYTHONSAFEPATH", "__PYVENV_LAUNCHER__")
"""Variables that are meant for the interpreter that runs the workflow."""

_begun_with: dict[str, Any] = {}
"""The options of `bootstrap` that this process was started with; empty without it."""


def begun_here(options: Mapping[str, Any]) -> None:
    """Note that `bootstrap` has started this process."""
    _begun_with.update(options)


def command_here(module: str, *arguments: str) -> list[str]:
    """Command that runs ``main(*arguments)`` of a module in another process of this interpreter."""
    return _command(sys.executable, module, arguments, _begun_with.get("folders", []))


def _command(python: str, module: str, arguments: tuple[str, ...], folders: list[str]) -> list[str]:
    options = {
        "module": module,
        "arguments": arguments,
        "folders": folders,
        "compiled": _begun_with.get("compiled") or str(compiled_folder()),
    }
    return [python, bootstrap.__file__, json.dumps(options)]


@dataclass(frozen=True)
class Environment:
    """The interpreter of an algorithm, and the folder that comes first on its ``sys.path``.

    Attributes
    ----------
    python
        Path to an interpreter, relative to the working directory; None for the interpreter of this
        process.
    path
        Path to a folder, relative to the working directory; None for no folder.
    """

    python: str | None
    path: str | None

    @property
    def interpreter(self) -> str:
        """Its absolute path. Links are not resolved, because they identify virtual environments."""
        return sys.executable if self.python is None else os.path.abspath(self.python)

    def command(self, module: str, *arguments: str) -> list[str]:
        """Command that runs ``main(*arguments)`` of a module of timefair in this environment."""
        folders = [*([os.path.abspath(self.path)] if self.path else []), os.getcwd()]
        return _command(self.interpreter, module, arguments, folders)

    def variables(self) -> dict[str, str]:
        """The environment variables of its processes.

        Variables that change where Python finds modules are meant for the interpreter that runs the
        workflow. They are omitted for another interpreter.
        """
        if self.python is None:
            return dict(os.environ)
        return {k: v for k, v in os.environ.items() if k not in _OF_ANOTHER_PYTHON}

    def faults(self) -> Iterator[str]:
        """Faults of the two paths; a line begins with the key ``python`` or ``path``."""
        if self.python is not None:
            if os.path.isdir(self.python):
                yield f"python: {self.python!r}: a folder; name the interpreter in it, bin/python"
            elif not os.path.exists(self.python):
                yield f"python: {self.python!r}: there is no such file; name an interpreter"
            elif not os.access(self.python, os.X_OK):
                yield f"python: {self.python!r}: cannot be executed; name an interpreter"
        if self.path is not None and not os.path.isdir(self.path):
            yield f"path: {self.path!r}: there is no such folder; name the one with the package"

    def ask(self, question: Question) -> Answers:
        """The answers of this environment. They are requested once per process.

        Raises
        ------
        InputError
            If this environment cannot measure. The lines begin with the key ``python`` or ``path``.
        """
        if faults := list(self.faults()):
            raise InputError(*faults)
        return _asked(self, json.dumps(asdict(question), sort_keys=True))

    def lacks(self, question: Question) -> list[str]:
        """Why this environment cannot measure an algorithm; a line begins with its key."""
        try:
            return [f"{self._key}: {fault}" for fault in self.ask(question).faults]
        except InputError as error:
            return list(error.faults)

    @property
    def _key(self) -> str:
        """The key with which this environment is declared, and its value, for messages."""
        key = "path" if self.python is None else "python"
        return f"{key}: {getattr(self, key)!r}"

    def machine_facts(self, question: Question) -> dict[str, Any]:
        """`machine.facts.machine_facts` of this environment, with ``own_environment``.

        The latter contains the two declared paths and the git commit of the folder (None if there
        is none).
        """
        facts = dict(self.ask(question).machine)
        own = {"python": self.python, "path": self.path, "commit": self._commit()}
        ours = software.versions(["timefair"])
        return facts | {"versions": facts["versions"] | ours, "own_environment": own}

    def _commit(self) -> str | None:
        if self.path is None:
            return None
        try:
            return software.describe(Path(self.path))
        except Unknown:
            return None


@cache
def _asked(environment: Environment, question: str) -> Answers:
    with os.fdopen(os.memfd_create("timefair-answers"), encoding="utf-8") as file:
        try:
            done = subprocess.run(
                environment.command("timefair.environments.answers", str(file.fileno())),
                env=environment.variables(),
                pass_fds=[file.fileno()],
                input=question.encode(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=ANSWER_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            fault = f"does not answer within {ANSWER_S} s"
            raise InputError(f"{environment._key}: {fault}") from None
        except OSError as error:
            fault = f"{error.strerror}; name an interpreter"
            raise InputError(f"{environment._key}: {fault}") from None
        file.seek(0)
        text = file.read()
    if done.returncode == bootstrap.TOO_OLD:
        oldest = ".".join(map(str, bootstrap.OLDEST))
        raise InputError(f"{environment._key}: is older than Python {oldest}; name a newer one")
    if not text:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        reason = lines[-1] if lines else f"exit status {done.returncode}"
        raise InputError(f"{environment._key}: cannot run timefair ({reason})")
    answer: dict[str, Any] = json.loads(text)
    if lacking := answer.pop("lacking"):
        raise InputError(*(f"{environment._key}: {line}" for line in lacking))
    return Answers(**answer)


def tree(folder: Path) -> list[Path]:
    """The Python files and compiled modules below a folder, sorted.

    Hidden folders, caches of bytecode, virtual environments and linked git worktrees are omitted. A
    worktree, such as that of `timefair init --for-optimizer`, contains another version.
    """
    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        folders[:] = [
            name
            for name in folders
            if not name.startswith(".")
            and name != "__pycache__"
            and not Path(place, name, "pyvenv.cfg").exists()
            and not _is_linked_worktree(Path(place, name))
        ]
        found += [Path(place, name) for name in files if name.endswith((".py", ".so"))]
    return sorted(found)


def _is_linked_worktree(folder: Path) -> bool:
    """Whether a folder was made by ``git worktree add``; this is not so for a submodule."""
    link = folder / ".git"
    return link.is_file() and "/worktrees/" in link.read_text(encoding="utf-8", errors="replace")
