"""Loads the user's own functions: ``module:function`` or ``path/to/file.py:function``."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import inspect
import os
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from timefair.basics import imported, shadowing, threads
from timefair.basics.errors import InputError, suggest


def is_file(place: str) -> bool:
    """Whether the part before the colon names a file rather than a module."""
    return place.endswith(".py") or "/" in place


def module_exists(place: str) -> bool:
    """Whether a module of that name, or the package that it is in, can be found."""
    _look_in_current_directory()
    try:
        return importlib.util.find_spec(place.partition(".")[0]) is not None
    except ValueError:  # an empty name, or a module without a specification such as __main__
        return False


def load_function(name: str) -> Callable[..., object]:
    """Load a function; InputError if it does not exist or its module has an error."""
    place, _, attribute = name.rpartition(":")
    module = _module(place)
    function = getattr(module, attribute, None)
    if function is None:
        if place in shadowing.KEPT and (own := Path(f"{place}.py")).is_file():
            raise InputError(f"{place} is an installed module; write {own}:{attribute}")
        known = [k for k, v in vars(module).items() if callable(v) and not k.startswith("_")]
        raise InputError(f"{place} has no function {attribute!r}{suggest(attribute, known)}")
    if not callable(function):
        kind = type(function).__name__
        raise InputError(f"{attribute!r} of {place} is not a function but {kind}")
    if _is_of_python(module):
        raise InputError(f"{name} is part of Python; name a function of your own")
    if kind := _not_run_by_a_call(function):
        raise InputError(
            f"{name} is {kind}: calling it does not run its body; "
            "write def, and neither async nor yield"
        )
    return function  # type: ignore[no-any-return]


def warnings(name: str, threads_allowed: int = 1) -> list[str]:
    """What the module of a function did when it was loaded, and should not; one line each.

    If libraries may use several threads in runs, or a fork of this process would lose threads, the
    module is imported again in a new process to see whether it starts them there.
    """
    place = name.rpartition(":")[0]
    if not imported.seconds(_module_name(place)):
        return []
    lines = imported.warnings(place, _module_name(place))
    file = getattr(sys.modules[_module_name(place)], "__file__", None)
    if file and file.endswith(".py"):
        lines += shadowing.warnings(place, Path(file))
    if (threads_allowed > 1 or threads.lost()) and (
        started := threads.started_by(name, threads_allowed)
    ):
        lines.append(
            f"{place} starts {started} when it is imported, which a fork loses: each run imports "
            "it again, before its clock starts"
        )
    return lines


def _is_of_python(module: ModuleType) -> bool:
    """Whether a module belongs to the standard library."""
    if module.__name__.partition(".")[0] not in sys.stdlib_module_names:
        return False
    file = getattr(module, "__file__", None)  # a file of the user's may have such a name
    return file is None or Path(file).is_relative_to(sysconfig.get_path("stdlib"))


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
    """Check the keyword arguments of a function; one line per fault.

    Parameters
    ----------
    name
        The name of the function in the lines.
    parameters
        The keywords that the user gives.
    call
        The call with its positional arguments: ``"solve(objective, rng)"``.
    given
        Keywords that timefair passes, so that the user does not have to.
    """
    arguments = list(signature.parameters.values())
    positional = [a for a in arguments if a.kind in (a.POSITIONAL_ONLY, a.POSITIONAL_OR_KEYWORD)]
    needed = call.count(",") + 1
    if len(positional) < needed and not any(a.kind is a.VAR_POSITIONAL for a in arguments):
        return [f"{name} cannot be called as {call}: it is {signature}"]
    known = {
        a.name: a
        for a in arguments
        if a not in positional[:needed] and a.kind in (a.POSITIONAL_OR_KEYWORD, a.KEYWORD_ONLY)
    }
    lines = []
    if not any(a.kind is a.VAR_KEYWORD for a in arguments):
        for key in parameters:
            if key not in known:
                has = ", ".join(known) or "none"
                help_ = suggest(key, known) or f"; it has: {has}"
                lines.append(f"{key!r} is not a parameter of {name}{help_}")
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
    """The installed distributions of the named module; empty for a single file."""
    place = name.rpartition(":")[0]
    package = place.partition(".")[0]
    if is_file(place) or not _may_be_installed(package):
        return []
    return sorted(set(_owners().get(package, [])))


@cache
def _may_be_installed(package: str) -> bool:
    """Whether a distribution names the package, or does not list its files: a quick look.

    Most functions are in a module of the user's own, and `_owners` takes a third of a second.
    """
    named = re.compile(rf"^[\"./]*{re.escape(package)}\b", re.MULTILINE)
    for distribution in importlib.metadata.distributions():
        declared = (distribution.read_text("top_level.txt") or "").strip()
        listed = declared or distribution.read_text("RECORD")
        if listed is None or named.search(listed):
            return True
    return False


@cache
def _owners() -> Mapping[str, list[str]]:
    """The distributions of each importable package; cached because it is slow."""
    return importlib.metadata.packages_distributions()


def _look_in_current_directory() -> None:
    """Put the working directory first on the import path, as ``python -m`` does.

    Modules that Python or timefair needs are not taken from it.
    """
    here = os.getcwd()
    shadowing.is_own(here)
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)


def import_s(name: str) -> float:
    """Seconds that this process has spent to import the module of a function; 0 if none."""
    return imported.seconds(_module_name(name.rpartition(":")[0]))


def _module(place: str) -> ModuleType:
    _look_in_current_directory()
    load = partial(_module_of_file if is_file(place) else _importable, place)
    return imported.watched_import(place, _module_name(place), load)


def _importable(place: str) -> ModuleType:
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name and (place == error.name or place.startswith(error.name + ".")):
            raise InputError(f"there is no module {place!r}, neither here nor installed") from error
        raise


def _module_name(place: str) -> str:
    """The name of the module at a place; that of a file cannot be imported, hide or be hidden."""
    return f"timefair_own:{Path(place).resolve()}" if is_file(place) else place


def forget(place: str) -> None:
    """Load the module or file at this place again when it is next needed."""
    sys.modules.pop(_module_name(place), None)


class _SourceLoader(SourceFileLoader):
    """Compiles a file each time it is loaded, so that what runs is what its digest says.

    Python would also run the bytecode of another content of the same length, if both contents were
    written in the same second.
    """

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
        shadowing.is_own(str(path.parent))
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
