"""F1 to F23 against the optima that the papers print."""

import numpy as np
import pytest

from timefair.problems.f1_f23 import F1_F23, FIXED, FUNCTIONS

PRINTED = {14: 0.998, 15: 0.0003075, 16: -1.0316285, 17: 0.398, 18: 3.0, 19: -3.86, 20: -3.32}
PRINTED |= {21: -10.1532, 22: -10.4029, 23: -10.5364, 8: -12569.5}


@pytest.mark.parametrize("function", F1_F23.functions)
def test_the_optimum_has_the_printed_value_and_none_near_it_is_better(function):
    dimension = FIXED.get(function, 30)
    problem = F1_F23.problem(function, dimension, 1)
    best = FUNCTIONS[function - 1].optimum(dimension)
    printed = PRINTED.get(function, 0.0)
    assert problem.evaluate(best) == problem.f_opt
    np.testing.assert_allclose(problem.f_opt, printed, rtol=2e-3 if printed else 0, atol=1e-12)
    rng = np.random.default_rng(function)
    for scale in (1e-6, 1e-3, 0.1):
        near = np.clip(
            best + scale * rng.normal(size=(200, dimension)), problem.lower, problem.upper
        )
        assert min(map(problem.evaluate, near)) >= problem.f_opt - 1e-12 * (1 + abs(printed))


def test_a_function_with_one_dimension_refuses_others():
    assert F1_F23.faults([13, 20], [30], [1]) == [
        "dimensions: 30 does not fit f1-f23 f20, which has 6 variables"
    ]
