"""Writes the output of a run to the log of its job, and limits its size."""

from __future__ import annotations

import contextlib
import os
import stat

MOST = 100_000
"""Number of bytes of a run's output that are kept."""


class Output:
    """The standard output and error of this process, from now on.

    A run writes there directly, so that printing takes as long as it does elsewhere. Excess output
    is cut off after the run, and from time to time during it. Pipes and terminals are not cut.
    """

    def __init__(self) -> None:
        self._sizes = {fd: size for fd in (1, 2) if (size := _size_of_file(fd)) is not None}
        self._was_cut = False

    def cut(self) -> bool:
        """Cut off excess output; return whether there was any until now."""
        for fd, before in self._sizes.items():
            size = _size_of_file(fd)
            if size is not None and size > before + MOST:
                with contextlib.suppress(OSError):
                    os.ftruncate(fd, before + MOST)
                    os.lseek(fd, 0, os.SEEK_END)
                    self._was_cut = True
        return self._was_cut


def _size_of_file(fd: int) -> int | None:
    """The size of the regular file behind a descriptor; None if it is something else."""
    try:
        found = os.fstat(fd)
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
