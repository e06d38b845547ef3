"""The policies that a campaign selects: when a launch ends, and when there are enough runs.

A class owns its keys, their checks and the behaviour. It is found in any module of this package,
and in those that extensions name.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from timefair.basics.extension import extensions
from timefair.basics.sections import Section

if TYPE_CHECKING:
    from timefair.policies.restarts import RestartPolicy
    from timefair.policies.stopping import StoppingPolicy

Kind = TypeVar("Kind", bound=Section)


@cache
def restart_policies() -> Mapping[str, type[RestartPolicy]]:
    from timefair.policies.restarts import RestartPolicy

    return _declared("restarts", RestartPolicy, "policy")


@cache
def stopping_rules() -> Mapping[str, type[StoppingPolicy]]:
    from timefair.policies.stopping import StoppingPolicy

    return _declared("stopping", StoppingPolicy, "rule")


def _declared(kind: str, base: type[Kind], key: str) -> Mapping[str, type[Kind]]:
    """The classes derived from `base` in the modules of this package, and in those of extensions of
    this `kind`, by the default of the field `key`; those without a default are omitted.
    """
    found: dict[str, type[Kind]] = {}
    modules = [info.name for info in pkgutil.iter_modules(__path__, f"{__name__}.")]
    for one in extensions().values():
        modules += [f"{one.package}.{one.policies[kind]}"] if kind in one.policies else []
    for module in modules:
        for value in vars(importlib.import_module(module)).values():
            if isinstance(value, type) and issubclass(value, base):
                name = value.model_fields[key].default
                if value.__module__ == module and isinstance(name, str):
                    found[name] = value
    return MappingProxyType(found)
