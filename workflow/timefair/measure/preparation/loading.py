"""Loading an algorithm, and what its library imports."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module

from timefair.algorithms import registry
from timefair.algorithms.base import Algorithm
from timefair.basics.hidden_modules import hidden_modules
from timefair.measure.preparation.rounded import rounded


def import_library(use: str) -> None:
    """Import what all algorithms of the library of an algorithm need."""
    library, _ = registry.find(use)
    with hidden_modules(*library.unneeded):
        for name in library.modules:
            with suppress(ImportError):  # loading the algorithm says what is missing
                import_module(name)
    gc.collect()
    gc.freeze()


def load(use: str, parameters: Mapping[str, object], rounds_integers: bool) -> Algorithm:
    """Load an algorithm; InputError with all faults if it has any.

    Parameters
    ----------
    use, parameters
        As in the campaign.
    rounds_integers
        Whether the points of a continuous algorithm are rounded for it (`rounded`).
    """
    loaded = registry.load(use, parameters)
    return rounded(loaded) if rounds_integers else loaded
