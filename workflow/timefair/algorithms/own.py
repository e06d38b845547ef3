"""The user's own algorithms: ``module:function`` or ``path/to/file.py:function``.

The function is ``solve(objective, rng, **parameters)``: one launch, see `base.Objective` for what
it may ask of the objective. A function that has something to compile or to load first says so by
an attribute, ``solve.prepare = warm_up``: it is called once without arguments before any clock
starts.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType

from timefair.algorithms.base import CONTINUOUS, Algorithm, Available
from timefair.errors import InputError, suggest
from timefair.problems.base import Variables


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


class Own:
    """The user's own functions."""

    name = "own"
    distributions: Sequence[str] = ()

    def available(self) -> list[Available]:
        return []

    def faults(self, name: str, parameters: Mapping[str, object]) -> list[str]:
        try:
            function = _function(name)
        except InputError as error:
            return list(error.faults)
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):  # compiled code need not have one
            return []
        arguments = list(signature.parameters.values())
        positional = [
            a for a in arguments if a.kind in (a.POSITIONAL_ONLY, a.POSITIONAL_OR_KEYWORD)
        ]
        if len(positional) < 2 and not any(a.kind is a.VAR_POSITIONAL for a in arguments):
            return [f"{name} cannot be called as solve(objective, rng): it is {signature}"]
        known = {
            a.name: a
            for a in arguments
            if a not in positional[:2] and a.kind in (a.POSITIONAL_OR_KEYWORD, a.KEYWORD_ONLY)
        }
        lines = []
        if not any(a.kind is a.VAR_KEYWORD for a in arguments):
            for key in parameters:
                if key not in known:
                    has = ", ".join(known) or "none"
                    help_ = suggest(key, known) or f"; it has: {has}"
                    lines.append(f"{key!r} is no parameter of {name}{help_}")
        lines += [
            f"{name} needs a value of its parameter {key!r}"
            for key, a in known.items()
            if a.default is a.empty and key not in parameters
        ]
        return lines

    def variables(self, name: str, parameters: Mapping[str, object]) -> frozenset[Variables]:
        return CONTINUOUS

    def load(self, name: str, parameters: Mapping[str, object]) -> Algorithm:
        function = _function(name)
        prepare = getattr(function, "prepare", None)
        solve = partial(function, **parameters)
        return Algorithm(solve, prepare) if callable(prepare) else Algorithm(solve)

    def source_files(self, name: str) -> list[Path]:
        """This adapter, the module that was named, and the function's file if it is another."""
        function = _function(name)
        places = [__file__, _module(name.rpartition(":")[0]).__file__]
        try:
            places.append(inspect.getsourcefile(inspect.unwrap(function)))
        except TypeError:  # compiled, or an object that is callable
            places.append(getattr(inspect.getmodule(type(function)), "__file__", None))
        return list(dict.fromkeys(Path(p).resolve() for p in places if p and Path(p).is_file()))

    def packages(self, name: str) -> list[str]:
        """The installed distributions that the named module belongs to; none for loose files."""
        place = name.rpartition(":")[0]
        if is_file(place):
            return []
        owners = importlib.metadata.packages_distributions()
        return sorted(set(owners.get(place.partition(".")[0], [])))


def _look_in_current_directory() -> None:
    """Put it first on the import path, as ``python -m`` does."""
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)


def _function(name: str) -> Callable[..., object]:
    place, _, attribute = name.rpartition(":")
    module = _module(place)
    function = getattr(module, attribute, None)
    if function is None:
        known = [k for k, v in vars(module).items() if callable(v) and not k.startswith("_")]
        raise InputError(f"{place} has no function {attribute!r}{suggest(attribute, known)}")
    if not callable(function):
        raise InputError(f"{attribute!r} of {place} is no function but {type(function).__name__}")
    return function  # type: ignore[no-any-return]


def _module(place: str) -> ModuleType:
    _look_in_current_directory()
    if is_file(place):
        return _module_of_file(Path(place))
    try:
        return importlib.import_module(place)
    except ModuleNotFoundError as error:
        if error.name and (place == error.name or place.startswith(error.name + ".")):
            raise InputError(
                f"there is no module {place!r} here or among what is installed"
            ) from error
        raise InputError(f"{place} cannot be imported: {error}") from error
    except Exception as error:
        raise InputError(f"{place} cannot be imported: {type(error).__name__}: {error}") from error


def _module_of_file(path: Path) -> ModuleType:
    path = path.resolve()
    name = f"timefair_own:{path}"  # no importable name: it cannot hide or be hidden
    if name in sys.modules:
        return sys.modules[name]
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # for what lies beside it
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is no Python file: its name has to end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise InputError(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module
