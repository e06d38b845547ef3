"""The hypervolume indicator of COCO, after each of some vectors of two objectives.

The indicator of a set is the area of the unit square that it weakly dominates or, if no vector is
there, minus the distance of the nearest one (Brockhoff et al., Evolutionary Computation 30, 2022).
`moocore` has it for a complete set; a run needs it after every vector.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np
from numpy.typing import ArrayLike, NDArray

GRID = 5e-13
"""Distance of neighbouring normalized values."""


def normalized(vectors: ArrayLike, ideal: ArrayLike, nadir: ArrayLike) -> NDArray[np.float64]:
    """Normalize finite vectors, shape ``(n, 2)``, as COCO does: the ideal point is (0, 0), the
    nadir point (1, 1).

    A value below the ideal one is a rounding error and becomes 0. A vector with one ideal value is
    an extreme of the front, so its other value is at least 1.

    >>> normalized([[3.0, 5.0], [1.0, 6.0]], ideal=[1.0, 4.0], nadir=[5.0, 8.0]).tolist()
    [[0.5, 0.25], [0.0, 1.0]]
    """
    low, high = np.asarray(ideal, dtype=np.float64), np.asarray(nadir, dtype=np.float64)
    steps = np.floor((np.asarray(vectors, dtype=np.float64) - low) / (high - low) / GRID + 0.5)
    found = np.maximum(steps * GRID, 0.0)
    for one, other in ((0, 1), (1, 0)):
        at_the_ideal = (found[:, one] == 0) & (found[:, other] < 1)
        found[at_the_ideal, other] = 1.0
    return np.asarray(found, dtype=np.float64)


def after_each(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """The indicator after each of some normalized vectors, shape ``(n,)``; it never falls.

    >>> after_each(np.array([[2.0, 0.5], [0.5, 0.5], [0.6, 0.6], [0.0, 0.9]])).tolist()
    [-1.0, 0.25, 0.25, 0.3]
    """
    area = _Area()
    areas = np.array([area.with_vector(*vector) for vector in vectors.tolist()])
    beyond = np.maximum(vectors - 1.0, 0.0)
    distance = np.minimum.accumulate(np.hypot(beyond[:, 0], beyond[:, 1]))
    return np.where(distance > 0, -distance, areas.reshape(distance.shape))


class _Area:
    """The area that vectors dominate in the unit square: a staircase."""

    def __init__(self) -> None:
        self._first: list[float] = []  # rising
        self._second: list[float] = []  # falling
        self._dominated = 0.0

    def with_vector(self, first: float, second: float) -> float:
        """The area after one more vector."""
        place = bisect_right(self._first, first)
        above = self._second[place - 1] if place else 1.0
        if first <= 1 and second <= 1 and (not place or second < above):
            self._dominated += self._added(first, second)
        return self._dominated

    def _added(self, first: float, second: float) -> float:
        """Insert a vector that no other dominates; return the area that it adds."""
        begin = end = bisect_left(self._first, first)
        above = self._second[begin - 1] if begin else 1.0
        left, added = first, 0.0
        while end < len(self._first) and self._second[end] >= second:
            added += (self._first[end] - left) * (above - second)
            left, above = self._first[end], self._second[end]
            end += 1
        right = self._first[end] if end < len(self._first) else 1.0
        self._first[begin:end] = [first]
        self._second[begin:end] = [second]
        return added + (right - left) * (above - second)
