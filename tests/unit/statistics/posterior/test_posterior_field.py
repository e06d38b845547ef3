"""What the field says: width and place of the draws, and algorithms without a success."""

import numpy as np
import pytest

from timefair.statistics.posterior.posterior import (
    OnFunction,
    informed_by_the_field,
)


@pytest.fixture
def rng():
    return np.random.default_rng(4)


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


def test_clear_differences_stay(rng):
    (draws, *_) = informed_by_the_field(field(rng, [0.0, 5.0, 9.0], deviation=0.1), rng=rng)
    np.testing.assert_allclose(np.log(draws).mean(axis=0), [0.0, 5.0, 9.0], atol=0.05)


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


@pytest.mark.parametrize("shape", [(0,), (1,)])
def test_a_field_of_nobody_or_one_stays(shape, rng):
    costs = np.exp(rng.normal(size=(100, *shape)))
    counts = np.full(shape, 50)
    (informed,) = informed_by_the_field([OnFunction(costs, counts, counts)], rng=rng)
    assert informed.shape == costs.shape
    assert np.isfinite(informed).all()
