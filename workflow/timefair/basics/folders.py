"""Folders that an algorithm fills: removed, however deep they are."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path


def remove(folder: str) -> None:
    """Remove a folder with everything in it, as far as its permissions allow."""
    with contextlib.suppress(RecursionError):  # of Python before 3.13
        shutil.rmtree(folder, ignore_errors=True)
    if Path(folder).exists():  # rm needs neither long paths nor many open files
        command = ["rm", "-rf", "--", folder]
        subprocess.run(command, stderr=subprocess.DEVNULL, check=False)


@contextlib.contextmanager
def temporary_folder(prefix: str) -> Iterator[str]:
    """A new temporary folder, removed at the end."""
    folder = tempfile.mkdtemp(prefix=prefix)
    try:
        yield folder
    finally:
        remove(folder)
