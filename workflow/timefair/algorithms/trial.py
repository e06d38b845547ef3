"""A small objective for trial launches, which load, compile or check an algorithm."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Enough(BaseException):
    """Ends a trial launch."""


class Sphere:
    """The sphere on [-1, 1]^2, for a trial launch of at most `most` evaluations.

    With `shown` 2, a point gives the values of two spheres.
    """

    dimension = 2
    noisy = False
    changes = 0
    cores = 1
    evaluations_left: int | None = None

    def __init__(self, most: int = sys.maxsize, shown: int = 1) -> None:
        self.evaluations = 0
        self.shown = shown
        self._most = most

    @property
    def lower(self) -> NDArray[np.float64]:
        return np.full(2, -1.0)

    @property
    def upper(self) -> NDArray[np.float64]:
        return np.full(2, 1.0)

    @property
    def integer(self) -> NDArray[np.bool_]:
        return np.zeros(2, dtype=bool)

    def __call__(self, x: Any, /) -> Any:
        if self.evaluations == self._most:
            raise Enough
        self.evaluations += 1
        values = [float(np.sum((np.asarray(x) - middle) ** 2)) for middle in range(self.shown)]
        return values[0] if self.shown == 1 else np.array(values)

    def recommend(self, x: Any, /) -> None:
        """Nothing is recorded."""

    def batch(self, points: Any, /) -> NDArray[np.float64]:
        return np.array([self(x) for x in points])
