"""One file of an archive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_CHUNK = 2**20


class Member(NamedTuple):
    """A file of an archive, before it is written.

    Attributes
    ----------
    path
        Path in the archive, with ``/``.
    content
        The bytes, or the file on the disk that has them.
    """

    path: str
    content: bytes | Path

    @property
    def size(self) -> int:
        """Bytes."""
        if isinstance(self.content, bytes):
            return len(self.content)
        return self.content.stat().st_size

    def chunks(self) -> Iterator[bytes]:
        """The bytes, a part of them in memory."""
        if isinstance(self.content, bytes):
            yield self.content
            return
        with self.content.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk


def files_below(folder: Path) -> list[Member]:
    """Every file below a folder, by its path in the folder, sorted; also what a link leads to."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    return [Member(name, path) for name, path in sorted(paths.items()) if path.is_file()]
