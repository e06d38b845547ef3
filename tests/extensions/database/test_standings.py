"""Ranks and choices from a few numbers."""

from types import SimpleNamespace

import numpy as np
import pytest

from timefair.extensions.database import advice
from timefair.extensions.database.standings import At

INF = np.inf


def at(times, ends=(10.0, 10.0, 10.0), limits=(INF, INF, INF), tie=1.0):
    """Costs of three algorithms with one run on each of some functions, to two targets."""
    times = np.array(times, dtype=float)[:, :, np.newaxis]
    shape = times.shape[:3]
    of = SimpleNamespace(
        labels=("a", "b", "c"),
        functions=tuple(range(1, shape[1] + 1)),
        there=np.ones(shape, dtype=bool),
        runs=np.ones(shape[:2], dtype=int),
    )
    each = [np.broadcast_to(np.array(x)[:, np.newaxis], shape[:2]) for x in (ends, limits)]
    ties = np.full((shape[1], 3, 3), tie)
    return At(of, times, each[0][..., np.newaxis], each[1], np.zeros((shape[1], 3)), ties)


def standing(costs, label, **groups):
    rng = np.random.default_rng(1)
    on = {"": costs.of.functions, **groups}
    return costs.standings(label, costs.of.labels, on, 0.95, rng)


def test_ranks_are_by_the_targets_that_one_reaches_first():
    costs = at([[[1, 2], [5, 6]], [[2, 3], [1, 2]], [[3, INF], [7, INF]]])
    assert costs.gains[0].tolist() == [[0, 1, 1], [-1, 0, 1], [-1, -1, 0]]
    found = standing(costs, "a", first=[1])
    assert found["first"].ranks.tolist() == [1, 2, 3]
    assert found[""].ranks.tolist() == [1.5, 1.5, 3]
    assert [found[name].position for name in ("", "first")] == [1, 1]
    assert np.isnan(found[""].low)  # one run says nothing about a second measurement


def test_a_pair_is_compared_within_what_both_are_known_to():
    """b is known up to 4, so that a does not gain from what it reaches at 5; c is known to 10."""
    costs = at([[[1, 5]], [[2, INF]], [[3, 9]]], ends=(10.0, 4.0, 10.0), limits=(10.0, 4.0, 10.0))
    assert costs.gains[0].tolist() == [[0, 0.5, 1], [-0.5, 0, 0.5], [-1, -0.5, 0]]


def test_ratios_within_the_timing_noise_are_ties():
    times = [[[1, 2]] * 2, [[1.4, 3]] * 2, [[1.6, INF]] * 2]
    assert at(times).gains[0].tolist() == [[0, 1, 1], [-1, 0, 1], [-1, -1, 0]]
    assert at(times, tie=1.5).gains[0].tolist() == [[0, 0, 1], [0, 0, 0.5], [-1, -0.5, 0]]


def test_functions_that_are_left_out_choose_nothing():
    here = np.array([[1.0, 0.0, 0.0], [0.6, 0.6, 0.6]])
    assert advice.held_out(here, here[::-1]).tolist() == pytest.approx([-0.4, 0.6, 0.6])


def test_two_that_share_the_budget_miss_what_both_miss():
    """With half of the budget, a reaches one of two targets on the first function, b both on the
    second, and half of the runs of c the other one everywhere; c alone needs all of it.
    """
    seconds = np.full((3, 2, 2, 2), INF)
    seconds[0, 0, :, 0] = seconds[1, 1] = seconds[2, :, 0, 1] = 0.5
    costs = SimpleNamespace(
        seconds=seconds,
        evaluations=np.ones_like(seconds),
        there=np.ones((3, 2, 2), bool),
        runs=np.full((3, 2), 2),
    )
    single = np.array([[0.5, 0], [0, 0.9], [1, 1]])
    pair, reached, gain = advice.best_pair(costs, 0.0, 2.0, single)
    assert (pair, reached.tolist()) == ((0, 1), [0.5, 1])
    assert gain == pytest.approx(np.mean([0.5, 0.25]) - 1)
