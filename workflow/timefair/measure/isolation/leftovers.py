"""The scratch folder of a run, and what a run leaves behind."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from timefair.basics.files import remove

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


NAMES = 5
"""Maximal number of recorded names of new files."""

MOST_ENTRIES = 300
"""Maximal number of files and folders that are compared per folder, beginning at its top level."""

_EXPECTED = frozenset({".snakemake", "results", ".git"})
"""Names that the workflow and the user's tools create in their working directory."""

_COMPILED = ".pyc"
"""Suffix of the files that the interpreter creates for modules."""

Fingerprint = dict[str, tuple[int, int] | None]
"""Size and change time of files (ns, that of the inode, which no program can set); None for a
folder.
"""


class Leftovers(NamedTuple):
    """Columns of a record; see `timefair.records.schema`."""

    left_files: int
    left_mb: float
    appeared: str | None


NONE = Leftovers(0, 0.0, None)


def fingerprint(folders: Iterable[Path]) -> Fingerprint:
    """The present contents of folders, as far as they belong to this user.

    Temporary folders of runs are excluded, and so are files of the workflow and of the interpreter.
    A file in the working directory is listed by name, any other file by its full path.
    """
    found: Fingerprint = {}
    here = os.getcwd()
    for folder in folders:
        found |= _entries(os.path.relpath(folder) if str(folder) == here else str(folder))
    return found


def _entries(top: str) -> Fingerprint:
    user = os.geteuid()
    found: Fingerprint = {}
    for entry, looks in islice(_from_the_top(top, _unexpected), MOST_ENTRIES):
        if looks.st_uid == user and not entry.name.endswith(_COMPILED):
            size_and_change = (looks.st_size, looks.st_ctime_ns)
            found[entry.path.removeprefix("./")] = None if _is_folder(looks) else size_and_change
    return found


def _unexpected(name: str, is_folder: bool) -> bool:
    return name not in _EXPECTED and not (is_folder and name.startswith(PREFIX))


def _is_folder(looks: os.stat_result) -> bool:
    return stat.S_ISDIR(looks.st_mode)


def _from_the_top(
    top: str, counts: Callable[[str, bool], bool] = lambda name, is_folder: True
) -> Iterator[tuple[os.DirEntry[str], os.stat_result]]:
    """The entries of a folder that count, then those of its subfolders, and so on.

    What vanishes meanwhile, or lies deeper than a path can be long, is left out.
    """
    waiting = deque([top])
    while waiting:
        with contextlib.suppress(OSError), os.scandir(waiting.popleft()) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    looks = entry.stat(follow_symlinks=False)
                    is_folder = _is_folder(looks)
                    if counts(entry.name, is_folder):
                        if is_folder:
                            waiting.append(entry.path)
                        yield entry, looks


def appeared(before: Fingerprint, after: Fingerprint) -> str | None:
    """Names of new and changed files, those in the working directory first; None without any."""
    new = [name for name, looks in after.items() if before.get(name, ()) != looks]
    new.sort(key=lambda name: (os.path.isabs(name), name))
    more = f" and {len(new) - NAMES} more" if len(new) > NAMES else ""
    return (", ".join(new[:NAMES]) + more) or None


def look(scratch: Path, watched: Iterable[Path], before: Fingerprint) -> Leftovers:
    """Files in the run's temporary folder, and new or changed files in folders that runs share.

    Other jobs and programs use the shared folders at the same time. A new file there was made
    during this run, but not necessarily by it.
    """
    sizes = [looks.st_size for _, looks in _from_the_top(str(scratch)) if not _is_folder(looks)]
    return Leftovers(len(sizes), sum(sizes) / 1e6, appeared(before, fingerprint(watched)))
