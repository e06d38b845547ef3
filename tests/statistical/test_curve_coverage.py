"""How often the bands of curves hold the true curve, on skewed and on tied data."""

import numpy as np
import pytest
from scipy.stats import binom

from timefair.statistics.bands import (
    ecdf,
    ecdf_band,
    median_band,
    performance_profile,
    performance_ratios,
    profile_band,
    resampled_ert,
)
from timefair.statistics.ert import ert

CONFIDENCE = 0.95
TINY = 1e-9


def within_bounds(covered, samples, least, most=1.0):
    """Whether a count is likely for a coverage between `least` and `most`."""
    return binom.ppf(1e-4, samples, least) <= covered <= binom.isf(1e-4, samples, most)


def skewed(rng, shape):
    return rng.lognormal(sigma=1.5, size=shape)


def tied(rng, shape):
    return np.ceil(2 * rng.lognormal(sigma=1.0, size=shape))


LAWS = pytest.mark.parametrize("law", [skewed, tied])


@LAWS
@pytest.mark.parametrize(("runs", "most"), [(7, 0.985), (10, 0.979), (30, 0.958)])
def test_the_interval_of_the_median_never_covers_less_than_it_says(law, runs, most):
    """Exact for continuous laws; ties can only raise it."""
    rng = np.random.default_rng(21)
    median = np.median(law(rng, 1_000_001))
    samples = 2000
    band = median_band(law(rng, (runs, samples)), CONFIDENCE)
    covered = np.sum((band.low <= median) & (median <= band.high))
    assert within_bounds(covered, samples, CONFIDENCE, most if law is skewed else 1.0)


def exponential(rng, shape):
    return 10 ** rng.exponential(size=shape)


def partly_solved(rng, shape):
    return np.where(rng.random(shape) < 0.3, 0.0, 10 ** rng.normal(-1.0, 1.0, size=shape))


def runtimes(rng, problems, runs, ties):
    """Six targets each, harder and harder; some runs fail beyond the third of them."""
    shape = (problems, runs, 1)
    start = np.linspace(0.0, 1.5, problems)[:, np.newaxis, np.newaxis]
    steps = 0.3 * np.abs(rng.normal(size=(problems, runs, 6))).cumsum(axis=2)
    times = np.exp(start + steps + np.linspace(0.0, 1.5, 6) + 0.8 * rng.normal(size=shape))
    times = np.where((rng.random(shape) < 0.15) & (np.arange(6) > 2), np.inf, times)
    times = 2 * np.ceil(times / 2) if ties else times
    return times.reshape(-1, 6), np.repeat(np.arange(problems), runs)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(
    ("problems", "runs", "pointwise", "everywhere"),
    [(1, 10, 0.88, 0.90), (1, 30, 0.92, 0.92), (10, 2, 0.88, 0.87), (10, 5, 0.93, 0.94)],
)
def test_bands_of_the_ecdf(problems, runs, pointwise, everywhere, ties):
    """Pointwise where the true curve is neither low nor at its top; small samples cover less."""
    rng = np.random.default_rng(23)
    grid, samples = np.geomspace(1.0, 40.0, 12), 250
    truth = ecdf(runtimes(rng, problems, 60_000 // problems, ties)[0], grid)
    inner = (truth > 0.15) & (truth < 0.85 * truth.max())
    at_once, covered = 0, np.zeros(grid.size)
    for _ in range(samples):
        times, strata = runtimes(rng, problems, runs, ties)
        band = ecdf_band(times, strata, grid, confidence=CONFIDENCE, resamples=300, rng=rng)
        covered += (band["low"] <= truth + TINY) & (truth - TINY <= band["high"])
        at_once += ((band["everywhere_low"] <= truth) & (truth <= band["everywhere_high"])).all()
    assert inner.sum() >= 3
    assert all(within_bounds(count, samples, pointwise, 0.97) for count in covered[inner])
    assert within_bounds(at_once, samples, everywhere, 0.98)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "runs", "least"),
    [(skewed, 5, 0.74), (skewed, 15, 0.89), (skewed, 50, 0.94), (tied, 5, 0.84), (tied, 15, 0.94)],
)
def test_bands_of_profiles(law, runs, least):
    """Averaged over points: a profile is a step function of few problems, its coverage jumps."""
    rng = np.random.default_rng(24)
    problems, algorithms, samples, budget = 20, 3, 60, 8.0
    grids = np.geomspace(1.0, 10.0, 9), np.geomspace(1.0, 60.0, 9)
    difficulty = np.exp(0.5 * rng.normal(size=(problems, algorithms)))

    def spent(runs):
        times = difficulty * law(rng, (runs, problems, algorithms))
        return np.minimum(times, budget), times <= budget

    def profiles(costs):
        ratios = performance_profile(performance_ratios(costs), grids[0])
        return ratios, performance_profile(costs, grids[1])

    truth = profiles(ert(*spent(20_000), axis=0))
    covered = np.zeros(2)
    for _ in range(samples):
        cost, success = spent(runs)
        replicates = [
            resampled_ert(cost[:, p], success[:, p], resamples=200, rng=rng)[:, np.newaxis]
            for p in range(problems)
        ]
        measured = [performance_ratios(part) for part in replicates], replicates
        observed = profiles(ert(cost, success, axis=0))
        for k in range(2):
            band = profile_band(observed[k], measured[k], grids[k], confidence=CONFIDENCE)
            covered[k] += np.mean((band.low <= truth[k] + TINY) & (truth[k] - TINY <= band.high))
    assert (covered / samples >= least).all()
    assert (covered / samples <= 0.99).all()
