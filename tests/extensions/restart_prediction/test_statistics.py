"""What restart policies cost, against closed forms, brute force and simulated schedules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.extensions.restart_prediction.statistics import (
    Launches,
    NotObserved,
    fixed_cutoffs,
    geometric,
    law,
    luby,
    run_sums,
)
from timefair.policies.restarts.luby import luby as term


def of_launches(hit, length, cutoffs, *, ended=None, run=None, strata=None):
    """The law of launches with one target, each a run of its own by default."""
    hit = np.asarray(hit, dtype=float)[:, np.newaxis]
    run = np.arange(len(hit)) if run is None else np.asarray(run)
    ended = np.zeros(len(hit), bool) if ended is None else ended
    runs = run.max() + 1
    strata = np.zeros(runs, int) if strata is None else strata
    sums = run_sums(Launches.of(hit, length, ended, run), cutoffs, runs)
    return law(sums, strata, np.ones((1, runs)))


def ert(outcome, weights=(1,)):
    return outcome.pooled(weights).ert[0, ..., 0]


launches = st.lists(st.integers(1, 40), min_size=2, max_size=12)


@pytest.mark.slow
@given(launches, st.lists(st.integers(1, 20), min_size=1, max_size=4, unique=True))
def test_fixed_lengths_are_the_formula_by_brute_force(costs, taus):
    taus = np.sort(taus)
    hit = np.where(np.array(costs) <= 20, costs, np.inf)
    found = ert(fixed_cutoffs(of_launches(hit, np.full(len(costs), 20.0), taus), 20.0 * 232792560))
    for tau, value in zip(taus, found, strict=True):
        hits = (hit <= tau).sum()
        expected = np.minimum(hit, tau).sum() / hits if hits else np.inf
        assert value == pytest.approx(expected)


def simulated(hit, end, lengths, budget, rng, runs=40_000):
    """Cost and success of runs that draw launches of these lengths, one after the other."""
    left, cost = np.full(runs, float(budget)), np.zeros(runs)
    success, k = np.zeros(runs, bool), 0
    while (left > 0).any():
        drawn = rng.integers(len(hit), size=runs)
        most = np.minimum(left, lengths(k))
        now = (left > 0) & (hit[drawn] <= most)
        spent = np.where(now, hit[drawn], np.minimum(end[drawn], most))
        cost += np.where(left > 0, spent, 0.0)
        success |= now
        left = np.where(now, 0.0, left - spent)
        k += 1
    return cost.mean(), success.mean()


POLICIES = {
    "fixed": (fixed_cutoffs, lambda k, unit: unit),
    "luby": (lambda one, budget: luby(one, 2, budget), lambda k, unit: unit * term(k + 1)),
    "geometric": (geometric, lambda k, unit: unit * 2**k),
}
CUTOFFS = np.array([10.0, 15, 20, 30, 40, 60, 80, 120, 160, 240, 300])
HIT = np.concatenate([np.geomspace(5.0, 300.0, 25), [np.inf] * 55])


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("unit", [0, 3, 6])
def test_schedules_agree_with_simulated_ones(name, unit):
    rng, (policy, length) = np.random.default_rng(unit), POLICIES[name]
    outcome = policy(of_launches(HIT, np.full(HIT.size, 300.0), CUTOFFS), 300.0)
    cost, chance = simulated(
        HIT, np.full(HIT.size, np.inf), lambda k: length(k, CUTOFFS[unit]), 300, rng
    )
    assert outcome.cost[0, 0, unit, 0] == pytest.approx(cost, rel=0.03)
    assert outcome.chance[0, 0, unit, 0] == pytest.approx(chance, rel=0.03)


@pytest.mark.parametrize("name", POLICIES)
def test_launches_that_end_by_themselves_agree_with_simulated_ones(name):
    rng, (policy, length) = np.random.default_rng(3), POLICIES[name]
    end = np.where(np.isinf(HIT), rng.integers(5, 60, HIT.size), HIT)
    outcome = policy(of_launches(HIT, end, CUTOFFS, ended=np.ones(HIT.size, bool)), 300.0)
    cost, chance = simulated(HIT, end, lambda k: length(k, CUTOFFS[2]), 300, rng)
    assert outcome.cost[0, 0, 2, 0] == pytest.approx(cost, rel=0.08)
    assert outcome.chance[0, 0, 2, 0] == pytest.approx(chance, rel=0.08)


def test_what_was_not_observed_is_refused():
    launched = Launches.of([[3.0], [np.inf]], [10.0, 8.0], [True, False], [0, 1])
    assert launched.known_until == np.inf
    cut = Launches.of([[3.0], [np.inf]], [6.0, 8.0], [True, False], [0, 1])
    assert cut.known_until == 8.0
    with pytest.raises(NotObserved, match="cutoff 9: launches were observed up to 8"):
        run_sums(cut, [9.0], 2)
    one = law(run_sums(cut, [4.0, 8.0], 2), [0, 0], np.ones((1, 2)))
    for outcome in (luby(one, 1, 100.0), geometric(one, 100.0)):
        assert np.isnan(outcome.cost).all()
    assert np.isfinite(fixed_cutoffs(one, 100.0).cost).all()


def test_launches_cut_by_the_budget_count_up_to_their_end():
    """Renewal runs of a known law, cut by their budget: plain shares would be too low or high."""
    rng, hit, length, ended, run = np.random.default_rng(2), [], [], [], []
    for number in range(4000):
        left = 100.0
        while left > 0:
            end = rng.choice([10.0, 90.0])
            reached = end - 1 if rng.random() < 0.5 else np.inf
            length.append(min(end, left))
            ended.append(end <= left)
            hit.append(reached if reached <= left else np.inf)
            run.append(number)
            left -= end
    cutoffs = [50.0, 100.0]
    one = of_launches(hit, length, cutoffs, ended=np.array(ended), run=run)
    np.testing.assert_allclose(one.chance[0, 0, :, 0], [0.25, 0.5], atol=0.015)
    np.testing.assert_allclose(one.cost[0, 0, :, 0], [0.5 * 9.5 + 0.5 * 50, 49.5], rtol=0.02)
    assert np.array(length)[np.array(ended)].mean() < 42  # not 50: long launches are cut more often


def test_instances_are_pooled_as_far_as_they_are_alike():
    alike = of_launches([1.0, np.inf] * 20, [9.0] * 40, [9.0], strata=np.repeat([0, 1], 20))
    np.testing.assert_allclose(alike.chance[0, :, 0, 0], 0.5)
    apart = of_launches([1.0] * 20 + [np.inf] * 20, [9.0] * 40, [9.0], strata=np.repeat([0, 1], 20))
    np.testing.assert_allclose(apart.chance[0, :, 0, 0], [1.0, 0.0])
    single = of_launches([1.0, np.inf], [9.0] * 2, [9.0], strata=[0, 1])
    np.testing.assert_allclose(single.chance[0, :, 0, 0], 0.5)
    # restarts do not help where an instance is never solved, and the mixture would say they do
    assert ert(fixed_cutoffs(apart, 90.0), (1, 1)) == pytest.approx((1 + 90) / 1)
    assert ert(fixed_cutoffs(alike, 90.0), (1, 1)) == pytest.approx(10.0, rel=1e-3)
