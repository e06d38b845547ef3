import numpy as np
import pytest
from scipy.stats import binom, quantile_test, t

from timefair.statistics.run_count.stopping import Reason, decide, stopping
from timefair.statistics.run_count.widths import (
    BoundedMeanWidth,
    MeanWidth,
    QuantileWidth,
    Validity,
    betting_interval,
    horizon_ranks,
    is_kept_promise,
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


def test_a_horizon_of_one_look_is_an_ordinary_interval():
    assert horizon_ranks(30, 0.5, 0.95, start=30, cap=30) == single_look_ranks(30, 0.5, 0.95)


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


@pytest.mark.parametrize("ranks", [single_look_ranks, mixture_ranks])
@pytest.mark.parametrize("wrong", [(0, 0.5, 0.9), (5, 0.0, 0.9), (5, 0.5, 1.0)])
def test_wrong_levels_are_named(ranks, wrong):
    with pytest.raises(ValueError, match=r"n must|p must|confidence"):
        ranks(*wrong)


def test_a_look_outside_the_horizon_has_no_interval():
    with pytest.raises(ValueError, match="start <= n <= cap"):
        horizon_ranks(51, 0.5, 0.95, start=10, cap=50)


def test_the_further_limit_is_the_width():
    rule = QuantileWidth(0.25, validity=Validity.SINGLE)
    sample = np.array([1.0, 4.0, 8.0, 9.0, 10.0, 10.0, 11.0, 12.0, 14.0, 99.0])
    assert single_look_ranks(10, 0.5, 0.95) == (2, 9)
    assert decide(rule, sample).value == pytest.approx(0.6)
    absolute = QuantileWidth(6.0, relative=False, validity=Validity.SINGLE)
    assert decide(absolute, sample).stop


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


def test_a_median_of_zero_has_no_relative_width():
    sample = np.array([0.0] * 8 + [1.0] * 4)
    assert decide(QuantileWidth(0.5), sample).value == np.inf
    assert decide(QuantileWidth(1.0, relative=False), sample).stop


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


@pytest.mark.parametrize("bounds", [(1.0, 1.0), (1.0, 0.0), (0.0, np.inf), (-1e308, 1e308)])
def test_bounds_are_finite_and_rise(bounds):
    with pytest.raises(ValueError, match="bounds"):
        BoundedMeanWidth(0.2, *bounds)


def test_bets_scale_with_the_bounds():
    sample = np.random.default_rng(5).beta(2, 5, size=30)
    low, high = BoundedMeanWidth(0.2, 0.0, 1.0).interval(sample)
    scaled = BoundedMeanWidth(0.2, -10.0, 10.0).interval(20.0 * sample - 10.0)
    assert scaled == pytest.approx((20.0 * low - 10.0, 20.0 * high - 10.0))


def test_bets_mirror_and_narrow():
    sample = np.random.default_rng(6).beta(2, 5, size=400)
    low, high = betting_interval(sample, 0.95, horizon=400)
    mirrored = betting_interval(1.0 - sample, 0.95, horizon=400)
    assert mirrored == pytest.approx((1.0 - high, 1.0 - low))
    assert low < sample.mean() < high
    assert high - low < 0.1


def test_the_limits_of_a_sample_do_not_depend_on_the_others():
    samples = np.random.default_rng(7).random((2, 600, 12))
    low, high = betting_interval(samples, 0.95, horizon=12)
    assert low.shape == high.shape == (2, 600)
    for place in ((0, 0), (0, 499), (0, 500), (1, 599)):
        alone = betting_interval(samples[place], 0.95, horizon=12)
        assert (low[place], high[place]) == alone


def test_without_values_everything_is_possible():
    assert betting_interval([], 0.95, horizon=10) == (0.0, 1.0)


@pytest.mark.parametrize("values", [[0.5, 1.1], [np.nan], [-0.1]])
def test_bets_are_on_numbers_between_0_and_1(values):
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        betting_interval(values, 0.95, horizon=10)


def test_promises():
    kept = is_kept_promise([0.0, 0.0, np.inf, 2.0, -2.0], [0.0, 0.1, 1.0, 3.0, -3.1], 0.5)
    assert kept.tolist() == [True, False, False, True, False]
    assert is_kept_promise(0.0, 0.1, 0.1, relative=False)
    with pytest.raises(ValueError, match="width"):
        is_kept_promise(1.0, 1.0, -1.0)
    with pytest.raises(ValueError, match="NaN"):
        is_kept_promise(np.nan, 1.0, 1.0)


@pytest.mark.parametrize("make", [QuantileWidth, MeanWidth])
@pytest.mark.parametrize("wrong", [{"width": -1.0}, {"width": 1.0, "start": 60}])
def test_wrong_settings_are_named(make, wrong):
    with pytest.raises(ValueError, match=r"width|start"):
        make(**wrong)
