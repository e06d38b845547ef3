import numpy as np
import pytest

from timefair.extensions.power.power import (
    SIMULATED_RUNS,
    CostLaw,
    EqualErt,
)
from timefair.statistics.comparison import equal_ert

LAWS = [CostLaw(0.3), CostLaw(1.0), CostLaw(0.6, shape=4.0), CostLaw(0.9, shape=0.5)]


def draw(law, runs, rng, times=1.0):
    cost = np.minimum(rng.gamma(law.shape, size=runs) / times, law.cut)
    return cost, cost < law.cut


@pytest.mark.parametrize("law", LAWS)
def test_moments_are_those_of_drawn_costs(law):
    spent, success = draw(law, 200_000, np.random.default_rng(1))
    means, covariance = law.moments()
    np.testing.assert_allclose(means, [spent.mean(), success.mean()], rtol=0.02)
    np.testing.assert_allclose(covariance, np.cov(spent, success), rtol=0.05, atol=0.003)


@pytest.mark.parametrize("law", [*LAWS, CostLaw(0.4, shape=0.1)])
def test_the_faster_law_has_the_ratio_of_erts(law):
    fast, times = law.faster(2.5)
    assert law.ert / (fast.ert / times) == pytest.approx(2.5, rel=1e-6)
    assert law.cut * times == pytest.approx(fast.cut, rel=1e-6)  # one budget


@pytest.mark.parametrize("law", LAWS)
def test_a_law_is_found_again_by_its_spread(law):
    assert CostLaw.of_spread(law.spread, law.success).shape == pytest.approx(law.shape, rel=1e-3)


@pytest.mark.parametrize("law", LAWS[::2])
def test_power_is_the_share_of_campaigns_that_find_the_ratio(law):
    rng = np.random.default_rng(3)
    _, times = law.faster(3.0)
    p = [equal_ert(*draw(law, 20, rng), *draw(law, 20, rng, times)) for _ in range(1500)]
    test = EqualErt(20, law, 0.01, rng=rng)
    assert test.power(3.0) == pytest.approx(np.mean(np.less_equal(p, 0.01)), abs=0.04)


@pytest.mark.parametrize("law", LAWS)
def test_the_normal_approximation_takes_over_without_a_jump(law):
    test = EqualErt(SIMULATED_RUNS, law, 1e-3, rng=np.random.default_rng(1))
    ratio = test.smallest_ratio(0.8)
    test.runs = SIMULATED_RUNS + 1
    assert test.power(ratio) == pytest.approx(0.8, abs=0.035)
