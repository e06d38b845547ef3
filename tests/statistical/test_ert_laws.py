"""ERT against laws in closed form, and the coverage of its interval."""

import numpy as np
import pytest
from scipy.stats import binom

from timefair.statistics.ert import ert, ert_interval

SIGMAS = 5


@pytest.mark.parametrize("budget", [0.2, 1.0, 7.0])
@pytest.mark.parametrize("rate", [0.5, 3.0])
def test_exponential_runtimes_cost_one_over_their_rate_for_any_budget(rate, budget):
    rng = np.random.default_rng(11)
    times = rng.exponential(1 / rate, size=100_000)
    success = times <= budget
    estimate = ert(np.minimum(times, budget), success)
    assert abs(estimate - 1 / rate) < SIGMAS / (rate * np.sqrt(success.sum()))


@pytest.mark.parametrize("attempts", [1, 4, 100])
def test_geometric_restarts_cost_c_over_p(attempts):
    cost, p = 2.5, 0.2
    needed = np.random.default_rng(12).geometric(p, size=100_000)
    success = needed <= attempts
    estimate = ert(cost * np.minimum(needed, attempts), success)
    assert abs(estimate - cost / p) < SIGMAS * cost / p * np.sqrt((1 - p) / success.sum())


def test_the_interval_covers_as_often_as_it_says():
    """Percentile intervals cover a little less than their name; at 100 runs, at most 2 % less."""
    rng = np.random.default_rng(13)
    runs, budget, samples = 100, 1.5, 600
    covered = 0
    for _ in range(samples):
        times = rng.exponential(1.0, size=runs)
        interval = ert_interval(
            np.minimum(times, budget), times <= budget, confidence=0.95, resamples=500, rng=rng
        )
        covered += bool(interval.low <= 1.0 <= interval.high)
    assert binom.ppf(1e-4, samples, 0.93) <= covered <= binom.isf(1e-4, samples, 0.95)
