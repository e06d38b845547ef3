"""Rounds of evaluations against counting them one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.statistics.runtimes import rounds

BATCHES = st.lists(st.tuples(st.integers(0, 4), st.integers(1, 9), st.integers(1, 4)), max_size=5)
"""Points that are asked for alone, then so many points so often."""


def counted(batches, workers, evaluations):
    """The rounds after each evaluation, counted one by one."""
    made = [0]
    for alone, size, count in [*batches, (evaluations, 1, 1)]:
        made += [made[-1] + k + 1 for k in range(alone)]
        for _ in range(count):
            made += [made[-1] + k // workers + 1 for k in range(size)]
    return made[: evaluations + 1]


def rows(batches):
    """The arguments `first`, `size` and `count`."""
    place, found = 0, []
    for alone, size, count in batches:
        found.append((place + alone, size, count))
        place += alone + size * count
    return np.array(found, dtype=np.int64).reshape(-1, 3).T


@pytest.mark.slow
@given(BATCHES, st.integers(1, 10), st.integers(0, 200))
def test_rounds_are_those_counted_one_by_one(batches, workers, evaluations):
    found = rounds(np.arange(evaluations + 1), *rows(batches), workers=workers)
    np.testing.assert_array_equal(found, counted(batches, workers, evaluations))


def test_what_was_not_reached_stays():
    found = rounds([np.inf, np.nan, 6], [0], [3], [2], workers=3)
    np.testing.assert_array_equal(found, [np.inf, np.nan, 2])
