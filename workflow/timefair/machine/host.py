"""A machine as its kernel shows it in files, or a folder that looks like one."""

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
    """A fact that cannot be had on this machine; the message is the reason."""


@dataclass(frozen=True)
class Host:
    """Where facts are read: paths below `root`, variables of `environment`, code in `folder`.

    Paths are given without the leading slash. Whatever a file holds, reading it gives a value or
    raises `Unknown`, nothing else.
    """

    root: Path = Path("/")
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    folder: Path = field(default_factory=Path.cwd)

    def text(self, path: str) -> str:
        """The content of a file, without space around it; never empty."""
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
        """The whole number that a file holds."""
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
        """What a folder holds, sorted; perhaps nothing."""
        try:
            return sorted(os.listdir(self.root / path))
        except OSError:
            raise Unknown(f"no /{path}") from None

    def has(self, path: str) -> bool:
        """Whether a file or folder is there."""
        return os.path.exists(self.root / path)


Reader = Callable[[Host], Any]


def gather(readers: Mapping[str, Reader], host: Host) -> dict[str, Any]:
    """What each reader finds; None, and the reason under ``missing``, where it finds nothing."""
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
    """A whole number of at most 19 digits.

    >>> whole("-1", "here"), whole("100000", "here")
    (-1, 100000)
    """
    if not re.fullmatch(r"-?[0-9]{1,19}", text):
        raise Unknown(f"{where} holds no number")
    return int(text)


def decimal(text: str, where: str) -> float:
    """A number with or without decimals, not negative.

    >>> decimal("98.68", "here")
    98.68
    """
    if not re.fullmatch(r"[0-9]{1,19}(\.[0-9]{1,19})?", text):
        raise Unknown(f"{where} holds no number")
    return float(text)


def core_list(text: str, where: str) -> list[int]:
    """The cores of a list in the kernel's spelling.

    >>> core_list("0-2,8", "here")
    [0, 1, 2, 8]
    """
    cores: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        low = whole(first, where)
        high = whole(last, where) if dash else low
        if not 0 <= low <= high < _MOST_CORES:
            raise Unknown(f"{where} holds no list of cores")
        cores.update(range(low, high + 1))
    return sorted(cores)
