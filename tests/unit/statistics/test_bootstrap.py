"""Bootstrap samples, problems that change, recommendations and the cost map."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.statistics import changes, samples
from timefair.statistics.ert import ert
from timefair.statistics.evaluation_cost import (
    at_cost,
    known_until,
    leader_by_rank,
    leader_by_share,
    moments,
    reached_within,
    seconds_to_observe,
)
from timefair.statistics.hitting_times import Rule, at_each_row, trace
from timefair.statistics.samples import resampled_sums, stratified_sums


def test_blocks_do_not_change_what_a_sample_is(monkeypatch):
    rows = np.random.default_rng(1).normal(size=(7, 2))
    whole = samples.resampled_sums(rows, resamples=50, rng=np.random.default_rng(2))
    monkeypatch.setattr(samples, "BLOCK_DRAWS", 20)
    blocks = samples.resampled_sums(rows, resamples=50, rng=np.random.default_rng(2))
    np.testing.assert_allclose(whole, blocks, rtol=1e-12)


@pytest.mark.parametrize("columns", [[[np.inf]], np.empty((0, 2)), [1.0]])
def test_wrong_columns_are_named(columns):
    with pytest.raises(ValueError, match="columns"):
        samples.resampled_sums(columns, resamples=3, rng=np.random.default_rng(0))


def test_the_variance_over_samples_is_unbiased_and_two_runs_are_one_drawn_twice():
    rng = np.random.default_rng(1)
    rows, labels = rng.normal(size=(9, 2)), np.array([5, 2, 5, 2, 7, 7, 7, 2, 5])
    sums = stratified_sums(rows, labels, resamples=200_000, rng=rng)
    groups = [rows[labels == label] for label in np.unique(labels)]
    expected = sum(len(group) * group.var(axis=0, ddof=1) for group in groups)
    np.testing.assert_allclose(sums.mean(axis=0), rows.sum(axis=0), atol=0.02)
    np.testing.assert_allclose(sums.var(axis=0), expected, rtol=0.02)
    rng = np.random.default_rng(2)
    sums = stratified_sums([[1.0], [10.0], [3.0], [30.0]], [0, 1, 0, 1], resamples=99, rng=rng)
    assert set(sums[:, 0]) == {2.0 + 20.0, 2.0 + 60.0, 6.0 + 20.0, 6.0 + 60.0}


@pytest.mark.parametrize(
    ("columns", "labels", "resamples", "match"),
    [
        ([1.0, 2.0], [0, 0], 3, "columns"),
        ([[1.0], [2.0]], [0], 3, "columns"),
        (np.empty((0, 1)), [], 3, "columns"),
        ([[1.0], [np.inf]], [0, 0], 3, "finite"),
        ([[1.0], [2.0], [3.0]], [0, 0, 1], 3, "two runs"),
        ([[1.0], [2.0]], [0, 0], 0, "resamples"),
    ],
)
def test_wrong_input_is_named(columns, labels, resamples, match):
    with pytest.raises(ValueError, match=match):
        stratified_sums(columns, labels, resamples=resamples, rng=np.random.default_rng(0))


PERIOD = 10.0


def followed(*rows, uninformed=(9.0, 8.0, 7.0)):
    environment, since, error = np.array(rows, dtype=float).reshape(-1, 3).T
    return changes.Followed(environment.astype(np.intp), since, error, np.array(uninformed))


RUN = followed((0, 2.0, 20.0), (0, 4.0, 5.0), (0, 8.0, 1.0), (2, 0.0, 3.0))


def test_errors_before_a_change_over_time_and_until_recovery():
    assert changes.best_before_change(RUN).tolist() == [1.0, 8.0, 3.0]
    assert changes.best_before_change(followed()).tolist() == [9.0, 8.0, 7.0]
    expected = [(4 * 9 + 4 * 5 + 2 * 1) / PERIOD, 8.0, 3.0]
    np.testing.assert_allclose(changes.offline_errors(RUN, PERIOD), expected, rtol=1e-15)
    times = changes.recovery_times(RUN, np.array([10.0, 5.0, 0.5]))
    assert times.tolist() == [[4.0, 4.0, np.inf], [np.inf] * 3, [0.0, 0.0, np.inf]]


runs = st.lists(
    st.tuples(st.integers(0, 2), st.floats(0, PERIOD), st.floats(0, 20)), max_size=12
).map(lambda rows: sorted(rows, key=lambda row: row[:2]))


@given(runs)
def test_errors_fall_with_the_cost_and_the_offline_error_is_between_its_ends(rows):
    run = followed(*rows)
    grid = np.linspace(0, PERIOD, 2001)
    found = changes.error_after(run, grid)
    assert (np.diff(found) <= 0).all()
    np.testing.assert_array_equal(found[:, -1], changes.best_before_change(run))
    means = changes.offline_errors(run, PERIOD)
    assert (found[:, -1] - 1e-12 <= means).all()
    assert (means <= run.uninformed + 1e-12).all()
    hidden = 20 * 12 / 2000  # at most 12 falls of at most 20, each within one step of the grid
    np.testing.assert_allclose(means, found[:, :-1].mean(axis=1), atol=hidden)


def test_draws_of_whole_runs_give_the_estimates_of_samples_drawn_one_by_one():
    draws = resampled_sums(np.eye(4), resamples=50, rng=np.random.default_rng(1))
    assert draws.shape == (50, 4)
    assert (draws.sum(axis=1) == 4).all()
    assert set(np.unique(draws)) <= {0.0, 1.0, 2.0, 3.0, 4.0}
    rng = np.random.default_rng(2)
    values = rng.exponential(size=(6, 5))
    draws = resampled_sums(np.eye(6), resamples=40, rng=rng)
    samples = [np.repeat(values, row.astype(int), axis=0) for row in draws]
    mean = changes.mean_over_runs(values, draws, 0.9)
    assert mean.value == pytest.approx(values.mean())
    means = np.sort([sample.mean() for sample in samples])
    np.testing.assert_allclose([mean.low, mean.high], [means[1], means[37]])


def test_changes_of_one_run_do_not_narrow_the_interval_of_recovery():
    draws = resampled_sums(np.eye(9), resamples=200, rng=np.random.default_rng(3))
    # Twenty equal environments say as much as one of them.
    once = np.random.default_rng(4).normal(size=(9, 1))
    one, many = (changes.mean_over_runs(np.tile(once, k), draws, 0.95) for k in (1, 20))
    np.testing.assert_allclose([one.low, one.high], [many.low, many.high])
    times = [
        changes.recovery_times(RUN, np.array([5.0, 0.5])),
        changes.recovery_times(RUN, np.array([5.0, 0.5])),
    ]
    draws = resampled_sums(np.eye(2), resamples=20, rng=np.random.default_rng(1))
    cost, share = changes.recovered(times, PERIOD, draws, 0.95)
    np.testing.assert_allclose(cost.value, [(4.0 + 10.0 + 0.0) / 2, np.inf])
    np.testing.assert_allclose(share.value, [2 / 3, 0.0])
    np.testing.assert_array_equal(cost.low, cost.value)
    np.testing.assert_array_equal(cost.high, cost.value)


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


@pytest.mark.parametrize("rule", get_args(Rule))
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


def moments_of(shares):
    every = np.concatenate([of for functions in shares for of in functions])
    return moments([[len(of) for of in functions] for functions in shares], every)


def test_moments_of_cells_of_any_size_are_those_of_each_alone_to_the_bit():
    rng = np.random.default_rng(8)
    sizes = [[1, 9, 4], [12, 2, 3]]
    shares = [[rng.integers(0, 12, (size, 5)) / 11 for size in row] for row in sizes]
    found = moments_of(shares)
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


def test_a_clear_lead_is_sure_and_ranks_are_tied_within_the_critical_difference():
    best, _, tied = leader_by_share(moments_of(shares_of(0.2, 0.8, 0.79)), confidence=0.95)
    assert best.tolist() == [1]
    assert not tied[0, 0]
    _, _, tied = leader_by_share(moments_of(shares_of(0.2, 0.8, 0.3)), confidence=0.95)
    assert tied[0].tolist() == [False, True, False]
    _, value, tied = leader_by_rank(moments_of(shares_of(0.2, 0.8)), confidence=0.95)
    assert value[0].tolist() == [2.0, 1.0]
    assert tied.all()
    _, _, tied = leader_by_rank(moments_of(shares_of(0.2, 0.8, functions=12)), confidence=0.95)
    assert tied[0].tolist() == [False, True]
    assert leader_by_rank(moments_of(shares_of(0.2, 0.8, functions=1)), confidence=0.95)[2].all()


def test_a_sure_leader_is_seldom_wrong():
    wrong, repeats = 0, 400
    for seed in range(repeats):
        _, _, tied = leader_by_share(
            moments_of(shares_of(0.5, 0.5, 0.5, seed=seed, runs=5)), confidence=0.9
        )
        wrong += tied.sum() == 1
    assert wrong / repeats <= 0.1 + 4 * np.sqrt(0.09 / repeats)


def test_costs_only_add_to_the_time_and_the_line_is_the_ert():
    rng = np.random.default_rng(1)
    seconds, evaluations = rng.random(50), rng.integers(1, 1000, 50)
    there = at_cost(seconds[:, None], evaluations[:, None], np.array(COSTS))
    assert (there[:, 0] == seconds).all()
    assert (np.diff(there, axis=1) >= 0).all()
    rng = np.random.default_rng(2)
    seconds, evaluations, success = rng.random(9), rng.integers(1, 99, 9), rng.random(9) < 0.7
    for cost in COSTS:
        of_runs = ert(at_cost(seconds, evaluations, cost), success)
        of_line = at_cost(ert(seconds, success), ert(evaluations, success), cost)
        assert of_runs == pytest.approx(of_line)
