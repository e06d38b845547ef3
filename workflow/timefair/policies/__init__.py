"""The policies that a campaign selects: when a launch ends, and when there are enough runs.

A class owns its keys, their checks and the behaviour. It is found in any module of this package,
and in those that extensions name.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from itertools import chain
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
    modules = [info.name for info in pkgutil.iter_modules(__path__, f"{__name__}.")]
    for one in extensions().values():
        modules += [f"{one.package}.{one.policies[kind]}"] if kind in one.policies else []
    every = chain.from_iterable(vars(importlib.import_module(name)).values() for name in modules)
    found = [one for one in every if isinstance(one, type) and issubclass(one, base)]
    named = {one.model_fields[key].default: one for one in found}
    return {name: one for name, one in named.items() if isinstance(name, str)}
