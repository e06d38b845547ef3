import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timefair.extensions.competitions.cec import GROUPED, Cec2010, draw

FUNCTIONS = range(1, 21)
ROTATED = (4, 5, 6, 9, 10, 11, 14, 15, 16)
LAYOUTS = ((10, 5), (12, 3), (1000, 50))
DEFAULT = Cec2010()


def sphere(x):
    return sum(x**2)


def elliptic(x):
    return sum((10**6) ** (i / (len(x) - 1)) * x[i] ** 2 for i in range(len(x)))


def rastrigin(x):
    return sum(x**2 - 10 * np.cos(2 * np.pi * x) + 10)


def ackley(x):
    root, waves = np.sqrt(sum(x**2) / len(x)), sum(np.cos(2 * np.pi * x)) / len(x)
    return -20 * np.exp(-0.2 * root) - np.exp(waves) + 20 + np.e


def schwefel(x):
    return sum(sum(x[: i + 1]) ** 2 for i in range(len(x)))


def rosenbrock(x):
    return sum(100 * (x[:-1] ** 2 - x[1:]) ** 2 + (x[:-1] - 1) ** 2)


NAMED = [elliptic, rastrigin, ackley]
NAMED += [elliptic, rastrigin, ackley, schwefel, rosenbrock] * 3
NAMED += [schwefel, rosenbrock]


def report(function, m, data, x):
    """F1 to F20 as the report has them, with its shift o, permutation P and rotation M."""
    d, p, named = len(x), data.order, NAMED[function - 1]
    o = data.optimum.copy()
    o[p[: {8: m, 13: d // 2, 18: d, 20: d}.get(function, 0)]] -= 1.0
    z = x - o
    turned = (lambda group: group @ data.rotation) if function in ROTATED else (lambda group: group)
    alone = sphere if named in (schwefel, rosenbrock) else named
    if function in (1, 2, 3, 19, 20):
        return named(z)
    if function < 9:
        return named(turned(z[p[:m]])) * 10**6 + alone(z[p[m:]])
    groups = d // (2 * m) if function < 14 else d // m
    total = sum(named(turned(z[p[k * m : (k + 1) * m]])) for k in range(groups))
    return total + alone(z[p[d // 2 :]]) if function < 14 else total


def size(function, m):
    return m if function in GROUPED else 0


def points(problem, count, seed=1):
    return np.random.default_rng(seed).uniform(
        problem.lower, problem.upper, (count, problem.dimension)
    )


@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_are_those_of_the_reports_formulas_and_the_optimum_is_0(function):
    for dimension, m in LAYOUTS:
        problem = Cec2010().configured({"group_size": m}).problem(function, dimension, 4)
        data = draw(function, dimension, size(function, m), 4)
        near = data.optimum + np.random.default_rng(2).normal(size=(3, dimension))
        for x in (*points(problem, 5), *near, 2 * problem.upper):
            assert problem.evaluate(x) == pytest.approx(report(function, m, data, x), rel=1e-11)
    for (dimension, m), instance in itertools.product([LAYOUTS[0], (100, 50)], (1, 2**31 - 1)):
        problem = Cec2010().configured({"group_size": m}).problem(function, dimension, instance)
        optimum = draw(function, dimension, size(function, m), instance).optimum
        assert problem.f_opt == problem.evaluate(optimum) == 0.0
        assert np.all(problem.lower <= optimum)
        assert np.all(optimum <= problem.upper)


def test_bounds_are_the_reports_and_each_problem_has_data_of_its_own():
    small = {2: 5, 5: 5, 10: 5, 15: 5, 3: 32, 6: 32, 11: 32, 16: 32}
    for function in FUNCTIONS:
        problem = DEFAULT.problem(function, 10, 1)
        np.testing.assert_array_equal(problem.upper, np.full(10, small.get(function, 100)))
        np.testing.assert_array_equal(problem.lower, -problem.upper)
    first, again = draw(4, 20, 5, 1), draw(4, 20, 5, 1)
    np.testing.assert_array_equal(first.optimum, again.optimum)
    np.testing.assert_array_equal(first.order, again.order)
    np.testing.assert_array_equal(first.rotation, again.rotation)
    np.testing.assert_allclose(first.rotation @ first.rotation.T, np.eye(5), atol=1e-13)
    for other in (draw(5, 20, 5, 1), draw(4, 25, 5, 1), draw(4, 20, 4, 1), draw(4, 20, 5, 2)):
        assert not np.isin(first.optimum, other.optimum).any()


@pytest.mark.parametrize(("dimension", "m"), [(10, 5), (50, 25), (100, 50), (1000, 50)])
def test_groups_are_of_50_variables_or_of_half_of_them(dimension, m):
    x = np.ones(dimension)
    by_default = DEFAULT.problem(9, dimension, 1).evaluate(x)
    assert by_default == Cec2010().configured({"group_size": m}).problem(9, dimension, 1).evaluate(
        x
    )


@pytest.mark.parametrize("function", FUNCTIONS)
def test_nan_gives_nan_and_infinity_nothing_finite(function):
    problem = DEFAULT.problem(function, 10, 1)
    for variable in (0, 9):
        x = np.ones(10)
        x[variable] = np.nan
        assert np.isnan(problem.evaluate(x))
        x[variable] = np.inf
        assert not np.isfinite(problem.evaluate(x))


def test_dimensions_that_the_groups_do_not_fill():
    assert DEFAULT.faults([], [1], []) == [
        "dimensions: 1 is not in cec2010, whose dimensions are whole numbers from 2"
    ]
    halves, all_in = "a multiple of 10, twice its group size", "a multiple of 5, its group size"
    assert Cec2010().configured({"group_size": 5}).faults(
        [1, 4, 9, 14, 20], [5, 15, 18, 20], [1]
    ) == [
        f"dimensions: {dimension} does not fit cec2010 f{function}, which takes {right}"
        for function, dimension, right in (
            (4, 5, "more than 5 variables, its group"),
            (9, 5, halves),
            (9, 15, halves),
            (9, 18, halves),
            (14, 18, all_in),
        )
    ]
    with pytest.raises(ValueError, match="dimensions: 15 does not fit cec2010 f9"):
        Cec2010().configured({"group_size": 5}).problem(9, 15, 1)


@pytest.mark.slow
@given(st.sampled_from(FUNCTIONS), st.integers(2, 130), st.none() | st.integers(2, 70))
@settings(max_examples=3 * settings.default.max_examples, deadline=None)
def test_what_has_no_faults_can_be_evaluated(function, dimension, m):
    suite = Cec2010().configured({"group_size": m})
    if not suite.faults([function], [dimension], [1]):
        assert suite.problem(function, dimension, 1).evaluate(np.full(dimension, 200.0)) > 0
