"""How often intervals of the ERT hold it, on skewed, bimodal and censored runtimes.

Each case names the range that the coverage of a nominal .95 lies in; what the docstring of
`ert_interval` reports lies in it. A sample without a success has no interval and is not counted.
"""

import numpy as np
import pytest
from scipy.stats import binom, norm

from timefair.statistics.ert import ert, ert_interval

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


def covered(law, p, runs, **settings):
    """Of so many samples with a success, how many intervals hold the ERT of the law."""
    rng = np.random.default_rng(21)
    truth = ert(*law(p, TRUTH, rng))
    spent, success = law(p, (runs, SAMPLES), rng)
    some = success.any(axis=0)
    interval = ert_interval(spent[:, some], success[:, some], confidence=0.95, **settings)
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
        (lognormal, 1.0, 10, 0.87, 0.90),
        (lognormal, 1.0, 100, 0.92, 0.945),
        (bimodal, 0.3, 15, 0.97, 0.995),
        (bimodal, 0.78, 10, 0.89, 0.92),
        (bimodal, 0.78, 100, 0.93, 0.96),
        (bimodal, 1.0, 10, 0.85, 0.88),
        (bimodal, 1.0, 100, 0.935, 0.965),
    ],
)
def test_the_interval_covers_as_often_as_it_says(law, p, runs, least, most):
    hits, samples = covered(law, p, runs)
    assert binom.ppf(CHANCE, samples, least) <= hits <= binom.isf(CHANCE, samples, most)


@pytest.mark.parametrize("law", [exponential, lognormal, bimodal])
def test_the_bootstrap_covers_less_often_without_failures(law):
    rng = np.random.default_rng(22)
    bootstrap, samples = covered(law, 1.0, 15, method="percentile", resamples=400, rng=rng)
    ours, _ = covered(law, 1.0, 15)
    assert bootstrap < ours
    assert binom.ppf(CHANCE, samples, 0.83) <= bootstrap <= binom.isf(CHANCE, samples, 0.91)


@pytest.mark.parametrize("p", [0.0, 0.02])
def test_a_rare_success_leaves_the_upper_limit_infinite(p):
    rng = np.random.default_rng(23)
    success = rng.random((15, SAMPLES)) < p
    success[0] = True  # at least one, however rare it is
    interval = ert_interval(np.ones((15, SAMPLES)), success, confidence=0.95)
    few = success.sum(axis=0) <= 3
    np.testing.assert_array_equal(np.isinf(interval.high), few)
