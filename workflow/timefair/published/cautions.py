"""What is amiss with published data and does not make them wrong: a line a kind, not one a file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class _Remark:
    places: dict[str, None] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)


class Cautions:
    """Remarks on files, gathered while data are read."""

    def __init__(self) -> None:
        self._remarks: dict[str, _Remark] = {}

    def add(self, place: Path | str, remark: str, **counts: int) -> None:
        """Note what is so of a file, or of a whole archive with ``""``; once, however often.

        Counts are added up over all files of the same remark.
        """
        kind = self._remarks.setdefault(remark, _Remark())
        kind.places[str(place)] = None
        kind.counts.update(counts)

    @property
    def lines(self) -> list[str]:
        """A line for each remark, with the first file that it is made of and how many more."""
        return [_line(remark, kind) for remark, kind in self._remarks.items()]


def _line(remark: str, kind: _Remark) -> str:
    first, *others = kind.places
    more = f" and {len(others)} more" if others else ""
    counts = ", ".join(f"{name}: {number}" for name, number in kind.counts.items())
    text = f"{remark} ({counts})" if counts else remark
    return f"{first}{more}: {text}" if first else text
