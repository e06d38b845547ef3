"""The closed forms against a simulation of the same algorithms."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from timefair.extensions.selftest import laws
from timefair.extensions.selftest.laws import Answers, found

RUNS, SIGMAS = 2000, 4.5
LEVEL = 24


@pytest.fixture(scope="module", params=laws.ALGORITHMS)
def simulated(request):
    """The answers of an algorithm, and the evaluations of many runs to a level; inf for never."""
    synthetic = laws.ALGORITHMS[request.param]
    answers = Answers(synthetic, laws.BUDGET_S)
    needed = []
    for seed in range(RUNS):
        events = found(synthetic, seed, answers.most)
        needed.append(next((e.evaluations for e in events if e.level >= LEVEL), math.inf))
    return answers, np.array(needed)


def test_the_success_rate(simulated):
    answers, needed = simulated
    low, high = binom.interval(1 - 1e-5, RUNS, answers.success_rate(LEVEL))
    assert low <= np.isfinite(needed).sum() <= high


def test_the_ert(simulated):
    answers, needed = simulated
    success, cost = np.isfinite(needed), np.minimum(needed, answers.most)
    right = answers.ert_evaluations(LEVEL)
    scores = cost - right * success  # zero on average, by the definition of the ERT
    assert abs(scores.mean()) < SIGMAS * scores.std() / math.sqrt(RUNS)
    seconds = np.where(success, answers.synthetic.step_s * cost, laws.BUDGET_S)
    scores = seconds - answers.ert_s(LEVEL) * success
    assert abs(scores.mean()) < SIGMAS * scores.std() / math.sqrt(RUNS)


def test_delays_take_evaluations_from_the_budget():
    synthetic = laws.ALGORITHMS["restarted"]
    exact = Answers(synthetic, laws.BUDGET_S)
    late = Answers(synthetic, laws.BUDGET_S, 10 * synthetic.step_s, synthetic.step_s)
    assert late.most == exact.most - 10 - 4  # four launches are complete by then
    assert late.times_s[41] == pytest.approx((41 + 10 + 1) * synthetic.step_s)
    assert late.success_rate(LEVEL) < exact.success_rate(LEVEL)
