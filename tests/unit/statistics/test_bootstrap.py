import numpy as np
import pytest

from timefair.statistics import bootstrap


def test_blocks_do_not_change_what_a_sample_is(monkeypatch):
    rows = np.random.default_rng(1).normal(size=(7, 2))
    whole = bootstrap.resampled_sums(rows, resamples=50, rng=np.random.default_rng(2))
    monkeypatch.setattr(bootstrap, "BLOCK_DRAWS", 20)
    blocks = bootstrap.resampled_sums(rows, resamples=50, rng=np.random.default_rng(2))
    np.testing.assert_allclose(whole, blocks, rtol=1e-12)


def test_every_sample_has_as_many_rows_as_there_are():
    sums = bootstrap.resampled_sums(np.ones((9, 1)), resamples=20, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(sums, 9.0)


def test_infinite_replicates_are_never_interpolated():
    low, high = bootstrap.percentile_interval([1.0] * 97 + [np.inf] * 3, 0.95)
    assert (low, high) == (1.0, np.inf)


@pytest.mark.parametrize("columns", [[[np.inf]], np.empty((0, 2)), [1.0]])
def test_wrong_columns_are_named(columns):
    with pytest.raises(ValueError, match="columns"):
        bootstrap.resampled_sums(columns, resamples=3, rng=np.random.default_rng(0))
