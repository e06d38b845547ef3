"""How often the intervals of quantiles, their probabilities and means hold the truth.

Nominal coverage is .95 throughout. The law of the results is lognormal (skewed), or exponential
rounded to halves (tied). An exact interval must be within binomial bounds of its coverage; one
that is only approximate is held to what it was found to cover, which its docstring says.
"""

import numpy as np
import pytest
from scipy.stats import beta, binom, expon, lognorm

from timefair.statistics import probability
from timefair.statistics.samples import quantile_interval, quantile_rank, sample_quantile

NOMINAL = 0.95
SAMPLES = 4000
SIZES = (15, 51, 101)
PROBABILITIES = (0.1, 0.5, 0.9)
GRAIN = 0.5

every_case = pytest.mark.parametrize(
    ("n", "p"), [(n, p) for n in SIZES for p in PROBABILITIES], ids=str
)


def tied(n, samples=SAMPLES, seed=21):
    """Rounded exponential results, and their distribution function."""
    x = np.random.default_rng(seed).exponential(size=(samples, n))
    return GRAIN * np.round(x / GRAIN), lambda q: expon.cdf(q + GRAIN / 2)


def skewed(n, samples=SAMPLES, seed=22):
    """Lognormal results, and their distribution function."""
    return np.random.default_rng(seed).lognormal(size=(samples, n)), lognorm(1).cdf


def share(low, truth, high):
    return float(np.mean((low <= truth) & (truth <= high)))


def compatible(covered, least, most, samples=SAMPLES):
    """Whether a share of the samples is possible for a coverage between two bounds."""
    count = round(covered * samples)
    return binom.ppf(1e-4, samples, least) <= count <= binom.isf(1e-4, samples, most)


def probabilities(law, n, p):
    """Counts at the sample quantile, whether it is tied, and the true probability."""
    x, distribution = law(n)
    quantile = sample_quantile(x, p, axis=1)
    count = (x <= quantile[:, np.newaxis]).sum(axis=1)
    twice = (x == quantile[:, np.newaxis]).sum(axis=1) > 1
    return count, twice, distribution(quantile)


@every_case
def test_the_beta_interval_of_a_probability_is_exact_without_ties(n, p):
    count, twice, truth = probabilities(skewed, n, p)
    interval = probability.beta_interval(count, n, NOMINAL, tied=twice)
    assert compatible(share(interval.low, truth, interval.high), NOMINAL, NOMINAL)


@every_case
def test_the_beta_interval_of_a_probability_is_on_the_safe_side_with_ties(n, p):
    """From .96 to .985; without regard to ties, down to .945."""
    count, twice, truth = probabilities(tied, n, p)
    interval = probability.beta_interval(count, n, NOMINAL, tied=twice)
    assert compatible(share(interval.low, truth, interval.high), NOMINAL, 0.99)


PAPER = {
    (15, 0.1): 0.911, (15, 0.5): 0.967, (15, 0.9): 0.827,
    (51, 0.1): 0.937, (51, 0.5): 0.955, (51, 0.9): 0.921,
    (101, 0.1): 0.944, (101, 0.5): 0.953, (101, 0.9): 0.935,
}  # fmt: skip


@every_case
def test_the_paper_s_interval_of_a_probability_covers_what_it_covers(n, p):
    """Without ties F(X_(k)) is Beta(k, n + 1 - k), so that its coverage is known: `PAPER`."""
    k = quantile_rank(n, p)
    limits = probability.paper_interval(k, n, NOMINAL)
    exact = float(np.diff(beta(k, n + 1 - k).cdf([limits.low, limits.high]))[0])
    assert round(exact, 3) == PAPER[n, p]
    count, _, truth = probabilities(skewed, n, p)
    interval = probability.paper_interval(count, n, NOMINAL)
    assert compatible(share(interval.low, truth, interval.high), exact, exact)


@every_case
@pytest.mark.parametrize("law", [skewed, tied])
def test_order_statistics_hold_the_quantile_as_often_as_they_say(law, n, p):
    """Without ties exactly, from .95 to .99 as the binomial steps allow; with ties more often."""
    x, _ = law(n)
    interval = quantile_interval(x, p, NOMINAL, axis=1)
    truth = lognorm(1).ppf(p) if law is skewed else GRAIN * np.round(expon.ppf(p) / GRAIN)
    covered = share(interval.low, truth, interval.high)
    most = interval.coverage if law is skewed else 1.0
    assert compatible(covered, interval.coverage, most)
    assert interval.coverage >= NOMINAL


@pytest.mark.parametrize("rate", [0.02, 0.5, 0.9])
@pytest.mark.parametrize("n", SIZES)
def test_the_interval_of_a_success_rate_never_covers_less(n, rate):
    successes = np.arange(n + 1)
    interval = probability.success_interval(successes, n, NOMINAL)
    inside = (interval.low <= rate) & (rate <= interval.high)
    assert binom.pmf(successes[inside], n, rate).sum() >= NOMINAL


MEANS = {
    # law, n: coverage of the default, of the paper's
    ("skewed", 15): (0.910, 0.825),
    ("skewed", 51): (0.925, 0.893),
    ("skewed", 101): (0.937, 0.911),
    ("tied", 15): (0.943, 0.888),
    ("tied", 51): (0.953, 0.920),
    ("tied", 101): (0.942, 0.940),
}


@pytest.mark.slow
@pytest.mark.parametrize(("law", "n"), MEANS, ids=str)
def test_intervals_of_the_mean_cover_what_they_cover(law, n):
    """The bootstrap-t nears .95 from below, and is never below the paper's: `MEANS`, within .02."""
    samples = 1000
    if law == "skewed":
        truth, (x, _) = np.exp(0.5), skewed(n, samples)
    else:
        steps = GRAIN * (np.arange(400) + 0.5)
        truth, (x, _) = GRAIN * expon.sf(steps).sum(), tied(n, samples)
    streams = {"bootstrap-t": np.random.default_rng(23), "paper": None}
    covered = dict.fromkeys(streams, 0)
    for method, rng in streams.items():
        for values in x:
            low, high = probability.mean_interval(
                values, confidence=NOMINAL, resamples=500, rng=rng
            )
            covered[method] += low <= truth <= high
    default, paper = MEANS[law, n]
    assert compatible(covered["bootstrap-t"] / samples, default - 0.02, default + 0.02, samples)
    assert compatible(covered["paper"] / samples, paper - 0.02, paper + 0.02, samples)
    assert covered["bootstrap-t"] > covered["paper"]
