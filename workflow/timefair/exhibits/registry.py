"""The tables and figures that a campaign can request, by name.

The first look at them imports all modules that declare some, those of extensions included.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

import timefair.exhibits
from timefair.basics.extension import extensions
from timefair.exhibits import ROOMS

if TYPE_CHECKING:
    from timefair.exhibits.exhibit import Exhibit, Figure

ALL, DEFAULT = "all", "default"  # words that a campaign may use instead of names

Item = TypeVar("Item", covariant=True)


class ByName(Mapping[str, Item]):
    """What a function makes at the first look, by name."""

    def __init__(self, make: Callable[[], dict[str, Item]]) -> None:
        self._made = cache(make)

    def __getitem__(self, name: str) -> Item:
        return self._made()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made())

    def __len__(self) -> int:
        return len(self._made())


def rooms() -> list[str]:
    """The folders of exhibits in their order, and the extensions that have some."""
    return [*ROOMS, *(name for name, one in extensions().items() if one.exhibits)]


def room_of(module: str) -> str:
    """The folder or module of `exhibits` that a module is or is in; else the one that it is in."""
    inside = module.removeprefix("timefair.exhibits.")
    return inside.split(".")[0] if inside != module else module.split(".")[-2]


def exhibits() -> dict[str, Exhibit]:
    """Every declared exhibit, in the order of the questions, then of folders and names."""
    from timefair.exhibits.exhibit import DECLARED

    for module in pkgutil.walk_packages(timefair.exhibits.__path__, "timefair.exhibits."):
        if room_of(module.name) in ROOMS:
            import_module(module.name)
    for one in extensions().values():
        one.declare()
    places = rooms()
    order = sorted(
        DECLARED.values(),
        key=lambda one: (one.question.place, places.index(room_of(one.module)), one.module),
    )
    return {one.name: one for one in order}


TABLES: Mapping[str, Exhibit] = ByName(exhibits)
"""Every table, in the order of the questions that they answer."""

FIGURES: Mapping[str, Figure] = ByName(
    lambda: {figure.name: figure for one in TABLES.values() for figure in one.figures}
)
"""Every figure, in the order of its tables."""


def chosen(
    names: Iterable[str], known: Mapping[str, Exhibit] | Mapping[str, Figure]
) -> tuple[str, ...]:
    """The names that a campaign requests, in their order and without duplicates, with ``all`` and
    ``default`` replaced by names."""
    found: dict[str, None] = {}
    for name in names:
        if name == ALL:
            found.update(dict.fromkeys(known))
        elif name == DEFAULT:
            found.update(dict.fromkeys(n for n, entry in known.items() if entry.default))
        else:
            found[name] = None
    return tuple(found)
