"""Imports without what they only look for: plotting, for one, that a measurement never uses."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from importlib.abc import MetaPathFinder
from typing import Any


class _Refusing(MetaPathFinder):
    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def find_spec(self, name: str, *_: Any) -> None:
        """Refuse some names; leave all others to the finders that follow."""
        if name in self._names:
            raise ModuleNotFoundError(f"{name} is hidden", name=name)


@contextlib.contextmanager
def hidden_modules(*names: str) -> Iterator[None]:
    """Let imports of these top-level modules fail inside the block, unless they are loaded already.

    A module that is imported in the block works as if the hidden modules were not installed.
    Warnings are ignored. After the block, the hidden modules can be imported again.
    """
    finder = _Refusing(frozenset(names))
    sys.meta_path.insert(0, finder)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.meta_path.remove(finder)
