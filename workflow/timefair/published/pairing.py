"""Which trial of a data file is which of those that its index file lists.

Both have them in the order in which they were made. An experiment that was killed leaves trials in
a data file that no index file lists; a trial without evaluations is listed, and in no data file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

ListedT = TypeVar("ListedT")
FoundT = TypeVar("FoundT")
PartT = TypeVar("PartT")
WholeT = TypeVar("WholeT")


def paired(
    listed: Sequence[ListedT], found: Sequence[FoundT], agree: Callable[[ListedT, FoundT], bool]
) -> list[tuple[ListedT, FoundT]] | None:
    """The trials that are listed, each with what was found of it, in order.

    Equal numbers pair one by one. With more found, those that agree are taken, or the first ones if
    they do not. With fewer found, those listed that agree, if no others could; else None.
    """
    if len(found) > len(listed):
        chosen = _embedding(listed, found, agree)
        return list(zip(listed, map(found.__getitem__, chosen or range(len(listed))), strict=True))
    if len(found) < len(listed):
        return _only_pairs(listed, found, agree)
    return list(zip(listed, found, strict=True))


def _only_pairs(
    listed: Sequence[ListedT], found: Sequence[FoundT], agree: Callable[[ListedT, FoundT], bool]
) -> list[tuple[ListedT, FoundT]] | None:
    def agrees(one: FoundT, other: ListedT) -> bool:
        return agree(other, one)

    first = _embedding(found, listed, agrees)
    last = _embedding(found[::-1], listed[::-1], agrees)
    if first is None or last is None or first != [len(listed) - 1 - k for k in reversed(last)]:
        return None
    return [(listed[k], one) for k, one in zip(first, found, strict=True)]


def _embedding(
    part: Sequence[PartT], whole: Sequence[WholeT], agree: Callable[[PartT, WholeT], bool]
) -> list[int] | None:
    """The earliest places in the whole that agree with the part, in order; None if there are no."""
    places: list[int] = []
    for k, one in enumerate(whole):
        if len(places) < len(part) and agree(part[len(places)], one):
            places.append(k)
    return places if len(places) == len(part) else None


def rejoined(
    found: Sequence[FoundT],
    expected: int,
    goes_on: Callable[[FoundT, FoundT], bool],
    join: Callable[[FoundT, FoundT], FoundT],
) -> list[FoundT] | None:
    """The trials with those joined that comments had cut, if their number is then as expected."""
    joined = [found[0]]
    for before, one in pairwise(found):
        if goes_on(before, one):
            joined[-1] = join(joined[-1], one)
        else:
            joined.append(one)
    return joined if len(joined) == expected else None
