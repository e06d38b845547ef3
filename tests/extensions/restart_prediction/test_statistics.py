"""What launches of one length cost, against brute force and simulated runs; and the choice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.extensions.restart_prediction.tables import (
    Launches,
    best_option,
    deleted_groups,
    jackknifed,
    over_functions,
    predicted,
)


def of_launches(hit, length, cutoffs, budget, *, ended=None, run=None, strata=None):
    """Runs of some launches, each of which is of a run of its own by default."""
    hit = np.asarray(hit, dtype=float)
    run = np.arange(len(hit)) if run is None else np.asarray(run)
    ended = np.zeros(len(hit), bool) if ended is None else np.asarray(ended)
    strata = np.zeros(run.max() + 1, int) if strata is None else strata
    launches = Launches(hit, np.asarray(length, dtype=float), ended, run)
    return predicted(launches, strata, np.ones((1, run.max() + 1)), cutoffs, budget)


launches = st.lists(st.integers(1, 40), min_size=2, max_size=12)


@pytest.mark.slow
@given(launches, st.lists(st.integers(1, 20), min_size=1, max_size=4, unique=True))
def test_a_length_costs_what_the_formula_says(costs, taus):
    taus = np.sort(taus)
    hit = np.where(np.array(costs) <= 20, costs, np.inf)
    found = of_launches(hit, np.full(len(costs), 20.0), taus, 20.0 * 232792560).ert[0]
    for tau, value in zip(taus, found, strict=True):
        hits = (hit <= tau).sum()
        expected = np.minimum(hit, tau).sum() / hits if hits else np.inf
        assert value == pytest.approx(expected)


def simulated(hit, end, tau, budget, rng, runs=40_000):
    """Cost and success of runs that draw launches of this length, one after the other."""
    left, cost = np.full(runs, float(budget)), np.zeros(runs)
    success = np.zeros(runs, bool)
    while (left > 0).any():
        drawn = rng.integers(len(hit), size=runs)
        most = np.minimum(left, tau)
        now = (left > 0) & (hit[drawn] <= most)
        spent = np.where(now, hit[drawn], np.minimum(end[drawn], most))
        cost += np.where(left > 0, spent, 0.0)
        success |= now
        left = np.where(now, 0.0, left - spent)
    return cost.mean(), success.mean()


CUTOFFS = np.array([10.0, 30, 60, 150, 300])
HIT = np.concatenate([np.geomspace(5.0, 300.0, 25), [np.inf] * 55])


@pytest.mark.parametrize("place", range(CUTOFFS.size))
def test_runs_agree_with_simulated_ones(place):
    found = of_launches(HIT, np.full(HIT.size, 300.0), CUTOFFS, 300.0)
    never = np.full(HIT.size, np.inf)
    cost, success = simulated(HIT, never, CUTOFFS[place], 300, np.random.default_rng(place))
    assert found.cost[0, place] == pytest.approx(cost, rel=0.03)
    assert found.success[0, place] == pytest.approx(success, rel=0.03)


def test_launches_that_end_by_themselves_agree_with_simulated_ones():
    rng = np.random.default_rng(3)
    end = np.where(np.isinf(HIT), rng.integers(5, 60, HIT.size), HIT)
    found = of_launches(HIT, end, CUTOFFS, 300.0, ended=np.ones(HIT.size, bool))
    cost, success = simulated(HIT, end, CUTOFFS[1], 300, rng)
    assert found.cost[0, 1] == pytest.approx(cost, rel=0.08)
    assert found.success[0, 1] == pytest.approx(success, rel=0.08)


def test_how_long_launches_were_observed():
    hit, run = np.array([3.0, np.inf]), np.arange(2)
    ended = np.array([True, False])
    assert Launches(hit, np.array([10.0, 8.0]), ended, run).known_until == np.inf
    assert Launches(hit, np.array([6.0, 8.0]), ended, run).known_until == 8.0


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
    found = of_launches(hit, length, [50.0, 100.0], 1e9, ended=ended, run=run)
    cost = np.array([0.5 * 9.5 + 0.5 * 50, 49.5])
    np.testing.assert_allclose(found.ert[0], cost / [0.25, 0.5], rtol=0.06)
    assert np.array(length)[np.array(ended)].mean() < 42  # not 50: long launches are cut more often


def test_instances_are_pooled_as_far_as_they_are_alike():
    strata = np.repeat([0, 1], 20)
    alike = of_launches([1.0, np.inf] * 20, [9.0] * 40, [9.0], 90.0, strata=strata)
    assert alike.ert[0, 0] == pytest.approx(10.0, rel=1e-3)
    # restarts do not help where an instance is never solved, and the mixture would say they do
    apart = of_launches([1.0] * 20 + [np.inf] * 20, [9.0] * 40, [9.0], 90.0, strata=strata)
    assert apart.ert[0, 0] == pytest.approx((1 + 90) / 1)
    assert apart.success[0, 0] == pytest.approx(0.5)


# --- The choice -----------------------------------------------------------------------------------


def test_noise_alone_gains_nothing_where_it_was_not_chosen():
    rng = np.random.default_rng(1)
    gains = rng.normal(0.0, 0.5, (400, 6, 20))
    assert np.mean([gain.mean(axis=0).max() for gain in gains]) > 0.3  # it flatters itself
    others = [over_functions(gain, confidence=0.95)[0] for gain in gains]
    assert np.mean(others) == pytest.approx(0.0, abs=0.04)


def test_an_option_unknown_on_a_function_is_not_chosen():
    assert best_option([[1.0, 9.0], [1.0, np.nan]]) == 0
    assert best_option([[np.nan]]) == -1
    assert best_option(np.empty((3, 0))) == -1
    found = over_functions([[1.0, np.nan], [1.0, 9.0], [1.0, 9.0]], confidence=0.95)
    assert found[0] == pytest.approx((0 + 1 + 1) / 3)  # chosen without it, unknown there


def test_the_jackknife_of_a_mean_is_its_standard_error():
    values = np.array([9.0, 10.0, 11.0, 10.5])
    without = (deleted_groups(np.zeros(4), 4) @ values) / 3
    low, high = jackknifed(values.mean(), without, confidence=0.95)
    error = values.std(ddof=1) / 2 / values.mean()
    assert np.log(high / low) / 2 == pytest.approx(3.1824 * error, rel=0.02)
    low, high = jackknifed(5.0, [5.0, np.inf, 6.0], confidence=0.95)
    assert (low < 5.0, high) == (True, np.inf)
    assert np.isnan(jackknifed(np.inf, [np.inf, np.inf], confidence=0.95)).all()
