"""Files of the user's that have the name of a module that Python, timefair or their code needs."""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

KEPT = sys.stdlib_module_names | {
    "argcomplete",
    "matplotlib",
    "numpy",
    "pandas",
    "pyarrow",
    "pydantic",
    "pydantic_core",
    "scipy",
    "seaborn",
    "snakemake",
    "threadpoolctl",
    "yaml",
}
"""Modules that are never taken from a folder of the user's."""

KEPT_THERE = sys.stdlib_module_names | {"numpy"}
"""Those that are never taken from the folder of an algorithm's environment, which may have others
of its own.
"""

_own: dict[str, Collection[str]] = {}
"""The folders of the user's on ``sys.path``, with the modules that are not taken from them."""


class _Finder:
    """Finds modules outside of the folders from which they are not taken."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or not any(name in kept for kept in _own.values()):
            return None
        folders = [folder for folder in sys.path if name not in _own.get(folder, ())]
        return PathFinder.find_spec(name, folders)


def _elsewhere(name: str) -> ModuleSpec | None:
    """The module of that name outside of the user's folders."""
    return PathFinder.find_spec(name, [folder for folder in sys.path if folder not in _own])


def is_own(folder: str, kept: Collection[str] = KEPT) -> None:
    """Note a folder of the user's, before it is put on ``sys.path``.

    `kept` are the modules that are not taken from it.
    """
    _own.setdefault(folder, kept)
    if _Finder not in sys.meta_path:
        place = sys.meta_path.index(PathFinder) if PathFinder in sys.meta_path else 0
        sys.meta_path.insert(place, _Finder)


def warnings(place: str, file: Path) -> Iterator[str]:
    """One line for each imported module whose name is also that of a file of the user's.

    Parameters
    ----------
    place, file
        The module that imports, as the user names it, and its file.
    """
    for name in sorted(_imported(file)):
        for folder in dict.fromkeys((str(file.parent), *sorted(_own))):
            beside = Path(folder, f"{name}.py")
            if not beside.is_file():
                continue
            if name in KEPT:
                yield f"{place} imports the installed {name}, not {beside.name}; rename this file"
            elif _elsewhere(name) is not None:
                yield f"{place} imports {beside.name}, not the installed {name}; rename this file"
            break


def _imported(file: Path) -> set[str]:
    """The first parts of the names of the modules that a file of Python imports."""
    names = set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names
