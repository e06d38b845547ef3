import numpy as np
import pytest

from timefair.statistics import bootstrap


def test_blocks_do_not_change_what_a_sample_is(monkeypatch):
    rows = np.random.default_rng(1).normal(size=(7, 2))
    whole = bootstrap.resampled_sums(rows, resamples=50, rng=np.random.default_rng(2))
    monkeypatch.setattr(bootstrap, "BLOCK_DRAWS", 20)
    blocks = bootstrap.resampled_sums(rows, resamples=50, rng=np.random.default_rng(2))
    np.testing.assert_allclose(whole, blocks, rtol=1e-12)


@pytest.mark.parametrize("columns", [[[np.inf]], np.empty((0, 2)), [1.0]])
def test_wrong_columns_are_named(columns):
    with pytest.raises(ValueError, match="columns"):
        bootstrap.resampled_sums(columns, resamples=3, rng=np.random.default_rng(0))
