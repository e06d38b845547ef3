"""Ranks, by hand and against the printed tables."""

import csv
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from timefair.statistics.ranks import average_ranks, rank, rank_within

GOLDEN = Path(__file__).parents[2] / "golden"
PRINTED = ("table02_mean", "table03_q50", "table04_fe_mean_wrong", "table07_fe_q50", "table08_q10")
MISPRINTS = 10
"""Cells of Table 4 that exclusions.csv corrects."""

results = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6),
    elements=st.sampled_from([-1.0, 0.0, 0.5, 3.0, np.inf, np.nan]),
)


def rows(name):
    with (GOLDEN / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def corrections(table):
    """(problem, algorithm) of misprinted values, and what exclusions.csv says they should be."""
    return {
        (row["problem"], row["algorithm"]): float(re.match(r"[\d.]+", row["should_be"])[0])
        for row in rows("exclusions")
        if row["where"] == table
        and row["field"] == "value"
        and "decimal point lost" in row["reason"]
    }


def printed(table):
    """Values, misprints corrected, and ranks, each of shape (problems, algorithms)."""
    cells, right = rows(table), corrections(table)
    algorithms = len({cell["algorithm"] for cell in cells})
    values = [right.get((c["problem"], c["algorithm"]), float(c["value"])) for c in cells]
    ranks = [float(cell["rank"]) for cell in cells]
    return np.reshape(values, (-1, algorithms)), np.reshape(ranks, (-1, algorithms))


@pytest.mark.parametrize("table", PRINTED)
def test_every_printed_rank(table):
    values, ranks = printed(table)
    assert values.shape == (20, 7)
    np.testing.assert_array_equal(rank(values, axis=1), ranks)


@given(
    arrays(np.float64, (5, 3), elements=st.integers(1, 9)),
    st.lists(st.sampled_from([2.0, 5.0, 8.0, np.inf]), min_size=5, max_size=5),
)
def test_each_pair_is_ranked_within_the_smaller_limit(costs, limits):
    def within(limit, places):
        return np.where(costs[places] <= limit, costs[places], np.inf)

    expected = np.ones(costs.shape)
    for a, b in itertools.permutations(range(5), 2):
        first, second = within(min(limits[a], limits[b]), [a, b])
        expected[a] += (second < first) + 0.5 * (first == second)
    np.testing.assert_allclose(rank_within(limits, within), expected)


@pytest.mark.parametrize("table", PRINTED)
def test_every_printed_average_rank(table):
    (line,) = [row for row in rows("average_ranks") if row["table"] == table]
    ours = average_ranks(printed(table)[0])
    for average, text in zip(ours, list(line.values())[1:], strict=True):
        half_a_digit = 0.5 * 10.0 ** -len(text.partition(".")[2])
        assert abs(average - float(text)) <= half_a_digit * (1 + 1e-9)


def test_only_the_misprints_of_table_4_are_corrected():
    assert {table: len(corrections(table)) for table in PRINTED if corrections(table)} == {
        "table04_fe_mean_wrong": MISPRINTS
    }


def test_not_reached_and_not_available_share_the_last_places():
    assert rank([3.0, np.nan, 1.0, np.inf, np.inf]).tolist() == [2.0, 4.0, 1.0, 4.0, 4.0]


@pytest.mark.slow
@settings(deadline=None)
@given(results)
def test_ranks_add_up_and_follow_the_order(values):
    ranks = rank(values)
    k = values.shape[1]
    np.testing.assert_allclose(ranks.sum(axis=1), k * (k + 1) / 2)
    x = np.where(np.isnan(values), np.inf, values)
    smaller = x[:, :, np.newaxis] < x[:, np.newaxis, :]
    equal = x[:, :, np.newaxis] == x[:, np.newaxis, :]
    expected = smaller.sum(axis=1) + (equal.sum(axis=1) + 1) / 2
    np.testing.assert_array_equal(ranks, expected)
