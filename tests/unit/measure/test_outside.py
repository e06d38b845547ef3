"""A result outside the bounds is said in the record."""

import numpy as np

from timefair.measure.runs.run import _outside
from timefair.problems.registry import SUITES


def test_a_best_point_outside_the_bounds_is_a_remark():
    problem = SUITES["f1-f23"].problem(1, 5, 1)
    inside, outside = problem.upper.tolist(), (problem.upper + np.eye(5)[4]).tolist()
    assert _outside(inside, problem) is None
    assert _outside(None, problem) is None
    assert "outside the bounds" in _outside(outside, problem)
    assert _outside([9.0] * 5, SUITES["bbob"].problem(1, 5, 1)) is None
