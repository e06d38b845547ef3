import numpy as np
import pytest


@pytest.mark.slow
@pytest.mark.parametrize("name", ["IPOP", "BIPOP"])
def test_inner_restarts_go_on_until_the_objective_ends_them(launch, name):
    early = {"tolfun": 1.0, "tolfunhist": 1.0}
    single = launch("pycma:CMA-ES", early, most=20_000)
    assert not single.was_cut
    result = launch(f"pycma:{name}", early, most=5 * single.evaluations)
    assert result.was_cut
    once = launch(f"pycma:{name}", early | {"restarts": 1}, most=50 * single.evaluations)
    assert not once.was_cut


def test_parameters_reach_cma(launch):
    points = np.array(launch("pycma:CMA-ES", {"sigma0": 1e-6, "popsize": 30}).points[:30])
    assert np.ptp(points, axis=0).max() < 1e-4
    assert launch("pycma:CMA-ES", {"maxfevals": 21, "popsize": 7}).evaluations < 30
