"""What launches of one length cost, the choice among them, and the sentences."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from timefair.exhibits.registry import TABLES
from timefair.extensions.restart_prediction.tables import (
    Launches,
    best_option,
    deleted_groups,
    findings,
    jackknifed,
    over_functions,
    predicted,
)
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.report.evidence import Evidence, Space

ANALYSIS = Analysis(targets=(10.0, 1.0), resamples=20)
BUDGET = 1000


@pytest.fixture
def one_launch(run):
    """A run of one launch, cut by the budget, that reaches both targets after `hit` evaluations."""

    def make(hit, **changes):
        events = [(1, 0.001, 50.0)]
        events += [(hit, hit / 1000, 0.5)] if hit else []
        best = 0.5 if hit else 50.0
        end = {"start_s": 0.0, "end_s": 1.0, "evaluations": BUDGET, "best_precision": best}
        spent = {"evaluations": BUDGET, "budget_evaluations": BUDGET, "wall_s": 1.0}
        made = run(events, launch_log=[end | {"end": "cut"}], **spent, **changes)
        return made | {"stop_reason": "evaluations", "launch_events": []}

    return make


@pytest.fixture
def stuck(one_launch):
    """On three functions two launches of five are quick, and the others never reach a target."""
    hits = (30, 40, None, None, None)
    return [
        one_launch(hit, function=function, run=number + 5 * again, algorithm="stuck")
        for function in (1, 3, 8)
        for again in range(4)
        for number, hit in enumerate(hits)
    ]


def test_lengths_cost_what_the_formula_says(stuck, table):
    found = TABLES["restart_what_if"](Runs.of(table(*stuck)), ANALYSIS)
    (row,) = found[(found["function"] == 1) & (found["tau"] == 40)].to_dict("records")
    assert row["target"] == 1.0
    assert row["ert"] == pytest.approx((30 + 40 + 3 * 40) / 2)
    assert row["success_rate"] == pytest.approx(1 - 0.6**25)
    assert row["factor"] == pytest.approx(row["ert"] / ((30 + 40 + 3 * BUDGET) / 2))
    assert row["factor_low"] < row["factor"] < row["factor_high"]
    assert row["launches"] == 20


def test_the_advice_finds_the_gain_and_judges_it_elsewhere(stuck, table):
    (row,) = TABLES["restart_advice"](Runs.of(table(*stuck)), ANALYSIS).to_dict("records")
    assert row["verdict"] == "gain"
    assert row["tau"] == 40
    assert row["gain"] == pytest.approx((70 + 3 * BUDGET) / 190)
    assert row["gain"] == pytest.approx(row["gain_same_runs"])
    assert row["functions"] == 3


def test_records_without_launch_traces_say_so(one_launch, stuck, table):
    old = [
        one_launch(30, function=f, run=k, algorithm="old") | {"launch_events": None}
        for f in (1, 3)
        for k in range(4)
    ]
    runs = Runs.of(table(*old, *stuck))
    advice = TABLES["restart_advice"](runs, ANALYSIS)
    assert dict(zip(advice["algorithm"], advice["verdict"], strict=True)) == {
        "old": "no launch traces",
        "stuck": "gain",
    }
    assert advice.attrs["omitted"].startswith("No launch traces: old;")
    assert "old" not in set(TABLES["restart_what_if"](runs, ANALYSIS)["algorithm"])


def of_launches(hit, length, cutoffs, budget, *, ended=None, run=None, strata=None):
    """Runs of some launches, each of which is of a run of its own by default."""
    hit = np.asarray(hit, dtype=float)
    run = np.arange(len(hit)) if run is None else np.asarray(run)
    ended = np.zeros(len(hit), bool) if ended is None else np.asarray(ended)
    strata = np.zeros(run.max() + 1, int) if strata is None else strata
    launches = Launches(hit, np.asarray(length, dtype=float), ended, run)
    return predicted(launches, strata, np.ones((1, run.max() + 1)), cutoffs, budget)


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


def test_noise_alone_gains_nothing_and_what_is_unknown_is_not_chosen():
    rng = np.random.default_rng(1)
    gains = rng.normal(0.0, 0.5, (400, 6, 20))
    assert np.mean([gain.mean(axis=0).max() for gain in gains]) > 0.3  # it flatters itself
    others = [over_functions(gain, confidence=0.95)[0] for gain in gains]
    assert np.mean(others) == pytest.approx(0.0, abs=0.04)
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


SPACE = Space("bbob", 5)


def row(algorithm, verdict, tau=float("nan"), gain=float("nan")):
    names = {"suite": "bbob", "dimension": 5, "algorithm": algorithm}
    return names | {"verdict": verdict, "tau": tau, "gain": gain}


def said(*rows):
    tables = {"restart_advice": pd.DataFrame(rows)} if rows else {}
    return list(findings(Evidence(tables, SimpleNamespace()), SPACE))


def test_the_largest_gain_comes_first_and_what_nobody_would_notice_is_no_finding():
    found = said(
        row("CMA-ES", "nothing to gain", 5000.0, 1.0),
        row("A", "gain", 640.0, 1.52),
        row("DE", "gain", 9000.0, 3.14),
        row("B", "gain", 640.0, 1.04),
        row("Old", "no launch traces"),
    )
    assert found[0] == (
        "Restart DE after 9,000 evaluations: 3.1 times as fast on the functions not used to choose "
        "it."
    )
    assert [one.startswith("Restart A after 640") for one in found[1:]] == [True]
    assert said() == []
