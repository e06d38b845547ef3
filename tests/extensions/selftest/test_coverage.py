"""Shares of intervals that hold the truth, on records with a perfect clock."""

import numpy as np
import pyarrow as pa
import pytest

from timefair.campaign import configuration
from timefair.extensions.selftest import coverage, laws
from timefair.extensions.selftest.laws import Answers
from timefair.records.schema import RUN_SCHEMA
from timefair.rundata.runs import Runs

from .conftest import rows_of

REPETITIONS, SEED = 8, 5


@pytest.fixture(scope="module")
def made():
    """The tables of a perfect clock."""
    campaign = configuration.parse(laws.campaign(REPETITIONS, SEED, 20))
    rows = [row for label in laws.ALGORITHMS for row in rows_of(label, REPETITIONS, 20, SEED)]
    return coverage.tables(Runs.of(pa.Table.from_pylist(rows, schema=RUN_SCHEMA)), campaign)


def answers():
    return {label: Answers(one, laws.BUDGET_S) for label, one in laws.ALGORITHMS.items()}


@pytest.mark.slow
def test_every_table_holds_the_truth(made):
    held = coverage.held(made, answers())
    assert set(held["table"]) == set(coverage.CHECKED)
    short = held.loc[~held["as_aimed"], "table"]
    assert set(short) <= {"means"}  # rare runs decide the mean of such precisions


@pytest.mark.slow
def test_the_truth_of_other_algorithms_is_not_held(made):
    other = dict.fromkeys(laws.ALGORITHMS, answers()["sleeping"])
    wrong = coverage.held(made, other).set_index("table")["as_aimed"]
    assert not wrong[["ert", "success", "quantiles_to_target"]].any()


def test_orders(made):
    orders = coverage.orders(made, answers()).set_index("finding")["share"]
    assert orders["the true rank reversal is listed"] > 0.6
    assert orders["equal algorithms are a significant rank reversal"] < 0.1
    assert orders["two average ranks by ERT are in the true order"] > 0.8
    assert orders["the best cutoff is close to the true one"] > 0.8


@pytest.mark.parametrize("share", [True, False])
def test_equal_outcomes_count_as_repetitions(share):
    assert coverage.effective_number(np.full(12, share), np.repeat(["1", "2", "3"], 4)) == 3


def test_the_truth_counts_within_the_slack():
    one = coverage.Interval(
        "x", np.array(["1", "1", "2"]), np.array([1.0, 1.0, np.nan]), np.array([2.0, 2.0, 2.0]),
        np.array([2.1, 2.1, 1.5]), np.array([0.2, 0.0, 0.0]),
    )  # fmt: skip
    assert one.held.tolist()[:2] == [True, False]
    assert one.known.tolist() == [True, True, False]
