"""Plain objectives, without a clock: they count, keep the points and end a launch by raising."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.algorithms import libraries


class Cut(BaseException):
    """As the measuring code ends a launch: no Exception, so that nobody should swallow it."""


def waves(x: NDArray[np.float64]) -> float:
    return float(np.sum((x - 0.7) ** 2 + 1 - np.cos(5 * (x - 0.7))))


def bowl(x: NDArray[np.float64]) -> float:
    return float(np.sum(np.square(x)))


class Plain:
    """A function within bounds that stands `most` evaluations.

    With `shown` 2 there is a second objective, the distance to a corner.
    """

    def __init__(
        self,
        function: Callable[[NDArray[np.float64]], float] = waves,
        dimension: int = 3,
        most: float = 60,
        *,
        lower: ArrayLike = -3.0,
        upper: ArrayLike = 5.0,
        integer: ArrayLike = False,
        left: int | None = None,
        shown: int = 1,
    ) -> None:
        self.function, self.dimension, self.most = function, dimension, most
        self._bounds = [np.broadcast_to(np.array(x, float), dimension) for x in (lower, upper)]
        self.integer = np.array(np.broadcast_to(integer, dimension), dtype=bool)
        self.evaluations_left, self.shown = left, shown
        self.noisy, self.was_cut, self.cores = False, False, 1
        self.points: list[NDArray[np.float64]] = []
        self.values: list[float] = []
        self.calls = 0
        self.batches: list[int] = []  # their sizes
        self.recommended: list[tuple[int, NDArray[np.float64]]] = []  # after so many evaluations

    @property
    def lower(self) -> NDArray[np.float64]:
        return self._bounds[0].copy()

    @property
    def upper(self) -> NDArray[np.float64]:
        return self._bounds[1].copy()

    @property
    def evaluations(self) -> int:
        return len(self.points)

    @property
    def progress(self) -> float:
        return len(self.points) / max(self.most, 1)

    @property
    def all_inside(self) -> bool:
        lower, upper = self._bounds
        return all(np.all((lower <= x) & (x <= upper)) for x in self.points)

    def __call__(self, x: Any, /) -> Any:
        self.calls += 1
        if len(self.points) == self.most:
            raise Cut
        point = np.array(x, dtype=float)
        assert point.shape == (self.dimension,)
        value = self.function(point)
        self.points.append(point)
        self.values.append(value)
        return value if self.shown == 1 else np.array([value, np.linalg.norm(point - 5)])

    def recommend(self, x: Any, /) -> None:
        self.recommended.append((self.evaluations, np.array(x, dtype=float)))

    def batch(self, points: Any, /) -> NDArray[np.float64]:
        self.batches.append(len(points))
        return np.array([self(x) for x in points])


def launched(
    use: str,
    parameters: dict[str, object] | None = None,
    *,
    seed: int = 1,
    dimension: int = 3,
    most: int = 60,
    left: int | None = None,
    noisy: bool = False,
    cores: int = 1,
) -> Plain:
    given = parameters or {}
    shown = 2 if libraries.tasks(use, given) == {"two objectives"} else 1
    objective = Plain(dimension=dimension, most=most, left=left, shown=shown)
    objective.noisy, objective.cores = noisy, cores
    algorithm = libraries.load(use, given)
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 (as the measuring code does)
    try:
        algorithm.solve(objective, np.random.default_rng(seed))
    except Cut:
        objective.was_cut = True
    return objective
