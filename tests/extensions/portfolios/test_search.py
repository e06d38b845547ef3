"""Schedules and the search, against brute force and by hand."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timefair.extensions.portfolios import tables as searching
from timefair.extensions.portfolios.tables import MODES, Portfolio, Search, reached_by_any


def test_what_was_not_observed_is_unknown():
    costs = np.array([[1.0, np.inf], [np.inf, np.inf]])
    runs = searching._Joined.of([(costs, np.array([2.0, np.inf]))])
    found = runs.reached(np.array([1.5, 3.0]))
    np.testing.assert_array_equal(found, [[0.5, 0.0], [0.5, np.nan]])
    assert np.isnan(reached_by_any([0.5, np.nan]))


def runs_of(rng, algorithms=3, functions=3, instances=2, runs=4, targets=3):
    return [
        [
            [
                (
                    np.where(
                        rng.random((runs, targets)) < 0.3,
                        np.inf,
                        np.sort(rng.random((runs, targets)), axis=1),
                    ),
                    np.ones(runs),
                )
                for _ in range(algorithms)
            ]
            for _ in range(instances)
        ]
        for _ in range(functions)
    ]


@pytest.mark.slow
@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_the_best_pair_is_the_best_of_all(seed):
    runs = runs_of(np.random.default_rng(seed), algorithms=4)
    search = Search(runs, 1.0)
    for mode in MODES:
        best = search.best(mode)
        value = search.value(best).item()
        every = [
            search.value(Portfolio(pair, mode, shares)).item()
            for pair in combinations(range(4), 2)
            for shares in searching._shares(mode)
        ]
        assert value == pytest.approx(max(every), abs=1e-9)
    in_turn, slices = (search.value(search.best(mode)).item() for mode in MODES[:2])
    assert in_turn >= slices - 1e-9


def test_by_hand_two_specialists_share_the_budget():
    quick, never = np.array([[0.4]] * 3), np.array([[np.inf]] * 3)
    known = np.ones(3)
    one, other = [[(quick, known), (never, known)]], [[(never, known), (quick, known)]]
    search = Search([one, other, one, other], 1.0)
    best = search.best("in turn")
    assert best.members == (0, 1)
    assert search.value(best).item() == 1.0
    judged = search.judged(
        2, "in turn", confidence=0.95, resamples=50, rng=np.random.default_rng(1)
    )
    assert judged[:3] == (1.0, 1.0, 1.0)
    assert judged.gain == 1.0  # the best on the three others is never the best on the fourth
    assert search.value(Portfolio((0, 1), "in turn", (0.3, 0.7))).item() == 0.5
    half = Portfolio((0, 1), "in turn", (0.5, 0.5))
    np.testing.assert_allclose(search.value(half, [0.3, 0.4, 0.8, 0.9, 1.0]), [0, 0.5, 0.5, 1, 1])
    slices = Portfolio((0, 1), "slices", (0.5, 0.5))
    np.testing.assert_allclose(search.value(slices, [0.4, 0.79, 0.81]), [0, 0, 1])
    beside = Portfolio((0, 1), "side by side", (1.0, 1.0))
    np.testing.assert_allclose(search.value(beside, [0.39, 0.41]), [0, 1])
