"""One part of an item, and functions that put evidence into words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from timefair.basics.words import first

MOST = 8
"""Number of names that are listed; the others are counted."""


class ChecklistPart(NamedTuple):
    """The subject of a part, the evidence, and what is missing; it is met if nothing is missing.

    `measured` is False for what nobody measured, and nobody requires: it is neither met nor open.
    """

    name: str
    evidence: str
    missing: str = ""
    measured: bool = True

    @property
    def met(self) -> bool | None:
        """None if it was not measured."""
        return not self.missing if self.measured else None


def listed(words: Iterable[object]) -> str:
    """The words, separated by commas.

    >>> listed(range(10))
    '0, 1, 2, 3, 4, 5, 6, 7 and 2 more'
    """
    return first(words, MOST)


def sentence(*clauses: str) -> str:
    """The clauses that are not empty, separated by semicolons."""
    return "; ".join(clause for clause in clauses if clause)


def by_algorithm(said: Mapping[str, str]) -> str:
    """The text on each algorithm; a text that several algorithms share appears once.

    >>> by_algorithm({"A": "2 s", "B": "1 s", "C": "2 s"})
    '2 s (A, C); 1 s (B)'
    >>> by_algorithm({"A": "2 s", "C": "2 s"})
    '2 s'
    """
    groups: dict[str, list[str]] = {}
    for label, text in said.items():
        groups.setdefault(text, []).append(label)
    if len(groups) == 1:
        return next(iter(groups))
    return sentence(*(f"{text} ({listed(names)})" for text, names in groups.items()))
