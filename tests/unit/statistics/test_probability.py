"""Quantiles, probabilities, the best of several runs and means, against the print and by hand."""

import csv
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import beta, binomtest, quantile_test

from timefair.statistics.probability import (
    best_of_mean,
    best_of_quantile,
    deviation_of,
    mean_if_all_succeed,
    mean_interval,
    mean_of,
    mean_of_successes,
    multirun_probability,
    opposed_pairs,
    paper_interval,
    probability_of_quantile,
    runs_needed,
    smaller_gap,
    success_interval,
)
from timefair.statistics.samples import quantile_interval, quantile_rank, sample_quantile

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
def test_cells_about_one_hold_the_whole_sample_and_without_ties_the_print_is_common(table, p):
    whole = paper_interval(RUNS, RUNS, 0.95)
    assert (whole.value, whole.low, whole.high) == (1, 1, 1)
    assert {row["lo"] for row in rows(table) if row["approx_one"] == "1"} == {""}
    cells = [(row["lo"], row["hi"]) for row in rows(table)]
    assert prints(p)[0] == max(set(cells), key=cells.count)


def test_the_default_is_the_law_of_the_order_statistic_also_with_ties():
    x = np.random.default_rng(3).normal(size=20)
    interval, _ = probability_of_quantile(x, 0.5, confidence=0.9)
    assert interval.value == 10 / 21
    np.testing.assert_allclose(
        [interval.low, interval.high], beta(10, 11).ppf([0.05, 0.95]), rtol=1e-12
    )
    interval, _ = probability_of_quantile([1.0, 2.0, 2.0, 2.0, 5.0, 6.0], 0.5, confidence=0.9)
    assert interval.value == 4 / 7
    np.testing.assert_allclose(interval.low, beta(4, 3).ppf(0.05), rtol=1e-12)
    np.testing.assert_allclose(interval.high, beta(5, 2).ppf(0.95), rtol=1e-12)
    interval, _ = probability_of_quantile([0.0] * 10, 0.1, confidence=0.95)
    assert interval.high == 1
    assert interval.low == pytest.approx(0.025 ** (1 / 10))


@pytest.mark.parametrize("values", [[], [np.inf], [1.0, np.inf, np.inf]])
def test_no_quantile_has_no_probability(values):
    for interval in probability_of_quantile(values, 0.5, confidence=0.95):
        assert np.isnan([interval.value, interval.low, interval.high]).all()


@pytest.mark.parametrize(
    ("act", "name"),
    [
        (lambda: probability_of_quantile([np.nan], 0.5, confidence=0.9), "NaN"),
        (lambda: probability_of_quantile([], 0.5, confidence=1.0), "confidence"),
        (lambda: sample_quantile([np.nan], 0.5), "must"),
        (lambda: sample_quantile([1.0], 1.1), "must"),
        (lambda: sample_quantile(3.0, 0.5), "must"),
        (lambda: interval([np.nan]), "NaN"),
        (lambda: interval([-INF]), "-inf"),
        (lambda: interval([1.0], confidence=0.0), "confidence"),
    ],
)
def test_wrong_input_is_named(act, name):
    with pytest.raises(ValueError, match=name):
        act()


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


@pytest.mark.parametrize(
    ("n", "p", "rank"),
    [
        (10, 0.1, 1), (10, 0.3, 3), (10, 0.7, 7), (100, 0.29, 29), (101, 0.5, 51), (5, 0, 1),
        (5, 1, 5),
    ],
)  # fmt: skip
def test_a_product_that_is_whole_but_for_rounding_is_that_rank(n, p, rank):
    assert quantile_rank(n, p) == rank


@pytest.mark.parametrize("n", [1, 2, 9, 10, 101])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_equals_numpys_inverted_cdf(n, p):
    x = np.random.default_rng(n).normal(size=(n, 3))
    expected = np.quantile(x, p, axis=0, method="inverted_cdf")
    np.testing.assert_array_equal(sample_quantile(x, p, axis=0), expected)


def test_inf_sorts_last_and_is_finite_iff_enough_successes():
    runtimes = [1.0, 2.0, 3.0, *[np.inf] * 3]
    assert sample_quantile(runtimes, 0.5) == 3.0
    assert sample_quantile(runtimes, 0.51) == np.inf


@pytest.mark.parametrize("n", [1, 5, 6, 30, 35, 36, 101])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_limits_are_those_of_scipys_test(n, p):
    x = np.random.default_rng(n).normal(size=n)
    ours = quantile_interval(x, p, 0.95)
    peer = quantile_test(x, p=p).confidence_interval(0.95)
    assert ours.low == (peer.low if np.isfinite(peer.low) else -np.inf)
    assert ours.high == (peer.high if np.isfinite(peer.high) else np.inf)


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.99])
def test_coverage_is_the_sum_of_binomial_terms_and_never_below_nominal(confidence):
    for n in range(1, 60):
        for p in (0.1, 0.5, 0.9):
            interval = quantile_interval(np.arange(1, n + 1), p, confidence)
            below = max(int(max(interval.low, 0)), 0)
            above = int(min(interval.high, n + 1))
            terms = sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(below, above))
            assert interval.coverage == pytest.approx(terms)
            assert interval.coverage >= confidence - 1e-12


def test_least_and_greatest_value_bound_on_one_side():
    least, greatest = (quantile_interval([2.0, 1.0, 3.0], p, 0.95) for p in (0.0, 1.0))
    assert (least.low, least.high, least.coverage) == (-np.inf, 1.0, 1.0)
    assert (greatest.low, greatest.high, greatest.coverage) == (3.0, np.inf, 1.0)


INF = np.inf


