"""What is particular to the library cmaes; test_extras.py has what every library promises."""

import contextlib

import numpy as np
import pytest

from timefair.algorithms import registry
from timefair.algorithms.adapter import Enough, Sphere
from timefair.algorithms.adapters import cmaes as adapter

pytest.importorskip("cmaes")


class Mixed:
    """Two integer variables of 3 and 21 values and two continuous ones; the best is in a corner."""

    dimension, evaluations_left, noisy = 4, None, False
    lower, upper = np.array([0.0, -10, -5, -5]), np.array([2.0, 10, 5, 5])
    integer = np.array([True, True, False, False])

    def __init__(self, most: int) -> None:
        self.evaluations, self._most = 0, most
        self.best = np.inf

    def __call__(self, x):
        if self.evaluations == self._most:
            raise Enough
        self.evaluations += 1
        assert np.array_equal(x[:2], np.rint(x[:2]))
        assert np.all((self.lower <= x) & (x <= self.upper))
        value = float(np.sum((x - [2, -7, 1.5, -1.5]) ** 2))
        self.best = min(self.best, value)
        return value

    def batch(self, points):
        return np.array([self(x) for x in points])


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_integer_variables_get_whole_numbers_and_the_best_ones(seed):
    objective = Mixed(3000)
    with contextlib.suppress(Enough):
        registry.load("cmaes:CMAwM", {}).solve(objective, np.random.default_rng(seed))
    assert objective.best < 1e-6


def test_only_the_variant_with_margin_takes_integer_variables():
    for name in adapter.NAMES:
        kinds = registry.variables(f"cmaes:{name}", {})
        assert kinds == ({"continuous", "integer"} if name == "CMAwM" else {"continuous"})


@pytest.mark.parametrize("name", adapter.NAMES)
def test_a_launch_converges_and_ends_by_itself(launch, name):
    ended = launch(f"cmaes:{name}", dimension=2, most=20_000)
    assert not ended.was_cut
    assert ended.evaluations > 100
    values = [float(np.sum((x - 0.7) ** 2 + 1 - np.cos(5 * (x - 0.7)))) for x in ended.points]
    assert min(values[-20:]) < min(values[:20]) + 1e-12


class Generations(Sphere):
    """A sphere that keeps the sizes of its batches, and may replace every third value."""

    def __init__(self, most: int, third: float | None = None) -> None:
        super().__init__(most)
        self.sizes: list[int] = []
        self._third = third

    def batch(self, points):
        self.sizes.append(len(points))
        values = super().batch(points)
        if self._third is not None:
            values[::3] = self._third
        return values


def test_a_generation_is_one_batch():
    objective = Generations(100)
    with contextlib.suppress(Enough):
        registry.load("cmaes:CMA", {"population_size": 9}).solve(
            objective, np.random.default_rng(1)
        )
    assert objective.sizes == 12 * [9]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", adapter.NAMES)
def test_values_that_are_not_numbers_do_no_harm(name, value):
    objective = Generations(600, third=value)
    with contextlib.suppress(Enough):
        registry.load(f"cmaes:{name}", {}).solve(objective, np.random.default_rng(1))
    assert objective.evaluations > 100


def test_an_error_of_linear_algebra_in_the_problem_is_not_taken_for_the_end():
    class Broken(Sphere):
        def __call__(self, x):
            raise np.linalg.LinAlgError("of the problem")

    with pytest.raises(np.linalg.LinAlgError, match="of the problem"):
        registry.load("cmaes:CMA", {}).solve(Broken(), np.random.default_rng(1))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("CMA", {"sigma": 0.1}),
        ("CMA", {"population_size": 20}),
        ("CMA", {"lr_adapt": True}),
        ("MAPCMA", {"momentum_r": 0.1}),
        ("SepCMA", {"n_max_resampling": 1}),
    ],
)
def test_a_parameter_reaches_the_library(launch, name, parameters):
    plain, changed = (
        launch(f"cmaes:{name}", most=200),
        launch(f"cmaes:{name}", parameters, most=200),
    )
    assert not np.array_equal(plain.points, changed.points)
