"""Errors and recovery on problems that change, against runs made by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.statistics.changes import (
    Followed,
    best_before_change,
    draws_of_runs,
    error_after,
    mean_over_runs,
    offline_errors,
    recovered,
    recovery_times,
)

PERIOD = 10.0


def followed(*rows, uninformed=(9.0, 8.0, 7.0)):
    """A run of three environments from its improvements: environment, cost, error."""
    environment, since, error = np.array(rows, dtype=float).reshape(-1, 3).T
    return Followed(environment.astype(np.intp), since, error, np.array(uninformed))


RUN = followed((0, 2.0, 20.0), (0, 4.0, 5.0), (0, 8.0, 1.0), (2, 0.0, 3.0))


def test_the_best_error_before_each_change():
    assert best_before_change(RUN).tolist() == [1.0, 8.0, 3.0]
    assert best_before_change(followed()).tolist() == [9.0, 8.0, 7.0]


def test_the_offline_error_is_the_mean_of_the_best_error_since_the_change():
    expected = [(4 * 9 + 4 * 5 + 2 * 1) / PERIOD, 8.0, 3.0]
    np.testing.assert_allclose(offline_errors(RUN, PERIOD), expected, rtol=1e-15)


def test_recovery_counts_evaluations_and_not_the_middle_of_the_bounds():
    times = recovery_times(RUN, np.array([10.0, 5.0, 0.5]))
    assert times.tolist() == [[4.0, 4.0, np.inf], [np.inf] * 3, [0.0, 0.0, np.inf]]


runs = st.lists(
    st.tuples(st.integers(0, 2), st.floats(0, PERIOD), st.floats(0, 20)), max_size=12
).map(lambda rows: sorted(rows, key=lambda row: row[:2]))


@given(runs)
def test_errors_fall_with_the_cost_and_the_offline_error_is_between_its_ends(rows):
    run = followed(*rows)
    grid = np.linspace(0, PERIOD, 2001)
    found = error_after(run, grid)
    assert (np.diff(found) <= 0).all()
    np.testing.assert_array_equal(found[:, -1], best_before_change(run))
    means = offline_errors(run, PERIOD)
    assert (found[:, -1] - 1e-12 <= means).all()
    assert (means <= run.uninformed + 1e-12).all()
    hidden = 20 * 12 / 2000  # at most 12 falls of at most 20, each within one step of the grid
    np.testing.assert_allclose(means, found[:, :-1].mean(axis=1), atol=hidden)


def test_draws_are_of_whole_runs():
    draws = draws_of_runs(4, resamples=50, rng=np.random.default_rng(1))
    assert draws.shape == (50, 4)
    assert (draws.sum(axis=1) == 4).all()
    assert set(np.unique(draws)) <= {0.0, 1.0, 2.0, 3.0, 4.0}


def test_estimates_against_samples_that_are_drawn_one_by_one():
    rng = np.random.default_rng(2)
    values = rng.exponential(size=(6, 5))
    draws = draws_of_runs(6, resamples=40, rng=rng)
    samples = [np.repeat(values, row.astype(int), axis=0) for row in draws]
    mean = mean_over_runs(values, draws, 0.9)
    assert mean.value == pytest.approx(values.mean())
    means = np.sort([sample.mean() for sample in samples])
    np.testing.assert_allclose([mean.low, mean.high], [means[1], means[37]])


def test_changes_of_one_run_do_not_narrow_the_interval():
    """Twenty equal environments say as much as one of them."""
    draws = draws_of_runs(9, resamples=200, rng=np.random.default_rng(3))
    once = np.random.default_rng(4).normal(size=(9, 1))
    one, many = (mean_over_runs(np.tile(once, k), draws, 0.95) for k in (1, 20))
    np.testing.assert_allclose([one.low, one.high], [many.low, many.high])


def test_recovery_over_runs_and_changes():
    times = [recovery_times(RUN, np.array([5.0, 0.5])), recovery_times(RUN, np.array([5.0, 0.5]))]
    draws = draws_of_runs(2, resamples=20, rng=np.random.default_rng(1))
    cost, share = recovered(times, PERIOD, draws, 0.95)
    np.testing.assert_allclose(cost.value, [(4.0 + 10.0 + 0.0) / 2, np.inf])
    np.testing.assert_allclose(share.value, [2 / 3, 0.0])
    np.testing.assert_array_equal(cost.low, cost.value)
    np.testing.assert_array_equal(cost.high, cost.value)
