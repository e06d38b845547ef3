"""Loads the user's own functions: ``module:function`` or ``path/to/file.py:function``."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import logging
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from time import monotonic
from types import CodeType, ModuleType
from typing import Any

from timefair.basics import threads
from timefair.basics.errors import InputError, Interrupted, described, no_parameter, suggest
from timefair.basics.threads import noted

LONG_S = 3.0  # an import that takes longer gets a warning
GUARD = 'put what it does as a script below `if __name__ == "__main__":`'
_SHOWN = 40


_imports: dict[str, tuple[float, list[str]]] = {}
"""By the name of a module: the seconds of its first import, and what it should not have done."""


def watched_import(place: str, name: str, load: Callable[[], ModuleType]) -> ModuleType:
    """Import a module by `load`, and note what it does. `place`: the module, as the user names it.

    The module sees its own name alone as ``sys.argv``. What it prints is not shown, and how it sets
    up logging is undone. InputError if it cannot be imported or ends the interpreter.
    """
    start, folder, arguments = monotonic(), os.getcwd(), sys.argv
    out, err = _Muffled(sys.stdout), _Muffled(sys.stderr)
    sys.argv = [place]
    try:
        with (
            _ends_named(place), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err),
            _logging_kept(), noted(),
        ):  # fmt: skip
            module = load()
    except (InputError, Interrupted, KeyboardInterrupt):
        raise
    except SystemExit as stop:
        words = "" if stop.code is None else " ".join(str(stop.code).split())[:_SHOWN]
        ends = f"ends the interpreter when it is imported (sys.exit({words}))"
        raise InputError(f"{place} {ends}; {GUARD}") from None
    except BaseException as error:
        raise InputError(f"{place} cannot be imported: {described(error)}") from error
    finally:
        out.let_through = err.let_through = True
        sys.argv, left = arguments, True
        with contextlib.suppress(OSError):  # it is in a folder that has been removed
            left = os.getcwd() != folder
        os.chdir(folder)
    seconds, lines = monotonic() - start, []
    if printed := " ".join((out.kept + err.kept).split()):
        shown = printed if len(printed) <= _SHOWN else printed[:_SHOWN] + "..."
        lines.append(f"{place} prints {shown!r} when it is imported, at every start; {GUARD}")
    if seconds > LONG_S:
        slow = f"{place} takes {seconds:.1f} s to import, at every start"
        lines.append(f"{slow}; {GUARD}, or into solve.prepare")
    if left:
        lines.append(f"{place} changes the working directory when it is imported; {GUARD}")
    _imports.setdefault(name, (seconds, lines))
    return module


_WATCH = 'read -r _ || printf "%s\\n" "$1" >&2'


@contextlib.contextmanager
def _ends_named(place: str) -> Iterator[None]:
    """Let a shell print a line if this process ends before the block does, in whatever way."""
    reader, writer = os.pipe()
    line = f"timefair: {place} ended the process that imported it; {GUARD}"
    files = [(os.POSIX_SPAWN_DUP2, reader, 0)]
    words = ["sh", "-c", _WATCH, "sh", line]
    shell = os.posix_spawn("/bin/sh", words, os.environ, file_actions=files)
    os.close(reader)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # the module has closed it, or waited for the shell
            os.write(writer, b"\n")
            os.close(writer)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(shell, 0)


@contextlib.contextmanager
def _logging_kept() -> Iterator[None]:
    """Give the root logger its handlers and level again, and the other loggers their voice."""
    root, loggers = logging.getLogger(), logging.Logger.manager.loggerDict
    handlers, level, off = root.handlers[:], root.level, root.manager.disable
    known = [logger for logger in loggers.values() if isinstance(logger, logging.Logger)]
    disabled = [logger.disabled for logger in known]
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        logging.disable(off)
        for logger, before in zip(known, disabled, strict=True):
            logger.disabled = before


class _Muffled:
    """A stream that keeps the beginning of its text until it is let through, for who stores it."""

    def __init__(self, stream: Any) -> None:
        self._stream, self.kept, self.let_through = stream, "", False

    def write(self, text: str) -> int:
        if self.let_through:
            written: int = self._stream.write(text)
            return written
        self.kept += text[: max(2 * _SHOWN - len(self.kept), 0)]
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


KEPT = sys.stdlib_module_names | {
    *("matplotlib", "numpy", "pandas", "pyarrow", "pydantic", "pydantic_core", "scipy", "seaborn"),
    *("snakemake", "threadpoolctl", "yaml"),
}
"""Modules that are never taken from a folder of the user's."""

