import numpy as np
import pytest

from timefair.statistics.ecdf import ecdf


def test_failures_stay_in_the_denominator():
    runtimes = [[1.0, 2.0], [2.0, np.inf], [np.inf, np.inf]]
    fractions = ecdf(runtimes, [0.5, 1.0, 1.9, 2.0, np.inf])
    np.testing.assert_allclose(fractions, [0, 1 / 6, 1 / 6, 0.5, 0.5])


def test_all_failed_and_nothing_run():
    np.testing.assert_array_equal(ecdf([np.inf, np.inf], [1.0, 2.0]), [0, 0])
    assert np.isnan(ecdf([], [1.0])).all()


def test_nan_is_refused():
    with pytest.raises(ValueError, match="NaN"):
        ecdf([np.nan], [1.0])
