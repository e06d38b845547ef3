"""Reads the files in which the kernel describes a machine, or a folder with such files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MB = 2**20

_MOST_CORES = 2**16


class Unknown(Exception):
    """A fact is not available on this machine; the message is the reason."""


@dataclass(frozen=True)
class Host:
    """Where facts are read: files below `root`, variables of `environment`, code in `folder`.

    Paths have no leading slash. Reading any file returns a value or raises `Unknown`.
    """

    root: Path = Path("/")
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    folder: Path = field(default_factory=Path.cwd)

    def text(self, path: str) -> str:
        """The content of a file without surrounding space; never empty."""
        try:
            content = (self.root / path).read_text(encoding="utf-8", errors="replace").strip()
        except (FileNotFoundError, NotADirectoryError):
            raise Unknown(f"no /{path}") from None
        except OSError:
            raise Unknown(f"/{path} cannot be read") from None
        if not content:
            raise Unknown(f"/{path} is empty")
        return content

    def number(self, path: str) -> int:
        """The whole number in a file."""
        return whole(self.text(path), f"/{path}")

    def fields(self, path: str, separator: str = ":") -> dict[str, str]:
        """The first value of each name in a file of ``name: value`` lines."""
        found: dict[str, str] = {}
        for line in self.text(path).splitlines():
            name, _, value = line.partition(separator)
            found.setdefault(name.strip(), value.strip())
        return found

    def field(self, path: str, name: str, separator: str = ":") -> str:
        """One value of a file of ``name: value`` lines; never empty."""
        value = self.fields(path, separator).get(name)
        if not value:
            raise Unknown(f"/{path} has no {name!r}")
        return value

    def names(self, path: str) -> list[str]:
        """The sorted names in a folder; may be empty."""
        try:
            return sorted(os.listdir(self.root / path))
        except OSError:
            raise Unknown(f"no /{path}") from None

    def has(self, path: str) -> bool:
        """Whether a file or folder exists."""
        return os.path.exists(self.root / path)


Reader = Callable[[Host], Any]


def gather(readers: Mapping[str, Reader], host: Host) -> dict[str, Any]:
    """Call all readers; an unknown fact is None, with the reason under ``missing``."""
    facts: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for name, read in readers.items():
        try:
            facts[name] = read(host)
        except Unknown as reason:
            facts[name] = None
            missing[name] = f"not available here: {reason}"
    return {**facts, "missing": missing}


def whole(text: str, where: str) -> int:
    """Parse a whole number of at most 19 digits.

    >>> whole("-1", "here"), whole("100000", "here")
    (-1, 100000)
    """
    if not re.fullmatch(r"-?[0-9]{1,19}", text):
        raise Unknown(f"{where} has no number")
    return int(text)


def decimal(text: str, where: str) -> float:
    """Parse a number that is not negative, with or without decimals.

    >>> decimal("98.68", "here")
    98.68
    """
    if not re.fullmatch(r"[0-9]{1,19}(\.[0-9]{1,19})?", text):
        raise Unknown(f"{where} has no number")
    return float(text)


def core_list(text: str, where: str) -> list[int]:
    """Parse a list of cores in the format of the kernel.

    >>> core_list("0-2,8", "here")
    [0, 1, 2, 8]
    """
    cores: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        low = whole(first, where)
        high = whole(last, where) if dash else low
        if not 0 <= low <= high < _MOST_CORES:
            raise Unknown(f"{where} has no list of cores")
        cores.update(range(low, high + 1))
    return sorted(cores)
