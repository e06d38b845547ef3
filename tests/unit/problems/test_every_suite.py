"""What every suite promises, whichever module declares it."""

import ctypes
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from timefair.problems.problem import LARGEST, Problem, Suite
from timefair.problems.suites import SUITES, find


def smallest(suite: Suite, function: int) -> int:
    return next(d for d in suite.dimensions if not suite.faults([function], [d], [1]))


def every_function(suite: Suite) -> list[Problem]:
    if [fault for fault in suite.faults([], [], []) if fault.startswith("suite:")]:
        pytest.skip(f"the package of {suite.name} is not installed")
    last = 15 if suite.faults([], [], [101]) else 101
    instances = [i for i in (1, 2, last) if not suite.faults([], [], [i])]
    return [suite.problem(f, smallest(suite, f), i) for f, i in product(suite.functions, instances)]


def numbers_at(problem: Problem, x: NDArray[np.float64]) -> NDArray[np.float64]:
    if problem.reseed is not None:
        problem.reseed(1)
    numbers = np.atleast_1d(problem.evaluate(x))
    if problem.constraints is not None:
        assert np.shape(problem.constraints.evaluate(x)) == (problem.constraints.count,)
        return np.append(numbers, problem.value(x))
    assert numbers.shape == (problem.numbers,)
    return numbers


def value_of(problem: Problem, numbers: NDArray[np.float64]) -> float:
    """The value that a run has which has found these numbers alone."""
    return problem.kind.quality(numbers[np.newaxis])[0] if problem.kind.rated else numbers[-1]


each_suite = pytest.mark.parametrize("suite", SUITES.values(), ids=list(SUITES))


@each_suite
def test_a_problem_has_its_name_bounds_and_kind_of_variables(suite):
    for problem in every_function(suite):
        assert problem.name.suite == suite.name
        assert problem.lower.shape == problem.upper.shape == (problem.dimension,)
        assert np.all(problem.lower < problem.upper)
        kind = {
            "continuous": not problem.integer.any(),
            "mixed": problem.integer.any() and not problem.integer.all(),
        }
        assert kind.get(suite.variables_of(problem.name.function), problem.integer.all())


@each_suite
def test_every_function_or_none_has_a_dimension_of_its_own(suite):
    own = suite.own_dimensions
    assert not own or list(own) == list(suite.functions)
    assert [fault for key in own.items() for fault in suite.faults(*zip(key), [1])] == []


@pytest.mark.thinned(3)
@each_suite
def test_values_repeat_and_none_is_below_the_optimum(suite):
    for problem in every_function(suite):
        name = problem.name
        again = suite.problem(name.function, name.dimension, name.instance)
        known = suite.knows_optimum(name.function, name.dimension, name.instance)
        assert np.isfinite(problem.f_opt) == known
        for x in problem.points(7):
            numbers = numbers_at(problem, x)
            np.testing.assert_array_equal(numbers_at(again, x), numbers)
            value = value_of(problem, numbers)
            assert not value < problem.f_opt - 1e-9 * max(1, abs(problem.f_opt))


@each_suite
def test_the_c_function_gives_the_same_bits(suite):
    prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    for problem in every_function(suite):
        if problem.native is None:
            continue
        in_c, y = prototype(problem.native.function), np.empty(2)
        for x in problem.points(7):
            expected = numbers_at(problem, x)[: 1 if problem.constraints else 2]
            if problem.reseed is not None:
                problem.reseed(1)
            in_c(problem.native.handle, x.ctypes.data, y.ctypes.data)
            np.testing.assert_array_equal(y[: len(expected)], expected)


@each_suite
def test_an_array_of_another_shape_is_refused(suite):
    for problem in every_function(suite)[::7]:
        for shape in ((problem.dimension + 1,), (3, problem.dimension + 1)):
            with pytest.raises(ValueError):  # noqa: PT011
                problem.evaluate(np.zeros(shape))


@each_suite
def test_a_key_that_the_suite_does_not_have_gets_one_line(suite):
    every_function(suite)
    for keys, key in (
        (([suite.functions[-1] + 1], [], []), "functions"),
        (([], [0], []), "dimensions"),
        (([], [], [0]), "instances"),
        (([], [], [LARGEST + 1]), "instances"),
    ):
        (line,) = suite.faults(*keys)
        assert line.startswith(f"{key}: {next(filter(None, keys))[0]} is not in {suite.name}, ")
    with pytest.raises(ValueError, match=f"^functions: 0 is not in {suite.name}, which has "):
        suite.problem(0, smallest(suite, suite.functions[0]), 1)


@each_suite
def test_a_parameter_that_the_suite_does_not_have_is_refused(suite):
    (line,) = suite.parameter_faults({"colour": 1})
    assert line.startswith(f"'colour' is not a parameter of {suite.name}")
    assert find(suite.name, {}).name == suite.name
