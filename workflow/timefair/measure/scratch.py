"""A folder for the temporary files of one run, which is removed however the run ends."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Let `tempfile` make everything in a new folder, also in processes that are forked here.

    The folder is removed at the end, with what an ended process could not remove itself.
    """
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="timefair-", ignore_cleanup_errors=True) as folder:
        tempfile.tempdir = folder
        try:
            yield Path(folder)
        finally:
            tempfile.tempdir = before
