"""The tables on the cost of an evaluation, and their ends, which other tables have too."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from timefair.campaign import configuration
from timefair.exhibits.costs import blocks, cost_map
from timefair.exhibits.registry import TABLES
from timefair.rundata.evaluation_cost import COSTS_S, LISTED_S
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis, WatchedAnalysis

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


def test_pairs_of_many_algorithms_are_those_with_the_chosen_one(runs):
    turning = made("cost_crossovers", runs, analysis(pairs=("slow",)))
    assert ((turning["algorithm_a"] == "slow") | (turning["algorithm_b"] == "slow")).all()
    assert turning.attrs["pairs"] == "Only pairs with slow are listed."


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


def test_more_observation_never_changes_what_was_known(rows, table):
    """Runs cut earlier give the same map where it is known."""
    cut = []
    for row in rows:
        events = [event for event in row["events"] if event["time_s"] < 1.0]
        share = row["evaluations"] // 5
        best = min(event["precision"] for event in events)
        changed = {"wall_s": 1.0, "budget_s": 1.0, "evaluations": share, "events": events}
        cut.append(row | changed | {"best_precision": best})
    keys = ["measure", "evaluation_cost_s", "budget_s"]
    early = made("cost_map", Runs.of(table(*cut)))
    both = early[early["known"]].merge(made("cost_map", Runs.of(table(*rows))), on=keys)
    assert len(both) > 100
    assert both["known_y"].all()
    for column in ("best", "value", "tied"):
        pd.testing.assert_series_equal(
            both[f"{column}_x"].astype(object),
            both[f"{column}_y"].astype(object),
            check_names=False,
        )


def test_the_map_of_runs_of_zero_seconds(run, table):
    """Their time at a cost is that of their evaluations: 2 and 5 to the target."""
    runs = Runs.of(
        table(
            *(
                run([(1, 0.0, 50.0), (count, 0.0, 0.05)], algorithm=name, run=k, function=function,
                    wall_s=0.0, evaluations=count, budget_s=0.0)
                for name, count in (("A", 2), ("B", 5)) for k in range(3) for function in (1, 2)
            )
        )
    )  # fmt: skip
    points = made("cost_map", runs)
    assert points["budget_s"].min() == COSTS_S[1]
    share = points[points["measure"] == "share"].set_index(["evaluation_cost_s", "budget_s"])
    assert (share.loc[0.0, "value"] == 1.0).all()
    at = share.loc[1.0]
    assert at.loc[at.index < 1.0, "best"].isna().all()
    between = at[(at.index >= 2.0) & (at.index < 5.0)]
    assert (len(between), set(between["best"]), set(between["value"])) == (1, {"A"}, {1.0})
    assert at.index.max() >= 5 * COSTS_S[-1]


@pytest.mark.parametrize("name", ["cost_ert", "cost_lines", "cost_winners", "cost_map"])
def test_the_order_of_the_rows_of_records_changes_nothing(name, rows, table):
    one, other = (made(name, Runs.of(table(*order))) for order in (rows, rows[::-1]))
    pd.testing.assert_frame_equal(one, other)


def test_restart_policies_in_seconds_are_refused_by_name(runs):
    settings = analysis(restarted_by_seconds={"slow": "restart.tau_s"})
    for name in FAMILY:
        frame = made(name, runs, settings)
        assert "slow (restart.tau_s)" in frame.attrs["omitted"]
        assert not frame.isin(["slow"]).any(axis=None)


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


def test_no_runs_make_empty_tables(table):
    for name in FAMILY:
        assert made(name, Runs.of(table())).empty


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, None),
        (2, "a0, a1"),
        (7, "a0, a1, a2, a3, a4, a5, a6"),
        (9, "a0, a1, a2, a3, a4, a5, a6 and 2 more"),
    ],
)
def test_a_cell_of_the_map_names_seven_algorithms(count, text):
    assert cost_map._listed([f"a{k}" for k in range(count)]) == text


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


SETTINGS = (
    {},
    {"workers": 4},
    {"restarted_by_seconds": {"quick": "restart.tau_s"}},
    {"targets": (1.0, 10.0)},
    {"perturbed": "exclude"},
    {"target_values": (0.5, 5.0)},
)


@pytest.fixture(scope="module")
def together(records_in_batches):
    """Runs of which all tables were made with all settings."""
    runs = Runs.of(records_in_batches)
    for settings, name in itertools.product(SETTINGS, FAMILY):
        made(name, runs, Analysis(**{"targets": TARGETS, "resamples": 20, **settings}))
    return runs


@pytest.mark.slow
@pytest.mark.thinned(2)
@pytest.mark.parametrize("changed", SETTINGS)
def test_tables_of_runs_that_others_have_used_are_those_made_alone(
    changed, records_in_batches, together
):
    """Also if those were made with other settings; and all note the same settings as read."""
    for name in FAMILY:
        watched = [
            WatchedAnalysis(**{"targets": TARGETS, "resamples": 20, **changed}) for _ in range(2)
        ]
        alone, shared = (
            made(name, runs, settings)
            for runs, settings in zip((Runs.of(records_in_batches), together), watched, strict=True)
        )
        pd.testing.assert_frame_equal(alone, shared, check_exact=True)
        assert alone.attrs == shared.attrs
        assert watched[0].names_read == watched[1].names_read


def test_the_tables_of_the_room_read_events_and_batches_once(in_batches, monkeypatch):
    read = []
    runtimes, read_batches = Runs.runtimes, in_batches.read_batches
    monkeypatch.setattr(
        Runs, "runtimes", lambda self, unit, of: read.append(unit) or runtimes(self, unit, of)
    )
    runs = replace(in_batches, read_batches=lambda: read.append("batches") or read_batches())
    for name in FAMILY:
        made(name, runs, analysis(workers=4))
    assert sorted(read) == ["batches", "evaluations", "seconds"]


def test_many_cells_are_tested_in_several_calls(runs, monkeypatch):
    whole = [made(name, runs) for name in ("cost_ert", "cost_crossovers")]
    monkeypatch.setattr(blocks, "COLUMNS", 50)
    in_parts = [made(name, runs) for name in ("cost_ert", "cost_crossovers")]
    for one, other in zip(whole, in_parts, strict=True):
        pd.testing.assert_frame_equal(one, other, check_exact=True)
