"""Matches the runs of a data file with the runs that its index file lists.

Both files have the runs in the order of the experiment. An aborted experiment leaves runs in the
data file that the index file does not list. A run without evaluations is listed, but absent from
the data file.
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
    """Pair listed runs with runs found in the data file, in order.

    Parameters
    ----------
    listed, found : sequence
        The runs in the index file and in the data file.
    agree : callable
        Whether a listed run and a found run can be the same.

    Returns
    -------
    list of tuple, or None
        With equal numbers of runs, each listed run with the found run at the same place. With more
        found runs than listed ones, the first found runs that agree in order, or simply the first
        ones if none do. With fewer found runs, the only assignment in which all pairs agree; None
        if there is no such assignment, or if there are several.
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
    """The earliest indices in `whole` that agree with `part` in order; None if there are none."""
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
    """Join runs that comments in the data file had split.

    Parameters
    ----------
    found : sequence
        The runs as comments split them, at least one.
    expected : int
        Number of runs in the index file.
    goes_on : callable
        Whether the second run can be the continuation of the first.
    join : callable
        Joins two such runs.

    Returns
    -------
    list or None
        The joined runs; None if their number differs from `expected`.
    """
    joined = [found[0]]
    for before, one in pairwise(found):
        if goes_on(before, one):
            joined[-1] = join(joined[-1], one)
        else:
            joined.append(one)
    return joined if len(joined) == expected else None
