"""Probabilities of quantiles and over several runs, against the print and by hand."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import beta, binomtest

from timefair.statistics.probability import (
    multirun_probability,
    paper_interval,
    probability_of_quantile,
    runs_needed,
    success_interval,
)
from timefair.statistics.quantiles import quantile_rank

GOLDEN = Path(__file__).parents[2] / "golden"
RUNS = 101
INTERVAL_TABLES = {"table13_pci_q50": 0.5, "table14_pci_q10": 0.1}


def rows(name):
    with (GOLDEN / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def excluded(table):
    """(problem, algorithm) of the cells whose print no count explains."""
    return {
        (row["problem"], row["algorithm"])
        for row in rows("exclusions")
        if row["where"] == table and not row["reason"].startswith("not garbled")
    }


def prints(p):
    """What the closed form prints for each count that a p-quantile of 101 runs can have."""
    counts = np.arange(quantile_rank(RUNS, p), RUNS)
    interval = paper_interval(counts, RUNS, 0.95)
    limits = zip(interval.low, interval.high, strict=True)
    return [(f"{low:.2f}", f"{high:.2f}") for low, high in limits]


both_tables = pytest.mark.parametrize(("table", "p"), INTERVAL_TABLES.items())


@both_tables
def test_every_cell_is_the_print_of_a_count(table, p):
    possible = set(prints(p))
    for row in rows(table):
        if row["approx_one"] == "1":
            continue
        cell = (row["problem"], row["algorithm"])
        assert ((row["lo"], row["hi"]) in possible) != (cell in excluded(table)), cell


@both_tables
def test_cells_about_one_hold_the_whole_sample(table, p):
    whole = paper_interval(RUNS, RUNS, 0.95)
    assert (whole.value, whole.low, whole.high) == (1, 1, 1)
    assert {row["lo"] for row in rows(table) if row["approx_one"] == "1"} == {""}


@both_tables
def test_without_ties_the_print_is_the_most_common_one(table, p):
    cells = [(row["lo"], row["hi"]) for row in rows(table)]
    assert prints(p)[0] == max(set(cells), key=cells.count)


def test_the_excluded_cell_is_one_cell():
    assert {table: excluded(table) for table in INTERVAL_TABLES} == {
        "table13_pci_q50": set(),
        "table14_pci_q10": {("F03", "D")},
    }


def test_the_default_is_the_law_of_the_order_statistic():
    x = np.random.default_rng(3).normal(size=20)
    interval = probability_of_quantile(x, 0.5, confidence=0.9)
    assert interval.value == 10 / 21
    np.testing.assert_allclose(
        [interval.low, interval.high], beta(10, 11).ppf([0.05, 0.95]), rtol=1e-12
    )


def test_ties_move_the_count_and_the_upper_limit():
    interval = probability_of_quantile([1.0, 2.0, 2.0, 2.0, 5.0, 6.0], 0.5, confidence=0.9)
    assert interval.value == 4 / 7
    np.testing.assert_allclose(interval.low, beta(4, 3).ppf(0.05), rtol=1e-12)
    np.testing.assert_allclose(interval.high, beta(5, 2).ppf(0.95), rtol=1e-12)


def test_all_equal_may_be_certain():
    interval = probability_of_quantile([0.0] * 10, 0.1, confidence=0.95)
    assert interval.high == 1
    assert interval.low == pytest.approx(0.025 ** (1 / 10))


@pytest.mark.parametrize("values", [[], [np.inf], [1.0, np.inf, np.inf]])
@pytest.mark.parametrize("method", ["beta", "paper"])
def test_no_quantile_has_no_probability(values, method):
    interval = probability_of_quantile(values, 0.5, confidence=0.95, method=method)
    assert np.isnan([interval.value, interval.low, interval.high]).all()


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"values": [np.nan]}, "NaN"),
        ({"values": [[1.0]]}, "vector"),
        ({"p": 1.5}, "p must"),
        ({"confidence": 1.0}, "confidence"),
        ({"values": [], "confidence": 1.0}, "confidence"),
        ({"method": "exact"}, "method"),
    ],
)
def test_wrong_input_is_named(changes, name):
    right = {"values": [1.0, 2.0], "p": 0.5, "confidence": 0.95}
    with pytest.raises(ValueError, match=name):
        probability_of_quantile(**(right | changes))


@pytest.mark.slow
@given(
    st.lists(st.sampled_from([0.0, 1.0, 1.5, 7.0, np.inf]), min_size=1, max_size=30),
    st.floats(0.0, 1.0),
)
def test_limits_enclose_the_value_or_all_are_nan(values, p):
    interval = probability_of_quantile(values, p, confidence=0.95)
    inside = 0 <= interval.low <= interval.value <= interval.high <= 1
    assert inside or np.isnan([interval.value, interval.low, interval.high]).all()


@pytest.mark.slow
@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_success_limits_are_scipys(counts):
    ours = success_interval(*counts, 0.95)
    exact = binomtest(*counts).proportion_ci(0.95, method="exact")
    np.testing.assert_allclose([ours.low, ours.high], [exact.low, exact.high], atol=1e-12)


def test_every_cell_of_table_1():
    for row in rows("table01_multirun"):
        runs = int(row.pop("runs"))
        for p, cell in row.items():
            assert f"{multirun_probability(float(p), runs):.4f}" == cell


@pytest.mark.parametrize(
    ("p", "wanted", "runs"),
    [
        (0.5, 0.875, 3), (0.1, 0.19, 2), (0.1, 0.271, 3), (0.2, 0.36, 2), (0.1, 0.1, 1),
        (0.5, 0.95, 5), (0.9, 0.05, 1), (0.3, 0.0, 0), (0.0, 0.0, 0), (1.0, 0.0, 0), (1.0, 0.5, 1),
        (1.0, 1.0, 1), (0.0, 0.5, np.inf), (0.0, 1.0, np.inf), (0.999, 1.0, np.inf),
    ],
)  # fmt: skip
def test_runs_needed_by_hand(p, wanted, runs):
    assert runs_needed(p, wanted) == runs


@given(st.floats(1e-6, 1.0), st.floats(0.0, 1 - 1e-6))
@example(0.875, 5e-324)
def test_runs_needed_are_enough_and_one_less_is_not(p, wanted):
    runs = runs_needed(p, wanted)
    slack = 1e-14
    assert multirun_probability(p, runs) >= wanted - slack
    assert runs == 0 or multirun_probability(p, runs - 1) < wanted
