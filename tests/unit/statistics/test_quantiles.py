import numpy as np
import pytest

from timefair.statistics.quantiles import quantile_rank, sample_quantile


@pytest.mark.parametrize(
    ("n", "p", "rank"),
    [
        (10, 0.1, 1),
        (10, 0.3, 3),
        (10, 0.7, 7),
        (100, 0.29, 29),
        (101, 0.5, 51),
        (5, 0, 1),
        (5, 1, 5),
    ],
)
def test_a_product_that_is_whole_but_for_rounding_is_that_rank(n, p, rank):
    assert quantile_rank(n, p) == rank


def test_every_rank_is_reached_by_its_own_fraction():
    for n in range(1, 120):
        assert [quantile_rank(n, k / n) for k in range(1, n + 1)] == list(range(1, n + 1))


@pytest.mark.parametrize("n", [1, 2, 9, 10, 101])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_equals_numpys_inverted_cdf(n, p):
    x = np.random.default_rng(n).normal(size=(n, 3))
    expected = np.quantile(x, p, axis=0, method="inverted_cdf")
    np.testing.assert_array_equal(sample_quantile(x, p, axis=0), expected)


def test_the_median_of_an_odd_sample_is_numpys():
    x = np.random.default_rng(1).normal(size=(4, 11))
    np.testing.assert_array_equal(sample_quantile(x, 0.5), np.median(x, axis=1))


def test_inf_sorts_last_and_is_finite_iff_enough_successes():
    runtimes = [1.0, 2.0, 3.0, *[np.inf] * 3]
    assert sample_quantile(runtimes, 0.5) == 3.0
    assert sample_quantile(runtimes, 0.51) == np.inf


def test_nothing_gives_nan():
    assert np.isnan(sample_quantile(np.empty((0, 2)), 0.5, axis=0)).all()


@pytest.mark.parametrize(
    ("values", "p"), [([np.nan], 0.5), ([1.0], 1.1), ([1.0], -0.1), (3.0, 0.5)]
)
def test_wrong_input_is_named(values, p):
    with pytest.raises(ValueError, match="must"):
        sample_quantile(values, p)
