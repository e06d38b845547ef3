"""The suites of ioh: combinations of bbob by the paper's definition, and pseudo-Boolean ones."""

import itertools

import numpy as np
import pytest

from timefair.problems import ioh
from timefair.problems.problem import ProblemName
from timefair.problems.suites import SUITES

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
    problem, combined = MA_BBOB.make(name), ioh._combined(name)
    points = np.random.default_rng(function).uniform(-5, 5, size=(POINTS, dimension))
    weights, x_opt = ioh.weights(function), np.array(combined.optimum.x)
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
        problem, x_opt = MA_BBOB.make(name), np.array(ioh._combined(name).optimum.x)
        assert problem.evaluate(x_opt) == problem.f_opt < 1e-10
        for step in (1e-6, 1e-3, 1.0):
            assert problem.evaluate(x_opt + step) > problem.f_opt


def test_places_of_optima_fill_the_bounds_and_weights_are_shares():
    places = [ioh._combined(ProblemName("ma-bbob", f, 20, 1)).optimum.x for f in MA_BBOB.functions]
    assert np.abs(places).max() == pytest.approx(5, abs=0.05)
    assert np.mean(np.abs(places) > 4) == pytest.approx(0.2, abs=0.07)  # none in ioh's own ones
    every = np.array([ioh.weights(function) for function in MA_BBOB.functions])
    assert np.all(every >= 0)
    np.testing.assert_allclose(every.sum(axis=1), 1)
    positive = (every > 0).sum(axis=1)
    assert positive.min() == 2
    assert positive.mean() == pytest.approx(24 * 0.15, abs=0.7)


def test_numbers_that_are_not_finite_are_not_better():
    problem = MA_BBOB.problem(1, 3, 1)
    for number in (np.nan, np.inf, -np.inf):
        assert not np.isfinite(problem.evaluate(np.array([0.0, number, 0.0])))


PBO = SUITES["pbo"]
PLAIN, INVERTED, PERMUTED = 1, 5, 60


def all_strings(dimension):
    return np.array(list(itertools.product((0.0, 1.0), repeat=dimension)))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("instance", [PLAIN, INVERTED, PERMUTED])
@pytest.mark.parametrize("function", PBO.functions)
def test_the_optimum_is_the_best_of_all_strings_or_not_known(function, instance):
    for dimension in (4, 5, 8, 9, 10):
        if PBO.faults([function], [dimension], [instance]):
            assert function in (21, 23)
            continue
        problem = PBO.problem(function, dimension, instance)
        assert np.isfinite(problem.f_opt) == PBO.knows_optimum(function, dimension, instance)
        if np.isfinite(problem.f_opt):
            best = min(problem.evaluate(x) for x in all_strings(dimension))
            assert best == pytest.approx(problem.f_opt, abs=1e-9)


def test_one_max_counts_zeros_from_its_optimum():
    problem = PBO.problem(1, 6, PLAIN)
    assert problem.f_opt == -6
    assert problem.evaluate(np.array([1.0, 0, 1, 1, 0, 1])) == -4
    assert problem.integer.all()
    assert (problem.lower.max(), problem.upper.min()) == (0, 1)


@pytest.mark.parametrize("value", [0.5, 2, -1, float("nan"), float("inf"), 1e-12])
def test_any_other_value_is_refused(value):
    problem = PBO.problem(1, 3, PLAIN)
    with pytest.raises(ValueError, match=r"^variable 1 of pbo f1 D=3 .* it takes 0 or 1$"):
        problem.evaluate(np.array([1.0, value, 0.0]))


@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        (([1, 26], [10], [1]), ["functions: 26 is not in pbo, which has 1 to 25"]),
        (([23], [10, 16], [1]), ["dimensions: 10 is not a square, which f23 of pbo needs"]),
        (([18], [1], [1]), ["dimensions: 1 is too small for f18 of pbo"]),
        (([1], [20_000], [1]), ["dimensions: 20000 is not in pbo, which has 1 to 10000"]),
        (([1], [5], [0]), ["instances: 0 is not in pbo, whose instances are whole numbers from 1"]),
    ],
)
def test_wrong_keys(keys, lines):
    assert PBO.faults(*keys) == lines
    with pytest.raises(ValueError, match="pbo"):
        PBO.problem(keys[0][-1], keys[1][0], keys[2][0])
