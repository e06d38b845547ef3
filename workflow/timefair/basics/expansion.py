"""The size of data in which parts are shared, such as a YAML file with aliases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

MOST_VALUES = 100_000
"""The most values of a campaign file, aliases expanded: keys, values and lists, at all levels."""

TOO_LARGE = f"more than {MOST_VALUES} values when its aliases are expanded"


def expanded_size(root: object, parts: Callable[[Any], Iterable[object]]) -> int:
    """Count the nodes of the tree that a structure with shared parts expands to.

    Each shared part is visited once, so that the time does not depend on the result.

    Parameters
    ----------
    root
        Any object.
    parts
        The objects that an object consists of; the same objects at each call.

    Returns
    -------
    int
        At least 1, which counts the root.

    Raises
    ------
    RecursionError
        If the structure is nested deeper than Python's recursion limit, or contains itself.

    >>> three = [1, 2, 3]
    >>> expanded_size([three, three], members)
    9
    """
    sizes: dict[int, int] = {}

    def size(part: object) -> int:
        if (known := sizes.get(id(part))) is None:
            known = sizes[id(part)] = 1 + sum(size(each) for each in parts(part))
        return known

    return size(root)


def members(value: object) -> Iterable[object]:
    """The keys and values of a mapping, the members of a list or tuple, nothing of the rest."""
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    return value if isinstance(value, list | tuple) else ()
