"""ERT, and the runtime with restarts, against laws in closed form and against simulation."""

import numpy as np
import pytest
from scipy.stats import binom

from timefair.statistics.ert import ert, restarted_cdf

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


def simulated(times, success, count, rng):
    """Runtimes with restarts, drawn one after the other."""
    total, waiting = np.zeros(count), np.arange(count)
    while waiting.size:
        drawn = rng.integers(times.size, size=waiting.size)
        total[waiting] += times[drawn]
        waiting = waiting[~success[drawn]]
    return total


@pytest.mark.parametrize("failures", [0, 3, 8])
@pytest.mark.parametrize("ends", ["one budget", "two budgets", "any"])
def test_runtimes_with_restarts_are_those_of_a_simulation(failures, ends):
    rng = np.random.default_rng(14)
    times, success, count = rng.uniform(0.5, 1.5, size=10), np.arange(10) >= failures, 40_000
    if ends == "one budget":
        times[:failures] = 1.5
    elif ends == "two budgets":
        times[:failures] = np.where(np.arange(failures) % 2, 1.5, 0.7)
    drawn = simulated(times, success, count, rng)
    grid = np.linspace(0.25, 12.0, 60)
    cdf = restarted_cdf(times, success, grid)
    within = (drawn[:, np.newaxis] <= grid).sum(axis=0)
    assert (within >= binom.ppf(1e-6, count, np.clip(cdf.low, 0, 1))).all()
    assert (within <= binom.isf(1e-6, count, np.clip(cdf.high, 0, 1))).all()
    assert abs(drawn.mean() - ert(times, success)) < SIGMAS * drawn.std() / np.sqrt(count)
