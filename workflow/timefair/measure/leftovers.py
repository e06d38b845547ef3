"""What an algorithm wrote and left behind: told of each run, removed or ended by its parent."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

NAMES = 5
"""So many names of new files are told."""

_EXPECTED = frozenset({".snakemake", "results", "__pycache__"})
"""What the workflow and the interpreter make in the folder that they are started in."""


class Leftovers(NamedTuple):
    """Columns of a record; see `timefair.records.schema`."""

    left_files: int
    left_mb: float
    appeared: str | None


NONE = Leftovers(0, 0.0, None)


def names_here() -> frozenset[str]:
    """What lies in the working folder now."""
    try:
        return frozenset(os.listdir()) - _EXPECTED
    except OSError:
        return frozenset()


def look(scratch: Path, before: frozenset[str]) -> Leftovers:
    """Files in the run's temporary folder, and names that are new where it was started.

    Other jobs that run at the same time start in the same working folder: a new name there was
    made during this run, not for certain by it.
    """
    sizes = [_size(Path(folder, name)) for folder, _, names in os.walk(scratch) for name in names]
    new = sorted(names_here() - before)
    told = ", ".join(new[:NAMES]) + (f" and {len(new) - NAMES} more" if len(new) > NAMES else "")
    return Leftovers(len(sizes), sum(sizes) / 1e6, told or None)


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
