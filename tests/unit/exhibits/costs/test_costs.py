"""The tables on the cost of an evaluation, and their ends, which other tables have too."""

import itertools

import numpy as np
import pandas as pd
import pytest

from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.rundata.evaluation_cost import COSTS_S, LISTED_S
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

TARGETS = (10.0, 1.0, 0.1)
SPEED = {"quick": 1e-5, "frugal": 1e-2, "slow": 0.2}
EVALUATIONS = {"quick": 4000, "frugal": 40, "slow": 30}
FAMILY = ("cost_ert", "cost_lines", "cost_winners", "cost_crossovers", "cost_map")
KEYS = ["suite", "dimension", "function", "algorithm", "target"]


def analysis(**settings):
    return Analysis(targets=TARGETS, resamples=60, **settings)


@pytest.fixture(scope="module")
def rows(run):
    """Runs of three algorithms on three functions; `slow` is cut before the hardest target."""
    rng, made = np.random.default_rng(5), []
    for (name, pace), function, number in itertools.product(SPEED.items(), (1, 3, 8), range(6)):
        events = [(1, pace, 50.0)]
        for target, share in zip(TARGETS, (0.2, 0.5, 1.0), strict=True):
            evaluations = int(EVALUATIONS[name] * share * rng.uniform(0.7, 1.4)) + 2
            events.append((evaluations, evaluations * pace, target / 2))
        kept = [event for event in sorted(events) if event[1] < 5.0]
        spent = {"wall_s": 5.0, "budget_s": 5.0, "evaluations": int(5.0 / pace)}
        changes = dict(algorithm=name, function=function, run=number, **spent)
        made.append(run(kept, **changes))
    return made


@pytest.fixture
def runs(rows, table):
    return Runs.of(table(*rows))


def made(name, runs, settings=None):
    return TABLES[name](runs, settings or analysis())


def test_without_a_cost_the_ert_is_that_of_the_table_ert_to_the_bit(runs):
    costs, usual = made("cost_ert", runs), made("ert", runs)
    free = costs[costs["evaluation_cost_s"] == 0].merge(usual, on=KEYS, suffixes=("", "_usual"))
    assert len(free) == len(usual)
    for column in ("ert_s", "ert_s_low", "ert_s_high"):
        np.testing.assert_array_equal(free[column], free[f"{column}_usual"])
    lines = made("cost_lines", runs).merge(usual, on=KEYS, suffixes=("", "_usual"))
    np.testing.assert_array_equal(lines["ert_s"], lines["ert_s_usual"])
    np.testing.assert_array_equal(lines["ert_rounds"], lines["ert_evaluations"])


def test_at_large_costs_the_order_is_that_by_evaluations(runs):
    costs = made("cost_ert", runs)
    last = costs[costs["evaluation_cost_s"] == LISTED_S[-1]].merge(made("ert", runs), on=KEYS)
    by = last.groupby(["function", "target"])["ert_evaluations"].rank()
    np.testing.assert_array_equal(last["rank"], by)
    lines = made("cost_lines", runs)
    least = lines.groupby(["function", "target"])["ert_rounds"].transform("min")
    np.testing.assert_array_equal(
        np.isinf(lines["lowest_to_s"]), np.isfinite(least) & (lines["ert_rounds"] == least)
    )


def test_the_ert_rises_with_the_cost_and_lies_on_its_line(runs):
    costs = made("cost_ert", runs).merge(made("cost_lines", runs), on=KEYS, suffixes=("", "_0"))
    line = costs["ert_s_0"] + costs["evaluation_cost_s"] * np.where(
        np.isinf(costs["ert_s_0"]), 1.0, costs["ert_rounds"]
    )
    np.testing.assert_allclose(costs["ert_s"], line)
    lowest = costs["rank"] == costs.groupby([*KEYS[:3], "target", "evaluation_cost_s"])[
        "rank"
    ].transform("min")
    inside = costs["evaluation_cost_s"].between(costs["lowest_from_s"], costs["lowest_to_s"])
    assert (inside == (lowest & np.isfinite(costs["ert_s"]))).all()


def test_winners_at_no_cost_have_the_ranks_of_the_table_ranks(runs):
    winners = made("cost_winners", runs)
    assert set(winners["evaluation_cost_s"]) == set(COSTS_S)
    ranks = made("ranks", runs)
    usual = ranks[(ranks["measure"] == "seconds") & (ranks["criterion"] == "ERT")]
    free = winners[winners["evaluation_cost_s"] == 0]
    assert dict(zip(free["algorithm"], free["average_rank"], strict=True)) == pytest.approx(
        dict(zip(usual["algorithm"], usual["average_rank"], strict=True))
    )
    last = winners[winners["evaluation_cost_s"] == COSTS_S[-1]].set_index("algorithm")
    usual = ranks[(ranks["measure"] == "evaluations") & (ranks["criterion"] == "ERT")]
    assert last["average_rank"].to_dict() == pytest.approx(
        usual.set_index("algorithm")["average_rank"].to_dict()
    )
    sums = winners.groupby("evaluation_cost_s")["fraction"].sum()
    assert sums.to_numpy() == pytest.approx(1.0)
    assert (winners["low"] <= winners["fraction"]).all()
    assert (winners["fraction"] <= winners["high"]).all()


