"""Files of the measurement that a run's process would inherit open, and write to."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_FIRST = 3
"""Those before it are the standard streams."""


def of_the_measurement(folders: Iterable[Path]) -> tuple[int, ...]:
    """The descriptors of this process that its runs must not have.

    They are all sockets, also those of an algorithm, since what passes through one is not the run's
    alone, and all files in some folders.

    Parameters
    ----------
    folders
        Where the records and the locks of cores are.
    """
    inside = tuple(os.path.realpath(folder) + os.sep for folder in folders)
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:  # the listing's own
            continue
        if int(name) >= _FIRST and target.startswith(("socket:", *inside)):
            found.append(int(name))
    return tuple(found)


def close(descriptors: Iterable[int]) -> None:
    """Close them, in the process of a run."""
    for fd in descriptors:
        os.close(fd)
