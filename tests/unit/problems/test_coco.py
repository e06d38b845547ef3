"""COCO's suites: optima, bounds, kinds of variables, noise, and what they refuse."""

import ctypes
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.problems.coco import Coco
from timefair.problems.coco_library import CProblem, library
from timefair.problems.kinds import Kind
from timefair.problems.registry import SUITES

COCO = [
    suite for suite in SUITES.values() if isinstance(suite, Coco) and suite.task == "one objective"
]
EXACT = [suite for suite in COCO if suite.kind is Kind]
NOISY = SUITES["bbob-noisy"]


def best_point(problem):
    """Where COCO says that the optimum is."""
    name = problem.name
    index = name.function - SUITES[name.suite].functions[0] + 1
    options = (
        f"instances: {name.instance}",
        f"dimensions: {name.dimension} function_indices: {index}",
    )
    opened = CProblem.open(name, options)
    best = np.empty(problem.dimension)
    tell = library().coco_problem_get_best_parameter
    tell.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    tell(opened.handle, best.ctypes.data)
    return best


def every(suite, dimension):
    return [suite.problem(f, dimension, i) for f in suite.functions for i in (1, 72)]


@pytest.mark.parametrize("suite", EXACT, ids=lambda suite: suite.name)
def test_the_optimum_is_where_coco_says_and_nothing_is_below(suite):
    for problem in every(suite, suite.dimensions[0]):
        best = best_point(problem)
        assert np.all((problem.lower <= best) & (best <= problem.upper))
        assert problem.evaluate(best) == pytest.approx(problem.f_opt, abs=1e-12)
        assert min(map(problem.evaluate, problem.points(9))) >= problem.f_opt - 1e-12


@pytest.mark.slow
def test_no_whole_numbers_are_better_than_the_optimum_of_mixed_problems():
    for problem in every(SUITES["bbob-mixint"], 5):
        last = best_point(problem)[4]
        ranges = [range(n) for n in (2, 4, 8, 16)]
        values = [problem.evaluate(np.array([*x, last])) for x in itertools.product(*ranges)]
        assert min(values) == pytest.approx(problem.f_opt, abs=1e-12)


@pytest.mark.parametrize("suite", COCO, ids=lambda suite: suite.name)
def test_the_last_instance_and_the_largest_dimension_exist(suite):
    problem = suite.problem(suite.functions[-1], suite.dimensions[-1], 2**31 - 1)
    assert problem.dimension == suite.dimensions[-1]
    assert np.isfinite(problem.f_opt)
    assert np.all(np.isfinite(problem.evaluate(problem.points(3)[1])))


@pytest.mark.parametrize("suite", COCO, ids=lambda suite: suite.name)
def test_variables_are_of_the_kind_that_the_suite_says(suite):
    problem = suite.problem(suite.functions[0], 20, 1)
    assert (problem.native is None) == (suite.name == "bbob-mixint")
    if suite.variables == "mixed":
        np.testing.assert_array_equal(problem.integer, np.arange(20) < 16)
        np.testing.assert_array_equal(problem.upper[:16:4], [1, 3, 7, 15])
    else:
        assert suite.variables == "continuous"
        assert not problem.integer.any()
        assert set(problem.lower) == {-5.0}
        assert set(problem.upper) == {5.0}


@pytest.mark.parametrize(
    ("x", "said"),
    [
        ([0, 0, 0, 0.5, 0.5], "variable 3 of bbob-mixint f1 D=5 instance 1 is 0.5: it takes whole "
         "numbers from 0 to 15"),
        ([2, 0, 0, 0, 0.5], "variable 0 .* is 2: it takes 0 or 1"),
        ([0, 0, -1, 0, 0.5], "variable 2 .* is -1: it takes whole numbers from 0 to 7"),
        ([0, 0, float("nan"), 0, 0.5], "variable 2 .* is nan"),
        ([0, 0, 0, 0], r"takes an array of shape \(5,\), not \(4,\)"),
    ],
)  # fmt: skip
def test_what_is_not_whole_is_refused(x, said):
    problem = SUITES["bbob-mixint"].problem(1, 5, 1)
    with pytest.raises(ValueError, match=said):
        problem.evaluate(np.array(x, dtype=float))


def test_noise_repeats_from_the_same_seed_and_differs_from_another():
    problem = NOISY.problem(107, 5, 1)
    x = problem.points(3)[1]

    def values(seed):
        problem.reseed(seed)
        return [problem.evaluate(x)[0] for _ in range(20)]

    first, again, other = values(1), values(1), values(2)
    assert first == again
    assert len(set(first)) == 20
    assert not set(first) & set(other)


numbers = st.one_of(st.integers(-3, 200), st.integers(-(2**40), 2**40))


@pytest.mark.parametrize("suite", COCO, ids=lambda suite: suite.name)
@given(function=numbers, dimension=numbers, instance=numbers)
def test_a_wrong_key_has_its_line_and_never_reaches_coco(suite, function, dimension, instance):
    right = [function in suite.functions, dimension in suite.dimensions, 1 <= instance < 2**31]
    lines = suite.faults([function], [dimension], [instance])
    assert len(lines) == right.count(False)
    assert all("\n" not in line and suite.name in line for line in lines)
    if lines:
        with pytest.raises(ValueError, match=suite.name):
            suite.problem(function, dimension, instance)
