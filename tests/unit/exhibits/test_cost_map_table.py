"""The map of the best algorithms over the cost of an evaluation and the budget."""

import numpy as np
import pandas as pd
import pytest
from campaigns import SMALL
from paces import SPEED, TARGETS, analysis, in_batches, made, records_in_batches, rows, runs

from timefair.campaign import configuration
from timefair.records.rundata.runs import Runs

__all__ = ["in_batches", "records_in_batches", "rows", "runs"]


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


def test_what_is_unknown_is_never_filled_and_the_slowest_algorithm_bounds_the_map(runs):
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
    stagnation = {"policy": "stagnation", "plateau_s": 0.1}
    b = {"b": {"use": "timefair:random-search", "restart": stagnation}}
    campaign = configuration.parse(
        SMALL
        | {
            "algorithms": SMALL["algorithms"] | b,
            "restart": {"policy": "fixed", "tau_evaluations": 50},
            "budget": {"time_s": 1.0},
        }
    )
    assert campaign.analysis_settings["restarted_by_seconds"] == {"b": "restart.plateau_s"}


def test_with_workers_algorithms_without_recorded_batches_are_omitted_by_name(in_batches):
    frame = made("cost_map", in_batches, analysis(workers=4))
    assert "their batches were not recorded: slow." in frame.attrs["omitted"]
    assert "Up to 4 evaluations" in frame.attrs["omitted"]
    assert not frame.isin(["slow"]).any(axis=None)
