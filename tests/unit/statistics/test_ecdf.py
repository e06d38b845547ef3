import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from timefair.statistics.curves import ecdf, ecdf_band

INF = np.inf
LIMITS = ("low", "high", "everywhere_low", "everywhere_high")
TIMES = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=6),
    elements=st.sampled_from([0.0, 1.0, 1.0, 2.5, INF]),
)


def band_of(times, strata, grid, **settings):
    chosen = {"confidence": 0.9, "resamples": 200, "rng": np.random.default_rng(5)} | settings
    return ecdf_band(times, strata, grid, **chosen)


def test_failures_stay_in_the_denominator():
    runtimes = [[1.0, 2.0], [2.0, np.inf], [np.inf, np.inf]]
    fractions = ecdf(runtimes, [0.5, 1.0, 1.9, 2.0, np.inf])
    np.testing.assert_allclose(fractions, [0, 1 / 6, 1 / 6, 0.5, 0.5])


def test_two_runs_of_one_problem_can_be_counted_out():
    """Each sample is one of the two runs: half of them reach 1, half nothing, at cost 1."""
    band = band_of([[1.0, 1.0], [INF, INF]], [4, 4], [0.5, 1.0])
    assert band.fraction.tolist() == [0.0, 0.5]
    assert (band.low.tolist(), band.high.tolist()) == ([0.0, 0.0], [0.0, 1.0])
    assert band.everywhere_low.tolist() == [0.0, 0.0]
    assert band.everywhere_high.tolist() == [0.5, 1.0]


def test_every_problem_keeps_its_weight():
    """Problems differ and runs do not: samples within problems show no uncertainty."""
    band = band_of([[1.0], [1.0], [9.0], [9.0]], [1, 1, 2, 2], [1.0, 9.0])
    for limit in LIMITS:
        np.testing.assert_allclose(getattr(band, limit), [0.5, 1.0])


def test_targets_of_a_run_stay_together():
    """Ten targets reached by the same runs tell no more than one of them."""
    times = np.random.default_rng(6).exponential(size=(12, 1))
    one, ten = (band_of(np.tile(times, k), np.zeros(12), [0.5, 1.0]) for k in (1, 10))
    for limit in LIMITS:
        np.testing.assert_allclose(getattr(one, limit), getattr(ten, limit))


@pytest.mark.parametrize(
    ("times", "strata"),
    [
        ([[1.0]], [1]),
        ([[1.0], [2.0], [3.0]], [1, 1, 2]),
        (np.empty((0, 3)), []),
        (np.empty((2, 0)), [1, 1]),
    ],
)
def test_nothing_to_resample_gives_no_limits(times, strata):
    band = band_of(times, strata, [1.0, 2.0])
    assert all(np.isnan(getattr(band, limit)).all() for limit in LIMITS)


@pytest.mark.slow
@given(TIMES)
def test_limits_hold_the_curve_or_are_not_there(times):
    grid = [3.0, 0.0, 1.0, INF]
    band = band_of(times, np.zeros(len(times)), grid, resamples=20)
    if len(times) < 2 or times.size == 0:
        assert all(np.isnan(getattr(band, limit)).all() for limit in LIMITS)
        return
    for low, high in (LIMITS[:2], LIMITS[2:]):
        assert (getattr(band, low) >= 0).all()
        assert (getattr(band, low) <= band.fraction).all()
        assert (getattr(band, high) >= band.fraction).all()
        assert (getattr(band, high) <= 1).all()


@pytest.mark.parametrize(
    ("times", "strata", "settings", "match"),
    [
        ([[np.nan], [1.0]], [1, 1], {}, "NaN"),
        ([[1.0], [1.0]], [1, 1], {"confidence": 0.0}, "confidence"),
        ([[1.0], [1.0]], [1, 1], {"resamples": 0}, "resamples"),
    ],
)
def test_wrong_input_is_named(times, strata, settings, match):
    with pytest.raises(ValueError, match=match):
        band_of(times, strata, [1.0], **settings)
