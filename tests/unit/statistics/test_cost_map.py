"""Who leads over evaluation cost and budget, and what is known there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.statistics.ert import ert
from timefair.statistics.evaluation_cost import (
    Cells,
    at_cost,
    known_until,
    leader_by_rank,
    leader_by_share,
    reached_within,
    seconds_to_observe,
)

COSTS = [0.0, 1e-3, 0.1, 5.0]
BUDGETS = np.geomspace(0.01, 1e4, 20)


@given(st.integers(0, 10_000))
def test_shares_never_fall_with_the_budget_and_never_rise_with_the_cost(seed):
    rng = np.random.default_rng(seed)
    seconds = np.sort(rng.exponential(size=(5, 4)), axis=1)
    evaluations = np.sort(rng.integers(1, 500, (5, 4)), axis=1).astype(float)
    failed = rng.random((5, 4)) < 0.2
    seconds[failed] = evaluations[failed] = np.inf
    shares = np.array([reached_within(seconds, evaluations, c, BUDGETS) for c in COSTS])
    assert (np.diff(shares, axis=2) >= 0).all()
    assert (np.diff(shares, axis=0) <= 0).all()


def test_a_run_is_known_up_to_its_time_and_the_cost_of_its_evaluations():
    until = known_until([1.0, 2.0, 3.0], [10.0, np.inf, 0.0], 0.5)
    assert until.tolist() == [6.0, np.inf, 3.0]
    again = seconds_to_observe([1.0, 2.0, 3.0], [10.0, np.inf, 0.0], 0.5, [6.0, 12.0])
    assert again.tolist() == [[0.0, 2.0], [0.0, 0.0], [6.0, 12.0]]


def moments(shares):
    """Of the shares of runs, a list of arrays per algorithm."""
    cells = Cells([[len(of) for of in functions] for functions in shares])
    return cells.moments(np.concatenate([of for functions in shares for of in functions]))


def test_moments_of_cells_of_any_size_are_those_of_each_alone_to_the_bit():
    rng = np.random.default_rng(8)
    sizes = [[1, 9, 4], [12, 2, 3]]
    shares = [[rng.integers(0, 12, (size, 5)) / 11 for size in row] for row in sizes]
    found = moments(shares)
    assert found.runs.tolist() == sizes
    for k, row in enumerate(shares):
        for j, of in enumerate(row):
            np.testing.assert_array_equal(found.mean[k, j], of.mean(axis=0))
            alone = of.var(axis=0, ddof=1) if len(of) > 1 else np.full(5, np.nan)
            np.testing.assert_array_equal(found.variance[k, j], alone)


def shares_of(*levels, functions=3, runs=8, spread=0.02, seed=0):
    rng = np.random.default_rng(seed)
    return [
        [level + spread * rng.standard_normal((runs, 1)) for _ in range(functions)]
        for level in levels
    ]


def test_a_clear_lead_is_sure_and_an_equal_one_is_shared():
    lead = leader_by_share(moments(shares_of(0.2, 0.8, 0.79)), confidence=0.95)
    assert lead.best.tolist() == [1]
    assert not lead.tied[0, 0]
    far = leader_by_share(moments(shares_of(0.2, 0.8, 0.3)), confidence=0.95)
    assert far.tied[0].tolist() == [False, True, False]


def test_ranks_are_tied_within_the_critical_difference():
    few = leader_by_rank(moments(shares_of(0.2, 0.8)), confidence=0.95)
    assert few.value[0].tolist() == [2.0, 1.0]
    assert few.tied.all()
    many = leader_by_rank(moments(shares_of(0.2, 0.8, functions=12)), confidence=0.95)
    assert many.tied[0].tolist() == [False, True]
    assert leader_by_rank(moments(shares_of(0.2, 0.8, functions=1)), confidence=0.95).tied.all()


def test_a_sure_leader_is_seldom_wrong():
    wrong, repeats = 0, 400
    for seed in range(repeats):
        lead = leader_by_share(moments(shares_of(0.5, 0.5, 0.5, seed=seed, runs=5)), confidence=0.9)
        wrong += lead.tied.sum() == 1
    assert wrong / repeats <= 0.1 + 4 * np.sqrt(0.09 / repeats)


def test_no_cost_is_the_time_to_the_bit_and_costs_only_add():
    rng = np.random.default_rng(1)
    seconds, evaluations = rng.random(50), rng.integers(1, 1000, 50)
    there = at_cost(seconds[:, None], evaluations[:, None], np.array(COSTS))
    assert (there[:, 0] == seconds).all()
    assert (np.diff(there, axis=1) >= 0).all()


def test_the_line_is_the_ert_of_the_runs():
    rng = np.random.default_rng(2)
    seconds, evaluations, success = rng.random(9), rng.integers(1, 99, 9), rng.random(9) < 0.7
    for cost in COSTS:
        of_runs = ert(at_cost(seconds, evaluations, cost), success)
        of_line = at_cost(ert(seconds, success), ert(evaluations, success), cost)
        assert of_runs == pytest.approx(of_line)
