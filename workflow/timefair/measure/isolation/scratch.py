"""A folder for the temporary files of one run. It is removed however the run ends."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from timefair.basics.folders import remove

PREFIX = "timefair-"
"""First part of the names of these folders."""

_empty: list[str] | None = None
"""Folders that the last run left empty; None if the next run cannot reuse them."""


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Let `tempfile` make everything in an empty folder, also in processes that are forked here.

    The folder is removed at the end, with everything that ended processes left in it.
    """
    before = tempfile.tempdir
    folder = _empty.pop() if _empty else tempfile.mkdtemp(prefix=PREFIX)
    tempfile.tempdir = folder
    try:
        yield Path(folder)
    finally:
        tempfile.tempdir = before
        _dispose(folder)


@contextlib.contextmanager
def reused_scratch_folders() -> Iterator[None]:
    """Inside the block, a folder that a run leaves empty is reused by the next run.

    On a busy file system, making and removing a folder can take longer than everything else between
    two runs.
    """
    global _empty
    _empty = []
    try:
        yield
    finally:
        left, _empty = _empty, None
        for folder in left:
            _dispose(folder)


def _dispose(folder: str) -> None:
    if _empty is not None:
        with contextlib.suppress(OSError):
            if _as_made(folder):
                os.utime(folder, (0, 0))  # a run could leave a number in the times
                _empty.append(folder)
                return
    remove(folder)


def _as_made(folder: str) -> bool:
    """Whether a folder contains no information from the last run."""
    private = stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    return private and not os.listdir(folder) and not os.listxattr(folder)
