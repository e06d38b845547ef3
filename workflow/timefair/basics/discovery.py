"""Finds what the modules of a package declare, so that no registry has to list it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection
from types import ModuleType
from typing import Protocol, TypeVar


class Named(Protocol):
    """An object that a campaign can name."""

    name: str


Entry = TypeVar("Entry", bound=Named)


def declared(
    package: ModuleType, kind: type[Entry], *, without: Collection[str] = ()
) -> dict[str, Entry]:
    """The objects of one kind that the modules of a package have at module level, by their
    ``name``, in alphabetical order.

    Every module of the package is imported but those `without`, by their last name; subpackages are
    not entered. RuntimeError if two different objects have the same name.
    """
    found: dict[str, Entry] = {}
    places: dict[str, str] = {}
    for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if info.ispkg or info.name.rpartition(".")[2] in without:
            continue
        for value in vars(importlib.import_module(info.name)).values():
            if kind not in type(value).__mro__ or found.get(value.name) is value:
                continue
            if value.name in found:
                both = f"{places[value.name]} and {info.name}"
                raise RuntimeError(f"{both} declare different objects of the name {value.name!r}")
            found[value.name], places[value.name] = value, info.name
    return dict(sorted(found.items()))
