"""How often intervals of the ERT hold it, on skewed, bimodal, censored and heavy-tailed runtimes.

Each case names the range that the coverage of a nominal 0.95 lies in; what the docstring of
`ert_interval` reports lies in it. A sample without a success has no interval and is not counted.
"""

import numpy as np
import pytest
from scipy.stats import binom, norm

from timefair.statistics.ert import ert, ert_interval, heavy_tail

SAMPLES = 4_000
TRUTH = 2_000_000
CHANCE = 1e-5
"""Of a test to fail although the coverage lies in its range, at most twice that."""

FAST, SLOW = 1.0, 20.0


def exponential(p, size, rng):
    limit = np.inf if p == 1 else -np.log1p(-p)
    times = rng.exponential(size=size)
    return np.minimum(times, limit), times <= limit


def lognormal(p, size, rng):
    limit = np.exp(norm.ppf(p))
    times = rng.lognormal(size=size)
    return np.minimum(times, limit), times <= limit


def bimodal(p, size, rng):
    """Failures cost 20 times what successes cost; without failures, a fifth of the successes do."""
    slow = rng.random(size) >= (p if p < 1 else 0.8)
    if p < 1:
        return np.where(slow, SLOW, FAST * rng.lognormal(0, 0.3, size=size)), ~slow
    return np.where(slow, SLOW, FAST) * rng.lognormal(0, 0.3, size=size), np.full(size, True)


def wide(p, size, rng):
    """The lognormal law whose logarithm has the standard deviation 2."""
    limit = np.exp(2 * norm.ppf(p))
    times = rng.lognormal(sigma=2, size=size)
    return np.minimum(times, limit), times <= limit


def pareto(p, size, rng):
    """From 1 on, with the tail index 2.5: a finite variance and an infinite skewness."""
    limit = np.inf if p == 1 else (1 - p) ** (-1 / 2.5)
    times = 1 + rng.pareto(2.5, size=size)
    return np.minimum(times, limit), times <= limit


def gamma(p, size, rng):
    assert p == 1
    return rng.gamma(0.5, size=size), np.full(size, True)


MEANS = {wide: np.exp(2.0), pareto: 2.5 / 1.5}
"""Exact, where all runs succeed: no number of draws tells the mean of such laws well."""


def covered(law, p, runs):
    """Of so many samples with a success, how many intervals hold the ERT of the law."""
    rng = np.random.default_rng(21)
    truth = ert(*law(p, TRUTH, rng))
    if p == 1:
        truth = MEANS.get(law, truth)
    spent, success = law(p, (runs, SAMPLES), rng)
    some = success.any(axis=0)
    interval = ert_interval(spent[:, some], success[:, some], confidence=0.95)
    return int(((interval.low <= truth) & (truth <= interval.high)).sum()), int(some.sum())


@pytest.mark.parametrize(
    ("law", "p", "runs", "least", "most"),
    [
        (exponential, 0.3, 10, 0.97, 1.0),
        (exponential, 0.3, 30, 0.95, 0.98),
        (exponential, 0.78, 10, 0.93, 0.97),
        (exponential, 0.78, 100, 0.94, 0.965),
        (exponential, 1.0, 10, 0.91, 0.94),
        (exponential, 1.0, 100, 0.935, 0.96),
        (lognormal, 0.3, 15, 0.95, 0.985),
        (lognormal, 0.78, 15, 0.94, 0.965),
        (lognormal, 1.0, 10, 0.885, 0.91),
        (lognormal, 1.0, 100, 0.93, 0.95),
        (bimodal, 0.3, 15, 0.97, 0.995),
        (bimodal, 0.78, 10, 0.89, 0.92),
        (bimodal, 0.78, 100, 0.93, 0.96),
        (bimodal, 1.0, 10, 0.85, 0.88),
        (bimodal, 1.0, 100, 0.935, 0.965),
        (wide, 0.78, 10, 0.93, 0.96),
        (wide, 1.0, 10, 0.82, 0.85),
        (wide, 1.0, 30, 0.90, 0.92),
        (wide, 1.0, 100, 0.935, 0.955),
        (pareto, 0.78, 10, 0.90, 0.93),
        (pareto, 1.0, 10, 0.895, 0.91),
        (pareto, 1.0, 30, 0.91, 0.93),
        (pareto, 1.0, 100, 0.925, 0.945),
    ],
)
def test_the_interval_covers_as_often_as_it_says(law, p, runs, least, most):
    hits, samples = covered(law, p, runs)
    assert binom.ppf(CHANCE, samples, least) <= hits <= binom.isf(CHANCE, samples, most)


