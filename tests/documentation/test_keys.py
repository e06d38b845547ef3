"""Every key of a campaign stands in a shipped campaign or in an example of the documentation."""

from collections.abc import Iterator
from typing import Any, get_args

import yaml
from fences import ROOT, of_language

from timefair.basics.sections import Section
from timefair.campaign.configuration import Campaign

WRITTEN = {"TrainedModel", "TrainedStops"}
"""Sections that timefair writes, with the key `tuned`."""


def keys(kind: type[Section], seen: frozenset[type[Section]] = frozenset()) -> Iterator[str]:
    """The names of the keys of a section and of those below it."""
    for name, field in kind.model_fields.items():
        yield name
        for below in sections(field.annotation):
            if below not in seen and below.__name__ not in WRITTEN:
                yield from keys(below, seen | {below})


def sections(annotation: Any) -> list[type[Section]]:
    if isinstance(annotation, type):
        return [annotation] if issubclass(annotation, Section) else []
    return [one for part in get_args(annotation) for one in sections(part)]


def named(content: Any) -> Iterator[str]:
    """All keys in nested mappings and lists."""
    if isinstance(content, dict):
        yield from ("on" if key is True else str(key) for key in content)  # `on`, to YAML 1.1
    parts = content.values() if isinstance(content, dict) else content
    if isinstance(content, dict | list):
        for part in parts:
            yield from named(part)


def test_every_key_has_an_example():
    shipped = [path.read_text() for path in (ROOT / "config").rglob("*.yaml")]
    texts = [*shipped, *(fence.text for fence in of_language("yaml"))]
    used = {key for text in texts for key in named(yaml.safe_load(text))}
    assert set(keys(Campaign)) - used == {"own_dimensions", "tuned"}  # timefair writes these
