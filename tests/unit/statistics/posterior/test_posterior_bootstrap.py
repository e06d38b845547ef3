"""Draws of the ERT, and what follows from them for the best algorithm and for pairs."""

import numpy as np
import pytest

from timefair.statistics.posterior.posterior import (
    compared,
    ert_draws,
    probability_of_best,
    probability_of_near_best,
)


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def test_successes_have_the_moments_of_the_bayesian_bootstrap(rng):
    cost = np.array([1.0, 2.0, 4.0, 9.0])
    draws = ert_draws(cost, np.ones(4, bool), draws=40_000, rng=rng)
    assert draws.mean() == pytest.approx(cost.mean(), rel=0.01)
    assert draws.var() == pytest.approx(cost.var() / 5, rel=0.03)  # Rubin 1981: n + 1


def test_the_success_rate_is_beta_distributed(rng):
    success = np.array([True] * 3 + [False] * 2)
    rates = 1 / ert_draws(np.ones(5), success, draws=40_000, rng=rng)
    assert rates.mean() == pytest.approx(3 / 5, rel=0.01)
    assert rates.var() == pytest.approx(0.6 * 0.4 / 6, rel=0.03)


def test_without_a_success_the_next_run_is_one(rng):
    rates = 1 / ert_draws(np.full(9, 1.0), np.zeros(9, bool), draws=40_000, rng=rng)
    assert rates.mean() == pytest.approx(1 / 10, rel=0.02)


def test_infinite_costs_share_the_last_place():
    draws = [[np.inf, np.inf, 1.0], [np.inf, np.inf, np.inf]]
    np.testing.assert_allclose(probability_of_best(draws), [1 / 6, 1 / 6, 2 / 3])
    np.testing.assert_allclose(probability_of_near_best(draws, 2.0), [0.5, 0.5, 1.0])


def test_what_matters_is_strictly_more_than_the_ratio():
    assert compared([1.0], [1.5], 1.5).equal == 1.0
    assert compared([1.0], [1.51], 1.5).better == 1.0
    assert compared([np.inf], [np.inf], 1.5).equal == 1.0
    assert compared([0.0, np.inf], [1.0, 1.0], 1.0)[::2] == (0.5, 0.5)
