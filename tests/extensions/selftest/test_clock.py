"""The delays of events, and the first difference from what was drawn."""

import copy
import math

import pytest

from timefair.extensions.selftest import clock, laws
from timefair.records.status import StopReason

from .conftest import DELAY_S, RELAUNCH_S, delayed, rows_of


@pytest.fixture(scope="module")
def runs():
    """Runs of two algorithms, with small delays."""
    labels = ("lognormal", "restarted")
    return {label: [delayed(row) for row in rows_of(label, 2, 20, 3)] for label in labels}


def test_delays_are_found(runs):
    found = clock.bias(runs["restarted"], laws.ALGORITHMS["restarted"])
    assert found.delay_s == pytest.approx(DELAY_S, rel=1e-6)
    assert found.each_relaunch_s == pytest.approx(RELAUNCH_S, rel=1e-6)
    assert clock.bias(runs["lognormal"], laws.ALGORITHMS["lognormal"]).median_rate == (
        pytest.approx(1, abs=1e-9)
    )


def test_events_that_others_hold_up_do_not_change_the_least_delay(runs):
    held_up = copy.deepcopy(runs["lognormal"])
    for row in held_up:
        for event in row["events"][3:15]:
            event["time_s"] += 4e-3
    found = clock.bias(held_up, laws.ALGORITHMS["lognormal"])
    assert found.delay_s == pytest.approx(DELAY_S, rel=1e-6)
    assert found.median_rate == pytest.approx(1, abs=1e-3)


def test_the_table_in_microseconds(runs):
    biases = {label: clock.bias(rows, laws.ALGORITHMS[label]) for label, rows in runs.items()}
    table = clock.table(biases).set_index("algorithm")
    assert table.loc["restarted", "least_us"] == pytest.approx(1e6 * DELAY_S)
    assert math.isnan(table.loc["lognormal", "relaunch_us"])
    assert table.loc["lognormal", "perturbed"] == 0


def difference(row):
    return clock.difference(row, laws.ALGORITHMS["lognormal"], laws.BUDGET_S)


def a_run(runs, reason):
    rows = (row for row in runs["lognormal"] if row["stop_reason"] == reason)
    return copy.deepcopy(max(rows, key=lambda row: len(row["events"])))


@pytest.mark.parametrize("reason", [StopReason.TARGET, StopReason.TIME])
def test_a_run_as_it_was_drawn(runs, reason):
    assert difference(a_run(runs, reason)) == ""


def test_a_run_that_waited_may_not_reach_its_last_events(runs):
    row = a_run(runs, StopReason.TIME)
    row["events"] = row["events"][:5]
    assert "is missing" in difference(row)
    assert difference(row | {"foreign_delay_s": laws.BUDGET_S}) == ""
    assert difference(row | {"evaluations": row["events"][-1]["evaluations"]}) == ""


def test_clocks_that_agree():
    before = clock.readings()
    assert set(before) == {"monotonic", "monotonic_raw", "realtime"}
    after = {name: value + 10**9 for name, value in before.items()}
    assert set(clock.drift_ppm(before, after).values()) == {0.0}
    slow = after | {"realtime": before["realtime"] + 990_000_000}
    assert clock.drift_ppm(before, slow)["realtime"] == pytest.approx(10_101, abs=1)
