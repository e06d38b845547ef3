"""Records which files of an earlier analysis are still up to date."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from timefair.basics.atomic import atomic_file
from timefair.campaign.provenance import key_of


class Entry(NamedTuple):
    """How a file was made.

    Attributes
    ----------
    key
        Digest of the code and the input.
    content
        SHA-256 of the file.
    settings
        SHA-256 of each setting that was read, by name.
    cpu_s
        CPU time in seconds that it took to make the file.
    """

    key: str
    content: str
    settings: dict[str, str]
    cpu_s: float = 0.0


class Ledger:
    """Records how each file of a folder was made, and its content.

    A file is current if its key, the settings with which it was made, and its content have not
    changed. If the ledger is missing or cannot be read, no file is current, so that everything is
    made again.

    Parameters
    ----------
    path
        The file of the ledger.
    settings
        All settings, by name. Only the settings that were read when a file was made matter to it.
    """

    def __init__(self, path: Path, settings: Mapping[str, object]) -> None:
        self._path = path
        self._cpu_s = time.process_time()
        self._settings = {name: key_of(value) for name, value in settings.items()}
        self._made: dict[str, Entry] = {}
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
            self._made = {name: Entry(**entry) for name, entry in known.items()}
        except (OSError, ValueError, AttributeError, TypeError):
            pass

    def is_current(self, file: Path, key: str) -> bool:
        """Whether the file was made by this key and has not changed since."""
        entry = self._made.get(file.name)
        return (
            entry is not None
            and file.is_file()
            and entry.key == key
            and entry.settings.items() <= self._settings.items()
            and entry.content == _digest(file)
        )

    def note(self, file: Path, key: str, settings: Iterable[str]) -> None:
        """Record that the file was just made by this key, with settings of these names.

        All CPU time since the last note, or since this ledger was opened, counts as its own.
        """
        used = {name: self._settings[name] for name in sorted(settings)}
        before, self._cpu_s = self._cpu_s, time.process_time()
        self._made[file.name] = Entry(key, _digest(file), used, self._cpu_s - before)

    def settings_of(self, file: Path) -> frozenset[str]:
        """The names of the settings that a current file was made with."""
        return frozenset(self._made[file.name].settings)

    def files(self) -> list[str]:
        """The names of all files that are remembered."""
        return list(self._made)

    def cpu_s(self) -> float:
        """CPU time in seconds that all files took, each when it was made last."""
        return sum(entry.cpu_s for entry in self._made.values())

    def forget(self, file: Path) -> None:
        """Forget a file that is no longer made, and remove it."""
        del self._made[file.name]
        file.unlink(missing_ok=True)

    def save(self) -> None:
        """Write the ledger; an interrupted write leaves the old one."""
        entries = {name: entry._asdict() for name, entry in self._made.items()}
        with atomic_file(self._path) as file:
            file.write(json.dumps(entries, indent=1, sort_keys=True).encode())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
