"""Samples of many cells in few calls: a call per cell would cost more than what it computes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

COLUMNS = 10_000
"""Columns of samples in one call, for which memory is held."""


def blocks(sizes: Sequence[Hashable], columns: int) -> Iterator[list[int]]:
    """Places of cells that may be in one call.

    Parameters
    ----------
    sizes
        Of each cell, the numbers of its runs; cells in one call have the same.
    columns
        Of each cell; a call has at most `COLUMNS`, or one cell.

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
