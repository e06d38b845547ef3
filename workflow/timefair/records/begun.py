"""Notes which run a job has begun, in case the run ends its job.

An algorithm can end the process that measures it, because that process has the same user. The next
start of the job finds the run in the note, tries it again, and gives up after some attempts. The
note is a line in a file in the same folder as the record. The job holds the lock of its journal
while it writes the note.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Self

_WIDTH = 40
"""Width of the line, so that a new line covers the old one."""

Turn = tuple[int, int]
"""An instance and the number of a run."""


def begun_path(record: Path) -> Path:
    """Path of the note of the job with this record."""
    return record.with_name(record.name + ".begun")


class BegunRun:
    """The note of one job.

    Parameters
    ----------
    record
        The file that the job writes.
    """

    def __init__(self, record: Path) -> None:
        self._path = begun_path(record)
        self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._turn, self._attempts = _parsed(os.pread(self._fd, _WIDTH, 0))

    def attempts(self, turn: Turn) -> int:
        """Number of times that this run was begun and then ended its job, if it was the last one
        begun.
        """
        return self._attempts if turn == self._turn else 0

    @contextlib.contextmanager
    def noted(self, turn: Turn) -> Iterator[None]:
        """Note that a run is begun; an exception that the run did not cause clears the note."""
        attempts = self.attempts(turn) + 1
        self._write(f"instance {turn[0]} run {turn[1]} attempt {attempts}")
        try:
            yield
        except Exception:
            self._write("")
            raise

    def _write(self, line: str) -> None:
        os.pwrite(self._fd, f"{line:<{_WIDTH - 1}}\n".encode(), 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        os.close(self._fd)
        if kind is None:
            self._path.unlink(missing_ok=True)


def _parsed(line: bytes) -> tuple[Turn | None, int]:
    """The run and its attempts; none if this module did not write the line."""
    words = line.decode(errors="replace").split()
    try:
        if words[::2] == ["instance", "run", "attempt"]:
            instance, run, attempts = map(int, words[1::2])
            return (instance, run), attempts
    except ValueError:
        pass
    return None, 0
