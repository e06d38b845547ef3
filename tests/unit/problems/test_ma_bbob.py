"""The combinations of bbob, from the values of cocoex by the definition in the paper."""

import numpy as np
import pytest

from timefair.problems import ma_bbob
from timefair.problems.base import ProblemName
from timefair.problems.registry import SUITES

pytest.importorskip("ioh")
MA_BBOB = SUITES["ma-bbob"]

SCALES = np.array(
    [
        [11.0, 17.5, 12.3, 12.6, 11.5, 15.3, 12.1, 15.3, 15.2, 17.4, 13.4, 20.4],
        [12.9, 10.4, 12.3, 10.3, 9.8, 10.6, 10.0, 14.7, 10.7, 10.8, 9.0, 12.1],
    ]
).ravel()
"""S of the paper."""

POINTS = 17  # of each problem: with 30 functions and 2 dimensions, 1,020 points


@pytest.mark.parametrize("function", MA_BBOB.functions)
@pytest.mark.parametrize("dimension", [2, 5])
def test_values_are_those_of_the_definition(function, dimension):
    name = ProblemName("ma-bbob", function, dimension, function % 3 + 1)
    problem, combined = MA_BBOB.make(name), ma_bbob._combined(name)
    points = np.random.default_rng(function).uniform(-5, 5, size=(POINTS, dimension))
    weights, x_opt = ma_bbob.weights(function), np.array(combined.optimum.x)
    total = np.zeros(POINTS)
    for i in np.flatnonzero(weights):
        part = SUITES["bbob"].problem(int(i) + 1, dimension, int(combined.instances[i]))
        o = np.array(combined.sub_problems[i].optimum.x)
        assert part.evaluate(o) == pytest.approx(part.f_opt, abs=1e-8)  # of cocoex, too
        values = np.array([part.evaluate(x - x_opt + o) for x in points]) - part.f_opt
        least = np.maximum(values, 1e-12)  # the linear slope is flat behind its optimum
        total += weights[i] * (np.log10(least) + 8) / SCALES[i]
    found = [problem.evaluate(x) for x in points]
    np.testing.assert_allclose(found, 10 ** (10 * total - 8), rtol=1e-9)


@pytest.mark.parametrize("function", MA_BBOB.functions)
def test_the_optimum_is_uniform_within_the_bounds_and_has_the_least_value(function):
    for dimension in (2, 5, 20):
        name = ProblemName("ma-bbob", function, dimension, 1)
        problem, x_opt = MA_BBOB.make(name), np.array(ma_bbob._combined(name).optimum.x)
        assert problem.evaluate(x_opt) == problem.f_opt < 1e-10
        for step in (1e-6, 1e-3, 1.0):
            assert problem.evaluate(x_opt + step) > problem.f_opt


def test_places_of_optima_fill_the_bounds():
    places = [
        ma_bbob._combined(ProblemName("ma-bbob", f, 20, 1)).optimum.x for f in MA_BBOB.functions
    ]
    assert np.abs(places).max() == pytest.approx(5, abs=0.05)
    assert np.mean(np.abs(places) > 4) == pytest.approx(0.2, abs=0.07)  # none in ioh's own ones


def test_weights_are_shares_of_two_or_more_functions():
    every = np.array([ma_bbob.weights(function) for function in MA_BBOB.functions])
    assert np.all(every >= 0)
    np.testing.assert_allclose(every.sum(axis=1), 1)
    positive = (every > 0).sum(axis=1)
    assert positive.min() == 2
    assert positive.mean() == pytest.approx(24 * 0.15, abs=0.7)


def test_numbers_that_are_not_finite_are_not_better():
    problem = MA_BBOB.problem(1, 3, 1)
    for number in (np.nan, np.inf, -np.inf):
        assert not np.isfinite(problem.evaluate(np.array([0.0, number, 0.0])))
