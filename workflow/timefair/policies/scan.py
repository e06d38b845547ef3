"""Finds the policies of a package, so that a new module is all that a new policy needs."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from timefair.basics.extension import extensions
from timefair.basics.sections import Section

Kind = TypeVar("Kind", bound=Section)


def declared(package: str, base: type[Kind], key: str) -> Mapping[str, type[Kind]]:
    """The classes derived from `base` in the modules of a package, and in those that extensions
    name.

    They are by the default of the field `key`, in the order of their modules; those without a
    default are omitted. RuntimeError if two have the same name.

    >>> from timefair.policies.restarts.base import RestartPolicy
    >>> declared("timefair.policies.restarts", RestartPolicy, "policy")["luby"].__name__
    'Luby'
    """
    found: dict[str, type[Kind]] = {}
    folder = importlib.import_module(package).__path__
    modules = [info.name for info in pkgutil.iter_modules(folder, f"{package}.")]
    kind = package.rpartition(".")[2]
    for one in extensions().values():
        modules += [f"{one.package}.{one.policies[kind]}"] if kind in one.policies else []
    for module in modules:
        for value in vars(importlib.import_module(module)).values():
            if not (isinstance(value, type) and issubclass(value, base)):
                continue
            name = value.model_fields[key].default
            if value.__module__ != module or not isinstance(name, str):
                continue
            if name in found:
                both = f"{found[name].__module__} and {module}"
                raise RuntimeError(f"{both} declare two classes for {key} {name!r}")
            found[name] = value
    return MappingProxyType(found)
