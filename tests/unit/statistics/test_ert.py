"""Expected runtimes, their intervals, and the law of the runtime with restarts."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import norm, shapiro, t

from timefair.statistics import ert as of_ert
from timefair.statistics.bands import ecdf
from timefair.statistics.ert import ert, heavy_tail, restarted_cdf, widening

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "seed000_checks.json").read_text(encoding="utf-8")
)["ert"]


def interval(spent, success):
    return of_ert.ert_interval(spent, success, confidence=0.95)


@pytest.mark.parametrize("case", GOLDEN["example"], ids=lambda case: case["name"])
def test_section_3_of_the_paper_by_its_own_equation(case):
    """The print, 20.5 and 25.9, contradicts equation (1): see the notes of `ert`."""
    failures = case["R"] - case["s"]
    spent = [case["mean_success"]] * case["s"] + [case["T"]] * failures
    success = [True] * case["s"] + [False] * failures
    assert ert(spent, success) == pytest.approx(case["value"], rel=1e-15)
    assert round(case["value"], 2) == {"PSO": 20.63, "APSO": 30.82}[case["name"]]


def test_the_ert_of_the_golden_data_of_no_success_and_of_a_short_failure():
    case = GOLDEN["simulated_restarts"]
    assert ert(case["times"], np.array(case["success"], dtype=bool)) == case["ert"] == 41.5
    assert ert([5.0, 5.0], [False, False]) == np.inf
    assert np.isnan(ert([], []))
    assert ert([1.0, 2.0], [True, False]) == 3.0


@pytest.mark.parametrize(("runs", "successes"), [(10, 3), (10, 4), (50, 3), (50, 4)])
def test_the_upper_limit_is_infinite_iff_successes_are_too_few(runs, successes):
    success = np.arange(runs) < successes
    both = interval(np.ones(runs), success)
    assert np.isinf(both.high) == (((runs - successes) / runs) ** runs > 0.025)
    assert np.isfinite(both.low)


def test_targets_of_one_run_belong_together():
    spent = np.array([[1.0, 2.0], [3.0, 6.0], [2.0, 4.0]])
    both = interval(spent, np.ones((3, 2), dtype=bool))
    np.testing.assert_allclose(both.low[1], 2 * both.low[0])
    np.testing.assert_allclose(both.high[1], 2 * both.high[0])


@pytest.mark.parametrize(
    ("spent", "success"),
    [
        ([1.0], [True, False]),
        ([np.inf], [False]),
        ([np.nan], [False]),
        ([-1.0], [True]),
        (1.0, True),
    ],
)
def test_wrong_costs_are_named(spent, success):
    with pytest.raises(ValueError, match="spent"):
        ert(spent, success)


def test_the_standard_error_is_that_of_as_many_runtimes_with_restarts_as_successes():
    rng = np.random.default_rng(3)
    spent, success = rng.exponential(size=25), rng.random(25) < 0.7
    mean = float(ert(spent, success))
    sd = np.sqrt(((spent - mean * success) ** 2).sum() / success.sum())
    error = sd / mean / np.sqrt(success.sum() * 24 / 25)
    both = interval(spent, success)
    assert np.log(both.high / mean) == pytest.approx(t.ppf(0.975, 24) * error)
    assert np.log(mean / both.low) == pytest.approx(t.ppf(0.975, 24) * error)


HEAVY = np.exp(2 * np.random.default_rng(9).standard_normal(20))
SKEWED = 5 + np.random.default_rng(8).exponential(size=20)


@pytest.mark.parametrize(("spent", "heavy"), [(HEAVY, True), (SKEWED, False)])
def test_a_tail_lengthens_the_upper_half_where_all_runs_succeed(spent, heavy):
    success = np.ones(20, dtype=bool)
    both, value = interval(spent, success), ert(spent, success)
    factor = float(widening(spent, confidence=0.95))
    assert both.heavy_tail == heavy
    assert factor > 1.2
    assert np.log(both.high / value) == pytest.approx(factor * np.log(value / both.low))


@pytest.mark.parametrize("spent", [HEAVY, SKEWED])
def test_a_failure_leaves_the_upper_half_as_long_as_the_lower(spent):
    success = spent < spent.max()
    both, value = interval(spent, success), ert(spent, success)
    assert not both.heavy_tail
    assert np.log(both.high / value) == pytest.approx(np.log(value / both.low))


pairs = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0, 1.0, 7.0]) | st.floats(0, 1e6), st.booleans()), max_size=9
)


@given(pairs)
def test_whatever_the_runs_are(runs):
    spent = np.array([cost for cost, _ in runs])
    success = np.array([hit for _, hit in runs], dtype=bool)
    value, both = ert(spent, success), interval(spent, success)
    assert np.isnan(value) == (len(runs) == 0)
    assert np.isinf(value) == (len(runs) > 0 and not success.any())
    if len(runs) < 2:
        assert np.isnan(both.low)
        assert np.isnan(both.high)
    elif not success.any():
        assert np.isnan(both.low)
        assert both.high == np.inf
    else:
        assert 0 <= both.low <= value <= both.high
        if success.all() and np.ptp(spent) == 0:
            assert both.low == pytest.approx(value)
            assert both.high == pytest.approx(value)


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
    assert 1 < expected < of_ert.WIDEST
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
def test_wrong_costs_have_no_factor(judge, wrong):
    with pytest.raises(ValueError, match="costs"):
        judge(wrong)


INF = np.inf

lengths = st.floats(1e-149, 100.0) | st.sampled_from([0.0, 1.0, 2.0, 1e-149])

samples = st.lists(st.tuples(lengths, st.booleans()), min_size=0, max_size=6)


def split(sample):
    return np.array([cost for cost, _ in sample]), np.array([hit for _, hit in sample], dtype=bool)


def exact(bounds):
    np.testing.assert_array_equal(bounds.low, bounds.high)
    return bounds.low.tolist()


def irregular(runs=40, failures=30, seed=1):
    rng = np.random.default_rng(seed)
    return rng.uniform(0.5, 1.5, size=runs), np.arange(runs) >= failures


def test_distribution_of_the_golden_data():
    case = GOLDEN["simulated_restarts"]
    success, grid = np.array(case["success"], dtype=bool), [float(b) for b in case["cdf"]]
    found = exact(restarted_cdf(case["times"], success, grid))
    np.testing.assert_allclose(found, list(case["cdf"].values()))


def test_bounds_hold_the_solution_of_the_equation():
    times, success = irregular()
    grid = np.linspace(0.0, 30.0, 400)
    bounds = restarted_cdf(times, success, grid)
    assert (bounds.low < bounds.high).any()
    assert (bounds.low <= bounds.high).all()
    assert (bounds.high - bounds.low).max() < 0.01
    # What F(b - t) may be for each failure bounds what F(b) may be.
    earlier = grid[:, np.newaxis] - times[~success]
    inner = restarted_cdf(times, success, earlier.ravel())
    by_success = (times[success] <= grid[:, np.newaxis]).sum(axis=1)
    low, high = (
        (by_success + side.reshape(earlier.shape).sum(axis=1)) / times.size
        for side in (inner.low, inner.high)
    )
    assert (low <= bounds.high + 1e-9).all()
    assert (high >= bounds.low - 1e-9).all()


def test_whole_costs_on_a_lattice_are_exact(monkeypatch):
    rng = np.random.default_rng(4)
    times, success = rng.integers(1, 300, size=20).astype(float), np.arange(20) < 8
    grid = np.arange(0.0, 2000.0, 37.0)
    reference = restarted_cdf(times, success, grid)
    monkeypatch.setattr("timefair.statistics.ert.MOST_SUMS", 0)
    middle = (reference.low + reference.high) / 2
    np.testing.assert_allclose(exact(restarted_cdf(times, success, grid)), middle, atol=1e-9)


@pytest.mark.slow
@given(samples)
@example([(5e-324, False), (0.0, True)])
@example([(5e-324, False), (5e-324, False), (0.0, True)])
@example([(5e-324, False), (5e-324, True), (0.0, True)])
def test_whatever_the_sample_is(sample):
    times, success = split(sample)
    grid = np.array([0.0, 0.5, 1.0, 3.0, 50.0, 1000.0, INF])
    cdf = restarted_cdf(times, success, grid)
    if times.size == 0:
        assert np.isnan(cdf.low).all()
        return
    if not success.any():
        assert (cdf.high == 0).all()
        return
    for curve in (cdf.low, cdf.high):
        assert ((curve >= 0) & (curve <= 1)).all()
        assert (np.diff(curve) >= -1e-12).all()
        assert curve[-1] == 1
    assert (cdf.low <= cdf.high).all()
    if success.all():
        np.testing.assert_array_equal(cdf.low, ecdf(times, grid))


def test_wrong_samples_are_named():
    for times, success in ([[1.0], [True, False]], [[np.nan], [True]], [[-1.0], [True]]):
        with pytest.raises(ValueError, match="spent"):
            restarted_cdf(times, success, [0.5])
    with pytest.raises(ValueError, match=r"\(R,\)"):
        restarted_cdf([[1.0]], [[True]], [0.5])
    with pytest.raises(ValueError, match="must be a vector"):
        restarted_cdf([1.0], [True], 0.5)
    with pytest.raises(ValueError, match=r"must be a vector|must not have NaN"):
        restarted_cdf([1.0], [True], [np.nan])
