"""Samples of sums, of all rows or within strata."""

import numpy as np
import pytest

from timefair.statistics import bootstrap
from timefair.statistics.bootstrap import stratified_sums


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


def test_the_variance_over_samples_is_the_unbiased_estimate():
    rng = np.random.default_rng(1)
    rows, labels = rng.normal(size=(9, 2)), np.array([5, 2, 5, 2, 7, 7, 7, 2, 5])
    sums = stratified_sums(rows, labels, resamples=200_000, rng=rng)
    groups = [rows[labels == label] for label in np.unique(labels)]
    expected = sum(len(group) * group.var(axis=0, ddof=1) for group in groups)
    np.testing.assert_allclose(sums.mean(axis=0), rows.sum(axis=0), atol=0.02)
    np.testing.assert_allclose(sums.var(axis=0), expected, rtol=0.02)


def test_two_runs_a_stratum_are_one_drawn_twice():
    rng = np.random.default_rng(2)
    sums = stratified_sums([[1.0], [10.0], [3.0], [30.0]], [0, 1, 0, 1], resamples=99, rng=rng)
    assert set(sums[:, 0]) == {2.0 + 20.0, 2.0 + 60.0, 6.0 + 20.0, 6.0 + 60.0}


@pytest.mark.parametrize(
    ("columns", "labels", "resamples", "match"),
    [
        ([1.0, 2.0], [0, 0], 3, "columns"),
        ([[1.0], [2.0]], [0], 3, "columns"),
        (np.empty((0, 1)), [], 3, "columns"),
        ([[1.0], [np.inf]], [0, 0], 3, "finite"),
        ([[1.0], [2.0], [3.0]], [0, 0, 1], 3, "two runs"),
        ([[1.0], [2.0]], [0, 0], 0, "resamples"),
    ],
)
def test_wrong_input_is_named(columns, labels, resamples, match):
    with pytest.raises(ValueError, match=match):
        stratified_sums(columns, labels, resamples=resamples, rng=np.random.default_rng(0))
