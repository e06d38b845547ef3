"""Open files of the measurement. The process of a run must not inherit them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_FIRST = 3
"""The descriptors below it are the standard streams."""


def of_the_measurement(folders: Iterable[Path]) -> tuple[int, ...]:
    """The descriptors of this process that its runs must not have.

    The result contains all files in some folders, and all sockets. Sockets of the algorithm are
    included, because runs would share them.

    Parameters
    ----------
    folders
        The folders of the records and of the locks of cores.
    """
    inside = tuple(os.path.realpath(folder) + os.sep for folder in folders)
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:  # the descriptor of the listing itself
            continue
        if int(name) >= _FIRST and target.startswith(("socket:", *inside)):
            found.append(int(name))
    return tuple(found)


def close(descriptors: Iterable[int]) -> None:
    """Close the descriptors, in the process of a run."""
    for fd in descriptors:
        os.close(fd)
