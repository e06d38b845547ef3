"""Curves over cost: runtimes to targets, the best so far, ECDFs, profiles, and their bands."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from timefair.statistics import bands
from timefair.statistics.hitting_times import relative_targets, rounds, runtimes

INF = np.inf
LIMITS = ("low", "high", "everywhere_low", "everywhere_high")


def band_of(times, strata, grid, **settings):
    chosen = {"confidence": 0.9, "resamples": 200, "rng": np.random.default_rng(5)} | settings
    return bands.ecdf_band(times, strata, grid, **chosen)


def test_failures_stay_in_the_denominator_and_two_runs_of_a_problem_can_be_counted_out():
    runtimes = [[1.0, 2.0], [2.0, np.inf], [np.inf, np.inf]]
    fractions = bands.ecdf(runtimes, [0.5, 1.0, 1.9, 2.0, np.inf])
    np.testing.assert_allclose(fractions, [0, 1 / 6, 1 / 6, 0.5, 0.5])
    # Each sample is one of the two runs: half of them reach 1, half nothing, at cost 1.
    band = band_of([[1.0, 1.0], [INF, INF]], [4, 4], [0.5, 1.0])
    assert band["fraction"].tolist() == [0.0, 0.5]
    assert (band["low"].tolist(), band["high"].tolist()) == ([0.0, 0.0], [0.0, 1.0])
    assert band["everywhere_low"].tolist() == [0.0, 0.0]
    assert band["everywhere_high"].tolist() == [0.5, 1.0]


def test_every_problem_keeps_its_weight_and_targets_of_a_run_stay_together():
    band = band_of([[1.0], [1.0], [9.0], [9.0]], [1, 1, 2, 2], [1.0, 9.0])
    for limit in LIMITS:
        np.testing.assert_allclose(band[limit], [0.5, 1.0])
    # Ten targets reached by the same runs tell no more than one of them.
    times = np.random.default_rng(6).exponential(size=(12, 1))
    one, ten = (band_of(np.tile(times, k), np.zeros(12), [0.5, 1.0]) for k in (1, 10))
    for limit in LIMITS:
        np.testing.assert_allclose(one[limit], ten[limit])


@pytest.mark.parametrize(
    ("times", "strata"),
    [
        ([[1.0]], [1]),
        ([[1.0], [2.0], [3.0]], [1, 1, 2]),
        (np.empty((0, 3)), []),
        (np.empty((2, 0)), [1, 1]),
    ],
)
def test_nothing_to_resample_gives_no_limits(times, strata):
    band = band_of(times, strata, [1.0, 2.0])
    assert all(np.isnan(band[limit]).all() for limit in LIMITS)


@pytest.mark.parametrize(
    ("act", "match"),
    [
        (lambda: band_of([[np.nan], [1.0]], [1, 1], [1.0]), "NaN"),
        (lambda: band_of([[1.0], [1.0]], [1, 1], [1.0], confidence=0.0), "confidence"),
        (lambda: band_of([[1.0], [1.0]], [1, 1], [1.0], resamples=0), "resamples"),
        (lambda: bands.median_band([[np.nan]], 0.95), "NaN"),
        (lambda: bands.median_band([[1.0]], 1.0), "confidence"),
        (lambda: bands.performance_ratios([[-1.0]]), "costs"),
        (lambda: bands.performance_ratios([[np.nan]]), "costs"),
    ],
)
def test_wrong_input_is_named(act, match):
    with pytest.raises(ValueError, match=match):
        act()


def test_the_band_of_runs_is_made_of_order_statistics_and_that_of_the_median_scipys():
    best = np.random.default_rng(2).exponential(size=(21, 5))
    band = bands.median_band(best, 0.95)
    np.testing.assert_array_equal(band.value, np.median(best, axis=0))
    best = np.random.default_rng(3).exponential(size=(17, 4))
    band = bands.median_band(best, 0.95)
    for j in range(4):
        test = stats.quantile_test(best[:, j], p=0.5)
        interval = test.confidence_interval(0.95)
        assert (band.low[j], band.high[j]) == (interval.low, interval.high)


@pytest.mark.parametrize(("runs", "known"), [(0, False), (1, False), (5, False), (6, True)])
def test_the_interval_of_the_median_needs_six_runs(runs, known):
    band = bands.median_band(np.ones((runs, 2)), 0.95)
    assert np.isnan(band.low).all() == np.isnan(band.high).all() == (not known)
    assert np.isnan(band.value).all() == (runs == 0)


def test_ratios_of_every_kind_and_a_problem_that_nobody_solved_counts():
    costs = [[2.0, 6.0], [4.0, 4.0], [INF, 1.0], [INF, INF], [0.0, 0.0], [0.0, 3.0]]
    expected = [[1, 3], [1, 1], [INF, 1], [INF, INF], [1, 1], [1, INF]]
    np.testing.assert_array_equal(bands.performance_ratios(costs), expected)
    ratios = bands.performance_ratios([[1.0, 2.0], [3.0, 3.0], [INF, 5.0], [INF, INF]])
    profile = bands.performance_profile(ratios, [1.0, 2.0, INF])
    np.testing.assert_allclose(profile, [[0.5, 0.5], [0.5, 0.75], [0.5, 0.75]])


def test_samples_of_the_ert_keep_runs_whole():
    """Two runs, one drawn: the first reached both targets, the second none."""
    samples = bands.resampled_ert(
        [[1.0, 2.0], [9.0, 9.0]],
        [[True, True], [False, False]],
        resamples=60,
        rng=np.random.default_rng(2),
    )
    assert {tuple(sample) for sample in samples} == {(1.0, 2.0), (INF, INF)}


def test_limits_are_the_distance_of_the_samples_and_parts_of_the_problems_are_added_up():
    samples = np.array([[[1.0], [3.0]]] * 8 + [[[3.0], [3.0]]] * 2)
    for confidence, width in ((0.8, 0.0), (0.9, 0.5)):
        band = bands.profile_band([[0.5], [1.0]], [samples], [2.0, 4.0], confidence=confidence)
        assert band.low.ravel().tolist() == [0.5 - width, 1.0]
        assert band.high.ravel().tolist() == [0.5 + width, 1.0]
    rng = np.random.default_rng(3)
    samples, grid = rng.exponential(size=(50, 6, 2)), [0.3, 1.0, 2.0]
    fraction = bands.performance_profile(samples.mean(axis=0), grid)
    whole = bands.profile_band(fraction, [samples], grid, confidence=0.9)
    parts = bands.profile_band(fraction, [samples[:, :1], samples[:, 1:]], grid, confidence=0.9)
    np.testing.assert_array_equal(whole.low, parts.low)
    np.testing.assert_array_equal(whole.high, parts.high)


def test_both_agree_with_a_loop_over_random_events():
    rng = np.random.default_rng(4)
    lengths = rng.integers(0, 6, size=30)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    cost = np.concatenate([np.sort(rng.integers(0, 9, n)) for n in lengths]) / 8
    precision = np.concatenate([-np.sort(-rng.integers(0, 9, n)) for n in lengths]) / 8
    points = np.append(rng.random(4), np.arange(9) / 8)  # also those of events
    times = runtimes(cost, precision, offsets, points)
    best = bands.best_so_far(cost, precision, offsets, points)
    for i, (a, b) in enumerate(pairwise(offsets)):
        for j, point in enumerate(points):
            events = list(zip(cost[a:b], precision[a:b], strict=True))
            assert times[i, j] == min((c for c, q in events if q <= point), default=np.inf)
            assert best[i, j] == min((q for c, q in events if c <= point), default=np.inf)


def test_each_problem_has_its_own_start_and_best_of_runs_with_events():
    targets = relative_targets(
        first=[10.0, 1.0, 30.0, 3.0, 20.0],
        best=[5.0, 0.5, 0.0, 1.0, 10.0],
        problem=[7, 2, 7, 2, 7],
        shares=[0.5, 0.1],
    )
    # Problem 7 starts at 20 and has the best 0; problem 2 starts at 1, the lower of two.
    np.testing.assert_allclose(targets[[0, 2, 4]], [[10.0, 2.0]] * 3)
    np.testing.assert_allclose(targets[[1, 3]], [[0.75, 0.55]] * 2)
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


COST, LATER, OFFSETS = [0.1, 0.2, 0.5, 0.3, 1.0], [9.0, 2.0, 0.0, 4.0, 1.0], [0, 3, 3, 5]


def test_targets_are_each_run_s_or_the_same_for_all():
    times = runtimes(COST, LATER, OFFSETS, [[2.0, 9.0], [99.0, 0.0], [1.0, 0.5]])
    np.testing.assert_array_equal(times, [[0.2, 0.1], [INF, INF], [1.0, INF]])
    targets = np.array([5.0, 1.0, 0.0])
    np.testing.assert_array_equal(
        runtimes(COST, LATER, OFFSETS, targets),
        runtimes(COST, LATER, OFFSETS, np.tile(targets, (3, 1))),
    )


BATCHES = st.lists(st.tuples(st.integers(0, 4), st.integers(1, 9), st.integers(1, 4)), max_size=5)
"""Points that are asked for alone, then so many points so often."""


def counted(batches, workers, evaluations):
    made = [0]
    for alone, size, count in [*batches, (evaluations, 1, 1)]:
        made += [made[-1] + k + 1 for k in range(alone)]
        for _ in range(count):
            made += [made[-1] + k // workers + 1 for k in range(size)]
    return made[: evaluations + 1]


def rows(batches):
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
