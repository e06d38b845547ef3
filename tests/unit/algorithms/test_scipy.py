import numpy as np
import pytest

from timefair.algorithms import registry
from timefair.algorithms.adapters import scipy as adapter


def test_options_reach_a_local_method(launch):
    assert launch("scipy:Nelder-Mead", {"maxfev": 17}).evaluations == 17
    assert launch("scipy:L-BFGS-B", {"maxiter": 1}).evaluations < 20
    once = launch("scipy:L-BFGS-B", {"jac": "3-point"})
    assert np.array_equal(once.points[1][1:], once.points[0][1:])
    assert once.points[1][0] != once.points[0][0]
    assert not np.array_equal(once.points[1], launch("scipy:L-BFGS-B").points[1])


def test_parameters_reach_a_global_optimizer(launch):
    few = {"maxiter": 1, "popsize": 5, "polish": False}
    assert launch("scipy:differential_evolution", few).evaluations == 2 * 5 * 3
    assert launch("scipy:direct", {"maxfun": 20}).evaluations < 30


@pytest.mark.parametrize("name", adapter.LOCAL)
def test_scipy_itself_says_which_options_a_method_has(name):
    assert registry.faults(f"scipy:{name}", {"maxiter" if name != "TNC" else "maxfun": 10}) == []
    assert len(registry.faults(f"scipy:{name}", {"no_such_option": 1})) == 1
