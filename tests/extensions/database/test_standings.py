"""Ranks and choices from a few numbers."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from timefair.extensions.database import advice
from timefair.extensions.database.standings import At

INF = np.inf


def at(times, ends=(10.0, 10.0, 10.0), limits=(INF, INF, INF)):
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
    return At(of, times, each[0][..., np.newaxis], each[1])


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


def test_twelve_functions_of_one_order_are_significant():
    costs = at([[[1, 2]] * 12, [[2, 3]] * 12, [[3, 4]] * 12])
    found = standing(costs, "b")[""]
    assert (found.better, found.worse) == (("c",), ("a",))
    assert found.rank == 2


def test_functions_that_are_left_out_choose_nothing():
    here = np.array([[1.0, 0.0, 0.0], [0.6, 0.6, 0.6]])
    assert advice.held_out(here, here[::-1]).tolist() == pytest.approx([-0.4, 0.6, 0.6])
