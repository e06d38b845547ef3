"""The Bayesian bootstrap, signed ranks, the Plackett-Luce model, and what the field says."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from timefair.extensions.probabilities.posterior import (
    OnFunction,
    compared,
    ert_draws,
    informed_by_the_field,
    median_ratio,
    signed_rank,
    weight_draws,
)


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_the_success_rate_is_beta_distributed(rng):
    success = np.array([True] * 3 + [False] * 2)
    rates = 1 / ert_draws(np.ones(5), success, draws=40_000, rng=rng)
    assert rates.mean() == pytest.approx(3 / 5, rel=0.01)
    assert rates.var() == pytest.approx(0.6 * 0.4 / 6, rel=0.03)


def test_without_a_success_the_next_run_is_one(rng):
    rates = 1 / ert_draws(np.full(9, 1.0), np.zeros(9, bool), draws=40_000, rng=rng)
    assert rates.mean() == pytest.approx(1 / 10, rel=0.02)


def test_what_matters_is_strictly_more_than_the_ratio():
    assert compared([1.0], [1.5], 1.5).equal == 1.0
    assert compared([1.0], [1.51], 1.5).better == 1.0
    assert compared([np.inf], [np.inf], 1.5).equal == 1.0
    assert compared([0.0, np.inf], [1.0, 1.0], 1.0)[::2] == (0.5, 0.5)


def test_failures_count_more_than_any_number_and_cancel(rng):
    inf = np.inf
    assert signed_rank([1.0] * 8, [inf] * 8, 2.0, draws=200, rng=rng).better > 0.99
    found = signed_rank([1.0, inf] * 4, [inf, 1.0] * 4, 2.0, draws=4000, rng=rng)
    assert found.better == pytest.approx(found.worse, abs=0.05)


@pytest.mark.parametrize("functions", [8, 9])
def test_the_median_ratio_of_exchanged_algorithms_is_the_reciprocal(functions, rng):
    a, b = rng.lognormal(size=(2, functions))
    a[0] = b[1] = np.inf
    assert median_ratio(a, b) == pytest.approx(1 / median_ratio(b, a))
    assert min(b / a) < median_ratio(a, b) < max(b / a)


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


def field(rng, means, *, deviation=0.5, runs=10, functions=12, draws=2000):
    counts = np.full(len(means), runs)
    return [
        OnFunction(np.exp(rng.normal(means, deviation, (draws, len(means)))), counts, counts)
        for _ in range(functions)
    ]


@pytest.mark.slow
def test_luck_is_taken_back_where_algorithms_hardly_differ(rng):
    functions = [field(rng, rng.normal(0, 0.5, 4), functions=1)[0] for _ in range(20)]
    before = np.std([np.log(one.costs).mean(axis=0) for one in functions], axis=1).mean()
    informed = informed_by_the_field(functions, rng=rng)
    after = np.std([np.log(draws).mean(axis=0) for draws in informed], axis=1).mean()
    assert after < 0.3 * before


@pytest.mark.slow
def test_few_runs_are_widened_to_what_is_usual(rng):
    wide = field(rng, [0.0, 20.0], runs=3, deviation=[0.01, 1.0])
    (draws, *_) = informed_by_the_field(wide, rng=rng)
    assert np.log(draws[:, 0]).std() > 0.5
    many = field(rng, [0.0, 20.0], runs=1000, deviation=[0.01, 1.0])
    (draws, *_) = informed_by_the_field(many, rng=rng)
    assert np.log(draws[:, 0]).std() < 0.1


def test_equal_costs_get_the_usual_spread_whatever_their_rounding(rng):
    functions = field(rng, [0.0, 20.0, 40.0])
    for one in functions:
        one.costs[:, 1:] = np.exp([20.0, 40.0])
        one.costs[0, 2] = np.nextafter(one.costs[0, 2], 0.0)
    logs = np.log(informed_by_the_field(functions, rng=rng)[0])
    usual = 0.5**2 * 11 / 9 / 3
    np.testing.assert_allclose(logs[:, 1:].std(axis=0), np.sqrt(4 / 13 * usual), rtol=0.1)
