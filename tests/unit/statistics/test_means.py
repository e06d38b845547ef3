"""Means, their intervals, and where they disagree with medians, against the print."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.statistics.means import (
    deviation_of,
    mean_if_all_succeed,
    mean_interval,
    mean_of,
    mean_of_successes,
    opposed_pairs,
    smaller_gap,
)
from timefair.statistics.quantiles import sample_quantile

GOLDEN = Path(__file__).parents[2] / "golden"
METHODS = ("bootstrap-t", "paper")
INF = np.inf


def rows(name):
    with (GOLDEN / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def cells(name, field="value"):
    return {(row["problem"], row["algorithm"]): float(row[field]) for row in rows(name)}


def excluded(table):
    return {
        (row["problem"], row["algorithm"])
        for row in rows("exclusions")
        if row["where"] == table and row["field"] == "value"
    }


@pytest.fixture(scope="module")
def appendix_b():
    """The 101 results of algorithm E on F13."""
    return np.array([float(row["value"]) for row in rows("appendixB_F13_E")])


def interval(values, method="bootstrap-t", confidence=0.95, resamples=2000):
    rng = np.random.default_rng(5)
    return mean_interval(values, confidence=confidence, method=method, resamples=resamples, rng=rng)


@pytest.mark.parametrize(
    ("table", "measure"),
    [
        ("table02_mean", np.mean),
        ("table03_q50", lambda x: sample_quantile(x, 0.5)),
        ("table08_q10", lambda x: sample_quantile(x, 0.1)),
    ],
)
def test_appendix_b_gives_its_cell(appendix_b, table, measure):
    assert float(f"{measure(appendix_b):.3e}") == cells(table)["F13", "E"]


def test_appendix_b_gives_the_interval_of_its_mean(appendix_b):
    """The print is a bootstrap of 10,000, with noise of its own."""
    both = interval(appendix_b, "paper")
    assert [both.low, both.high] == pytest.approx([51.5, 167.0], abs=0.7)


def samples():
    """Costs with the mean and the successes that Tables 4 and 5 print for each cell."""
    means, percents = cells("table04_fe_mean_wrong"), cells("table05_success_rate", "percent")
    for cell, mean in means.items():
        successes = round(percents[cell] * 101 / 100)
        assert round(100 * successes / 101) == percents[cell], cell
        cost = mean if successes else 0.0
        yield cell, np.array([cost] * successes + [INF] * (101 - successes))


def test_the_wrong_mean_of_table_4_and_the_right_one_of_table_6():
    wrong, right = cells("table04_fe_mean_wrong"), cells("table06_fe_mean_correct")
    lost_points = excluded("table04_fe_mean_wrong")
    for cell, costs in samples():
        np.testing.assert_allclose(mean_of_successes(costs), wrong[cell], rtol=1e-12)
        ours = mean_if_all_succeed(costs)
        assert np.isnan(ours) == np.isnan(right[cell]), cell
        if np.isfinite(ours):
            assert (ours == pytest.approx(right[cell])) != (cell in lost_points), cell


def test_every_lost_point_that_table_6_shows_is_excluded_by_name():
    wrong, right = cells("table04_fe_mean_wrong"), cells("table06_fe_mean_correct")
    differ = {c for c in wrong if np.isfinite(right[c]) and wrong[c] != right[c]}
    assert differ <= excluded("table04_fe_mean_wrong")
    assert all(wrong[c] == pytest.approx(10 * right[c]) for c in differ)


def test_the_paper_s_limits_by_hand():
    both = interval([1.0, 2.0, 3.0], "paper")
    half = 1.959964 * np.sqrt(2 / 3) / np.sqrt(3)
    assert [both.low, both.mean, both.high] == pytest.approx([2 - half, 2, 2 + half])


@pytest.mark.slow
def test_bootstrap_t_by_a_loop():
    x = np.random.default_rng(2).exponential(size=12)
    both = interval(x, resamples=20_000)
    rng = np.random.default_rng(6)
    t = []
    for _ in range(20_000):
        y = rng.choice(x, size=x.size)
        t.append((y.mean() - x.mean()) / y.std())
    low, high = x.mean() - x.std() * np.quantile(t, [0.975, 0.025])
    assert [both.low, both.high] == pytest.approx([low, high], abs=0.03 * (high - low))


@pytest.mark.parametrize("method", METHODS)
def test_degenerate_samples(method):
    nothing = interval([], method)
    assert np.isnan([nothing.mean, nothing.low, nothing.high]).all()
    one = interval([3.0], method)
    assert one.mean == 3
    assert np.isnan([one.low, one.high]).all()
    equal = interval([0.1, 0.1, 0.1], method)
    assert (equal.mean, equal.low, equal.high) == (pytest.approx(0.1), equal.mean, equal.mean)
    for values in ([INF], [INF, INF], [1.0, INF]):
        failed = interval(values, method)
        assert (failed.mean, failed.high) == (INF, INF)
        assert np.isnan(failed.low)


def test_a_mean_that_rests_on_one_failure_has_no_upper_limit():
    both = interval([1e-9] * 30 + [5.0])
    assert both.high == INF
    assert both.low < both.mean


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-250, 1e200])
def test_limits_scale_with_the_values(method, scale):
    x = np.random.default_rng(3).exponential(size=20)
    small, large = interval(x, method), interval(scale * x, method)
    assert [large.low / scale, large.high / scale] == pytest.approx([small.low, small.high])


@pytest.mark.parametrize(
    ("values", "changes", "name"),
    [
        ([np.nan], {}, "NaN"),
        ([-INF], {}, "-inf"),
        ([[1.0]], {}, "vector"),
        ([1.0], {"confidence": 0.0}, "confidence"),
    ],
)
def test_wrong_input_is_named(values, changes, name):
    with pytest.raises(ValueError, match=name):
        interval(values, **changes)


@pytest.mark.filterwarnings("error")
def test_means_of_the_largest_numbers_are_finite():
    large = np.array([1.7e308, 1.5e308, 1.6e308])
    assert mean_of(large) == pytest.approx(1.6e308)
    assert deviation_of(large) == pytest.approx(1e307)
    assert mean_of(np.full(7, np.finfo(float).max)) == pytest.approx(np.finfo(float).max)
    assert mean_of(np.array([1.0, INF])) == INF
    assert deviation_of(np.array([1e300, 0.0])) == pytest.approx(1e300 / 2**0.5)
    interval = mean_interval(large, confidence=0.95, method="paper")
    assert interval.low < interval.mean < interval.high
    small = np.random.default_rng(1).lognormal(size=9)
    assert (mean_of(small), deviation_of(small)) == (small.mean(), np.std(small, ddof=1))


MEASURE = st.lists(st.sampled_from([0.0, 1.0, 2.0, np.inf]), min_size=5, max_size=5)


def column(name):
    """The values of the algorithms A to G for each problem."""
    values = {}
    with (GOLDEN / f"{name}.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            values.setdefault(row["problem"], []).append(float(row["value"]))
    return values


def test_c_and_d_disagree_on_seven_problems_and_the_text_forgets_one():
    mean, median = column("table02_mean"), column("table03_q50")
    c, d = 2, 3
    found = {
        problem
        for problem in mean
        if {(c, d), (d, c)} & {tuple(p) for p in opposed_pairs(mean[problem], median[problem])}
    }
    with (GOLDEN / "exclusions.csv").open(encoding="utf-8") as file:
        (row,) = (r for r in csv.DictReader(file) if (r["where"], r["field"])
                  == ("table02_mean", "text"))  # fmt: skip
    assert found == {"F04", "F07", "F09", "F11", "F18", "F19", row["problem"]}
    assert row["problem"] == "F16"


def test_a_tie_is_no_disagreement():
    assert opposed_pairs([1.0, 2.0], [3.0, 3.0]).shape == (0, 2)
    assert opposed_pairs([np.inf, np.inf], [1.0, 2.0]).shape == (0, 2)


@given(MEASURE, MEASURE)
def test_pairs_are_those_of_a_loop(first, second):
    loop = [
        [a, b] for a in range(5) for b in range(5) if first[a] < first[b] and second[a] > second[b]
    ]
    pairs = opposed_pairs(first, second)
    assert pairs.tolist() == loop
    assert (smaller_gap(first, second, pairs) > 0).all()


def test_the_smaller_gap_counts_and_zero_is_infinitely_far():
    pairs = [[0, 1]]
    assert smaller_gap([1.0, 1e4], [10.0, 1.0], pairs) == 1
    assert smaller_gap([0.0, 1e4], [10.0, 1.0], pairs) == 1
    assert smaller_gap([0.0, 1e4], [10.0, 0.0], pairs) == np.inf
