"""Files and processes that an algorithm left behind: recorded per run, and removed or ended."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from timefair.measure.isolation.scratch import PREFIX

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
    for entry in islice(_from_the_top(top), MOST_ENTRIES):
        with contextlib.suppress(OSError):  # gone meanwhile
            looks = entry.stat(follow_symlinks=False)
            if looks.st_uid == user and not entry.name.endswith(_COMPILED):
                is_file = not entry.is_dir(follow_symlinks=False)
                size_and_change = (looks.st_size, looks.st_ctime_ns) if is_file else None
                found[entry.path.removeprefix("./")] = size_and_change
    return found


def _from_the_top(top: str) -> Iterator[os.DirEntry[str]]:
    """The entries of a folder, then the entries of its subfolders, and so on."""
    waiting = deque([top])
    while waiting:
        try:
            entries = os.scandir(waiting.popleft())
        except OSError:
            continue
        with entries:
            for entry in entries:
                is_folder = entry.is_dir(follow_symlinks=False)
                if entry.name in _EXPECTED or (is_folder and entry.name.startswith(PREFIX)):
                    continue
                if is_folder:
                    waiting.append(entry.path)
                yield entry


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
    sizes = [_size(Path(folder, name)) for folder, _, names in os.walk(scratch) for name in names]
    return Leftovers(len(sizes), sum(sizes) / 1e6, appeared(before, fingerprint(watched)))


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
