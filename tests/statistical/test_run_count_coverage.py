"""Promises of the stopping rules, simulated: coverage at the stopping time, errors of a race."""

import numpy as np
import pytest
from scipy.stats import binom

from timefair.statistics.run_count.stopping_rules import race, stop_counts
from timefair.statistics.run_count.widths import (
    BoundedMeanWidth,
    QuantileWidth,
    Validity,
)

SAMPLES, RUNS = 4000, 50
CHANCE = 1e-4


def lognormal(rng, shape):
    return rng.lognormal(size=shape)


def tied(rng, shape):
    return np.floor(3.0 * rng.exponential(size=shape))


def failing(rng, shape):
    """Two in five runs have no finite value."""
    return np.where(rng.random(shape) < 0.6, rng.exponential(size=shape), np.inf)


QUANTILES = {
    (lognormal, 0.5): 1.0,
    (lognormal, 0.9): np.exp(1.2815515655446004),
    (tied, 0.5): 2.0,
    (failing, 0.5): np.log(6.0),
    (failing, 0.9): np.inf,
}
"""True quantiles: floor(3 ln 2) = 2; 1 - exp(-x) = 5/6 at ln 6."""


def covered_at_the_stop(rule, samples, truth):
    counts = stop_counts(rule, samples)
    covered = 0
    for n in np.unique(counts.n):
        low, high = rule.interval(samples[counts.n == n, :n])
        covered += int(((low <= truth) & (truth <= high)).sum())
    return covered


def covered_at_every_look(rule, samples, truth):
    """The same for a rule that would stop just where its interval is wrong."""
    always = np.ones(len(samples), dtype=bool)
    for n in range(rule.start, rule.cap + 1):
        low, high = rule.interval(samples[:, :n])
        always &= (low <= truth) & (truth <= high)
    return int(always.sum())


@pytest.mark.slow
@pytest.mark.thinned(3)
@pytest.mark.parametrize("validity", [Validity.HORIZON, Validity.ANYTIME])
@pytest.mark.parametrize("law", QUANTILES, ids=lambda law: f"{law[0].__name__}-{law[1]}")
def test_quantiles_are_covered_wherever_one_stops(law, validity):
    make, p = law
    samples = make(np.random.default_rng(21), (SAMPLES, RUNS))
    rule = QuantileWidth(0.5, p=p, validity=validity)
    least = binom.ppf(CHANCE, SAMPLES, rule.confidence)
    every_look = covered_at_every_look(rule, samples, QUANTILES[law])
    assert every_look >= least
    assert covered_at_the_stop(rule, samples, QUANTILES[law]) >= every_look


@pytest.mark.slow
def test_the_horizon_spends_its_error():
    """Not wider than it has to be: .950 of a nominal .95 for continuous values."""
    samples = lognormal(np.random.default_rng(22), (SAMPLES, RUNS))
    rule = QuantileWidth(0.5, validity=Validity.HORIZON)
    covered = covered_at_every_look(rule, samples, 1.0)
    assert binom.ppf(CHANCE, SAMPLES, 0.95) <= covered <= binom.isf(CHANCE, SAMPLES, 0.955)


def test_an_ordinary_interval_covers_one_look_but_not_all():
    samples = lognormal(np.random.default_rng(23), (SAMPLES, RUNS))
    low, high = QuantileWidth(0.5, validity=Validity.SINGLE).ranks(RUNS)
    ordered = np.sort(samples, axis=1)
    one = int(((ordered[:, low - 1] <= 1.0) & (ordered[:, high - 1] >= 1.0)).sum())
    assert one >= binom.ppf(CHANCE, SAMPLES, 0.95)
    rule = QuantileWidth(0.5, validity=Validity.SINGLE)
    assert covered_at_every_look(rule, samples, 1.0) < binom.ppf(CHANCE, SAMPLES, 0.90)


@pytest.mark.slow
@pytest.mark.thinned(2)
@pytest.mark.parametrize(("a", "b"), [(2.0, 5.0), (0.2, 0.2), (0.1, 1.0)])
def test_bounded_means_are_covered_wherever_one_stops(a, b):
    samples = np.random.default_rng(24).beta(a, b, size=(1000, 30))
    rule = BoundedMeanWidth(0.1, 0.0, 1.0, start=2, cap=30, relative=False)
    every_look = covered_at_every_look(rule, samples, a / (a + b))
    assert every_look >= binom.ppf(CHANCE, 1000, rule.confidence)
    assert covered_at_the_stop(rule, samples, a / (a + b)) >= every_look


@pytest.mark.slow
def test_a_promise_of_a_mean_is_kept_or_nothing_is_promised():
    """One sample in eight has a value that the bounds exclude; the others are as promised."""
    rng = np.random.default_rng(28)
    samples = rng.beta(2.0, 5.0, size=(2000, 50))
    excluded = rng.integers(50, size=250)
    samples[np.arange(250), excluded] = 1.5
    rule = BoundedMeanWidth(0.15, 0.0, 1.0, relative=False)
    counts = stop_counts(rule, samples)
    stopped = np.flatnonzero(counts.met)
    before = stopped[stopped < 250]
    assert 0 < before.size < 250
    assert (counts.n[before] <= excluded[before]).all()
    estimates = np.array([samples[s, : counts.n[s]].mean() for s in stopped])
    broken = np.abs(estimates - 2.0 / 7.0) > 0.15
    assert broken.sum() <= binom.isf(CHANCE, len(samples), 1.0 - rule.confidence)


@pytest.mark.slow
def test_a_promise_of_the_mean_is_kept_for_two_values_as_well():
    samples = (np.random.default_rng(25).random((2000, 30)) < 0.1).astype(float)
    rule = BoundedMeanWidth(0.1, 0.0, 1.0, start=1, cap=30, relative=False)
    assert covered_at_every_look(rule, samples, 0.1) >= binom.ppf(CHANCE, 2000, 0.95)


@pytest.mark.slow
@pytest.mark.thinned(4)
@pytest.mark.parametrize("make", [lognormal, tied, failing])
@pytest.mark.parametrize(("algorithms", "races"), [(2, 300), (6, 60)])
def test_the_best_is_seldom_dropped_among_equals(make, algorithms, races):
    """Equals are the hardest case: all are best, and any may lead by chance."""
    rng = np.random.default_rng(26)
    dropped = sum(
        not race(list(make(rng, (algorithms, RUNS))), alpha=0.1).goes_on[0] for _ in range(races)
    )
    assert dropped <= binom.isf(CHANCE, races, 0.1)


def test_a_race_ends_with_the_best_and_saves_runs():
    rng = np.random.default_rng(27)
    shift = np.linspace(0.0, 3.0, 6)[:, np.newaxis]
    states = [race(list(rng.normal(size=(6, RUNS)) + shift)) for _ in range(30)]
    assert sum(state.leader == 0 for state in states) >= 27
    assert sum(state.runs.sum() for state in states) < 0.6 * 30 * 6 * RUNS
