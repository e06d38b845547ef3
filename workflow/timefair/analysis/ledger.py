"""Which files of an earlier analysis are still right."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from timefair.basics.atomic import atomic_file


class Ledger:
    """Remembers by which key each file of a folder was made, and what it held then.

    A file is current if its key has not changed and its content is still the one that was made. A
    ledger that is missing or cannot be read knows no file, so that everything is made again.

    Parameters
    ----------
    path
        The file of the ledger.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._made: dict[str, list[str]] = {}
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
            self._made = {name: [str(part) for part in entry] for name, entry in known.items()}
        except (OSError, ValueError, AttributeError, TypeError):
            pass

    def is_current(self, file: Path, key: str) -> bool:
        """Whether the file was made by this key and has not changed since."""
        return file.is_file() and self._made.get(file.name) == [key, _digest(file)]

    def note(self, file: Path, key: str) -> None:
        """Remember that the file was just made by this key."""
        self._made[file.name] = [key, _digest(file)]

    def save(self) -> None:
        """Write the ledger; an interrupted write leaves the old one."""
        with atomic_file(self._path) as file:
            file.write(json.dumps(self._made, indent=1, sort_keys=True).encode())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
