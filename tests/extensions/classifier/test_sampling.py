"""Samples of problems for features of their landscapes."""

from __future__ import annotations

import numpy as np
import pytest

from timefair.extensions.classifier.sampling import sample, sample_size
from timefair.problems import registry


@pytest.mark.parametrize(
    ("suite", "function", "dimension"),
    [("bbob", 3, 2), ("bbob-mixint", 1, 5), ("pbo", 1, 16)],
)
def test_a_sample_is_within_the_bounds_and_the_same_each_time(
    suite: str, function: int, dimension: int
) -> None:
    problem = registry.find(suite, {}).problem(function, dimension, 1)
    points, values = sample(problem)
    assert points.shape == (sample_size(dimension), dimension)
    assert values.shape == (sample_size(dimension),)
    assert points.min() >= 0.0
    assert points.max() <= 1.0
    again = sample(registry.find(suite, {}).problem(function, dimension, 1))
    np.testing.assert_array_equal(points, again[0])
    np.testing.assert_array_equal(values, again[1])
    at = problem.lower + points * (problem.upper - problem.lower)
    assert values[5] == pytest.approx(problem.evaluate(np.round(at[5], 12)), rel=1e-6)
    np.testing.assert_allclose(at[:, problem.integer], np.round(at[:, problem.integer]), atol=1e-9)


def test_noise_is_the_same_each_time() -> None:
    suite = registry.find("bbob-noisy", {})
    problem = suite.problem(suite.functions[0], 2, 1)
    np.testing.assert_array_equal(sample(problem)[1], sample(problem)[1])


@pytest.mark.parametrize(("suite", "function"), [("bbob-noisy", 101), ("moving", 2)])
def test_of_several_numbers_a_sample_has_those_that_an_algorithm_gets(suite, function) -> None:
    problem = registry.find(suite, {}).problem(function, 2, 1)
    _, values = sample(problem)
    assert values.shape == (sample_size(2),)
    assert np.isfinite(values).all()


@pytest.mark.parametrize(("dimension", "points"), [(1, 50), (10, 500), (40, 1000)])
def test_the_number_of_evaluations_is_limited(dimension: int, points: int) -> None:
    assert sample_size(dimension) == points
