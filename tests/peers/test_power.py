"""The power of two proportions equals statsmodels'."""

import pytest

from timefair.extensions.power import check as of_tests

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def theirs():
    """The power that statsmodels says: first rate, second rate, runs, level."""
    power = pytest.importorskip("statsmodels.stats.power").NormalIndPower()
    proportion = pytest.importorskip("statsmodels.stats.proportion")

    def of(first, second, runs, level):
        return power.power(proportion.proportion_effectsize(first, second), runs, level, ratio=1)

    return of


@pytest.mark.parametrize(("first", "second"), [(0.1, 0.2), (0.9, 0.99)])
@pytest.mark.parametrize("level", [0.05, 1e-4])
def test_many_runs_have_the_power_of_statsmodels(theirs, first, second, level):
    runs = of_tests.EXACT_BINOMIAL + 1
    ours = of_tests.SameRate(runs, level).power(first, second)
    assert ours == pytest.approx(theirs(first, second, runs, level), rel=1e-9)


def test_the_exact_test_has_nearly_that_power(theirs):
    ours = of_tests.SameRate(300, 0.01).power(0.5, 0.7)
    assert ours == pytest.approx(theirs(0.5, 0.7, 300, 0.01), abs=0.03)
