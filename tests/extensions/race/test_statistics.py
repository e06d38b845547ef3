"""A campaign-wide race: its estimates, its confidence sequences, and who has the next runs."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy.special import ndtri

from timefair.extensions.race.statistics import (
    CHANCE,
    GROWTH,
    MeanSequence,
    Why,
    pairs_over_functions,
    pooled_results,
    ranking_race,
)
from timefair.statistics.comparison import superiority

FUNCTIONS, START, CAP = 8, 5, 40


def normal(shifts, n=START, functions=FUNCTIONS, seed=1):
    """For each function normal results of algorithms with these means; smaller is better."""
    rng = np.random.default_rng(seed)
    return [[rng.normal(shift, size=n) for shift in shifts] for _ in range(functions)]


# --- Estimates --------------------------------------------------------------------------------


def test_the_mean_a12_is_that_of_the_functions() -> None:
    samples = normal((0.0, 0.4, 2.0), n=6)
    samples[0][0][:2] = samples[0][1][:2] = np.inf
    found = pairs_over_functions(samples, [(0, 1), (2, 0)])
    by_hand = [[superiority(row[a], row[b]) for a, b in ((0, 1), (2, 0))] for row in samples]
    np.testing.assert_allclose(found.a12, np.mean(by_hand, axis=0))


@pytest.mark.slow
def test_the_variance_is_that_of_repetitions() -> None:
    """Also of unequal numbers of runs; it is the sum of the parts divided by the runs."""
    rng = np.random.default_rng(2)
    estimates, variances = [], []
    for _ in range(2000):
        samples = [[rng.normal(size=12), rng.normal(0.7, 3.0, size=30)] for _ in range(4)]
        found = pairs_over_functions(samples, [(0, 1)])
        estimates.append(found.a12[0])
        variances.append(found.variance[0])
        parts = found.parts[0] / np.array([[12], [30]])
        np.testing.assert_allclose(parts.sum(), found.variance[0])
    assert 0.95 * np.var(estimates) <= np.mean(variances) <= 1.5 * np.var(estimates)


@pytest.mark.parametrize("n", [5, 7, 10, 15])
def test_a_complete_separation_is_as_sure_as_by_the_permutation_test(n) -> None:
    found = pairs_over_functions([[np.arange(n), 100.0 + np.arange(n)]], [(0, 1)])
    exact = -ndtri(1 / comb(2 * n, n))
    assert 0.5 / found.variance[0] ** 0.5 == pytest.approx(exact, rel=0.15)


def test_values_without_an_optimum_are_compared_by_their_distance_to_the_best() -> None:
    """The final target is none of them, and the instances differ in their values."""
    precision = np.array([-5.0, -3.0, 100.0, 101.0, 1e-9, 1.0])
    unknown = np.array([True, True, True, True, False, False])
    problems = np.array([[1, 1, 1, 1, 2, 2], [1, 1, 2, 2, 1, 1]], dtype=float)
    found = pooled_results(precision, unknown, problems, 1e-8)
    assert found.tolist() == [0.0, 2.0, 0.0, 1.0, 1e-8, 1.0]


# --- Confidence sequences ---------------------------------------------------------------------


def test_no_look_at_a_mean_misses_more_often_than_promised() -> None:
    """1,000 looks at the mean of normal values, whose variance is known."""
    rng, confidence, repetitions = np.random.default_rng(3), 0.9, 2000
    sequence = MeanSequence(confidence, usual_variance=0.02)
    n = np.arange(1, 1001)
    missed = 0
    for _ in range(repetitions):
        means = rng.normal(size=n.size).cumsum() / n
        missed += bool((np.abs(means) > sequence.radius(1 / n)).any())
    assert 0.02 < missed / repetitions < 0.1


# --- Looks ------------------------------------------------------------------------------------


def test_an_order_is_decided_once() -> None:
    race = ranking_race(2, FUNCTIONS, 1, START, 0.95)
    first = race.look(normal((0, 3)))
    assert (first.look, first.decided_at.tolist(), first.better.tolist()) == (1, [1], [1])
    turned = race.look(normal((3, 0)), first)
    assert (turned.look, turned.decided_at.tolist(), turned.better.tolist()) == (2, [1], [1])


# --- The next runs ----------------------------------------------------------------------------


def granted(samples, costs=None, cap=CAP, **options):
    race = ranking_race(len(samples[0]), len(samples), 1, START, 0.95)
    runs = np.array([[len(row[a]) for row in samples] for a in range(len(samples[0]))])
    costs = np.ones(runs.shape) if costs is None else costs
    return race.grant(race.look(samples), runs, costs, cap, **options), runs


def test_only_algorithms_of_open_pairs_have_runs() -> None:
    grant, _ = granted(normal((0, 0.6, 5)))
    assert (grant.more[:2] > 0).any(axis=1).all()
    assert not grant.more[2].any()
    assert set(grant.why[2]) == {Why.DECIDED}
    assert set(grant.pair[grant.more > 0]) == {0}


def test_a_pair_that_no_number_of_runs_is_expected_to_decide_has_none() -> None:
    grant, _ = granted(normal((0, 0.02), n=30), cap=31)
    assert not grant.more.any()
    assert set(grant.why.ravel()) == {Why.OUT_OF_REACH}


def test_runs_double_at_most_and_respect_the_cap_and_blocks() -> None:
    samples = normal((0, 0.3), n=6)
    grant, runs = granted(samples, block=3)
    assert (grant.more <= (GROWTH - 1) * runs).all()
    assert (grant.more % 3 == 0).all()
    assert grant.more.any()
    capped, runs = granted(samples, cap=7)
    assert (capped.more <= 1).all()


def test_a_budget_is_not_exceeded() -> None:
    samples, costs = normal((0, 0.5, 0.9, 1.2)), np.full((4, FUNCTIONS), 2.0)
    free, _ = granted(samples, costs)
    for budget in (0.0, 10.0, 30.0):
        grant, _ = granted(samples, costs, budget=budget)
        assert (grant.more * costs).sum() <= budget < (free.more * costs).sum()
    assert grant.more.any()
    assert Why.BUDGET in set(grant.why.ravel())


def test_a_function_that_says_more_for_its_cost_has_more_runs() -> None:
    samples = normal((0, 0.4), n=15)
    separated = [np.arange(15.0), 100 + np.arange(15.0)]
    samples[0], samples[1] = separated, separated[::-1]  # together they are in the middle
    costs = np.ones((2, FUNCTIONS))
    costs[:, 2] = 9.0
    grant, runs = granted(samples, costs)
    assert 0 < grant.more.sum() < runs.sum()
    assert not grant.more[:, :3].any()
    assert grant.more[:, 3:].mean() > 1


def test_a_replay_of_close_algorithms_ends_before_equal_allocation() -> None:
    """Four algorithms, one far behind, two close: the race needs fewer runs for the same orders."""
    shifts, rng = (0.0, 0.5, 2.5, 5.0), np.random.default_rng(6)
    draws = [[rng.normal(shift, size=CAP) for shift in shifts] for _ in range(FUNCTIONS)]
    race = ranking_race(4, FUNCTIONS, 1, START, 0.95)

    def seen(runs):
        return [[own[: runs[a, f]] for a, own in enumerate(row)] for f, row in enumerate(draws)]

    runs, standing = np.full((4, FUNCTIONS), START), None
    for _ in range(12):
        standing = race.look(seen(runs), standing)
        runs = runs + race.grant(standing, runs, np.ones(runs.shape), CAP).more
    equal, same = None, np.full((4, FUNCTIONS), START)
    while equal is None or equal.is_open.any():
        equal = race.look(seen(same), equal)
        same = same + 1
    assert not standing.is_open.any()
    assert standing.better.tolist() == equal.better.tolist() == [1] * 6
    assert runs.sum() < (same - 1).sum()
    assert 0 < CHANCE < 0.5
