import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timefair.statistics.corrections import hochberg, holm, holm_levels, shaffer

families = st.lists(st.sampled_from([0.0, 1e-9, 0.01, 0.02, 0.5, 1.0, np.nan]), max_size=12)


def test_holm_by_hand():
    # sorted .01 .02 .03 .04, times 4 3 2 1, never falling
    np.testing.assert_allclose(holm([0.04, 0.01, 0.03, 0.02]), [0.06, 0.04, 0.06, 0.06])


def test_shaffer_counts_the_pairs_that_can_be_equal_together():
    # of 4 algorithms 6, 3, 2, 1 or 0 pairs can be equal: factors 6 3 3 3 2 1
    p = [0.001, 0.002, 0.003, 0.004, 0.005, 0.006]
    np.testing.assert_allclose(shaffer(p, 4), [0.006, 0.006, 0.009, 0.012, 0.012, 0.012])


def test_hochberg_by_hand():
    # sorted .01 .03 .04, times 3 2 1, never rising to the left
    np.testing.assert_allclose(hochberg([0.04, 0.01, 0.03]), [0.04, 0.03, 0.04])


@settings(deadline=None)
@given(families)
@pytest.mark.parametrize("correct", [holm, hochberg])
def test_adjusted_p_values_never_fall_below_and_keep_the_order(correct, p):
    p = np.array(p, dtype=float)
    adjusted = correct(p)
    made = ~np.isnan(p)
    np.testing.assert_array_equal(np.isnan(adjusted), ~made)
    assert (adjusted[made] >= p[made]).all()
    assert (adjusted[made] <= 1).all()
    assert (np.diff(adjusted[made][np.argsort(p[made])]) >= 0).all()
    np.testing.assert_array_equal(adjusted[made], correct(p[made]))


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), max_size=12))
def test_p_values_below_their_level_are_those_that_holm_rejects(p):
    near = np.abs(holm(p) - 0.05) < 1e-12
    below = np.asarray(p) <= holm_levels(p, 0.05)
    np.testing.assert_array_equal((below == (holm(p) <= 0.05)) | near, True)
