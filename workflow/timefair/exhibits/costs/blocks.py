"""Groups of cells that one call computes, because one call per cell would be slow."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

COLUMNS = 10_000
"""Maximal number of columns of samples in one call. It limits the memory of the call."""


def blocks(sizes: Sequence[Hashable], columns: int) -> Iterator[list[int]]:
    """Yield the indices of the cells of each call.

    Parameters
    ----------
    sizes
        The numbers of runs of each cell; all cells of a call have the same numbers.
    columns
        Columns of each cell; a call has at most `COLUMNS` columns, or a single cell.

    Examples
    --------
    >>> list(blocks([10, 15, 10], columns=70))
    [[0, 2], [1]]
    """
    together: dict[Hashable, list[int]] = {}
    for place, size in enumerate(sizes):
        together.setdefault(size, []).append(place)
    most = max(1, COLUMNS // max(columns, 1))
    for same in together.values():
        for start in range(0, len(same), most):
            yield same[start : start + most]
