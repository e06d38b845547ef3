import numpy as np
import pytest
from run_counts import stopping
from scipy.stats import binom, quantile_test, t

from timefair.statistics.run_count.stopping import Reason, decide
from timefair.statistics.run_count.widths import (
    BoundedMeanWidth,
    MeanWidth,
    QuantileWidth,
    betting_interval,
    horizon_ranks,
    mixture_ranks,
    single_look_ranks,
)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [1, 5, 6, 10, 29, 50])
def test_ordinary_ranks_are_scipys(n, p):
    sample = np.arange(1.0, n + 1)
    expected = quantile_test(sample, p=p).confidence_interval(0.95)
    low, high = single_look_ranks(n, p, 0.95)
    assert (low or np.nan, high if high <= n else np.nan) == pytest.approx(
        (expected.low, expected.high), nan_ok=True
    )


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_the_more_looks_are_allowed_the_wider_the_interval(p):
    for n in range(10, 51):
        one = single_look_ranks(n, p, 0.95)
        some = horizon_ranks(n, p, 0.95, start=10, cap=50)
        every = mixture_ranks(n, p, 0.95)
        assert every[0] <= some[0] <= one[0]
        assert one[1] <= some[1] <= every[1]


@pytest.mark.slow
def test_ranks_mirror():
    for n in (7, 20, 50):
        low, high = mixture_ranks(n, 0.3, 0.9)
        assert mixture_ranks(n, 0.7, 0.9) == (n + 1 - high, n + 1 - low)
        low, high = horizon_ranks(n, 0.3, 0.9, start=5, cap=60)
        assert horizon_ranks(n, 0.7, 0.9, start=5, cap=60) == (n + 1 - high, n + 1 - low)


def test_the_error_of_the_horizon_is_spent():
    """The exact probability of any miss, from the walk itself, for a median and 10 to 50 runs."""
    alive, missed = {0: 1.0}, 0.0
    for n in range(1, 51):
        low, high = horizon_ranks(max(n, 10), 0.5, 0.95, start=10, cap=50)
        walked: dict[int, float] = {}
        for k, weight in alive.items():
            for step in (k, k + 1):
                walked[step] = walked.get(step, 0.0) + weight / 2
        if n >= 10:
            missed += sum(weight for k, weight in walked.items() if not low <= k < high)
            walked = {k: weight for k, weight in walked.items() if low <= k < high}
        alive = walked
    assert 0.045 < missed <= 0.05


def test_the_level_of_ordinary_ranks():
    for n in (10, 23, 50):
        low, high = single_look_ranks(n, 0.5, 0.95)
        assert binom.cdf(low - 1, n, 0.5) <= 0.025 < binom.cdf(low, n, 0.5)
        assert high == n + 1 - low


@pytest.mark.parametrize("rule", [QuantileWidth(0.1), MeanWidth(0.1)])
@pytest.mark.parametrize("constant", [0.0, 3.0])
def test_constant_values_stop_and_say_so(rule, constant):
    found = stopping(rule, np.full(50, constant))
    assert (found.n, found.reason) == (10, Reason.DEGENERATE)


def test_a_median_that_is_never_reached_is_known_a_mean_is_not():
    failed = np.full(50, np.inf)
    assert stopping(QuantileWidth(0.1), failed).reason is Reason.DEGENERATE
    assert stopping(MeanWidth(0.1), failed).reason is Reason.CAP


def test_failures_within_the_interval_leave_it_open():
    sample = np.array([1.0] * 6 + [np.inf] * 4)
    assert decide(QuantileWidth(1e6), sample).value == np.inf


def test_the_mean_has_students_interval():
    sample = np.random.default_rng(1).normal(5, 1, size=12)
    low, high = MeanWidth(0.5).interval(sample)
    expected = t.interval(0.95, 11, sample.mean(), sample.std(ddof=1) / np.sqrt(12))
    assert (low, high) == pytest.approx(expected)


@pytest.mark.parametrize("value", [1.5, -0.1, np.inf])
@pytest.mark.parametrize("place", [0, 12])
def test_out_of_bounds_nothing_is_promised(value, place):
    """Values that would stop at n = 14 otherwise."""
    rule = BoundedMeanWidth(0.2, lowest=0.0, highest=1.0, relative=False)
    sample = np.full(50, 0.5)
    assert stopping(rule, sample).n == 14
    sample[place] = value
    found = stopping(rule, sample)
    assert (found.n, found.reason) == (50, Reason.OUT_OF_BOUNDS)
    assert np.isinf(found.path[max(place - 9, 0) :]).all()
    assert np.isfinite(found.path[: max(place - 9, 0)]).all()
    assert decide(rule, sample[: place + 10]).reason is Reason.OPEN


def test_a_value_after_the_stop_is_not_seen():
    rule = BoundedMeanWidth(0.2, lowest=0.0, highest=1.0, relative=False)
    inside = np.full(50, 0.5)
    n = stopping(rule, inside).n
    assert 10 < n < 50
    found = stopping(rule, np.where(np.arange(50) < n, inside, 7.0))
    assert (found.n, found.reason) == (n, Reason.DEGENERATE)


def test_bets_mirror_and_narrow():
    sample = np.random.default_rng(6).beta(2, 5, size=400)
    low, high = betting_interval(sample, 0.95, horizon=400)
    mirrored = betting_interval(1.0 - sample, 0.95, horizon=400)
    assert mirrored == pytest.approx((1.0 - high, 1.0 - low))
    assert low < sample.mean() < high
    assert high - low < 0.1
