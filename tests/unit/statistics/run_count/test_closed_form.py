"""The closed form of the offline verdict, beside the same formulas written with numpy and scipy."""

import math

import numpy as np
import pytest
from run_counts import is_kept
from scipy.special import ndtr, ndtri

from timefair.statistics.run_count import kernels
from timefair.statistics.run_count.evaluation import BANDS, verdicts
from timefair.statistics.run_count.skewness import Outliers

RUNS = 50
SETTINGS = [technique for technique in Outliers for _ in range(4)]


def samples_of_many_shapes(each, seed):
    """Log-normal, near-normal, tied, nearly constant, with outliers, with `inf`, constant."""
    rng = np.random.default_rng(seed)
    shape = (each, RUNS)
    noise = rng.normal(size=shape)
    tails = np.exp(noise * rng.uniform(0.1, 2.5, size=(each, 1)))
    shapes = (
        tails,
        10.0 + noise,
        -tails,
        rng.integers(0, 4, size=shape).astype(float),
        1.0 + 1e-12 * noise,
        np.where(rng.random(shape) < 0.9, 1.0, 10.0 * noise),
        np.where(rng.random(shape) < 0.03, np.inf, tails),
        np.repeat(rng.choice([0.0, 0.1, np.inf], size=(each, 1)), RUNS, axis=1),
    )
    return np.concatenate(shapes)


def numbers_of_runs(samples, settings, seed):
    """Equal numbers among a sample's settings, and the cap, are frequent, as in real life."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(5, RUNS, size=(samples, settings))
    often = rng.choice([5, 6, RUNS], size=numbers.shape)
    return np.where(rng.random(numbers.shape) < 0.6, often, numbers)


def moments(values):
    """Mean, standard deviation, skewness and excess kurtosis."""
    if np.ptp(values) == 0.0:
        return values[0], 0.0, 0.0, 0.0
    centred = values - values.mean()
    deviation = centred.std()
    y = (centred - centred.mean()) / deviation
    return values.mean(), deviation, (y**3).mean(), (y**4).mean() - 3.0


def verdict(sample, n, technique, truth):
    """Accurate or not, and the shares within the bands, of one case."""
    some = sample[:n]
    if np.isinf(some).any() or np.isinf(truth).any():
        agree = float(np.isinf(some).any() and np.isinf(truth).any())
        return agree, np.full(len(BANDS), agree)
    mean, deviation, third, fourth = moments(some[is_kept(some, technique)])
    true = moments(truth[is_kept(truth, technique)])
    spread = math.hypot(deviation, true[1])
    error, scale = mean - true[0], abs(true[0])
    reach = np.array(BANDS) * scale
    if spread <= 1e-15 * scale:
        right = abs(error) <= 1e-15 * scale
        return float(right), np.array(abs(error) <= reach, dtype=float)
    g = (deviation**3 * third - true[1] ** 3 * true[2]) / spread**3 / math.sqrt(RUNS)
    k = (deviation**4 * fourth + true[1] ** 4 * true[3]) / spread**4 / RUNS
    unit = spread / math.sqrt(RUNS)

    def quantile(z):
        bend = g * (z**2 - 1) / 6 + k * (z**3 - 3 * z) / 24 - g**2 * (2 * z**3 - 5 * z) / 36
        return z + bend

    def shifted(z):
        return g / 6 + (g / 6 + z) / (1 - g / 6 * (g / 6 + z))

    z = ndtri(0.975)
    for low, high in ((-z, z), (shifted(-z), shifted(z))):
        if quantile(low) <= -error / unit <= quantile(high):
            return 1.0, np.ones(len(BANDS))

    def below(x):
        bend = (
            g * (x**2 - 1) / 6 + k * x * (x**2 - 3) / 24 + g**2 * x * (x**4 - 10 * x**2 + 15) / 72
        )
        return np.clip(ndtr(x) - np.exp(-0.5 * x**2) / math.sqrt(2 * math.pi) * bend, 0, 1)

    share = below((reach - error) / unit) - below((-reach - error) / unit)
    return 0.0, np.maximum.accumulate(np.maximum(share, 0.0))


@pytest.mark.slow
def test_it_is_the_formulas_for_samples_of_many_shapes():
    samples = samples_of_many_shapes(25, seed=1)
    counts = numbers_of_runs(len(samples), len(SETTINGS), seed=2)
    found = verdicts(samples, counts, SETTINGS)
    right, wrong = 0, 0
    for s, r in np.ndindex(*counts.shape):
        if counts[s, r] == RUNS:
            assert found.accurate[s, r] == 1.0
            continue
        accurate, within = verdict(samples[s], counts[s, r], SETTINGS[r], samples[s])
        assert found.accurate[s, r] == accurate, (s, r)
        np.testing.assert_allclose(found.within[s, r], within, atol=1e-5)
        right += accurate == 1.0
        wrong += accurate == 0.0
    assert min(right, wrong) > 300


@pytest.mark.parametrize("exponent", [-990, -500, -300, 300, 500, 900])
def test_the_unit_of_the_values_does_not_matter(exponent):
    """Powers of fourth order of such values are 0 or infinite."""
    samples = np.random.default_rng(10).lognormal(size=(100, RUNS))
    counts = numbers_of_runs(100, len(SETTINGS), seed=11)
    scaled = samples * 2.0**exponent
    found, other = (verdicts(each, counts, SETTINGS) for each in (samples, scaled))
    np.testing.assert_array_equal(other.accurate, found.accurate)
    np.testing.assert_allclose(other.within, found.within, atol=1e-9)


@pytest.mark.parametrize("technique", Outliers)
def test_fences_of_prefixes_are_those_of_each_alone(technique):
    rng = np.random.default_rng(13)
    samples = np.concatenate([rng.lognormal(size=(5, 20)), rng.integers(0, 3, size=(5, 20))])
    counts = np.tile(np.arange(1, 21), (10, 1))
    low, high = kernels.fences_all(samples, counts, np.full(20, technique.code))
    for s, r in np.ndindex(*counts.shape):
        seen = samples[s, : counts[s, r]]
        kept = (low[s, r] <= seen) & (seen <= high[s, r])
        assert kept.tolist() == is_kept(seen, technique).tolist()