_own: set[str] = set()  # the folders of the user's on ``sys.path``


class _Finder:
    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return _elsewhere(name) if path is None and name in KEPT else None


def _elsewhere(name: str) -> ModuleSpec | None:
    return PathFinder.find_spec(name, [folder for folder in sys.path if folder not in _own])


def is_own(folder: str) -> None:
    """Note a folder of the user's, before it is put on ``sys.path``."""
    _own.add(folder)
    if _Finder not in sys.meta_path:
        place = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else 0
        sys.meta_path.insert(place, _Finder)


def shadow_warnings(place: str, file: Path) -> Iterator[str]:
    """One line for each imported module whose name is also that of a file of the user's; `place`
    and `file`: the module that imports, as the user names it, and its file.
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    for name in sorted(names):
        for folder in dict.fromkeys((str(file.parent), *sorted(_own))):
            beside = Path(folder, f"{name}.py")
            if not beside.is_file():
                continue
            if name in KEPT:
                yield f"{place} imports the installed {name}, not {beside.name}; rename this file"
            elif _elsewhere(name) is not None:
                yield f"{place} imports {beside.name}, not the installed {name}; rename this file"
            break


def is_file(place: str) -> bool:
    """Whether the part before the colon names a file rather than a module."""
    return place.endswith(".py") or "/" in place


def module_exists(place: str) -> bool:
    _look_in_current_directory()
    try:
        return importlib.util.find_spec(place.partition(".")[0]) is not None
    except ValueError:  # an empty name, or a module without a specification such as __main__
        return False


def load_function(name: str) -> Callable[..., object]:
    place, _, attribute = name.rpartition(":")
    module = _module(place)
    function = getattr(module, attribute, None)
    if function is None:
        if place in KEPT and (own := Path(f"{place}.py")).is_file():
            raise InputError(f"{place} is an installed module; write {own}:{attribute}")
        known = [k for k, v in vars(module).items() if callable(v) and not k.startswith("_")]
        raise InputError(f"{place} has no function {attribute!r}{suggest(attribute, known)}")
    if not callable(function):
        kind = type(function).__name__
        raise InputError(f"{attribute!r} of {place} is not a function but {kind}")
    file = getattr(module, "__file__", None)  # a file of the user's may have such a name
    if module.__name__.partition(".")[0] in sys.stdlib_module_names and (
        file is None or Path(file).is_relative_to(sysconfig.get_path("stdlib"))
    ):
        raise InputError(f"{name} is part of Python; name a function of your own")
    if kind := _not_run_by_a_call(function):
        raise InputError(
            f"{name} is {kind}: calling it does not run its body; "
            "write def, and neither async nor yield"
        )
    return function  # type: ignore[no-any-return]


def warnings(name: str, threads_allowed: int = 1) -> list[str]:
    """What the module of a function did when it was loaded, and should not; one line each.

    If threads are at stake, it is imported again in a new process to see whether it starts them.
    """
    place = name.rpartition(":")[0]
    if (done := _imports.get(_module_name(place))) is None:
        return []
    lines = done[1][:]
    file = getattr(sys.modules[_module_name(place)], "__file__", None)
    if file and file.endswith(".py"):
        lines += shadow_warnings(place, Path(file))
    if (threads_allowed > 1 or threads.lost()) and (
        started := threads.started_by(name, threads_allowed)
    ):
        lines.append(
            f"{place} starts or opens {started} when it is imported, which forks lose or share: "
            "each run imports it again, before its clock starts"
        )
    return lines


def _not_run_by_a_call(function: Callable[..., object]) -> str:
    """The kind of a function that a call only makes an object of; empty for all others."""
    for code in (inspect.unwrap(function), vars(type(function)).get("__call__")):
        if inspect.iscoroutinefunction(code) or inspect.isasyncgenfunction(code):
            return "async"
        if inspect.isgeneratorfunction(code):
            return "a generator"
    return ""


def signature_of(function: Callable[..., object]) -> inspect.Signature | None:
    """The signature of a function; None for compiled code without one."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def parameter_faults(
    name: str,
    signature: inspect.Signature,
    parameters: Iterable[str],
    call: str,
    given: Iterable[str] = (),
) -> list[str]:
    """Check the keyword arguments that the user gives for a function; one line per fault.

    `call` shows the positional ones: ``"solve(objective, rng)"``; `given` are those of timefair.
    """
    arguments = list(signature.parameters.values())
    positional = [a for a in arguments if a.kind in (a.POSITIONAL_ONLY, a.POSITIONAL_OR_KEYWORD)]
    needed = len(re.findall(r"\w+", call)) - 1
    if len(positional) < needed and not any(a.kind is a.VAR_POSITIONAL for a in arguments):
        return [f"{name} cannot be called as {call}: it is {signature}"]
    known = {
        a.name: a
        for a in arguments
        if a not in positional[:needed] and a.kind in (a.POSITIONAL_OR_KEYWORD, a.KEYWORD_ONLY)
    }
    any_key = any(a.kind is a.VAR_KEYWORD for a in arguments)
    unknown = [] if any_key else [key for key in parameters if key not in known]
    lines = [no_parameter(key, name, known) for key in unknown]
    lines += [
        f"{name} needs a value of its parameter {key!r}"
        for key, a in known.items()
        if a.default is a.empty and key not in {*parameters, *given}
    ]
    return lines


