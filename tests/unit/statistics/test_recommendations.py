"""The three rules for what a noisy run has found, against a slow and plain reading of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.statistics.recommendations import RULES, at_each_row, trace

values = st.one_of(st.floats(-1e6, 1e6), st.sampled_from([0.0, 1.0, np.inf, -np.inf, np.nan]))
finite = st.one_of(st.floats(-1e6, 1e6), st.sampled_from([0.0, 1.0, 2.0]))
row = st.tuples(st.integers(0, 3), st.one_of(finite, st.just(np.nan)), values)
rows = st.lists(row, max_size=12)


def columns(made):
    launch, measured, true = (np.array(part) for part in zip(*made, strict=True))
    return launch.astype(np.intp), measured.astype(float), true.astype(float)


def plain(rule, made):
    """The value of the recommended point after the last of some rows, by the words of the rule."""
    evaluated = [row for row in made if not np.isnan(row[1])]
    true = [np.inf if np.isnan(row[2]) else row[2] for row in evaluated]
    if not evaluated:
        return np.inf
    if rule == "best_evaluated":
        return min(true)
    place = int(np.argmin([row[1] for row in evaluated]))  # the first of equal ones
    of_launch = [row[2] for row in made if np.isnan(row[1]) and row[0] == evaluated[place][0]]
    if rule == "recommended" and of_launch:
        return np.inf if np.isnan(of_launch[-1]) else of_launch[-1]
    return true[place]


@pytest.mark.parametrize("rule", RULES)
@given(made=rows)
def test_the_last_value_is_that_of_the_recommended_point(rule, made):
    if not made:
        return
    at, found = trace(rule, *columns(made))
    assert (np.diff(found) < 0).all()
    assert (np.diff(at) > 0).all()
    assert np.isfinite(found).all()
    last = plain(rule, made)
    if np.isfinite(last):
        assert found[-1] == last
    elif last == np.inf:
        assert len(found) == 0


@pytest.mark.parametrize("rule", ["recommended", "best_measured"])
@given(made=rows)
def test_from_a_fall_on_the_recommended_point_is_never_worse(rule, made):
    if not made:
        return
    at, found = trace(rule, *columns(made))
    after = [plain(rule, made[: k + 1]) for k in range(len(made))]
    for row, value in zip(at, found, strict=True):
        assert max(after[row:]) <= value
        assert row == 0 or max(after[row - 1 :]) > value


def test_a_later_launch_takes_over_with_its_own_recommendation():
    made = [(0, 3.0, 3.5), (0, np.nan, 3.2), (1, np.nan, 9.0), (1, 2.0, 5.0), (0, np.nan, 1.0)]
    launch, measured, true = columns(made)
    assert at_each_row("recommended", launch, measured, true).tolist() == [3.5, 3.2, 3.2, 9.0, 9.0]
    assert trace("recommended", launch, measured, true)[1].tolist() == [9.0]
    assert trace("best_measured", launch, measured, true)[1].tolist() == [5.0]
