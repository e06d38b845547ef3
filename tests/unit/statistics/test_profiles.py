import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from timefair.statistics.curves import (
    performance_profile,
    performance_ratios,
    profile_band,
    resampled_ert,
)

INF = np.inf
COSTS = arrays(
    np.float64,
    array_shapes(min_dims=3, max_dims=3, max_side=4),
    elements=st.sampled_from([0.0, 1.0, 1.0, 2.5, INF]),
)


def test_ratios_of_every_kind():
    costs = [[2.0, 6.0], [4.0, 4.0], [INF, 1.0], [INF, INF], [0.0, 0.0], [0.0, 3.0]]
    expected = [[1, 3], [1, 1], [INF, 1], [INF, INF], [1, 1], [1, INF]]
    np.testing.assert_array_equal(performance_ratios(costs), expected)


def test_a_problem_that_nobody_solved_counts():
    ratios = performance_ratios([[1.0, 2.0], [3.0, 3.0], [INF, 5.0], [INF, INF]])
    profile = performance_profile(ratios, [1.0, 2.0, INF])
    np.testing.assert_allclose(profile, [[0.5, 0.5], [0.5, 0.75], [0.5, 0.75]])


@pytest.mark.parametrize("costs", [[[-1.0]], [[np.nan]]])
def test_wrong_costs_are_named(costs):
    with pytest.raises(ValueError, match="costs"):
        performance_ratios(costs)


def test_a_third_algorithm_changes_who_looks_better():
    """Alone the first is within 1.1 of the best more often, beside a third the second is."""
    costs = np.array([[10.0, 15.0, 1.0], [10.0, 15.0, 1.0], [12.0, 10.0, 20.0]])

    def shares(chosen):
        return performance_profile(performance_ratios(costs[:, chosen]), [1.1])[0]

    np.testing.assert_allclose(shares([0, 1]), [2 / 3, 1 / 3])
    np.testing.assert_allclose(shares([0, 1, 2]), [0, 1 / 3, 2 / 3])


def test_samples_of_the_ert_keep_runs_whole():
    """Two runs, one drawn: the first reached both targets, the second none."""
    samples = resampled_ert(
        [[1.0, 2.0], [9.0, 9.0]],
        [[True, True], [False, False]],
        resamples=60,
        rng=np.random.default_rng(2),
    )
    assert {tuple(sample) for sample in samples} == {(1.0, 2.0), (INF, INF)}


def test_limits_are_the_distance_of_the_samples():
    """Of ten samples, eight agree with the profile .5 and two differ by .5."""
    samples = np.array([[[1.0], [3.0]]] * 8 + [[[3.0], [3.0]]] * 2)
    for confidence, width in ((0.8, 0.0), (0.9, 0.5)):
        band = profile_band([[0.5], [1.0]], [samples], [2.0, 4.0], confidence=confidence)
        assert band.low.ravel().tolist() == [0.5 - width, 1.0]
        assert band.high.ravel().tolist() == [0.5 + width, 1.0]


def test_parts_of_the_problems_are_added_up():
    rng = np.random.default_rng(3)
    samples, grid = rng.exponential(size=(50, 6, 2)), [0.3, 1.0, 2.0]
    fraction = performance_profile(samples.mean(axis=0), grid)
    whole = profile_band(fraction, [samples], grid, confidence=0.9)
    parts = profile_band(fraction, [samples[:, :1], samples[:, 1:]], grid, confidence=0.9)
    np.testing.assert_array_equal(whole.low, parts.low)
    np.testing.assert_array_equal(whole.high, parts.high)


@pytest.mark.slow
@given(COSTS)
def test_limits_of_any_costs_hold_the_profile(samples):
    ratios = performance_ratios(samples)
    grid = [1.0, 2.0, INF]
    fraction = performance_profile(ratios[0], grid)
    band = profile_band(fraction, [ratios], grid, confidence=0.9)
    assert ((band.low >= 0) & (band.low <= fraction)).all()
    assert ((band.high >= fraction) & (band.high <= 1)).all()
