"""Sections of a campaign without pydantic, in an interpreter that need not have it.

A process that measures in another interpreter gets values that were checked before. Therefore the
classes of sections only store values there: `sections` replaces pydantic by stand-ins while modules
of timefair are imported. Later imports by the algorithm get the interpreter's own pydantic in any
version, if it has one.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

_NAMES = ("pydantic", "pydantic_core")


class _Field(NamedTuple):
    """A field of a section, as far as it is needed without checks."""

    default: Any = ...


class Model:
    """Stores the values of its fields, with defaults for those that are not given.

    Examples
    --------
    >>> class Tau(Model):
    ...     policy: str
    ...     tau_s: float = _field(default=2.0, description="tau in seconds")
    >>> Tau(policy="fixed").tau_s
    2.0
    """

    model_fields: ClassVar[Mapping[str, _Field]] = {}

    def __init_subclass__(cls) -> None:
        fields = dict(cls.model_fields)
        for name in vars(cls).get("__annotations__", {}):
            value = vars(cls).get(name, ...)
            fields[name] = value if isinstance(value, _Field) else _Field(value)
            if isinstance(value, _Field):
                delattr(cls, name)
        cls.model_fields = fields

    def __init__(self, **values: Any) -> None:
        defaults = {name: field.default for name, field in type(self).model_fields.items()}
        vars(self).update(defaults | values)

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return iter(vars(self).items())


def _field(default: Any = ..., **_: Any) -> _Field:
    return _Field(default)


def _created(name: str, *, __base__: type[Model], **fields: Any) -> type[Model]:
    """A section with further fields, each a pair of its type and its description."""
    added = {key: of[1] for key, of in fields.items() if isinstance(of, tuple)}
    return type(name, (__base__,), {"__annotations__": dict.fromkeys(added, Any), **added})


def _ignored(*_: Any, **__: Any) -> Callable[[Any], Any]:
    """Stand-in for functions that only check or describe a value, and for their decorators."""
    return lambda checked: checked


class _Error(ValueError):
    """Stand-in for the errors of a check; it is never raised."""


@contextlib.contextmanager
def sections() -> Iterator[None]:
    """Replace pydantic by stand-ins for modules that are imported inside the block."""
    before = {name: module for name, module in sys.modules.items() if _is_of_pydantic(name)}
    for name in before:
        del sys.modules[name]
    for name in _NAMES:
        module = ModuleType(name)
        module.__getattr__ = _stand_in  # type: ignore[method-assign]
        sys.modules[name] = module
    try:
        yield
    finally:
        for name in _NAMES:
            del sys.modules[name]
        sys.modules.update(before)


def _is_of_pydantic(name: str) -> bool:
    return name.partition(".")[0] in _NAMES


def _stand_in(name: str) -> Any:
    known = {
        "BaseModel": Model, "Field": _field, "ConfigDict": dict, "JsonValue": object,
        "create_model": _created,
    }  # fmt: skip
    if name in known:
        return known[name]
    if name.startswith("__"):
        raise AttributeError(name)
    return _Error if name.endswith("Error") else _ignored
