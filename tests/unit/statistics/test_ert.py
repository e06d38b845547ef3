import json
from pathlib import Path

import numpy as np
import pytest

from timefair.statistics.ert import ert, ert_interval, success_rate

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "seed000_checks.json").read_text(encoding="utf-8")
)["ert"]


def interval(spent, success, resamples=4000):
    rng = np.random.default_rng(5)
    return ert_interval(spent, success, confidence=0.95, resamples=resamples, rng=rng)


@pytest.mark.parametrize("case", GOLDEN["example"], ids=lambda case: case["name"])
def test_section_3_of_the_paper_by_its_own_equation(case):
    """The print shows other numbers, which contradict equation (1)."""
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
    both = interval(np.ones(runs), success, resamples=20_000)
    assert np.isinf(both.high) == (((runs - successes) / runs) ** runs > 0.025)
    assert np.isfinite(both.low)


def test_targets_of_one_run_are_resampled_together():
    spent = np.array([[1.0, 2.0], [3.0, 6.0], [2.0, 4.0]])
    both = interval(spent, np.ones((3, 2), dtype=bool))
    np.testing.assert_allclose(both.low[1], 2 * both.low[0])
    np.testing.assert_allclose(both.high[1], 2 * both.high[0])


def test_the_same_stream_gives_the_same_interval():
    first, second = interval([1.0, 2.0, 4.0], [True] * 3), interval([1.0, 2.0, 4.0], [True] * 3)
    assert (first.low, first.high) == (second.low, second.high)


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


@pytest.mark.parametrize(("confidence", "resamples"), [(0.0, 10), (1.0, 10), (0.9, 0)])
def test_wrong_settings_are_named(confidence, resamples):
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match=r"confidence|resamples"):
        ert_interval([1.0, 2.0], [True, True], confidence=confidence, resamples=resamples, rng=rng)