def test_crossovers_name_who_is_better_on_each_side(runs):
    turning = made("cost_crossovers", runs)
    pair = turning[(turning["algorithm_a"] == "frugal") & (turning["algorithm_b"] == "quick")]
    assert len(pair) == 9
    assert set(pair["better_below"]) == {"quick"}
    assert set(pair["better_above"]) == {"frugal"}
    assert (pair["set"] == "between").any()
    within = pair[pair["set"] == "between"]
    assert within["turns_at_s"].between(within["turns_at_s_low"], within["turns_at_s_high"]).all()
    empty = turning[turning["set"] == "empty"]
    assert empty[["turns_at_s", "turns_at_s_low", "turns_at_s_high"]].isna().all(axis=None)


def test_the_map_without_a_cost_is_the_share_of_the_table_ecdf(runs):
    points = made("cost_map", runs)
    free = points[(points["evaluation_cost_s"] == 0) & (points["measure"] == "share")]
    seconds = runs.runtimes("seconds", TARGETS)
    algorithms = runs.frame["algorithm"].to_numpy()
    for point in free[free["known"]].itertuples():
        shares = {name: (seconds[algorithms == name] <= point.budget_s).mean() for name in SPEED}
        if max(shares.values()) == 0:
            assert pd.isna(point.best)
            continue
        assert point.value == pytest.approx(max(shares.values()))
        assert shares[point.best] == pytest.approx(point.value)


def test_what_is_unknown_is_never_filled(runs):
    points = made("cost_map", runs)
    unknown = points[~points["known"]]
    assert len(unknown)
    assert unknown[["best", "value", "tied"]].isna().all(axis=None)
    assert (unknown["budget_s"] > unknown["known_until_s"]).all()
    assert (unknown["missing_runs"] > 0).all()
    assert (unknown["missing_s"] > 0).all()
    known = points[points["known"]]
    assert (known["budget_s"] <= known["known_until_s"]).all()
    assert known["missing"].isna().all()
    assert (known[["missing_runs", "missing_s"]] == 0).all(axis=None)


def test_the_slowest_algorithm_bounds_the_map(runs):
    points = made("cost_map", runs)
    until = points.groupby("evaluation_cost_s")["known_until_s"].first()
    slow = runs.frame[runs.frame["algorithm"] == "slow"]
    for cost, limit in until.items():
        assert limit == pytest.approx(5.0 + cost * slow["evaluations"].min())
    ends = points[points["evaluation_cost_s"] == 100].groupby("missing")["budget_s"].min()
    assert "slow" in ends.index
    assert until.is_monotonic_increasing


def test_a_run_that_longer_could_not_change_is_known_for_ever(rows, table):
    done = [row | {"stop_reason": "returned"} for row in rows]
    points = made("cost_map", Runs.of(table(*done)))
    assert points["known"].all()
    assert np.isinf(points["known_until_s"]).all()


def test_a_campaign_says_which_policies_count_seconds():
    campaign = configuration.parse(
        {
            "name": "seconds",
            "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": 1},
            "algorithms": {
                "a": "timefair:random-search",
                "b": {
                    "use": "timefair:random-search",
                    "restart": {"policy": "stagnation", "plateau_s": 0.1},
                },
            },
            "restart": {"policy": "fixed", "tau_evaluations": 50},
            "budget": {"time_s": 1.0},
        }
    )
    assert campaign.analysis_settings["restarted_by_seconds"] == {"b": "restart.plateau_s"}


BATCHES = {"quick": [], "frugal": [{"first": 0, "size": 8, "count": 10_000}], "slow": None}
"""`quick` asks for one point at a time, `frugal` for eight; of `slow` nobody knows it."""


@pytest.fixture(scope="module")
def records_in_batches(rows, table):
    return table(*({**row, "batches": BATCHES[row["algorithm"]]} for row in rows))


@pytest.fixture
def in_batches(records_in_batches):
    return Runs.of(records_in_batches)


def test_with_workers_a_batch_counts_as_often_as_they_are_needed_for_it(in_batches):
    alone, parallel = (
        made("cost_lines", in_batches, analysis(workers=workers)).set_index(KEYS)
        for workers in (1, 4)
    )
    assert set(alone.index.get_level_values("algorithm")) == set(SPEED)
    quick = parallel.xs("quick", level="algorithm")
    np.testing.assert_array_equal(
        quick["ert_rounds"], alone.xs("quick", level="algorithm")["ert_rounds"]
    )
    runtimes = in_batches.runtimes("evaluations", TARGETS)
    rows = np.flatnonzero(
        (in_batches.frame["algorithm"] == "frugal") & (in_batches.frame["function"] == 1)
    )
    expected = (2 * (runtimes[rows] // 8) + np.ceil(runtimes[rows] % 8 / 4)).mean(axis=0)
    found = parallel.xs("frugal", level="algorithm").xs(1, level="function")["ert_rounds"]
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("name", FAMILY)
def test_with_workers_algorithms_without_recorded_batches_are_omitted_by_name(name, in_batches):
    frame = made(name, in_batches, analysis(workers=4))
    assert "their batches were not recorded: slow." in frame.attrs["omitted"]
    assert "Up to 4 evaluations" in frame.attrs["omitted"]
    assert not frame.isin(["slow"]).any(axis=None)