def source_files(name: str) -> list[Path]:
    """The file of the named module, and that of the function if it is another one."""
    function = load_function(name)
    places = [_module(name.rpartition(":")[0]).__file__]
    try:
        places.append(inspect.getsourcefile(inspect.unwrap(function)))
    except TypeError:  # compiled, or an object that is callable
        places.append(getattr(inspect.getmodule(type(function)), "__file__", None))
    return list(dict.fromkeys(Path(p).resolve() for p in places if p and Path(p).is_file()))


def packages(name: str) -> list[str]:
    place = name.rpartition(":")[0]
    package = place.partition(".")[0]
    return [] if is_file(place) else sorted(set(_owners().get(package, [])))


_owners = cache(importlib.metadata.packages_distributions)
"""The distributions of each importable package."""


def _look_in_current_directory() -> None:
    here = os.getcwd()
    is_own(here)
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)


def import_s(name: str) -> float:
    """Seconds that this process has spent to import the module of a function; 0 if none."""
    return _imports.get(_module_name(name.rpartition(":")[0]), (0.0, []))[0]


def _module(place: str) -> ModuleType:
    def importable(place: str) -> ModuleType:
        try:
            return importlib.import_module(place)
        except ModuleNotFoundError as error:
            if error.name and f"{place}.".startswith(f"{error.name}."):
                no = f"there is no module {place!r}, neither here nor installed"
                raise InputError(no) from error
            raise

    _look_in_current_directory()
    load = partial(_module_of_file if is_file(place) else importable, place)
    return watched_import(place, _module_name(place), load)


def _module_name(place: str) -> str:
    """The name of the module at a place; that of a file cannot be imported, hide or be hidden."""
    return f"timefair_own:{Path(place).resolve()}" if is_file(place) else place


def forget(place: str) -> None:
    """Load the module or file at this place again when it is next needed."""
    sys.modules.pop(_module_name(place), None)


class _SourceLoader(SourceFileLoader):
    """Compiles a file each time it is loaded, so that what runs is what its digest says."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def _module_of_file(place: str) -> ModuleType:
    path, name = Path(place).resolve(), _module_name(place)
    if name in sys.modules:
        return sys.modules[name]
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    if str(path.parent) not in sys.path:
        is_own(str(path.parent))
        sys.path.append(str(path.parent))  # for modules beside it
    loader = _SourceLoader(name, str(path)) if path.suffix == ".py" else None
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file: its name should end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
