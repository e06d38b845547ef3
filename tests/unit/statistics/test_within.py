"""Comparison within strata: with one it is the usual one, with several it keeps its level."""

import numpy as np
import pytest

from timefair.statistics.comparison import (
    a12,
    a12_within,
    mann_whitney,
    mean_ratio,
    strata_of,
    superiority,
    superiority_within,
    van_elteren,
)

RNG_SEED = 5
SAMPLES = 2000


def drawn(rng, sizes, shift=0.0, slower=3.0):
    """Strata of equal samples but for the shift; each stratum is slower than the one before."""
    return [
        (rng.normal(k * slower, 1, m) - shift, rng.normal(k * slower, 1, n))
        for k, (m, n) in enumerate(sizes)
    ]


def test_one_stratum_is_the_usual_comparison():
    x, y = np.array([1.0, 2.0, 2.0, np.inf]), np.array([2.0, 3.0, np.inf])
    assert van_elteren([(x, y)]) == mann_whitney(x, y)
    assert superiority_within([(x, y)]) == superiority(x, y)
    assert a12_within([(x, y)], confidence=0.9) == a12(x, y, confidence=0.9)


def test_only_strata_with_results_of_both_are_compared():
    found = strata_of([1, 2, 3], [4, 5], ["a", "b", "a"], ["c", "a"])
    assert [(x.tolist(), y.tolist()) for x, y in found] == [([1, 3], [5])]


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [[(3, 3)] * 3, [(8, 7), (7, 8)], [(30, 30), (5, 10)]])
def test_the_level_is_kept_whatever_the_strata_differ(sizes):
    """A rate of 0.05 has the standard deviation 0.005 here."""
    rng = np.random.default_rng(RNG_SEED)
    rejected = np.mean([van_elteren(drawn(rng, sizes)) <= 0.05 for _ in range(SAMPLES)])
    assert 0.03 <= rejected <= 0.06


def test_within_strata_more_is_found_than_in_the_mixture():
    rng = np.random.default_rng(RNG_SEED)
    found = []
    for _ in range(300):
        strata = drawn(rng, [(8, 8), (7, 7)], shift=1.0)
        pooled = (np.concatenate(side) for side in zip(*strata, strict=True))
        found.append((van_elteren(strata) <= 0.05, mann_whitney(*pooled) <= 0.05))
    within, mixed = np.mean(found, axis=0)
    assert within > 0.6
    assert mixed < within - 0.3


@pytest.mark.slow
def test_the_interval_covers_a12_within_strata():
    rng, truth = np.random.default_rng(RNG_SEED), 0.7602499389065233  # Phi(1 / sqrt(2))
    covered = 0
    for _ in range(1000):
        effect = a12_within(drawn(rng, [(8, 8), (7, 7)], shift=1.0), confidence=0.95)
        assert effect.low <= effect.a12 <= effect.high
        covered += effect.low <= truth <= effect.high
    assert covered >= 930


def test_the_mean_of_ratios_is_geometric_and_omits_what_is_unknown():
    assert mean_ratio([2.0, 0.5], [1, 1]) == pytest.approx(1.0)
    assert mean_ratio([2.0, np.nan], [1, 3]) == pytest.approx(2.0)
    assert mean_ratio([4.0, 1.0], [3, 1]) == pytest.approx(4**0.75)
    assert mean_ratio([np.inf, 2.0], [1, 1]) == np.inf
    assert np.isnan(mean_ratio([np.inf, 0.0], [1, 1]))
    assert np.isnan(mean_ratio([np.nan], [1]))
