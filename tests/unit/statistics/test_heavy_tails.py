"""Which samples have a heavy tail, and how much longer the interval of their mean becomes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, shapiro, t

from timefair.statistics.ert import WIDEST, heavy_tail, widening

LOGNORMAL = np.exp(2 * norm.ppf((np.arange(1, 21) - 0.5) / 20))
EVEN = 10 + norm.ppf((np.arange(1, 21) - 0.5) / 20)
costs = st.lists(st.sampled_from([0.0, 1e-9, 1.0, 1.0, 3.0, 1e5]) | st.floats(0, 1e9), min_size=2)


def test_a_wide_lognormal_sample_is_heavy_and_others_are_not():
    assert heavy_tail(LOGNORMAL)
    assert not heavy_tail(np.sqrt(LOGNORMAL))  # σ = 1
    assert not heavy_tail(np.where(LOGNORMAL > 1, 1e4, 1.0))  # two values, as wide
    assert not heavy_tail(EVEN)
    assert not heavy_tail(np.full(20, 7.0))
    assert not heavy_tail(np.append(LOGNORMAL, 0.0))
    assert not heavy_tail(LOGNORMAL[[0, 5, 10, 19]])
    assert heavy_tail(LOGNORMAL[[0, 5, 10, 15, 19]])


@pytest.mark.parametrize("runs", [5, 10, 40])
def test_normality_is_judged_much_as_by_shapiro_and_wilk(runs):
    """The tests are different, but near enough to agree on most samples."""
    rng = np.random.default_rng(runs)
    kinds = (rng.normal(size=(60, runs)), np.log(rng.exponential(size=(60, runs))))
    logs = 3 * np.concatenate(kinds)
    expected = [shapiro(sample).pvalue > 0.05 for sample in logs]
    wide = logs.std(axis=1, ddof=1) > 1.5
    assert np.mean((heavy_tail(np.exp(logs.T)) == expected)[wide]) > 0.85


def by_hand(x, confidence):
    """The factor of a skewed sample, written as in the notes."""
    runs, q = x.size, t.ppf((1 + confidence) / 2, x.size - 1)
    skewness = np.mean((x - x.mean()) ** 3) / x.std() ** 3
    excess = skewness - x.std(ddof=1) / x.mean() * 3 * q**2 / (2 * q**2 + 1)
    if excess <= 0.5 * np.sqrt(6 / runs):
        return 1.0
    return 1 + min(1 + 40 / runs, 5) * excess * (2 * q**2 + 1) / (6 * q * np.sqrt(runs))


@pytest.mark.parametrize("runs", [3, 8, 25, 200])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
def test_the_factor_of_skewed_samples_by_hand(runs, confidence):
    rng = np.random.default_rng(runs)
    samples = [5 + rng.exponential(size=runs) for _ in range(20)]
    expected = [by_hand(x, confidence) for x in samples]
    found = [float(widening(x, confidence=confidence)) for x in samples]
    assert found == pytest.approx(expected)
    assert max(found) > 1 or runs == 3


def test_a_heavy_tail_takes_the_limit_of_a_lognormal_mean():
    logs = np.log(LOGNORMAL)
    q, v = t.ppf(0.975, 19), logs.var(ddof=1)
    limit = logs.mean() + v / 2 + q * np.sqrt(v / 20 + v**2 / 38)
    half = q * LOGNORMAL.std(ddof=1) / LOGNORMAL.mean() / np.sqrt(20)
    expected = (limit - np.log(LOGNORMAL.mean())) / half
    assert 1 < expected < WIDEST
    assert widening(LOGNORMAL, confidence=0.95) == pytest.approx(expected)


@pytest.mark.parametrize("sample", [EVEN, np.arange(1.0, 12.0), np.full(9, 3.0), np.zeros(4)])
def test_other_samples_keep_the_log_interval_to_the_bit(sample):
    assert widening(sample, confidence=0.95) == 1.0


@pytest.mark.slow
@settings(deadline=None)
@given(costs)
def test_whatever_the_costs_are(sample):
    factor = float(widening(sample, confidence=0.95))
    assert 1.0 <= factor < np.inf
    assert widening(3 * np.array(sample), confidence=0.95) == pytest.approx(factor, rel=1e-6)


@pytest.mark.parametrize("judge", [heavy_tail, lambda x: widening(x, confidence=0.9)])
@pytest.mark.parametrize("wrong", [1.0, [[[1.0]]], [1.0, -1.0], [1.0, np.nan], [1.0, np.inf]])
def test_wrong_costs_are_named(judge, wrong):
    with pytest.raises(ValueError, match="costs"):
        judge(wrong)
