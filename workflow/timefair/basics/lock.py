"""Locks on files, which the kernel frees when their process ends; and whose a campaign is."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

DRIVER = ".driver"
"""The file in a campaign's folder that its snakemake locks, with the number of the process."""


def lock(path: Path, *, wait: bool = True, write: bool = True) -> int | None:
    """Lock a file, which is created if it does not exist. On a file system without locks, it is
    only opened.

    Parameters
    ----------
    path
        The file.
    wait
        Whether to wait while another process has locked it.
    write
        Whether it is opened for writing; a file of another user can be locked without it.

    Returns
    -------
    int or None
        A descriptor that keeps the lock until it is closed; None if another process has locked it.
    """
    mode = os.O_RDWR if write else os.O_RDONLY
    fd = os.open(path, mode | os.O_CREAT | os.O_CLOEXEC, 0o644 if write else 0o666)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP):
            os.close(fd)
            raise
    return fd


def note(fd: int, text: str) -> None:
    """Make a text the content of a locked file."""
    os.ftruncate(fd, 0)
    os.pwrite(fd, text.encode(), 0)


def snakemake_above(folder: Path) -> int | None:
    """The snakemake that has locked a campaign, if this process descends from it.

    None for a job of a batch system, whose snakemake runs elsewhere, and for a command started by
    hand.
    """
    try:
        holder = int((folder / DRIVER).read_text())
        process = os.getppid()
        while process not in (holder, 0):
            stat = Path(f"/proc/{process}/stat").read_text()
            process = int(stat.rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return holder if process == holder else None
