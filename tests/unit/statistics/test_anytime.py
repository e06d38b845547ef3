import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import stats

from timefair.statistics.curves import median_band, quantile_band

INF = np.inf
BEST = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=12),
    elements=st.sampled_from([0.0, 1e-12, 1.0, 1.0, 3.0, INF]),
)


def test_the_band_of_runs_is_made_of_order_statistics():
    best = np.random.default_rng(2).exponential(size=(21, 5))
    band = quantile_band(best, 0.25, 0.75)
    np.testing.assert_array_equal(band.value, np.median(best, axis=0))
    np.testing.assert_array_equal(band.low, np.quantile(best, 0.25, axis=0, method="inverted_cdf"))
    np.testing.assert_array_equal(band.high, np.quantile(best, 0.75, axis=0, method="inverted_cdf"))


def test_the_interval_of_the_median_is_scipys():
    best = np.random.default_rng(3).exponential(size=(17, 4))
    band = median_band(best, 0.95)
    for j in range(4):
        test = stats.quantile_test(best[:, j], p=0.5)
        interval = test.confidence_interval(0.95)
        assert (band.low[j], band.high[j]) == (interval.low, interval.high)


@pytest.mark.parametrize(("runs", "known"), [(0, False), (1, False), (5, False), (6, True)])
def test_the_interval_of_the_median_needs_six_runs(runs, known):
    band = median_band(np.ones((runs, 2)), 0.95)
    assert np.isnan(band.low).all() == np.isnan(band.high).all() == (not known)
    assert np.isnan(band.value).all() == (runs == 0)


@pytest.mark.slow
@given(BEST)
def test_limits_hold_the_curve_or_are_not_there(best):
    for band in (median_band(best, 0.9), quantile_band(best, 0.25, 0.9)):
        assert band.value.shape == band.low.shape == band.high.shape == best.shape[1:]
        known = ~np.isnan(band.low)
        assert (known == ~np.isnan(band.high)).all()
        assert not np.isnan(band.value[known]).any()
        assert (band.low[known] <= band.value[known]).all()
        assert (band.value[known] <= band.high[known]).all()


@pytest.mark.parametrize(
    ("best", "settings", "match"),
    [([[np.nan]], {}, "NaN"), ([[1.0]], {"confidence": 1.0}, "confidence")],
)
def test_wrong_input_is_named(best, settings, match):
    with pytest.raises(ValueError, match=match):
        median_band(best, **({"confidence": 0.95} | settings))
