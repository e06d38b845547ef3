"""Tolerated defects of published data: one line per kind of defect, not one per file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class _Kind:
    places: dict[str, None] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)


class Cautions:
    """Collects what a reader of the data should know while they are read."""

    def __init__(self) -> None:
        self._kinds: dict[str, _Kind] = {}
        self.rows: dict[Path, int] = {}
        """Number of rows that were read of each data file."""

    def add(self, place: Path | str, text: str, **counts: int) -> None:
        """Add a caution.

        Parameters
        ----------
        place : Path or str
            The file, or ``""`` for all of the data. Each file is listed once per text.
        text : str
            A statement that is true of the file.
        **counts : int
            Numbers by name. They are summed over all files with the same text and printed after it.
        """
        kind = self._kinds.setdefault(text, _Kind())
        kind.places[str(place)] = None
        kind.counts.update(counts)

    @property
    def lines(self) -> list[str]:
        """One line per text: its first file, the number of other files, the text, its counts."""
        return [_line(text, kind) for text, kind in self._kinds.items()]


def _line(text: str, kind: _Kind) -> str:
    first, *others = kind.places
    more = f" and {len(others)} more" if others else ""
    counts = ", ".join(f"{name}: {number}" for name, number in kind.counts.items())
    text = f"{text} ({counts})" if counts else text
    return f"{first}{more}: {text}" if first else text
