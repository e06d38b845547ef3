"""Algorithms that know a better answer than their best measured point recommend it on noise."""

import numpy as np
import pytest


@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    "use", ["pycma:CMA-ES", "pycma:lq-CMA-ES", "cmaes:CMA", "cmaes:SepCMA", "nevergrad:TBPSA"]
)
def test_recommendations_are_inside_and_change_nothing_else(use, launch):
    noisy, exact = (launch(use, most=120, noisy=flag) for flag in (True, False))
    np.testing.assert_array_equal(noisy.points, exact.points)
    assert exact.recommended == []
    assert len(noisy.recommended) >= 5
    for _, x in noisy.recommended:
        assert x.shape == (3,)
        assert np.all((x >= -3) & (x <= 5))
    evaluations = [made for made, _ in noisy.recommended]
    assert evaluations == sorted(evaluations)
    assert evaluations[-1] > 90
