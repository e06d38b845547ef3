"""The table of all keys in config/README.md, made from the model."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from timefair.campaign.configuration.model import AlgorithmSpec, Published

LABELLED: dict[str, type[BaseModel]] = {"algorithms": AlgorithmSpec, "published": Published}

HEADER = ("| key | default | meaning |", "|---|---|---|")


def rows(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """The header, at the top, and a row for each key, those of sections after the section's."""
    if not prefix:
        yield from HEADER
    for name, field in model.model_fields.items():
        yield f"| `{prefix}{name}` | {_default(field)} | {field.description} |"
        if name in LABELLED:
            yield from rows(LABELLED[name], f"{prefix}{name}.<label>.")
        elif isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from rows(field.annotation, f"{prefix}{name}.")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    value = field.default
    if value is None or isinstance(value, BaseModel) or value == {}:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(f"{item:g}" if isinstance(item, float) else str(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
