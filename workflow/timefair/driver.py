"""One workflow at a time works on a campaign."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

from timefair.errors import InputError

NAME = ".driver"


def hold(folder: Path) -> None:
    """Hold the folder of a campaign for as long as this process lives, however it ends.

    Jobs that outlive a workflow which was killed do not hold it: each holds its own journal, and
    the next workflow waits for them there. On a file system without locks nothing is held.

    Raises
    ------
    InputError
        If another process holds it.
    """
    fd = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(fd, 20, 0).decode(errors="replace")
        os.close(fd)
        raise InputError(
            f"{folder}: another snakemake (process {holder}) works on this campaign; "
            "wait until it has ended, or end it"
        ) from None
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP):
            raise
    os.ftruncate(fd, 0)
    os.pwrite(fd, str(os.getpid()).encode(), 0)
