"""Best of k: the golden numbers, brute force, and whatever a sample may hold."""

import json
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.statistics.probability import best_of_mean, best_of_quantile, multirun_probability
from timefair.statistics.quantiles import sample_quantile

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "seed000_checks.json").read_text(encoding="utf-8")
)["best_of_k"]
INF = np.inf

values = st.lists(st.floats(-1e6, 1e6) | st.just(INF), min_size=0, max_size=8)


def test_the_golden_numbers():
    x, k = np.arange(1, 13), GOLDEN["k"]
    assert best_of_mean(x, k) == pytest.approx(GOLDEN["without_replacement"], rel=1e-14)


@pytest.mark.parametrize("k", [1, 2, 7, 100, 4999, 5000])
def test_ranks_of_thousands_of_runs(k):
    assert best_of_mean(np.arange(1, 5001), k) == pytest.approx(5001 / (k + 1), rel=1e-12)


@pytest.mark.parametrize("k", [1, 3, 6])
def test_all_subsets(k):
    x = np.random.default_rng(1).exponential(size=6)
    subsets = np.mean([min(chosen) for chosen in combinations(x, k)])
    assert best_of_mean(x, k) == pytest.approx(subsets)


def test_infinity_counts_only_where_it_may_be_all_that_is_drawn():
    x = [3.0, INF, 1.0, INF]
    assert best_of_mean(x, 1) == INF
    assert best_of_mean(x, 2) == INF
    assert best_of_mean(x, 3) == pytest.approx((3 * 1.0 + 1 * 3.0) / comb(4, 3))
    assert best_of_mean(x, 4) == 1.0


def test_several_samples_at_once():
    x = np.random.default_rng(2).exponential(size=(3, 5, 2))
    together = best_of_mean(x, 2, axis=1)
    assert together.shape == (3, 2)
    assert together[2, 1] == pytest.approx(best_of_mean(x[2, :, 1], 2), rel=1e-14)
    quantiles = best_of_quantile(x, 0.5, 2, axis=1)
    assert quantiles[2, 1] == best_of_quantile(x[2, :, 1], 0.5, 2)


def test_the_quantile_is_that_of_a_rarer_single_run():
    x = np.arange(1.0, 101.0)
    # Of the best of 2, Q.75 is where a single run is with probability 1/2.
    assert best_of_quantile(x, 0.75, 2) == 50
    assert best_of_quantile(x, 1.0, 7) == 100
    assert best_of_quantile(x, 0.0, 7) == 1
    for k in (1, 2, 10):
        single = best_of_quantile(x, 0.5, k) / 100
        assert multirun_probability(single, k) >= 0.5
        assert multirun_probability(single - 0.01, k) < 0.5


@given(values, st.integers(1, 9))
def test_whatever_the_sample_is(x, k):
    mean = best_of_mean(x, k)
    median = best_of_quantile(x, 0.5, k)
    if k > len(x):
        assert np.isnan(mean)
        assert np.isnan(median)
        return
    assert min(x) - 1e-6 <= mean
    assert np.isinf(mean) == (np.isinf(x).sum() >= k)
    assert median in x
    assert median <= sample_quantile(x, 0.5)
    if k < len(x) and np.isfinite(mean):
        assert best_of_mean(x, k + 1) <= mean + 1e-6
