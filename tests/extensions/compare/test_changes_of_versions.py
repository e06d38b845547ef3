"""Estimates of a change: by hand, in pairs, and with rare or no successes."""

from math import inf, log

import numpy as np
import pytest

from timefair.extensions.compare.answers import UNKNOWN, Change, log_ratio, worse_probability
from timefair.statistics.comparison import a12
from timefair.statistics.ert import ert

RNG = np.random.default_rng(3)
COST = RNG.exponential(size=(2, 40))
REACHED = RNG.random((2, 40)) < 0.7


def change(baseline: int = 0, candidate: int = 1, *, paired: bool = False) -> Change:
    return log_ratio(
        (COST[baseline], REACHED[baseline]), (COST[candidate], REACHED[candidate]), paired=paired
    )


def test_the_estimate_is_the_logarithm_of_the_ratio_of_erts():
    one, other = (float(ert(COST[k], REACHED[k])) for k in (0, 1))
    assert change().estimate == pytest.approx(log(other / one))
    assert change(paired=True).estimate == change().estimate
    assert change(1, 0).estimate == pytest.approx(-change().estimate)


def test_seconds_are_evaluations_times_seconds_per_evaluation():
    evaluations = np.round(1000 * COST) + 1
    parts = [
        log_ratio((evaluations[0], REACHED[0]), (evaluations[1], REACHED[1]), paired=True),
        log_ratio((COST[0], evaluations[0]), (COST[1], evaluations[1]), paired=True),
    ]
    assert sum(part.estimate for part in parts) == pytest.approx(change().estimate)


def test_the_error_is_that_of_many_repetitions():
    estimates, errors = [], []
    for _ in range(800):
        baseline, candidate = (
            (RNG.exponential(size=60), (RNG.random(60) < 0.7).astype(float)) for _ in range(2)
        )
        found = log_ratio(baseline, candidate, paired=False)
        estimates.append(found.estimate)
        errors.append(found.error)
    assert np.std(estimates) == pytest.approx(np.mean(errors), rel=0.12)


def test_what_pairs_have_in_common_does_not_count():
    reached = np.ones(40)
    slower = 1.2 * COST[0]
    paired = log_ratio((COST[0], reached), (slower, reached), paired=True)
    alone = log_ratio((COST[0], reached), (slower, reached), paired=False)
    # Half a pair of each kind of disagreement counts, as it may be too rare for these runs.
    assert paired.error == pytest.approx(1 / 40)
    assert alone.error > 5 * paired.error
    assert paired.estimate == pytest.approx(log(1.2))


def test_what_the_runs_of_a_job_have_in_common_is_in_the_error():
    runs, jobs = 100, np.repeat(np.arange(20), 5)
    estimates, errors, of_runs = [], [], []
    for _ in range(400):
        slow = np.exp(RNG.normal(0, 0.2, 20))[jobs]
        baseline, reached = RNG.exponential(size=runs), np.ones(runs)
        pair = ((baseline, reached), (slow * baseline, reached))
        found = log_ratio(*pair, paired=True, jobs=(jobs, jobs))
        estimates.append(found.estimate)
        errors.append(found.error)
        of_runs.append(log_ratio(*pair, paired=True).error)
    assert found.freedom == 19
    assert np.std(estimates) == pytest.approx(np.mean(errors), rel=0.15)
    assert np.mean(of_runs) < 0.75 * np.std(estimates)
    few = np.repeat(np.arange(2), 50)
    assert log_ratio(*pair, paired=True, jobs=(few, few)).freedom == runs - 1


@pytest.mark.parametrize("paired", [True, False])
def test_a_version_without_any_success_is_worse_by_at_least_a_factor(paired):
    runs = 100
    broken = log_ratio(
        (np.full(runs, 0.5), np.ones(runs)), (np.ones(runs), np.zeros(runs)), paired=paired
    )
    assert broken.estimate == pytest.approx(log(2 * 2 * runs))
    assert broken.interval(0.95)[0] > log(2)


def test_the_worse_probability_is_that_of_a12():
    baseline, candidate = [1.0, 2.0, 3.0, 4.0, 5.0, inf], [2.0, 2.0, 6.0, 7.0, inf, inf]
    found = worse_probability(baseline, candidate, paired=False)
    effect = a12(baseline, candidate, confidence=0.95)
    assert found.estimate == pytest.approx(effect.a12 - 0.5)
    assert worse_probability(baseline, baseline, paired=True).estimate == 0
    # Equal results in all pairs: nothing varies but the two added values.
    assert worse_probability(baseline, baseline, paired=True).error == pytest.approx(0, abs=1e-12)
    assert worse_probability(baseline, baseline, paired=False).error > 0.1
    assert worse_probability(baseline[:5], candidate, paired=False) is UNKNOWN
