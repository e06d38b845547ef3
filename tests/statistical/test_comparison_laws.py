"""How often the interval of A12 covers, and how often equal ERTs are told apart."""

import numpy as np
import pytest
from scipy.stats import binom

from timefair.statistics.rank_tests import holm, holm_levels
from timefair.statistics.two_samples import a12, equal_ert, in_agreement, mann_whitney

CHANCE = 1e-4


def times(scale):
    return lambda rng, n: rng.exponential(scale, n)


def failing(share, scale):
    return lambda rng, n: np.where(rng.random(n) < share, np.inf, rng.exponential(scale, n))


def rounded(scale):
    return lambda rng, n: np.round(rng.exponential(scale, n))


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 10, 30])
@pytest.mark.parametrize(
    ("first", "second", "truth"),
    [
        (times(1.0), times(1.0), 1 / 2),
        (times(1.0), times(3.0), 3 / 4),
        (times(1.0), times(10.0), 10 / 11),
        (failing(0.3, 1.0), failing(0.6, 1.0), 0.7 * 0.4 / 2 + 0.7 * 0.6 + 0.3 * 0.6 / 2),
        (rounded(1.0), rounded(1.0), 1 / 2),
    ],
)
def test_the_interval_of_a12_covers_at_least_as_often_as_it_says(first, second, truth, n):
    rng = np.random.default_rng(21)
    samples, covered = 600, 0
    for _ in range(samples):
        effect = a12([(first(rng, n), second(rng, n))], confidence=0.95)
        covered += effect.low <= truth <= effect.high
    assert covered >= binom.ppf(CHANCE, samples, 0.95)


@pytest.mark.slow
@pytest.mark.thinned(3)
@pytest.mark.parametrize("n", [5, 10, 30])
@pytest.mark.parametrize("tests", [1, 20])
@pytest.mark.parametrize(
    ("first", "second", "truth"),
    [
        (times(1.0), times(1.0), 1 / 2),
        (times(1.0), times(3.0), 3 / 4),
        (times(1.0), times(10.0), 10 / 11),
        (failing(0.3, 1.0), failing(0.6, 1.0), 0.7 * 0.4 / 2 + 0.7 * 0.6 + 0.3 * 0.6 / 2),
    ],
)
def test_an_interval_that_agrees_with_its_test_still_covers(first, second, truth, n, tests):
    """At the level of the first of several tests, too; .93 of a nominal .95 at 30 equal runs."""
    rng = np.random.default_rng(25)
    samples, covered, level = 400, 0, 0.05 / tests
    for _ in range(samples):
        x, y = first(rng, n), second(rng, n)
        p = mann_whitney(x, y)
        effect = in_agreement(a12([(x, y)], confidence=1 - level), p, level, rejected=p <= level)
        assert (effect.low > 0.5 or effect.high < 0.5) == (p <= level)
        covered += effect.low <= truth <= effect.high
    assert covered >= binom.ppf(CHANCE, samples, 1 - level)


@pytest.mark.slow
def test_intervals_at_the_levels_of_holm_cover_each_by_itself():
    """Ten pairs of one family, of which five are equal."""
    rng = np.random.default_rng(26)
    scales = [1.0] * 5 + [1.5, 2.0, 3.0, 5.0, 10.0]
    covered, samples = np.zeros(10), 200
    for _ in range(samples):
        pairs = [(rng.exponential(1.0, 15), rng.exponential(scale, 15)) for scale in scales]
        p = [mann_whitney(*pair) for pair in pairs]
        levels, decided = holm_levels(p, 0.05), holm(p) <= 0.05
        for k, pair in enumerate(pairs):
            effect = a12([pair], confidence=1 - levels[k])
            effect = in_agreement(effect, p[k], levels[k], rejected=bool(decided[k]))
            covered[k] += effect.low <= scales[k] / (1 + scales[k]) <= effect.high
    assert (covered >= binom.ppf(CHANCE, samples, 0.95)).all()


def cut(budget):
    """Exponential runtimes with an ERT of 1, cut at the budget."""

    def draw(rng, n):
        whole = rng.exponential(1.0, n)
        return np.minimum(whole, budget), whole <= budget

    return draw


@pytest.mark.parametrize("n", [5, 10, 30])
@pytest.mark.parametrize("budgets", [(1.0, 1.0), (3.0, 0.3), (5.0, 0.1)])
def test_equal_erts_are_told_apart_about_as_rarely_as_the_level_says(budgets, n):
    """At most .07 of a nominal .05, however differently the runs were cut."""
    rng = np.random.default_rng(22)
    samples = 1000
    rejected = sum(
        equal_ert(*cut(budgets[0])(rng, n), *cut(budgets[1])(rng, n)) <= 0.05
        for _ in range(samples)
    )
    assert rejected <= binom.isf(CHANCE, samples, 0.07)


def test_erts_that_differ_are_told_apart():
    rng = np.random.default_rng(23)
    samples, n = 300, 30
    rejected = 0
    for _ in range(samples):
        slow, reached = cut(1.0)(rng, n)
        rejected += equal_ert(*cut(1.0)(rng, n), 3.0 * slow, reached) <= 0.05
    assert rejected >= binom.ppf(CHANCE, samples, 0.9)


@pytest.mark.parametrize("draw", [times(1.0), failing(0.5, 1.0), rounded(1.0)])
@pytest.mark.parametrize("n", [3, 5, 10])
def test_mann_whitney_keeps_its_level(draw, n):
    rng = np.random.default_rng(24)
    samples = 600
    rejected = sum(mann_whitney(draw(rng, n), draw(rng, n)) <= 0.05 for _ in range(samples))
    assert rejected <= binom.isf(CHANCE, samples, 0.05)
