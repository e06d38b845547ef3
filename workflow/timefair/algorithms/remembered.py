"""Algorithms that had no faults when they were last checked, which takes seconds.

Such an algorithm is remembered by an empty file in the user's cache, until its parameters, the
adapters, Python, or a package that affects it change. The user's own functions and programs are
checked every time.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from timefair.algorithms import registry
from timefair.algorithms.external.library import External
from timefair.algorithms.own import Own
from timefair.basics.errors import InputError
from timefair.basics.files import cache_folder
from timefair.basics.modules import hidden_modules


def faults(use: str, parameters: Mapping[str, object]) -> list[str]:
    """Check an algorithm as `registry.faults` does, unless it is remembered as faultless."""
    try:
        library, _ = registry.find(use)
        uses = registry.involved(use, parameters)
    except InputError:
        return registry.faults(use, parameters)
    libraries = [registry.find(one)[0] for one in uses]
    if any(isinstance(library, External | Own) for library in libraries):
        return registry.faults(use, parameters)
    mark = cache_folder() / "faultless" / _digest(uses, parameters)
    if mark.exists():
        return []
    with hidden_modules(*library.unneeded):
        found = registry.faults(use, parameters)
    if not found:
        with suppress(OSError):  # without a cache it is checked again
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
    return found


def _digest(uses: tuple[str, ...], parameters: Mapping[str, object]) -> str:
    decisive = [
        uses,
        sorted(parameters.items()),
        sys.version,
        sys.prefix,
        [(name, _version(name)) for name in registry.distributions(*uses)],
        _adapters(),
    ]
    return hashlib.sha256(json.dumps(decisive, default=repr).encode()).hexdigest()


_version = cache(importlib.metadata.version)


@cache
def _adapters() -> list[str]:
    sources = sorted(Path(__file__).parent.rglob("*.py"))
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in sources]
