"""Numbers of functions and instances that a table may name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from timefair.basics.errors import InputError, suggest
from timefair.published import numerals
from timefair.published.cautions import Cautions
from timefair.published.table.reading import Cells, Faults

Kind = Literal["function", "instance"]

SHOWN = 5
"""The largest number of names in a message."""

_NUMBER = re.compile(r"\d+(\.\d*)?(e[+-]?\d+)?", re.IGNORECASE)
"""Numbers as programs write them, such as ``3.0`` where a cell of the column is empty."""


@dataclass(frozen=True)
class Known:
    """What the other side of a comparison calls its functions; its instances have numbers only."""

    suite: str
    functions: Mapping[int, str]


@dataclass(frozen=True)
class Numbering:
    """The numbers of functions and instances of tables that are read together.

    Attributes
    ----------
    names
        For each kind, the number of each name; empty if the tables have numbers only.
    given
        For each kind, the number of each word that is one.
    """

    names: Mapping[Kind, Mapping[str, int]]
    given: Mapping[Kind, Mapping[str, int]]

    @classmethod
    def of(
        cls, tables: Sequence[Cells], cautions: Cautions, known: Known | None = None
    ) -> Numbering:
        """The numbers in all tables.

        Numbers are kept. Without `known`, names are numbered from 1 in their order, and so are
        numbers if one of them is 0. With it, they are matched by the names of its functions,
        whatever their case.

        Parameters
        ----------
        tables
            The cells of all tables.
        cautions
            Receives how names are numbered or matched.
        known
            The names that the functions have in a campaign.

        Raises
        ------
        InputError
            If names cannot be matched, or a number is 0, with `known`.
        """
        names: dict[Kind, dict[str, int]] = {"function": {}, "instance": {}}
        given: dict[Kind, dict[str, int]] = {"function": {}, "instance": {}}
        for kind in names:
            words = sorted({str(word) for one in tables for word in one.texts[kind]})
            numbers = {word: number for word in words if (number := _number(word)) is not None}
            if known is None and (len(numbers) < len(words) or 0 in numbers.values()):
                place = ranks(np.array(words, dtype=object)).tolist()
                ordered = sorted(zip(place, words, strict=True))
                names[kind] = {word: place + 1 for place, word in ordered}
                if kind == "instance":
                    cautions.add("", f"instances are numbered: {_listed(names[kind])}")
                continue
            given[kind] = numbers
            if known is not None:
                names[kind] = _matched(kind, words, numbers, known, cautions)
        return cls(names, given)

    def numbers(self, kind: Kind, words: NDArray[np.object_], faults: Faults) -> NDArray[np.int64]:
        """The number of each word, shape (rows,); a fault for each row with too large a one."""
        different, places = np.unique(words.astype(str), return_inverse=True)
        every = {**self.given[kind], **self.names[kind]}
        numbers = np.zeros(len(different), np.int64)
        for k, word in enumerate(different.tolist()):
            numbers[k] = every[word]
            if numbers[k] > numerals.LARGEST_NAME:
                text = f"{kind} is {word[:40]}; expected at most {numerals.LARGEST_NAME}"
                faults.add(np.flatnonzero(places == k), partial(_always, text))
        return numbers[places]


def _number(word: str) -> int | None:
    """The whole number that a word is, such as ``3``, ``3.0`` or ``3e0``; None for a name."""
    if not _NUMBER.fullmatch(word) or not (value := float(word)).is_integer():
        return None
    return int(min(value, numerals.LARGEST_NAME + 1.0))


def _matched(
    kind: Kind, words: Iterable[str], numbers: Mapping[str, int], known: Known, cautions: Cautions
) -> dict[str, int]:
    """The numbers of names, by the names of a campaign; of those without one, unused numbers."""
    if zero := next((word for word, number in numbers.items() if number == 0), None):
        raise InputError(
            f"{kind} {zero}: the {kind}s of {known.suite} are numbered from 1; "
            "give the same numbers"
        )
    named = [word for word in words if word not in numbers]
    if kind == "instance":
        if named:
            raise InputError(
                f"instance {named[0]!r}: the instances of {known.suite} have numbers; "
                "give the same numbers"
            )
        return {}
    by_name = {name.casefold(): number for number, name in known.functions.items()}
    found = {word: by_name[word.casefold()] for word in named if word.casefold() in by_name}
    lacking = [word for word in named if word not in found]
    if lacking and not (found or numbers):
        names = ", ".join(list(known.functions.values())[:SHOWN])
        expected = f"its number, or a name such as {names}" if names else "its number"
        raise InputError(
            f"function {lacking[0]!r}: no function of {known.suite} has this name"
            f"{suggest(lacking[0], known.functions.values())}; expected {expected}"
        )
    if found:
        cautions.add("", f"functions are matched by name: {_listed(found)}")
    if lacking:
        cautions.add(
            "", f"functions that {known.suite} does not have are left out: {_shown(lacking)}"
        )
    unused = max((*known.functions, *numbers.values()), default=0) + 1
    return found | {word: unused + k for k, word in enumerate(lacking)}


def _listed(names: Mapping[str, int]) -> str:
    return _shown([f"{number} is {name}" for name, number in names.items()])


def _shown(words: Sequence[str]) -> str:
    return ", ".join(words[:SHOWN]) + (", …" if len(words) > SHOWN else "")


def _always(text: str, place: int) -> str:
    return text


def ranks(words: NDArray[np.object_]) -> NDArray[np.intp]:
    """The rank of each word; numbers by their size, if all words are numbers."""
    different, places = np.unique(words.astype(str), return_inverse=True)
    if all(word.isdecimal() and len(word) < 20 for word in different):
        order = np.argsort(np.array([int(word) for word in different], dtype=object))
        rank = np.empty(len(different), np.intp)
        rank[order] = np.arange(len(different))
        return rank[places]
    return places.astype(np.intp)
