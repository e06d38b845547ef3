"""What is amiss with published data and does not make them wrong: a line a kind, not one a file."""

from __future__ import annotations

from pathlib import Path


class Cautions:
    """Remarks on files, gathered while data are read."""

    def __init__(self) -> None:
        self._places: dict[str, dict[str, None]] = {}

    def add(self, place: Path | str, remark: str) -> None:
        """Note what is so of a file, or of a whole archive with ``""``; once, however often."""
        self._places.setdefault(remark, {})[str(place)] = None

    @property
    def lines(self) -> list[str]:
        """A line for each remark, with the first file that it is made of and how many more."""
        return [_line(list(places), remark) for remark, places in self._places.items()]


def _line(places: list[str], remark: str) -> str:
    first, more = places[0], len(places) - 1
    others = f" and {more} more" if more else ""
    return f"{first}{others}: {remark}" if first else remark
