"""Locks of what measures: a job its cores, to which it is pinned; a block of jobs its node."""

from __future__ import annotations

import contextlib
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from timefair.basics import files
from timefair.machine.facts import Host, Unknown, siblings


def lock_folder() -> Path:
    """Folder of the locks of this machine, the same for all campaigns and users."""
    return Path(os.environ.get("TIMEFAIR_LOCKS", Path(tempfile.gettempdir()) / "timefair-cores"))


@contextlib.contextmanager
def held_cores(count: int) -> Iterator[tuple[int, ...]]:
    """Wait until `count` cores that this process may use are free; lock them and pin the process.

    The locks are flocks on one file per core. All cores are taken at once or none, so that two jobs
    cannot wait for each other. Hyper-thread siblings of a core in use come last. ValueError if this
    process may use fewer cores than that.
    """
    groups: list[list[int]] = []
    with contextlib.suppress(Unknown):
        groups = siblings(Host())
    usable = first_siblings_first(sorted(os.sched_getaffinity(0)), groups)
    if count > len(usable):
        raise ValueError(f"{count} cores are asked for, and this process may use {len(usable)}")
    folder = lock_folder()
    folder.mkdir(mode=0o1777, parents=True, exist_ok=True)
    while len(locks := _take(folder, usable, count)) < count:
        _free(locks)
        time.sleep(random.uniform(0.02, 0.1))
    try:
        os.sched_setaffinity(0, locks)
        yield tuple(locks)
    finally:
        os.sched_setaffinity(0, usable)
        _free(locks)


def first_siblings_first(cores: Sequence[int], siblings: Sequence[Sequence[int]]) -> list[int]:
    """The cores in an order that takes every physical core once before any of them twice.

    >>> first_siblings_first([0, 1, 2, 3], [[0, 1], [2, 3]])
    [0, 2, 1, 3]
    >>> first_siblings_first([1, 2, 3], [[0, 1], [2, 3]])
    [1, 2, 3]
    """
    usable = [[core for core in group if core in cores] for group in siblings]
    rank = {core: place for group in usable for place, core in enumerate(group)}
    return sorted(cores, key=lambda core: (rank.get(core, 0), core))


def _take(folder: Path, cores: list[int], count: int) -> dict[int, int]:
    """Lock up to `count` free cores; maps each locked core to its file descriptor."""
    locks: dict[int, int] = {}
    for core in cores:
        # Nothing is written, so that locks of another user can be taken too.
        fd = files.lock(folder / f"core-{core}", wait=False, write=False)
        if fd is not None:
            locks[core] = fd
        if len(locks) == count:
            break
    return locks


def _free(locks: dict[int, int]) -> None:
    for fd in locks.values():
        os.close(fd)


@contextlib.contextmanager
def on_one_node(note: Path, node: str, records: Iterable[Path]) -> Iterator[None]:
    """Lock a block, and remove journals of its `records` that another node has written: a job that
    Slurm submits again may begin on another node.

    Waits while another process holds the block. `note` names its node, and is what is locked.
    """
    from timefair.records.store import journal_path

    note.parent.mkdir(parents=True, exist_ok=True)
    fd = files.lock(note)
    assert fd is not None
    try:
        before = os.pread(fd, 1000, 0).decode(errors="replace")
        for record in records if before != node else ():
            with contextlib.suppress(FileNotFoundError):
                journal_path(record).unlink()
                print(
                    f"timefair: {record}: its runs were measured on {before or 'an unknown node'}; "
                    f"this is {node}, and the block is measured again",
                    file=sys.stderr,
                    flush=True,
                )
        files.note(fd, node)
        yield
    finally:
        os.close(fd)