def factors(law, p, runs):
    """Length of the upper half of each interval, in lengths of the lower half."""
    spent, success = law(p, (runs, SAMPLES), np.random.default_rng(24))
    interval = ert_interval(spent, success, confidence=0.95)
    some = success.any(axis=0) & np.isfinite(interval.high)
    value = ert(spent, success, axis=0)[some]
    some_failed = ~success.all(axis=0)[some]
    return np.log(interval.high[some] / value) / np.log(value / interval.low[some]), some_failed


@pytest.mark.parametrize("law", [exponential, lognormal, bimodal])
@pytest.mark.parametrize("runs", [10, 30])
def test_failures_leave_both_halves_of_the_interval_equal(law, runs):
    factor, some_failed = factors(law, 0.78, runs)
    np.testing.assert_allclose(factor[some_failed], 1.0, rtol=1e-9)


@pytest.mark.parametrize(
    ("law", "runs", "mean"),
    [
        (exponential, 10, 1.27),
        (exponential, 30, 1.14),
        (exponential, 100, 1.06),
        (lognormal, 10, 1.16),
        (lognormal, 30, 1.25),
        (lognormal, 100, 1.18),
        (bimodal, 10, 1.07),
        (bimodal, 30, 1.04),
    ],
)
def test_ordinary_samples_pay_little_for_heavy_tails(law, runs, mean):
    factor, _ = factors(law, 1.0, runs)
    assert np.mean(factor) <= mean
    assert np.median(factor) <= (1.22 if law is lognormal and runs > 10 else 1.05)
    assert np.min(factor) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("law", "runs", "least", "most"),
    [
        (exponential, 10, 0.12, 0.14),
        (exponential, 30, 0.015, 0.035),
        (exponential, 100, 0.0, 0.002),
        (lognormal, 10, 0.01, 0.025),
        (lognormal, 30, 0.0, 0.002),
        (bimodal, 10, 0.0, 0.02),
        (gamma, 10, 0.54, 0.57),
        (gamma, 30, 0.28, 0.31),
        (wide, 10, 0.77, 0.80),
        (wide, 30, 0.91, 0.93),
        (wide, 100, 0.94, 0.96),
        (pareto, 30, 0.0, 0.002),
    ],
)
def test_heavy_tails_are_found_as_often_as_it_says(law, runs, least, most):
    costs, _ = law(1.0, (runs, SAMPLES), np.random.default_rng(25))
    found = int(heavy_tail(costs).sum())
    assert binom.ppf(CHANCE, SAMPLES, least) <= found <= binom.isf(CHANCE, SAMPLES, most)


@pytest.mark.parametrize("runs", [5, 10, 30, 100])
def test_normal_logarithms_are_rejected_at_the_level(runs):
    """With a spread that is always large enough, only the test of normality says no."""
    costs = np.exp(5 * np.random.default_rng(26).normal(size=(runs, SAMPLES)))
    rejected = int((~heavy_tail(costs)).sum())
    narrow = int((np.log(costs).std(axis=0, ddof=1) <= 1.5).sum())
    least = binom.ppf(CHANCE, SAMPLES, 0.045)
    assert least <= rejected - narrow <= binom.isf(CHANCE, SAMPLES, 0.055)


@pytest.mark.parametrize("p", [0.0, 0.02])
def test_a_rare_success_leaves_the_upper_limit_infinite(p):
    rng = np.random.default_rng(23)
    success = rng.random((15, SAMPLES)) < p
    success[0] = True  # at least one, however rare it is
    interval = ert_interval(np.ones((15, SAMPLES)), success, confidence=0.95)
    few = success.sum(axis=0) <= 3
    np.testing.assert_array_equal(np.isinf(interval.high), few)
