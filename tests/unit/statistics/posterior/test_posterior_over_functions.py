"""Two algorithms by signed ranks, and all of them by the Plackett-Luce model."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from timefair.statistics.posterior.posterior import (
    median_ratio,
    signed_rank,
    weight_draws,
)


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_equal_costs_are_practically_equal(rng):
    found = signed_rank([1.0, np.inf, 3.0], [1.0, np.inf, 3.0], 1.1, draws=200, rng=rng)
    assert found == (0.0, 1.0, 0.0)


def test_ties_count_half_if_every_difference_matters(rng):
    assert signed_rank([2.0] * 4, [2.0] * 4, 1.0, draws=50, rng=rng) == (0.5, 0.0, 0.5)


def test_failures_count_more_than_any_number_and_cancel(rng):
    inf = np.inf
    assert signed_rank([1.0] * 8, [inf] * 8, 2.0, draws=200, rng=rng).better > 0.99
    found = signed_rank([1.0, inf] * 4, [inf, 1.0] * 4, 2.0, draws=4000, rng=rng)
    assert found.better == pytest.approx(found.worse, abs=0.05)


def test_the_order_of_the_two_does_not_matter(rng):
    a, b = rng.lognormal(size=(2, 9))
    first = signed_rank(a, b, 1.2, draws=3000, rng=rng)
    second = signed_rank(b, a, 1.2, draws=3000, rng=rng)
    np.testing.assert_allclose(first, second[::-1], atol=0.04)


@pytest.mark.parametrize("functions", [8, 9])
def test_the_median_ratio_of_exchanged_algorithms_is_the_reciprocal(functions, rng):
    a, b = rng.lognormal(size=(2, functions))
    a[0] = b[1] = np.inf
    assert median_ratio(a, b) == pytest.approx(1 / median_ratio(b, a))
    assert min(b / a) < median_ratio(a, b) < max(b / a)


@pytest.mark.parametrize(
    ("a", "b", "match"),
    [([1.0], [1.0, 2.0], "one length"), ([np.nan], [1.0], "not negative"), ([-1.0], [1.0], "not")],
)
def test_wrong_costs_are_refused(a, b, match, rng):
    with pytest.raises(ValueError, match=match):
        signed_rank(a, b, 1.1, draws=10, rng=rng)


@pytest.mark.parametrize(("won", "lost"), [(5, 2), (0, 4), (1, 1)])
def test_two_algorithms_have_the_beta_posterior(won, lost, rng):
    costs = [[1.0, 2.0]] * won + [[3.0, 1.0]] * lost
    first = weight_draws(costs, draws=4000, rng=rng)[:, 0]
    exact = beta(1 + won, 1 + lost)
    assert first.mean() == pytest.approx(exact.mean(), abs=0.015)
    assert first.std() == pytest.approx(exact.std(), rel=0.1)
    assert np.mean(first > 0.5) == pytest.approx(exact.sf(0.5), abs=0.04)


def test_three_algorithms_have_the_posterior_of_the_likelihood(rng):
    """One ranking A, B, C: mean of A's weight by integration over the simplex."""

    def expected(power):
        def inner(a):
            likelihood = lambda b: a**power * a * b / (1 - a)  # noqa: E731
            return quad(likelihood, 0, 1 - a)[0]

        return quad(inner, 0, 1)[0]

    draws = weight_draws([[1.0, 2.0, 3.0]], draws=6000, rng=rng)
    assert draws[:, 0].mean() == pytest.approx(expected(1) / expected(0), abs=0.015)


def test_nothing_is_learned_about_the_order_of_failures(rng):
    draws = weight_draws([[1.0, np.inf, np.inf]] * 6, draws=4000, rng=rng)
    assert draws[:, 1].mean() == pytest.approx(draws[:, 2].mean(), abs=0.02)
    assert draws[:, 0].mean() > 0.6
