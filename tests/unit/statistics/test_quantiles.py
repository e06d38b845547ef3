from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import quantile_test

from timefair.statistics.quantiles import quantile_interval, quantile_rank, sample_quantile


@pytest.mark.parametrize(
    ("n", "p", "rank"),
    [
        (10, 0.1, 1), (10, 0.3, 3), (10, 0.7, 7), (100, 0.29, 29), (101, 0.5, 51), (5, 0, 1),
        (5, 1, 5),
    ],
)  # fmt: skip
def test_a_product_that_is_whole_but_for_rounding_is_that_rank(n, p, rank):
    assert quantile_rank(n, p) == rank


@pytest.mark.parametrize("n", [1, 2, 9, 10, 101])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_equals_numpys_inverted_cdf(n, p):
    x = np.random.default_rng(n).normal(size=(n, 3))
    expected = np.quantile(x, p, axis=0, method="inverted_cdf")
    np.testing.assert_array_equal(sample_quantile(x, p, axis=0), expected)


def test_inf_sorts_last_and_is_finite_iff_enough_successes():
    runtimes = [1.0, 2.0, 3.0, *[np.inf] * 3]
    assert sample_quantile(runtimes, 0.5) == 3.0
    assert sample_quantile(runtimes, 0.51) == np.inf


@pytest.mark.parametrize(
    ("values", "p"), [([np.nan], 0.5), ([1.0], 1.1), ([1.0], -0.1), (3.0, 0.5)]
)
def test_wrong_input_is_named(values, p):
    with pytest.raises(ValueError, match="must"):
        sample_quantile(values, p)


@pytest.mark.parametrize("n", [1, 5, 6, 30, 35, 36, 101])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_limits_are_those_of_scipys_test(n, p):
    x = np.random.default_rng(n).normal(size=n)
    ours = quantile_interval(x, p, 0.95)
    peer = quantile_test(x, p=p).confidence_interval(0.95)
    assert ours.low == (peer.low if np.isfinite(peer.low) else -np.inf)
    assert ours.high == (peer.high if np.isfinite(peer.high) else np.inf)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
def test_coverage_is_the_sum_of_binomial_terms_and_never_below_nominal(confidence):
    for n in range(1, 60):
        for p in (0.1, 0.5, 0.9):
            interval = quantile_interval(np.arange(1, n + 1), p, confidence)
            below = max(int(max(interval.low, 0)), 0)
            above = int(min(interval.high, n + 1))
            terms = sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(below, above))
            assert interval.coverage == pytest.approx(terms)
            assert interval.coverage >= confidence - 1e-12


def test_least_and_greatest_value_bound_on_one_side():
    least, greatest = (quantile_interval([2.0, 1.0, 3.0], p, 0.95) for p in (0.0, 1.0))
    assert (least.low, least.high, least.coverage) == (-np.inf, 1.0, 1.0)
    assert (greatest.low, greatest.high, greatest.coverage) == (3.0, np.inf, 1.0)


@given(
    st.lists(st.sampled_from([0.0, 1.0, 3.0, np.inf]), min_size=1, max_size=40), st.floats(0.0, 1.0)
)
def test_limits_enclose_the_sample_quantile(values, p):
    interval = quantile_interval(values, p, 0.95)
    assert interval.low <= sample_quantile(values, p) <= interval.high
