"""Delays of events, differences from what was drawn, and intervals that hold the truth."""

import copy
import math

import numpy as np
import pyarrow as pa
import pytest

from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.extensions.selftest import answers, laws
from timefair.extensions.selftest.laws import Answers
from timefair.records.schema import RUN_SCHEMA
from timefair.records.status import StopReason
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

from .conftest import DELAY_S, RELAUNCH_S, delayed, rows_of


@pytest.fixture(scope="module")
def runs():
    """Runs of two algorithms, with small delays."""
    labels = ("lognormal", "restarted")
    return {label: [delayed(row) for row in rows_of(label, 2, 20, 3)] for label in labels}


def test_delays_are_found(runs):
    found = answers.bias(runs["restarted"], laws.ALGORITHMS["restarted"])
    assert found.delay_s == pytest.approx(DELAY_S, rel=1e-6)
    assert found.each_relaunch_s == pytest.approx(RELAUNCH_S, rel=1e-6)
    assert answers.bias(runs["lognormal"], laws.ALGORITHMS["lognormal"]).median_rate == (
        pytest.approx(1, abs=1e-9)
    )


def test_events_that_others_hold_up_do_not_change_the_least_delay(runs):
    held_up = copy.deepcopy(runs["lognormal"])
    for row in held_up:
        for event in row["events"][3:15]:
            event["time_s"] += 4e-3
    found = answers.bias(held_up, laws.ALGORITHMS["lognormal"])
    assert found.delay_s == pytest.approx(DELAY_S, rel=1e-6)
    assert found.median_rate == pytest.approx(1, abs=1e-3)


def test_the_table_in_microseconds(runs):
    biases = {label: answers.bias(rows, laws.ALGORITHMS[label]) for label, rows in runs.items()}
    table = answers.clock(biases).set_index("algorithm")
    assert table.loc["restarted", "least_us"] == pytest.approx(1e6 * DELAY_S)
    assert math.isnan(table.loc["lognormal", "relaunch_us"])
    assert table.loc["lognormal", "perturbed"] == 0


def difference(row):
    return answers.difference(row, laws.ALGORITHMS["lognormal"], laws.BUDGET_S)


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


@pytest.mark.slow
def test_the_tables_hold_the_truth_and_no_other():
    campaign = configuration.parse(laws.campaign(8, 5, 20))
    rows = [row for label in laws.ALGORITHMS for row in rows_of(label, 8, 20, 5)]
    runs = Runs.of(pa.Table.from_pylist(rows, schema=RUN_SCHEMA))
    tables = {
        name: TABLES[name](runs, Analysis.of(campaign.settings_of(name)))
        for name in ("ert", "success")
    }
    true = {label: Answers(one, laws.BUDGET_S) for label, one in laws.ALGORITHMS.items()}
    assert answers.coverage(tables, true)["as_aimed"].all()
    other = dict.fromkeys(laws.ALGORITHMS, true["restarted"])
    assert not answers.coverage(tables, other)["as_aimed"][:2].any()


@pytest.mark.parametrize("share", [True, False])
def test_equal_outcomes_count_as_repetitions(share):
    assert answers.effective_number(np.full(12, share), np.repeat(["1", "2", "3"], 4)) == 3
