"""What several commands need."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from timefair.errors import InputError, suggest

if TYPE_CHECKING:
    from timefair.config import Campaign
    from timefair.records.integrity import Origins

Entry = TypeVar("Entry")
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Where a module adds its commands."""

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "GOTO_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "RAYON_NUM_THREADS",
)
"""What libraries read, once, when they are loaded."""


def one_thread() -> None:
    """Before numpy is loaded: analysis makes many small sums, which threads would only slow."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))


def entry(argument: str, name: str, registry: Mapping[str, Entry]) -> Entry:
    if name not in registry:
        known = ", ".join(registry)
        raise InputError(
            f"{argument}: {name!r} is unknown{suggest(name, registry)}; known: {known}"
        )
    return registry[name]


def refuse_mixed(origins: Mapping[str, Origins], campaign: Campaign) -> None:
    """Raise `InputError` if runs should not be compared, unless the campaign says that they may."""
    from timefair.records.integrity import CONSENT, mixed

    clauses = mixed(origins)
    if clauses and campaign.statistics.mixed == "refuse":
        raise InputError(*(f"{clause}; {CONSENT}" for clause in clauses))
    for clause in clauses:
        print(f"timefair: mixed, as the campaign allows: {clause}", file=sys.stderr)
