"""A small objective for trial launches, which load, compile or check an algorithm."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Enough(BaseException):
    """Ends a trial launch."""


class Sphere:
    """The sphere on [-1, 1]^2, for a trial launch of at most `most` evaluations."""

    dimension = 2
    evaluations_left: int | None = None

    def __init__(self, most: int = sys.maxsize) -> None:
        self.evaluations = 0
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

    def __call__(self, x: Any, /) -> float:
        if self.evaluations == self._most:
            raise Enough
        self.evaluations += 1
        return float(np.sum(np.square(x)))

    def batch(self, points: Any, /) -> NDArray[np.float64]:
        return np.array([self(x) for x in points])
