"""Runtimes and trajectories: what both read from the events of runs."""

from itertools import pairwise

import numpy as np

from timefair.statistics.curves import best_so_far
from timefair.statistics.runtimes import runtimes

COST = [0.1, 0.2, 0.5, 0.3, 1.0]
PRECISION = [9.0, 2.0, 0.0, 4.0, 4.0]
OFFSETS = [0, 3, 3, 5]  # the second run has no event


def test_the_first_event_at_or_below_the_target_counts():
    times = runtimes(COST, PRECISION, OFFSETS, [10.0, 9.0, 2.0, 0.0])
    np.testing.assert_array_equal(
        times, [[0.1, 0.1, 0.2, 0.5], [np.inf] * 4, [0.3, 0.3, np.inf, np.inf]]
    )


def test_the_best_so_far_is_that_of_the_last_event_in_time():
    best = best_so_far(COST, PRECISION, OFFSETS, [0.05, 0.1, 0.49, 0.5, 9.0])
    np.testing.assert_array_equal(
        best, [[np.inf, 9.0, 2.0, 0.0, 0.0], [np.inf] * 5, [np.inf, np.inf, 4.0, 4.0, 4.0]]
    )


def test_both_agree_with_a_loop_over_random_events():
    rng = np.random.default_rng(4)
    lengths = rng.integers(0, 6, size=30)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    cost = np.concatenate([np.sort(rng.random(n)) for n in lengths])
    precision = np.concatenate([-np.sort(-rng.random(n)) for n in lengths])
    points = rng.random(9)
    times = runtimes(cost, precision, offsets, points)
    best = best_so_far(cost, precision, offsets, points)
    for i, (a, b) in enumerate(pairwise(offsets)):
        for j, point in enumerate(points):
            events = list(zip(cost[a:b], precision[a:b], strict=True))
            assert times[i, j] == min((c for c, q in events if q <= point), default=np.inf)
            assert best[i, j] == min((q for c, q in events if c <= point), default=np.inf)
