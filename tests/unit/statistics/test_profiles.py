import numpy as np
import pytest

from timefair.statistics.profiles import performance_profile, performance_ratios

INF = np.inf


def test_ratios_of_every_kind():
    costs = [[2.0, 6.0], [4.0, 4.0], [INF, 1.0], [INF, INF], [0.0, 0.0], [0.0, 3.0]]
    expected = [[1, 3], [1, 1], [INF, 1], [INF, INF], [1, 1], [1, INF]]
    np.testing.assert_array_equal(performance_ratios(costs), expected)


def test_a_floor_keeps_zero_from_winning():
    np.testing.assert_array_equal(performance_ratios([[0.0, 3.0]], floor=1.0), [[1.0, 3.0]])


def test_a_problem_that_nobody_solved_counts():
    ratios = performance_ratios([[1.0, 2.0], [3.0, 3.0], [INF, 5.0], [INF, INF]])
    profile = performance_profile(ratios, [1.0, 2.0, INF])
    np.testing.assert_allclose(profile, [[0.5, 0.5], [0.5, 0.75], [0.5, 0.75]])


def test_no_problem_is_nan():
    assert np.isnan(performance_profile(np.empty((0, 2)), [1.0])).all()


@pytest.mark.parametrize("costs", [[[-1.0]], [[np.nan]], [1.0], np.empty((2, 0))])
def test_wrong_costs_are_named(costs):
    with pytest.raises(ValueError, match="costs"):
        performance_ratios(costs)
