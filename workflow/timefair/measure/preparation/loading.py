"""Loads an algorithm and the modules that its library needs."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module

from timefair.algorithms import registry
from timefair.algorithms.base import Algorithm
from timefair.basics.hidden_modules import hidden_modules
from timefair.measure.preparation.penalized import penalized
from timefair.measure.preparation.rounded import rounded


def import_library(use: str) -> None:
    """Import the modules that all algorithms of an algorithm's library need."""
    library, _ = registry.find(use)
    with hidden_modules(*library.unneeded):
        for name in library.modules:
            with suppress(ImportError):  # loading the algorithm will report what is missing
                import_module(name)
    gc.collect()
    gc.freeze()


def load(
    use: str,
    parameters: Mapping[str, object],
    rounds_integers: bool,
    penalty: float | None = None,
) -> Algorithm:
    """Load an algorithm; InputError with all faults if it has any.

    Parameters
    ----------
    use, parameters
        As in the campaign.
    rounds_integers
        Whether the points of a continuous algorithm are rounded for it (`rounded`).
    penalty
        The weight of a violation in the values of an algorithm without constraints (`penalized`).
    """
    loaded = registry.load(use, parameters)
    if rounds_integers:
        loaded = rounded(loaded)
    return loaded if penalty is None else penalized(loaded, penalty)
