"""Sections whose class is chosen by one of their keys, such as `restart` by `policy`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce
from operator import or_
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from timefair.basics.sections import Section
from timefair.policies.restarts import RESTARTS
from timefair.policies.restarts.independent import Independent
from timefair.policies.stopping import STOPPING
from timefair.policies.stopping.fixed import FixedNumber

UNKNOWN = "unknown_choice"
"""The type of pydantic's error for a value that chooses no class."""

Kinds = Mapping[str, type[Section]]


class ChosenSection:
    """A key that chooses the class of its section.

    - `key`: Name of the key.
    - `kinds`: The class for each value of the key.
    - `usual`: The default section, for a campaign without the section. Its class is also used if
      the section lacks the key.
    """

    def __init__(self, key: str, kinds: Kinds, usual: Any) -> None:
        self.key, self.kinds, self.usual = key, kinds, usual
        self.default: str = getattr(usual, key)

    @property
    def type(self) -> Any:
        """The type of a field that holds the section."""
        return Annotated[
            reduce(or_, self.kinds.values()),
            Field(discriminator=self.key),
            _KeyRequired(self),
            BeforeValidator(partial(_with_key, self)),
        ]

    def having(self, key: str) -> list[str]:
        """The values of the choosing key for which the section has a given key."""
        return [name for name, kind in self.kinds.items() if key in kind.model_fields]


CHOICES: Mapping[str, ChosenSection] = MappingProxyType(
    {
        "restart": ChosenSection("policy", RESTARTS, Independent()),
        "stopping": ChosenSection("rule", STOPPING, FixedNumber()),
    }
)
"""The sections of a campaign whose class is chosen, by name."""


def _with_key(choice: ChosenSection, value: object) -> object:
    """Add the key if it is missing."""
    if not isinstance(value, Mapping):
        return value
    name = value.get(choice.key, choice.default)
    if not isinstance(name, str) or name not in choice.kinds:
        raise PydanticCustomError(UNKNOWN, "unknown {key}", {"key": choice.key})
    return {**value, choice.key: name}


class _KeyRequired:
    """In the JSON schema: if the key is missing, only the usual class is allowed."""

    def __init__(self, choice: ChosenSection) -> None:
        self._choice = choice

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler(core)
        key, default = self._choice.key, self._choice.default
        for kind in map(handler.resolve_ref_schema, schema["oneOf"]):
            required = kind.get("required", [])
            if kind["properties"][key]["const"] != default and key not in required:
                kind["required"] = [key, *required]
        return schema
