"""The closed forms against a simulation of the same algorithms."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from timefair.extensions.selftest import laws
from timefair.extensions.selftest.laws import AT_THE_END, Answers, found

RUNS, SIGMAS = 2000, 4.5
LEVEL = 24
LABELS = ("exponential", "lognormal", "sleeping", "restarted")


@pytest.fixture(scope="module", params=LABELS)
def simulated(request):
    """The answers of an algorithm, and the evaluations of many runs to a level; inf for never."""
    synthetic = laws.ALGORITHMS[request.param]
    answers = Answers(synthetic, laws.BUDGET_S)
    needed, best = [], []
    for seed in range(RUNS):
        events = found(synthetic, seed, answers.most)
        best.append(events[-1].level)
        needed.append(next((e.evaluations for e in events if e.level >= LEVEL), math.inf))
    return answers, np.array(needed), np.array(best)


def test_the_success_rate(simulated):
    answers, needed, _ = simulated
    low, high = binom.interval(1 - 1e-5, RUNS, answers.success_rate(LEVEL))
    assert low <= np.isfinite(needed).sum() <= high


def test_the_ert(simulated):
    answers, needed, _ = simulated
    success, cost = np.isfinite(needed), np.minimum(needed, answers.most)
    right = answers.ert_evaluations(LEVEL)
    scores = cost - right * success  # zero on average, by the definition of the ERT
    assert abs(scores.mean()) < SIGMAS * scores.std() / math.sqrt(RUNS)
    seconds = np.where(success, answers.synthetic.step_s * cost, laws.BUDGET_S)
    scores = seconds - answers.ert_s(LEVEL) * success
    assert abs(scores.mean()) < SIGMAS * scores.std() / math.sqrt(RUNS)


@pytest.mark.parametrize("p", [0.2, 0.4])
def test_a_quantile_of_the_runtime(simulated, p):
    answers, needed, _ = simulated
    n = answers.runtime_quantile(LEVEL, p)
    assert (needed <= n).sum() >= binom.ppf(1e-5, RUNS, p)
    assert (needed < n).sum() <= binom.isf(1e-5, RUNS, p)


def test_the_precision_at_the_end(simulated):
    answers, _, best = simulated
    assert answers.at_the_end.sum() == pytest.approx(1)
    precision = np.array(AT_THE_END)[best]
    sd = precision.std() / math.sqrt(RUNS)
    assert abs(precision.mean() - answers.mean_precision) < SIGMAS * sd
    median = answers.precision_quantile(0.45)
    assert (precision <= median).sum() >= binom.ppf(1e-5, RUNS, 0.45)


def test_the_share_of_targets_reached(simulated):
    answers, needed, _ = simulated
    half = answers.most // 2
    (share,) = answers.share_reached(np.array([half]), [LEVEL])
    low, high = binom.interval(1 - 1e-5, RUNS, share)
    assert low <= (needed <= half).sum() <= high


def test_the_true_rank_reversal():
    first, second = (Answers(laws.ALGORITHMS[k], laws.BUDGET_S) for k in laws.INVERTED)
    for level in laws.TARGET_LEVELS:
        assert first.ert_evaluations(level) < second.ert_evaluations(level)
        assert first.ert_s(level) > second.ert_s(level)


def test_delays_take_evaluations_from_the_budget():
    synthetic = laws.ALGORITHMS["restarted"]
    exact = Answers(synthetic, laws.BUDGET_S)
    late = Answers(synthetic, laws.BUDGET_S, 10 * synthetic.step_s, synthetic.step_s)
    assert late.most == exact.most - 10 - 4  # four launches are complete by then
    assert late.times_s[41] == pytest.approx((41 + 10 + 1) * synthetic.step_s)
    assert late.success_rate(LEVEL) < exact.success_rate(LEVEL)
