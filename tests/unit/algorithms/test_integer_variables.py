"""Algorithms that say they take integer variables evaluate whole numbers within the bounds."""

import contextlib
import random
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from timefair.algorithms import registry

EVALUATIONS = 150


class Cut(BaseException):
    pass


@dataclass
class Bowl:
    """A bowl on whole and other numbers, around a third of the way."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    integer: NDArray[np.bool_]
    points: list[NDArray[np.float64]] = field(default_factory=list)
    evaluations_left: int | None = EVALUATIONS
    most: int = EVALUATIONS
    cores = 1
    noisy: bool = False

    @property
    def dimension(self) -> int:
        return self.integer.size

    @property
    def evaluations(self) -> int:
        return len(self.points)

    def __call__(self, x) -> float:
        if len(self.points) == self.most:
            raise Cut
        self.points.append(np.array(x, dtype=float))
        return float(np.sum(np.square(self.points[-1] - self.upper / 3)))


def bowl(kind: str) -> Bowl:
    whole = np.array([True] * 4)
    if kind == "binary":
        return Bowl(np.zeros(4), np.ones(4), whole)
    if kind == "integer":
        return Bowl(np.array([0.0, -3, 2, 0]), np.array([1.0, 3, 17, 40]), whole)
    mixed = np.array([True, False, True, False])
    return Bowl(np.array([0.0, -5, -8, 0]), np.array([1.0, 5, 15, 1]), mixed)


def launch(use: str, objective: Bowl) -> Bowl:
    algorithm = registry.load(use, {})
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 (as the measuring code does)
    with contextlib.suppress(Cut):
        algorithm.solve(objective, np.random.default_rng(1))
    return objective


TAKING = (
    "timefair:random-search", "scipy:differential_evolution", "pycma:CMA-ES", "pycma:IPOP",
    "pycma:BIPOP", "nevergrad:DE", "nevergrad:PSO", "nevergrad:NGOpt",
    "nevergrad:DiscreteOnePlusOne", "nevergrad:DiscreteLenglerOnePlusOne", "nevergrad:RCobyla",
)  # fmt: skip


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", ["binary", "integer", "mixed"])
@pytest.mark.parametrize("use", TAKING)
def test_points_are_whole_and_inside(use, kind):
    objective = launch(use, bowl(kind))
    points = np.array(objective.points)
    whole = points[:, objective.integer]
    assert len(points) > 20
    np.testing.assert_array_equal(whole, np.rint(whole))
    assert np.all((points >= objective.lower) & (points <= objective.upper))
    assert len(np.unique(whole, axis=0)) > 5
    if kind == "mixed":
        rest = points[:, ~objective.integer]
        assert np.any(rest != np.rint(rest))


@pytest.mark.parametrize("use", TAKING)
def test_it_says_so(use):
    assert registry.variables(use, {}) >= {"continuous", "integer"}


def test_random_search_is_uniform_on_whole_numbers():
    objective = bowl("integer")
    objective.most = 7000
    points = np.array(launch("timefair:random-search", objective).points)
    numbers, counts = np.unique(points[:, 1], return_counts=True)
    assert numbers.tolist() == list(range(-3, 4))
    np.testing.assert_allclose(counts, 1000, atol=150)
