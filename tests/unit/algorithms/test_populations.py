"""What the population algorithms of this package promise alike, and the parts that they share."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timefair.algorithms import registry
from timefair.algorithms.builtin import population

NAMES = ("ABC", "CRO", "JADE", "PSO", "jDE", "jDElscop", "mQSO")


class Stop(BaseException):
    """As the measuring code ends a launch."""


class Scripted:
    """The values of a list on [-1, 1]^D, again and again, and the end after `most` of them."""

    lower = property(lambda self: np.full(self.dimension, -1.0))
    upper = property(lambda self: np.full(self.dimension, 1.0))
    evaluations_left = None
    progress = property(lambda self: self.calls / max(self.most, 1))
    cores = 1

    def __init__(self, dimension: int, values: list[float], most: int) -> None:
        self.dimension, self.values, self.most = dimension, values, most
        self.calls = 0
        self.all_inside = True

    def __call__(self, x) -> float:
        self.calls += 1
        if self.calls > self.most:
            raise Stop
        self.all_inside &= bool(np.all(np.abs(x) <= 1))
        return self.values[self.calls % len(self.values)]


@pytest.mark.parametrize("name", NAMES)
def test_it_comes_close_to_the_optimum(launch, name):
    points = np.array(launch(f"timefair:{name}", left=3000, most=3000).points)
    assert np.min(np.linalg.norm(points - 0.7, axis=1)) < 0.1  # random search: 0.3


@pytest.mark.parametrize("name", NAMES)
@given(
    dimension=st.integers(1, 3),
    values=st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=7),
    most=st.integers(0, 400),
)
@settings(max_examples=25, deadline=None)
def test_any_values_are_survived_and_the_end_passes_at_once(name, dimension, values, most):
    objective = Scripted(dimension, values, most)
    with pytest.raises(Stop):
        registry.load(f"timefair:{name}", {}).solve(objective, np.random.default_rng(1))
    assert objective.calls == most + 1
    assert objective.all_inside


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("ABC", {"food": 2, "limit": 1}),
        ("CRO", {"n": 1, "m": 1, "rho": 0.0, "fbs": 1.0, "fa": 1, "fd": 0.99, "pd": 1}),
        ("JADE", {"population": 3, "p": 0.0, "c": 1}),
        ("PSO", {"population": 1, "omega": 0, "c1": 0, "c2": 0, "start_velocity": 0}),
        ("jDE", {"population": 4, "tau1": 0, "tau2": 1}),
        ("jDElscop", {"population": 4, "budget": 300}),
    ],
)
def test_the_extreme_parameters_work(launch, name, parameters):
    assert registry.faults(f"timefair:{name}", parameters) == []
    assert launch(f"timefair:{name}", parameters, most=300).evaluations == 300


@given(st.integers(3, 12), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_partners_are_different_from_each_other_and_from_the_member(size, more, seed):
    rng = np.random.default_rng(seed)
    drawn = population.partners(rng, size, size, size + more)
    together = np.stack([np.arange(size), *drawn])
    assert all(len(set(column)) == 3 for column in together.T)
    assert together.min() == 0
    assert drawn[0].max() < size
    assert drawn[1].max() < size + more


def test_binomial_crossover_takes_each_component_at_the_rate_and_one_for_certain():
    rng = np.random.default_rng(5)
    rates = np.repeat([0.0, 0.3, 1.0], 20_000)
    none, some, all_ = np.split(population.binomial(rng, rates, 5), 3)
    np.testing.assert_array_equal(none.sum(axis=1), 1)
    np.testing.assert_allclose(none.mean(axis=0), 1 / 5, atol=0.01)
    np.testing.assert_allclose(some.mean(axis=0), 1 / 5 + 4 / 5 * 0.3, atol=0.01)
    assert all_.all()


def test_exponential_crossover_takes_one_stretch_that_goes_on_at_the_rate():
    rng = np.random.default_rng(5)
    rates = np.repeat([0.0, 0.7, 1.0], 20_000)
    one, some, all_ = np.split(population.exponential(rng, rates, 5), 3)
    np.testing.assert_array_equal(one.sum(axis=1), 1)
    assert all_.all()
    starts = (some & ~np.roll(some, 1, axis=1)).sum(axis=1)
    assert set(starts) == {0, 1}  # around the circle; none if all are taken
    lengths = np.bincount(some.sum(axis=1), minlength=6)[1:] / len(some)
    expected = [0.3, 0.7 * 0.3, 0.7**2 * 0.3, 0.7**3 * 0.3, 0.7**4]
    np.testing.assert_allclose(lengths, expected, atol=0.01)
    np.testing.assert_allclose(some.mean(axis=0), some.mean(), atol=0.01)


@pytest.mark.parametrize("cores", [1, 2])
def test_nan_is_the_worst_value(cores):
    class Objective:
        def __call__(self, x):
            return np.nan if x[0] else -np.inf

        def batch(self, points):
            assert self.cores > 1
            return np.array([self(x) for x in points])

    objective = Objective()
    objective.cores = cores
    values = population.values(objective, np.array([[0.0], [1.0]]))
    np.testing.assert_array_equal(values, [-np.inf, np.inf])
