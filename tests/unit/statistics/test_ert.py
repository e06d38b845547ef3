import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from timefair.statistics.ert import ert, ert_interval, success_rate, widening

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "seed000_checks.json").read_text(encoding="utf-8")
)["ert"]


def interval(spent, success):
    return ert_interval(spent, success, confidence=0.95)


@pytest.mark.parametrize("case", GOLDEN["example"], ids=lambda case: case["name"])
def test_section_3_of_the_paper_by_its_own_equation(case):
    """The print, 20.5 and 25.9, contradicts equation (1): see the notes of `ert`."""
    failures = case["R"] - case["s"]
    spent = [case["mean_success"]] * case["s"] + [case["T"]] * failures
    success = [True] * case["s"] + [False] * failures
    assert ert(spent, success) == pytest.approx(case["value"], rel=1e-15)
    assert round(case["value"], 2) == {"PSO": 20.63, "APSO": 30.82}[case["name"]]


def test_ten_runs_of_the_golden_data():
    case = GOLDEN["simulated_restarts"]
    assert ert(case["times"], np.array(case["success"], dtype=bool)) == case["ert"] == 41.5


def test_no_success_is_infinite_and_no_run_is_nan():
    assert ert([5.0, 5.0], [False, False]) == np.inf
    assert np.isnan(ert([], []))
    assert np.isnan(success_rate([]))
    assert success_rate([False, True]) == 0.5


def test_a_failure_costs_its_own_end_not_the_budget():
    assert ert([1.0, 2.0], [True, False]) == 3.0


def test_one_run_has_no_interval():
    both = interval([3.0], [True])
    assert np.isnan(both.low)
    assert np.isnan(both.high)


def test_failures_alone_bound_nothing():
    both = interval([3.0, 3.0, 3.0], [False, False, False])
    assert np.isnan(both.low)
    assert both.high == np.inf


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


def test_without_failures_and_spread_the_interval_is_that_of_a_mean():
    times = 10 + 1e-4 * np.random.default_rng(4).standard_normal(30)
    half = t.ppf(0.975, 29) * times.std(ddof=1) / np.sqrt(30)
    both = interval(times, np.ones(30, dtype=bool))
    assert both.high - times.mean() == pytest.approx(half, rel=1e-3)
    assert times.mean() - both.low == pytest.approx(half, rel=1e-3)


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
