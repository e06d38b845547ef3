"""The closed form of the offline verdict, beside the same formulas written with numpy and scipy."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import skew

from timefair.statistics.run_count import kernels, resampling
from timefair.statistics.run_count.evaluation import BANDS, analytic_verdicts, resampled_verdicts
from timefair.statistics.run_count.skewness import Outliers, is_kept

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
    found = analytic_verdicts(samples, counts, SETTINGS)
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
    found, other = (analytic_verdicts(each, counts, SETTINGS) for each in (samples, scaled))
    np.testing.assert_array_equal(other.accurate, found.accurate)
    np.testing.assert_allclose(other.within, found.within, atol=1e-9)
    found, other = (
        resampled_verdicts(
            each[:20], counts[:20], SETTINGS,
            resamples=200, seeds=1, rng=np.random.default_rng(12),
        )
        for each in (samples, scaled)
    )  # fmt: skip
    np.testing.assert_array_equal(other.accurate, found.accurate)


@pytest.mark.parametrize(("count", "length"), [(1, 7), (2, 7), (3, 6), (9, 3), (31, 2), (32, 1)])
def test_tuples_are_all_that_can_be_drawn(count, length):
    kept = np.arange(1.0, count + 1.0)
    sums, found = resampling.tuple_sums(kept, 7, 1000)
    assert found == length
    assert sorted(sums) == sorted(map(sum, itertools.product(kept, repeat=length)))


@pytest.mark.parametrize("count", [1, 2, 5, 16, 47, 50])
def test_resampled_means_are_means_of_independent_draws(count):
    """Mean, variance and skewness, within five standard errors of 40,000 resamples."""
    kept = np.random.default_rng(count).gamma(2.0, size=count)
    means = resampling.resampled_means(kept, RUNS, 40_000, 5)
    error = 5.0 / math.sqrt(means.size)
    deviation = kept.std() / math.sqrt(RUNS)
    assert means.mean() == pytest.approx(kept.mean(), abs=error * deviation + 1e-12)
    assert means.var() == pytest.approx(deviation**2, rel=1.5 * error, abs=1e-20)
    if count > 1:
        assert skew(means) == pytest.approx(skew(kept) / math.sqrt(RUNS), abs=2.5 * error)


MASK = 2**64 - 1


def mixed(state):
    """splitmix64's output."""
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB & MASK
    return state ^ (state >> 31)


def plain_means(kept, draws, resamples, seed):
    """The means of `resampling.resampled_means`, drawn in Python."""
    sums, length = resampling.tuple_sums(kept, draws, resampling.TUPLES)
    means, state = [], seed
    for _ in range(resamples):
        total = 0.0
        for _ in range(draws // (2 * length)):
            state = (state + 0x9E3779B97F4A7C15) & MASK
            word = mixed(state)
            total += sums[(word & 0xFFFFFFFF) * sums.size >> 32]
            total += sums[(word >> 32) * sums.size >> 32]
        for _ in range(draws % (2 * length)):
            state = (state + 0x9E3779B97F4A7C15) & MASK
            total += kept[(mixed(state) >> 32) * kept.size >> 32]
        means.append(total / draws)
    return np.array(means)


def test_resampled_verdicts_are_those_of_the_streams():
    """The shares within the bands, from differences drawn in Python with the same words."""
    samples = np.random.default_rng(14).lognormal(sigma=1.5, size=(60, RUNS))
    counts = np.full((60, 1), 9)
    found = resampled_verdicts(
        samples, counts, [Outliers.IQR],
        resamples=100, seeds=1, skip_clear=False, rng=np.random.default_rng(15),
    )  # fmt: skip
    words = np.random.default_rng(15).integers(2**64, size=(60, 1), dtype=np.uint64)
    wrong = np.flatnonzero(found.accurate[:, 0] == 0.0)
    assert wrong.size > 5
    for s in wrong:
        some, word = samples[s, :9], int(words[s, 0])
        seed = (word + 9 * 0xD1B54A32D192ED03) & MASK
        kept, truth = (each[is_kept(each, Outliers.IQR)] for each in (some, samples[s]))
        differences = plain_means(kept, RUNS, 100, seed) - plain_means(
            truth, RUNS, 100, mixed(word)
        )
        reach = np.array(BANDS) * abs(truth.mean())
        expected = (np.abs(differences)[:, np.newaxis] <= reach).mean(axis=0)
        np.testing.assert_allclose(found.within[s, 0], expected, atol=1e-12)


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
