"""A plain objective, without a clock: it counts, keeps the points and ends a launch by raising."""

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from timefair.algorithms import registry
from timefair.algorithms.builtin import population


class Cut(BaseException):
    """As the measuring code ends a launch: no Exception, so that nobody should swallow it."""


class FakeObjective:
    """A shifted bowl with waves on [-3, 5]^D that stands `most` evaluations.

    With `shown` 2 there is a second objective, the distance to a corner.
    """

    def __init__(
        self, dimension: int = 3, most: int = 60, left: int | None = None, shown: int = 1
    ) -> None:
        self.dimension = dimension
        self.shown = shown
        self.evaluations_left = left
        self.points: list[NDArray[np.float64]] = []
        self.was_cut = False
        self.noisy = False
        self.cores = 1
        self.largest_batch = 0
        self.recommended: list[tuple[int, NDArray[np.float64]]] = []  # after so many evaluations
        self._most = most

    @property
    def lower(self) -> NDArray[np.float64]:
        return np.full(self.dimension, -3.0)

    @property
    def upper(self) -> NDArray[np.float64]:
        return np.full(self.dimension, 5.0)

    @property
    def integer(self) -> NDArray[np.bool_]:
        return np.zeros(self.dimension, dtype=bool)

    @property
    def evaluations(self) -> int:
        return len(self.points)

    @property
    def progress(self) -> float:
        return len(self.points) / self._most

    @property
    def all_inside(self) -> bool:
        return all(np.all((x >= -3) & (x <= 5)) for x in self.points)

    def __call__(self, x: Any, /) -> Any:
        if len(self.points) == self._most:
            raise Cut
        point = np.array(x, dtype=float)
        assert point.shape == (self.dimension,)
        self.points.append(point)
        value = float(np.sum((point - 0.7) ** 2 + 1 - np.cos(5 * (point - 0.7))))
        return value if self.shown == 1 else np.array([value, np.linalg.norm(point - 5)])

    def recommend(self, x: Any, /) -> None:
        self.recommended.append((self.evaluations, np.array(x, dtype=float)))

    def batch(self, points: Any, /) -> NDArray[np.float64]:
        self.largest_batch = max(self.largest_batch, len(points))
        return np.array([self(x) for x in points])


def _launch(
    use: str,
    parameters: dict[str, object] | None = None,
    *,
    seed: int = 1,
    dimension: int = 3,
    most: int = 60,
    left: int | None = None,
    noisy: bool = False,
    cores: int = 1,
) -> FakeObjective:
    given = parameters or {}
    shown = 2 if registry.tasks(use, given) == {"two objectives"} else 1
    objective = FakeObjective(dimension, most, left, shown)
    objective.noisy, objective.cores = noisy, cores
    algorithm = registry.load(use, given)
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 (as the measuring code does)
    try:
        algorithm.solve(objective, np.random.default_rng(seed))
    except Cut:
        objective.was_cut = True
    return objective


@pytest.fixture
def launch():
    """``launch(use, parameters, seed=, dimension=, most=, left=, noisy=)``: its objective."""
    return _launch


@pytest.fixture
def generations(monkeypatch):
    """How many points are evaluated together, one after the other."""
    sizes = []
    values = population.values

    def spy(objective, points):
        sizes.append(len(points))
        return values(objective, points)

    monkeypatch.setattr(population, "values", spy)
    return sizes
