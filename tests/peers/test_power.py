"""Power and numbers of functions equal statsmodels', and CAISEr's formulas where they apply."""

from math import ceil

import pytest

from timefair.statistics.power import power as of_tests
from timefair.statistics.power.power import EFFICIENCY, functions_by_t

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def power():
    return pytest.importorskip("statsmodels.stats.power")


@pytest.fixture(scope="module")
def proportion():
    return pytest.importorskip("statsmodels.stats.proportion")


@pytest.mark.parametrize("effect", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("level", [0.05, 0.05 / 28])
@pytest.mark.parametrize("wanted", [0.8, 0.95])
def test_paired_t_is_statsmodels_and_its_efficiencies_are_caisers(power, effect, level, wanted):
    """CAISEr's `calc_instances` divides n of the paired t-test by 0.86 (Wilcoxon), 0.637 (sign)."""
    n = power.TTestPower().solve_power(effect_size=effect, alpha=level, power=wanted)
    assert functions_by_t(effect, level, wanted) == ceil(n)
    for efficiency in (EFFICIENCY, 0.637):
        assert functions_by_t(effect, level, wanted, efficiency=efficiency) == ceil(n / efficiency)


@pytest.mark.parametrize(("first", "second"), [(0.1, 0.2), (0.4, 0.5), (0.9, 0.99)])
@pytest.mark.parametrize("level", [0.05, 1e-4])
def test_many_runs_have_the_power_of_statsmodels_for_proportions(
    power, proportion, first, second, level
):
    runs = of_tests.EXACT_BINOMIAL + 1
    size = proportion.proportion_effectsize(first, second)
    theirs = power.NormalIndPower().power(size, runs, level, ratio=1)
    assert of_tests.SameRate(runs, level).power(first, second) == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize(("first", "second"), [(0.3, 0.45), (0.5, 0.7)])
def test_the_exact_test_has_nearly_that_power(power, proportion, first, second):
    size = proportion.proportion_effectsize(first, second)
    theirs = power.NormalIndPower().power(size, 300, 0.01, ratio=1)
    assert of_tests.SameRate(300, 0.01).power(first, second) == pytest.approx(theirs, abs=0.03)