@pytest.mark.parametrize("k", [1, 2, 7, 100, 4999, 5000])
def test_ranks_of_thousands_of_runs(k):
    assert best_of_mean(np.arange(1, 5001), k) == pytest.approx(5001 / (k + 1), rel=1e-12)


@pytest.mark.parametrize("k", [1, 3, 6])
def test_all_subsets(k):
    x = np.random.default_rng(1).exponential(size=6)
    subsets = np.mean([min(chosen) for chosen in combinations(x, k)])
    assert best_of_mean(x, k) == pytest.approx(subsets)


def test_infinity_counts_only_where_it_may_be_all_that_is_drawn_also_in_several_samples():
    x = [3.0, INF, 1.0, INF]
    assert best_of_mean(x, 1) == INF
    assert best_of_mean(x, 2) == INF
    assert best_of_mean(x, 3) == pytest.approx((3 * 1.0 + 1 * 3.0) / comb(4, 3))
    assert best_of_mean(x, 4) == 1.0
    x = np.random.default_rng(2).exponential(size=(3, 2, 5))
    together = best_of_mean(x, 2)
    assert together.shape == (3, 2)
    assert together[2, 1] == pytest.approx(best_of_mean(x[2, 1], 2), rel=1e-14)
    quantiles = best_of_quantile(x, 0.5, 2)
    assert quantiles[2, 1] == best_of_quantile(x[2, 1], 0.5, 2)


def test_the_quantile_is_that_of_a_rarer_single_run():
    x = np.arange(1.0, 101.0)
    # Of the best of 2, Q.75 is where a single run is with probability 1/2.
    assert best_of_quantile(x, 0.75, 2) == 50
    assert best_of_quantile(x, 1.0, 7) == 100
    assert best_of_quantile(x, 0.0, 7) == 1
    for k in (1, 2, 10):
        single = best_of_quantile(x, 0.5, k) / 100
        assert multirun_probability(single, k) >= 0.5
        assert multirun_probability(single - 0.01, k) < 0.5


METHODS = ("bootstrap-t", "paper")


def cells(name, field="value"):
    return {(row["problem"], row["algorithm"]): float(row[field]) for row in rows(name)}


def misprinted(table):
    return {
        (row["problem"], row["algorithm"])
        for row in rows("exclusions")
        if row["where"] == table and row["field"] == "value"
    }


@pytest.fixture(scope="module")
def appendix_b():
    return np.array([float(row["value"]) for row in rows("appendixB_F13_E")])


def interval(values, method="bootstrap-t", confidence=0.95, resamples=2000):
    rng = None if method == "paper" else np.random.default_rng(5)
    return mean_interval(values, confidence=confidence, resamples=resamples, rng=rng)


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
    assert interval(appendix_b, "paper") == pytest.approx((51.5, 167.0), abs=0.7)


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
    lost_points = misprinted("table04_fe_mean_wrong")
    for cell, costs in samples():
        np.testing.assert_allclose(mean_of_successes(costs), wrong[cell], rtol=1e-12)
        ours = mean_if_all_succeed(costs)
        assert np.isnan(ours) == np.isnan(right[cell]), cell
        if np.isfinite(ours):
            assert (ours == pytest.approx(right[cell])) != (cell in lost_points), cell


def test_the_paper_s_limits_by_hand_and_no_upper_limit_of_one_failure():
    half = 1.959964 * np.sqrt(2 / 3) / np.sqrt(3)
    assert interval([1.0, 2.0, 3.0], "paper") == pytest.approx((2 - half, 2 + half))
    low, high = interval([1e-9] * 30 + [5.0])
    assert low < 5 / 31 < high == INF


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
    assert both == pytest.approx((low, high), abs=0.03 * (high - low))


@pytest.mark.parametrize("method", METHODS)
def test_degenerate_samples(method):
    for values in ([], [3.0]):
        assert np.isnan(interval(values, method)).all()
    low, high = interval([0.1, 0.1, 0.1], method)
    assert low == high == pytest.approx(0.1)
    for values in ([INF], [INF, INF], [1.0, INF]):
        low, high = interval(values, method)
        assert high == INF
        assert np.isnan(low)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("scale", [1e-250, 1e200])
def test_limits_scale_with_the_values(method, scale):
    x = np.random.default_rng(3).exponential(size=20)
    small, large = interval(x, method), interval(scale * x, method)
    assert np.array(large) / scale == pytest.approx(np.array(small))


MEASURE = st.lists(st.sampled_from([0.0, 1.0, 2.0, np.inf]), min_size=5, max_size=5)


def column(name):
    values = {}
    for row in rows(name):
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
    asked = ("table02_mean", "text")
    (row,) = (r for r in rows("exclusions") if (r["where"], r["field"]) == asked)
    assert found == {"F04", "F07", "F09", "F11", "F18", "F19", row["problem"]}
    assert row["problem"] == "F16"


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


@pytest.mark.filterwarnings("error")
def test_means_of_the_largest_numbers_are_finite():
    large = np.array([1.7e308, 1.5e308, 1.6e308])
    assert mean_of(large) == pytest.approx(1.6e308)
    assert deviation_of(large) == pytest.approx(1e307)
    assert mean_of(np.full(7, np.finfo(float).max)) == pytest.approx(np.finfo(float).max)
    assert mean_of(np.array([1.0, INF])) == INF
    assert deviation_of(np.array([1e300, 0.0])) == pytest.approx(1e300 / 2**0.5)
    low, high = mean_interval(large, confidence=0.95)
    assert low < mean_of(large) < high
    small = np.random.default_rng(1).lognormal(size=9)
    assert (mean_of(small), deviation_of(small)) == (small.mean(), np.std(small, ddof=1))
