"""Ranks against the printed tables, and Friedman's test against reference values."""

import csv
import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import stats

from timefair.statistics.ranks import (
    average_ranks,
    critical_difference,
    friedman,
    posthoc,
    rank,
    rank_within,
)

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


REFERENCE = json.loads((GOLDEN / "friedman.json").read_text())
RTOL = 1e-9

matrices = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=5),
    elements=st.sampled_from([0.0, 1.0, 2.0, 7.0, np.inf, np.nan]),
)


@pytest.fixture(params=REFERENCE, scope="module")
def reference_table(request):
    with (GOLDEN / f"{request.param}.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    reference = REFERENCE[request.param]
    values = np.reshape([float(c["value"]) for c in cells], (reference["N"], reference["k"]))
    return values, reference


def test_every_reference_statistic(reference_table):
    values, reference = reference_table
    test = friedman(values)
    ours = {
        "N": test.problems, "k": test.algorithms, "friedman_tie_corrected": test.chi2, "p": test.p,
        "friedman_uncorrected": test.chi2_uncorrected, "p_uncorrected": test.p_uncorrected,
        "iman_davenport_F": test.iman_davenport,
        "iman_davenport_F_uncorrected": test.iman_davenport_uncorrected,
        "iman_p": test.iman_davenport_p, "kendall_W": test.kendall_w,
        "CD_nemenyi_05": critical_difference(test.algorithms, test.problems, 0.05),
    }  # fmt: skip
    assert set(reference) == {*ours, "avg_ranks", "pairs"}
    for name, value in ours.items():
        assert value == pytest.approx(reference[name], rel=RTOL), name
    averages = list(reference["avg_ranks"].values())
    np.testing.assert_allclose(test.average_ranks, averages, rtol=RTOL)


def test_every_reference_pair(reference_table):
    values, reference = reference_table
    pairs = posthoc(values)
    letters = "ABCDEFG"
    names = [letters[a] + letters[b] for a, b in zip(pairs.first, pairs.second, strict=True)]
    assert names == list(reference["pairs"])
    for ours, key in [
        (pairs.z, "z"),
        (pairs.p, "p_raw"),
        (pairs.p_holm, "p_holm"),
        (pairs.p_shaffer, "p_shaffer"),
        (pairs.p_nemenyi, "p_nemenyi"),
    ]:
        expected = [reference["pairs"][name][key] for name in names]
        np.testing.assert_allclose(ours, expected, rtol=1e-6 if key == "p_nemenyi" else RTOL)


@pytest.mark.parametrize("value", [0.0, np.inf, np.nan])
def test_nothing_but_ties_speaks_for_no_difference(value):
    test = friedman(np.full((5, 3), value))
    assert (test.chi2, test.iman_davenport, test.kendall_w) == (0.0, 0.0, 0.0)
    assert (test.p, test.p_uncorrected, test.iman_davenport_p) == (1.0, 1.0, 1.0)
    pairs = posthoc(np.full((5, 3), value))
    for p in (pairs.p, pairs.p_holm, pairs.p_shaffer, pairs.p_nemenyi):
        np.testing.assert_array_equal(p, 1.0)


@pytest.mark.parametrize("shape", [(1, 3), (0, 3), (4, 1), (1, 1), (4, 0), (0, 0)])
def test_too_few_algorithms_or_problems(shape):
    test = friedman(np.zeros(shape))
    assert (test.problems, test.algorithms) == shape
    assert test.average_ranks.shape == shape[1:]
    for value in (test.chi2, test.p, test.iman_davenport, test.iman_davenport_p, test.kendall_w):
        assert np.isnan(value)
    assert np.isnan(critical_difference(shape[1], shape[0], 0.05))
    pairs = posthoc(np.zeros(shape))
    assert pairs.p.shape == (shape[1] * (shape[1] - 1) // 2,)
    for p in (pairs.z, pairs.p, pairs.p_holm, pairs.p_shaffer, pairs.p_nemenyi):
        assert np.isnan(p).all()


@pytest.mark.slow
@settings(deadline=None)
@given(matrices)
def test_p_values_are_probabilities_and_agreement_a_share(values):
    test, pairs = friedman(values), posthoc(values)
    if min(values.shape) < 2:
        assert np.isnan(test.p)
        return
    assert 0 <= test.kendall_w <= 1
    for p in (test.p, test.p_uncorrected, test.iman_davenport_p, *pairs.p_shaffer):
        assert 0 <= p <= 1
    assert test.chi2 >= test.chi2_uncorrected - 1e-9
    assert (pairs.p_shaffer <= pairs.p_holm).all()
    np.testing.assert_array_equal(np.sign(pairs.difference), np.sign(pairs.z))


@pytest.mark.slow
@settings(deadline=None)
@given(matrices, st.randoms(use_true_random=False))
def test_the_order_of_algorithms_does_not_matter(values, random):
    columns = list(range(values.shape[1]))
    random.shuffle(columns)
    one, other = friedman(values), friedman(values[:, columns])
    assert one.chi2 == pytest.approx(other.chi2, nan_ok=True)
    np.testing.assert_allclose(one.average_ranks[columns], other.average_ranks)


def test_the_critical_difference_is_where_nemenyis_p_is_alpha():
    for k, n, alpha in [(2, 5, 0.1), (4, 12, 0.05), (10, 24, 0.01)]:
        difference = critical_difference(k, n, alpha)
        z = difference / np.sqrt(k * (k + 1) / (6 * n))
        p = stats.studentized_range.sf(z * np.sqrt(2), k, np.inf)
        assert p == pytest.approx(alpha, rel=1e-6)
