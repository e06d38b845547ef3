"""Crossings of lines, and their confidence sets against brute force."""

import numpy as np
import pytest

from timefair.extensions.break_even.lines import turning_cost, turning_factor, turning_sets
from timefair.statistics.comparison import equal_ert
from timefair.statistics.ert import ert


def sample(rng, seconds, evaluations, runs=12, rate=1.0):
    """Runs with exponential costs and one speed, shape (runs, 1) each."""
    length = rng.exponential(size=(runs, 1)) + 0.5
    return seconds * length, np.ceil(evaluations * length), rng.random((runs, 1)) < rate


def accepted(first, second, cost, confidence):
    p = equal_ert(
        *((first[0] + cost * first[1])[:, 0], first[2][:, 0]),
        *((second[0] + cost * second[1])[:, 0], second[2][:, 0]),
    )
    return p > 1 - confidence


FORMS = {
    "empty": lambda cost, low, high: False,
    "every": lambda cost, low, high: True,
    "below": lambda cost, low, high: cost <= high,
    "above": lambda cost, low, high: cost >= low,
    "between": lambda cost, low, high: low <= cost <= high,
    "outside": lambda cost, low, high: cost <= low or cost >= high,
}


@pytest.mark.thinned(5)
@pytest.mark.parametrize("seed", range(30))
def test_a_set_has_the_costs_that_the_test_does_not_reject(seed):
    rng = np.random.default_rng(seed)
    first = sample(rng, 1.0, 1000 * rng.choice([0.1, 1.0, 10.0]), rate=rng.choice([0.5, 1.0]))
    second = sample(rng, rng.choice([0.3, 1.0, 9.0]), 300, rate=rng.choice([0.4, 1.0]))
    if seed % 2:  # as for a factor of the first one's own time
        second = (second[0], np.zeros_like(second[1]), second[2])
    sets = turning_sets(*first, *second, confidence=0.9)
    form, low, high = sets.shape[0], sets.low[0], sets.high[0]
    for cost in np.geomspace(1e-7, 1e3, 60):
        if np.isclose(cost, [low, high], rtol=1e-6).any():
            continue
        assert FORMS[form](cost, low, high) == accepted(first, second, cost, 0.9), (form, cost)


def test_the_forms_of_sets():
    rng = np.random.default_rng(3)
    quick, frugal = sample(rng, 1.0, 10_000), sample(rng, 100.0, 100)
    both = turning_sets(*quick, *frugal, confidence=0.95)
    assert both.shape[0] == "between"
    lines = [ert(x[:, 0], np.ones(12)) for x in (*quick[:2], *frugal[:2])]
    assert both.low[0] < turning_cost(*lines) < both.high[0]
    better = turning_sets(*sample(rng, 1.0, 100), *sample(rng, 100.0, 10_000), confidence=0.95)
    assert better.shape[0] == "empty"
    assert np.isnan([better.low[0], better.high[0]]).all()
    few = turning_sets(*(x[:2] for x in (*quick, *frugal)), confidence=0.95)
    assert (few.shape[0], few.low[0], few.high[0]) == ("every", 0.0, np.inf)
    never = (quick[0], quick[1], np.zeros((12, 1)))
    assert turning_sets(*never, *never, confidence=0.95).shape[0] == "every"


def of_campaigns(rng, *laws):
    """For each law, the samples of a thousand campaigns of 15 runs, side by side."""
    for law in laws:
        every = (sample(rng, *law, runs=15) for _ in range(1000))
        yield [np.hstack(parts) for parts in zip(*every, strict=True)]


def hold(sets, truth):
    """Whether sets of 90 % hold the truth as often as they say."""
    found = zip(sets.shape, sets.low, sets.high, strict=True)
    held = np.mean([FORMS[form](truth, low, high) for form, low, high in found])
    return held >= 0.9 - 4 * np.sqrt(0.09 / len(sets.shape))


def test_sets_hold_the_true_cost_as_often_as_they_say():
    first, second = of_campaigns(np.random.default_rng(4), (1.0, 10_000), (10.0, 1000))
    assert hold(turning_sets(*first, *second, confidence=0.9), 9.0 / 9000)


def test_sets_hold_the_true_own_time_factor_as_often_as_they_say():
    scaled, other = of_campaigns(np.random.default_rng(6), (10.0, 1000), (1.0, 10_000))
    fixed, none = 1e-4 * scaled[1], np.zeros_like(scaled[1])
    own = (fixed, scaled[0] - fixed, scaled[2])
    assert hold(turning_sets(*own, other[0], none, other[2], confidence=0.9), 0.9 / 9.9)


def test_the_factor_of_own_time_at_the_ends():
    inf = np.inf
    fixed, own, other = np.array(
        [(1, 4, 3), (1, 4, 1), (3, 4, 1), (1, 0, 2), (2, 0, 1), (1, 4, inf), (inf, inf, 1)]
    ).T
    expected = [0.5, 0.0, 0.0, inf, 0.0, inf, 0.0]
    np.testing.assert_array_equal(turning_factor(fixed, own, other), expected)
    assert np.isnan(turning_factor(inf, inf, inf))
