"""A block of jobs that one node measures completely."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from timefair.basics import files
from timefair.records.journal import journal_path


@contextlib.contextmanager
def on_one_node(note: Path, node: str, records: Iterable[Path]) -> Iterator[None]:
    """Lock a block, and remove results in it that another node has measured.

    Waits while another process holds the block. A job that Slurm submits again may begin on another
    node; the journals of the earlier attempt are then removed, and its runs are measured again.

    Parameters
    ----------
    note
        The file that names the node of the block; it is locked inside the block of code. On a file
        system without locks, it is not locked.
    node
        The name of this node.
    records
        The records of the block.
    """
    note.parent.mkdir(parents=True, exist_ok=True)
    fd = files.lock(note)
    assert fd is not None
    try:
        before = os.pread(fd, 1000, 0).decode(errors="replace")
        if before != node:
            _drop(before, node, records)
            files.note(fd, node)
        yield
    finally:
        os.close(fd)


def _drop(before: str, node: str, records: Iterable[Path]) -> None:
    for record in records:
        with contextlib.suppress(FileNotFoundError):
            journal_path(record).unlink()
            print(
                f"timefair: {record}: its runs were measured on {before or 'an unknown node'}; "
                f"this is {node}, and the block is measured again",
                file=sys.stderr,
                flush=True,
            )
