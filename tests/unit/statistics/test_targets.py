"""Relative targets, and the runtimes of runs that have their own targets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.statistics.runtimes import relative_targets, runtimes

INF = np.inf


def test_each_problem_has_its_own_start_and_best():
    targets = relative_targets(
        first=[10.0, 1.0, 30.0, 3.0, 20.0],
        best=[5.0, 0.5, 0.0, 1.0, 10.0],
        problem=[7, 2, 7, 2, 7],
        shares=[0.5, 0.1],
    )
    # Problem 7 starts at 20 and has the best 0; problem 2 starts at 1, the lower of two.
    np.testing.assert_allclose(targets[[0, 2, 4]], [[10.0, 2.0]] * 3)
    np.testing.assert_allclose(targets[[1, 3]], [[0.75, 0.55]] * 2)


def test_a_run_without_an_event_does_not_move_the_start():
    targets = relative_targets([INF, 8.0, INF], [INF, 0.0, INF], [1, 1, 1], [0.5])
    assert (targets == 4.0).all()


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.floats(0, 1e9), st.floats(0, 1), st.integers(1, 3)), min_size=1, max_size=12
    ),
    st.floats(0, 1),
)
def test_some_run_reaches_every_target(runs, share):
    first = np.array([start for start, _, _ in runs])
    best = np.array([start * left for start, left, _ in runs])
    problem = np.array([label for _, _, label in runs])
    targets = relative_targets(first, best, problem, [share])[:, 0]
    for label in np.unique(problem):
        here = problem == label
        assert np.unique(targets[here]).size == 1
        assert (best[here] <= targets[here]).any()
        assert targets[here][0] <= first[here].max() * (1 + 1e-12)


def test_a_run_that_others_join_may_get_other_targets():
    alone = relative_targets([10.0], [5.0], [1], [0.5])
    beside = relative_targets([10.0, 10.0], [5.0, 1.0], [1, 1], [0.5])
    assert alone[0, 0] == 7.5
    assert beside[0, 0] == 5.5


COST, PRECISION, OFFSETS = [0.1, 0.2, 0.5, 0.3, 1.0], [9.0, 2.0, 0.0, 4.0, 1.0], [0, 3, 3, 5]


def test_runtimes_to_targets_of_each_run():
    times = runtimes(COST, PRECISION, OFFSETS, [[2.0, 9.0], [99.0, 0.0], [1.0, 0.5]])
    np.testing.assert_array_equal(times, [[0.2, 0.1], [INF, INF], [1.0, INF]])


def test_the_same_targets_for_all_runs_either_way():
    targets = np.array([5.0, 1.0, 0.0])
    np.testing.assert_array_equal(
        runtimes(COST, PRECISION, OFFSETS, targets),
        runtimes(COST, PRECISION, OFFSETS, np.tile(targets, (3, 1))),
    )
