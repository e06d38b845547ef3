"""Makes sources of functions, so that the processes of runs and a later start can load them.

A function of a module is named by its module or file. A function of a notebook, a script or an
interactive session is written to a file, with the imports, functions and constants that it uses.
"""

from __future__ import annotations

import ast
import inspect
import symtable
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from timefair.basics import user_code
from timefair.basics.errors import InputError
from timefair.basics.files import atomic_file

HEADER = '"""The function {name}, written by timefair.run, which overwrites changes."""\n\n'
INSTEAD = "write it to a file, and give its name, FILE.py:FUNCTION"


def place_of(function: Callable[..., Any], path: Path, files: dict[Path, str]) -> str:
    """The place of a function, as a campaign names it: ``module:name`` or ``file.py:name``.

    For a function that was defined interactively, `files` receives the content of a file at `path`,
    which `write` writes. `InputError` if it needs something that a file cannot define.
    """
    if not isinstance(function, FunctionType):
        raise InputError(f"{function!r}: should be a function or a name; {INSTEAD}")
    name, module = function.__name__, sys.modules.get(function.__module__)
    file = getattr(module, "__file__", None)
    if module and module.__name__ != "__main__" and file and hasattr(module, name):
        return f"{module.__name__ if module.__package__ else _relative(file)}:{name}"
    files[path] = HEADER.format(name=name) + _Source(function).text()
    return f"{path}:{name}"


def write(files: Mapping[Path, str]) -> None:
    """Write files, and forget what was loaded from them."""
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as written:
            written.write(content.encode())
        user_code.forget(str(path))


def _relative(file: str) -> str:
    path = Path(file).resolve()
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


class _Source:
    """The source of a function with all that it uses."""

    def __init__(self, function: FunctionType) -> None:
        self._name = function.__name__
        self._imports: dict[str, None] = {}
        self._constants: dict[str, None] = {}
        self._functions: dict[str, str] = {}
        self._add(function.__name__, function)

    def text(self) -> str:
        head = "".join(f"{line}\n" for line in (*self._imports, *self._constants))
        return "\n\n".join(filter(None, (head, *self._functions.values())))

    def _add(self, name: str, value: Any) -> None:
        """Define a global variable of the file."""
        if isinstance(value, ModuleType):
            self._imports[f"import {value.__name__} as {name}"] = None
        elif getattr(value, "__module__", "__main__") not in ("__main__", None) and hasattr(
            sys.modules.get(value.__module__), getattr(value, "__name__", "")
        ):
            self._imports[f"from {value.__module__} import {value.__name__} as {name}"] = None
        elif isinstance(value, FunctionType):
            self._define(name, value)
        elif _is_constant(value):
            self._constants[f"{name} = {value!r}"] = None
        else:
            raise InputError(
                f"{self._name}: uses {name}, a {type(value).__name__}, which cannot be written to "
                f"a file; {INSTEAD}"
            )

    def _define(self, name: str, function: FunctionType) -> None:
        """Write the source of a function, after all that it uses, and its attributes."""
        if name in self._functions:
            return
        if function.__closure__ or function.__name__ == "<lambda>":
            what = "a lambda" if function.__name__ == "<lambda>" else "made within a function"
            raise InputError(f"{name}: is {what}, which cannot be written to a file; {INSTEAD}")
        try:
            source = textwrap.dedent(inspect.getsource(function))
        except (OSError, TypeError):
            raise InputError(f"{self._name}: the source of {name} is unknown; {INSTEAD}") from None
        self._functions[name] = ""  # it may use itself
        known = function.__globals__
        for used in sorted(set(_global_names(symtable.symtable(source, name, "exec")))):
            if used in known and used not in (name, function.__name__):
                self._add(used, known[used])
        del self._functions[name]  # so that it stands after all that it uses
        self._functions[name] = source
        if function.__name__ != name:
            self._constants[f"{name} = {function.__name__}"] = None
        for key, value in vars(function).items():
            self._attribute(f"{name}.{key}", value)

    def _attribute(self, place: str, value: Any) -> None:
        if isinstance(value, FunctionType) and value.__name__ != "<lambda>":
            self._add(value.__name__, value)
            said = value.__name__
        elif _is_constant(value):
            said = repr(value)
        else:
            raise InputError(
                f"{self._name}: {place} is a {type(value).__name__}, which cannot be written to a "
                f"file; {INSTEAD}"
            )
        self._functions[place] = f"{place} = {said}\n"


def _global_names(scope: symtable.SymbolTable) -> Iterator[str]:
    """The names that a source looks up outside its functions and classes."""
    whole = scope.get_type() == "module"
    for symbol in scope.get_symbols():
        if symbol.is_referenced() and (whole or symbol.is_global()):
            yield symbol.get_name()
    for inner in scope.get_children():
        yield from _global_names(inner)


def _is_constant(value: Any) -> bool:
    """Whether a value is what its `repr` says."""
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except (ValueError, SyntaxError):
        return False
