"""What the modules of a package declare, and imports without what they only look for."""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import sys
import warnings
from collections.abc import Collection, Iterator
from itertools import chain
from types import ModuleType, SimpleNamespace
from typing import Any, TypeVar


@contextlib.contextmanager
def hidden_modules(*names: str) -> Iterator[None]:
    """Let imports of these top-level modules fail inside the block, unless they are loaded already.

    A module that is imported in the block works as if the hidden modules were not installed.
    Warnings are ignored. After the block, the hidden modules can be imported again.
    """

    def find_spec(name: str, *_: Any) -> None:
        if name in names:
            raise ModuleNotFoundError(f"{name} is hidden", name=name)

    finder: Any = SimpleNamespace(find_spec=find_spec)
    sys.meta_path.insert(0, finder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.meta_path.remove(finder)


Entry = TypeVar("Entry", bound=Any)


def declared(
    kind: type[Entry], *packages: ModuleType, without: Collection[str] = ()
) -> dict[str, Entry]:
    """The objects of one kind that the modules of packages have at module level, by their
    ``name``, in alphabetical order.

    Every module of them is imported but those `without`, by their last name; subpackages are
    not entered. RuntimeError if two different objects have the same name.
    """
    found: dict[str, Entry] = {}
    every = (pkgutil.iter_modules(one.__path__, f"{one.__name__}.") for one in packages)
    for info in chain.from_iterable(every):
        if info.ispkg or info.name.rpartition(".")[2] in without:
            continue
        for value in vars(importlib.import_module(info.name)).values():
            if kind in type(value).__mro__ and found.setdefault(value.name, value) is not value:
                raise RuntimeError(f"{info.name}: {value.name!r} is declared elsewhere, too")
    return dict(sorted(found.items()))
