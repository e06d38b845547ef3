"""Comparisons of two algorithms and ranks of many."""

import csv
import itertools
import json
import re
from itertools import combinations, product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import stats
from scipy.stats import mannwhitneyu, rankdata

from timefair.statistics import rank_tests as of_ranks
from timefair.statistics import two_samples
from timefair.statistics.two_samples import (
    a12,
    equal_ert,
    mann_whitney,
    mean_ratio,
    strata_of,
    superiority,
    superiority_within,
    tails,
    van_elteren,
    wilcoxon,
)

INF = np.inf


def test_tails_are_doubled_none_is_below_the_least_and_ties_count_half():
    # complete separation: 2 of the 20 splits of six are as extreme
    assert mann_whitney([1.0, 2.0, 3.0], [4.0, 5.0, INF]) == pytest.approx(2 / 20)
    assert mann_whitney([0.0, 0.0], [1.0, 1.0, 2.0]) == pytest.approx(2 / 10)
    assert stats.mannwhitneyu([0.0, 0.0], [1.0, 1.0]).pvalue < 2 / 6
    assert mann_whitney([0.0, 0.0], [1.0, 1.0]) == pytest.approx(2 / 6)
    # 1 beats 2 and inf, ties with 1; inf ties with inf, loses twice
    assert superiority([1.0, INF], [1.0, 2.0, INF]) == pytest.approx(3 / 6)


@pytest.mark.parametrize("value", [0.0, 3.0, INF])
def test_equal_results(value):
    same = np.full(4, value)
    assert mann_whitney(same, same) == 1.0
    effect = a12([(same, same)], confidence=0.95)
    assert effect.a12 == 0.5
    assert effect.low < 0.5 < effect.high
    assert (wilcoxon(same, same).p, wilcoxon(same, same).balance) == (1.0, 0.0)


def test_wilcoxon_is_exact_and_infinity_the_largest_difference():
    # signed ranks +1 +2 -3 +4(inf): 7 against 3 of 10
    test = wilcoxon([1.0, 1.0, 9.0, 1.0], [2.0, 3.0, 6.0, INF])
    assert test.balance == pytest.approx(0.4)
    assert test.p == stats.wilcoxon([1.0, 2.0, -3.0, 4.0]).pvalue


@pytest.mark.parametrize("seed", range(4))
def test_wilcoxon_with_ties_is_the_count_of_all_signs(seed):
    gain = np.random.default_rng(seed).integers(-2, 4, 8).astype(float)
    ranks = stats.rankdata(np.abs(gain))[gain != 0]
    signs = np.array(list(product([0, 1], repeat=ranks.size)))
    off = np.abs(signs @ ranks - ranks.sum() / 2)
    observed = abs(ranks[gain[gain != 0] > 0].sum() - ranks.sum() / 2)
    assert wilcoxon(np.zeros(8), gain).p == pytest.approx(np.mean(off >= observed))


def test_welch_on_scores_by_hand():
    x, y = np.array([1.0, 2.0, 4.0, 3.0]), np.array([6.0, 3.0, 5.0, 7.0])
    reached = np.array([True, True, False, True])
    common = (10 + 21) / 7
    scores = x - common * reached, y - common
    assert equal_ert(x, reached, y, [True] * 4) == pytest.approx(
        stats.ttest_ind(*scores, equal_var=False).pvalue
    )


@pytest.mark.parametrize("test", [mann_whitney, wilcoxon])
@pytest.mark.parametrize("first", [[np.nan], [[1.0]], 1.0])
def test_wrong_samples_are_named(test, first):
    with pytest.raises(ValueError, match="first must"):
        test(first, [1.0])


RNG_SEED = 5
SAMPLES = 2000


def drawn(rng, sizes, shift=0.0, slower=3.0):
    """Strata of equal samples but for the shift; each stratum is slower than the one before."""
    return [
        (rng.normal(k * slower, 1, m) - shift, rng.normal(k * slower, 1, n))
        for k, (m, n) in enumerate(sizes)
    ]


def test_strata_without_results_of_both_change_nothing():
    x, y = np.array([1.0, 2.0, 2.0, np.inf]), np.array([2.0, 3.0, np.inf])
    assert van_elteren([(x, y)]) == mann_whitney(x, y)
    assert superiority_within([(x, y)]) == superiority(x, y)
    found = strata_of([1, 2, 3], [4, 5], ["a", "b", "a"], ["c", "a"])
    assert [(x.tolist(), y.tolist()) for x, y in found] == [([1, 3], [5])]


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [[(3, 3)] * 3, [(8, 7), (7, 8)], [(30, 30), (5, 10)]])
def test_the_level_is_kept_whatever_the_strata_differ(sizes):
    """A rate of 0.05 has the standard deviation 0.005 here."""
    rng = np.random.default_rng(RNG_SEED)
    rejected = np.mean([van_elteren(drawn(rng, sizes)) <= 0.05 for _ in range(SAMPLES)])
    assert 0.03 <= rejected <= 0.06


def test_within_strata_more_is_found_than_in_the_mixture():
    rng = np.random.default_rng(RNG_SEED)
    found = []
    for _ in range(300):
        strata = drawn(rng, [(8, 8), (7, 7)], shift=1.0)
        pooled = (np.concatenate(side) for side in zip(*strata, strict=True))
        found.append((van_elteren(strata) <= 0.05, mann_whitney(*pooled) <= 0.05))
    within, mixed = np.mean(found, axis=0)
    assert within > 0.6
    assert mixed < within - 0.3


@pytest.mark.slow
def test_the_interval_covers_a12_within_strata():
    rng, truth = np.random.default_rng(RNG_SEED), 0.7602499389065233  # Phi(1 / sqrt(2))
    covered = 0
    for _ in range(1000):
        effect = a12(drawn(rng, [(8, 8), (7, 7)], shift=1.0), confidence=0.95)
        assert effect.low <= effect.a12 <= effect.high
        covered += effect.low <= truth <= effect.high
    assert covered >= 930


def test_the_mean_of_ratios_is_geometric_and_omits_what_is_unknown():
    assert mean_ratio([2.0, 0.5], [1, 1]) == pytest.approx(1.0)
    assert mean_ratio([2.0, np.nan], [1, 3]) == pytest.approx(2.0)
    assert mean_ratio([4.0, 1.0], [3, 1]) == pytest.approx(4**0.75)
    assert mean_ratio([np.inf, 2.0], [1, 1]) == np.inf
    assert np.isnan(mean_ratio([np.inf, 0.0], [1, 1]))
    assert np.isnan(mean_ratio([np.nan], [1]))


tied = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, 7.0, INF]), min_size=1, max_size=6)


def enumerated(first, second):
    ranks = rankdata([*first, *second])
    sums = np.array(
        [ranks[list(dealt)].sum() for dealt in combinations(range(ranks.size), len(first))]
    )
    observed = ranks[: len(first)].sum()
    return (sums <= observed + 1e-9).mean(), (sums >= observed - 1e-9).mean()


@pytest.mark.slow
@settings(deadline=None)
@given(tied, tied)
def test_it_is_the_count_of_all_permutations(first, second):
    found = tails(first, second)
    assert found == pytest.approx(enumerated(first, second), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("first", [np.arange, np.zeros])
def test_more_runs_that_differ_altogether_are_stronger_evidence(first):
    sizes = [*range(2, 50), 100, 141, 142, 200, 300]
    p = [mann_whitney(first(n), np.arange(n) + n) for n in sizes]
    assert p == pytest.approx([2 / comb(2 * n, n) for n in sizes], rel=1e-9)
    assert (np.diff(p) < 0).all()


def some(value):
    def draw(rng, size, shift):
        return np.where(rng.random(size) < 0.2, value, rng.normal(shift, size=size))

    return draw


KINDS = {
    "untied": lambda rng, size, shift: rng.normal(shift, size=size),
    "rounded": lambda rng, size, shift: np.round(10 * rng.normal(shift, size=size)),
    "some succeed": some(-99.0),
    "some fail": some(INF),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("runs", [32, 50])
def test_the_approximation_is_as_near_as_it_says(monkeypatch, kind, runs):
    rng = np.random.default_rng(runs)
    draw = KINDS[kind]
    shifts = (0, 0.2, 0.5, 1, 2, 4, 20)
    samples = [(draw(rng, runs, 0), draw(rng, runs, shift)) for shift in shifts]
    monkeypatch.setattr(two_samples, "EXACT_ADDITIONS", np.inf)
    exact = [tails(*pair) for pair in samples]
    monkeypatch.setattr(two_samples, "EXACT_ADDITIONS", 0)
    monkeypatch.setattr(two_samples, "EXACT_PRODUCT", 0)
    for pair, found in zip(samples, exact, strict=True):
        near = tails(*pair)
        for p, q in zip(near, found, strict=True):
            if q > 1e-12:
                assert p == pytest.approx(q, rel=0.01 if q > 1e-6 else 0.04)
    assert sum(lower < 1e-3 for lower, _ in exact) >= 2


def test_samples_of_every_size_have_a_p_value():
    rng = np.random.default_rng(8)
    first, second = np.round(rng.normal(size=900), 1), np.round(rng.normal(0.2, size=700), 1)
    normal = mannwhitneyu(first, second, method="asymptotic").pvalue
    assert mann_whitney(first, second) == pytest.approx(normal, rel=0.02)
    assert mann_whitney(np.arange(250), np.arange(250) + 250) == 2 / comb(500, 250)
    assert mann_whitney(np.arange(900), np.arange(900) + 900) < 1e-300
    assert mann_whitney(first, first) == pytest.approx(1.0, abs=0.02)


families = st.lists(st.sampled_from([0.0, 1e-9, 0.01, 0.02, 0.5, 1.0, np.nan]), max_size=12)


@settings(deadline=None)
@given(families)
@pytest.mark.parametrize("correct", [of_ranks.holm, of_ranks.hochberg])
def test_adjusted_p_values_never_fall_below_and_keep_the_order(correct, p):
    p = np.array(p, dtype=float)
    adjusted = correct(p)
    made = ~np.isnan(p)
    np.testing.assert_array_equal(np.isnan(adjusted), ~made)
    assert (adjusted[made] >= p[made]).all()
    assert (adjusted[made] <= 1).all()
    assert (np.diff(adjusted[made][np.argsort(p[made])]) >= 0).all()
    np.testing.assert_array_equal(adjusted[made], correct(p[made]))


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), max_size=12))
def test_p_values_below_their_level_are_those_that_holm_rejects(p):
    near = np.abs(of_ranks.holm(p) - 0.05) < 1e-12
    below = np.asarray(p) <= of_ranks.holm_levels(p, 0.05)
    np.testing.assert_array_equal((below == (of_ranks.holm(p) <= 0.05)) | near, True)


GOLDEN = Path(__file__).parents[2] / "golden"
PRINTED = ("table02_mean", "table03_q50", "table04_fe_mean_wrong", "table07_fe_q50", "table08_q10")

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
def test_every_printed_rank_and_average_rank(table):
    values, ranks = printed(table)
    assert values.shape == (20, 7)
    np.testing.assert_array_equal(of_ranks.rank(values, axis=1), ranks)
    (line,) = [row for row in rows("average_ranks") if row["table"] == table]
    ours = of_ranks.average_ranks(printed(table)[0])
    for average, text in zip(ours, list(line.values())[1:], strict=True):
        half_a_digit = 0.5 * 10.0 ** -len(text.partition(".")[2])
        assert abs(average - float(text)) <= half_a_digit * (1 + 1e-9)


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
    np.testing.assert_allclose(of_ranks.rank_within(limits, within), expected)


@pytest.mark.slow
@settings(deadline=None)
@given(results)
def test_ranks_add_up_and_follow_the_order(values):
    ranks = of_ranks.rank(values)
    k = values.shape[1]
    np.testing.assert_allclose(ranks.sum(axis=1), k * (k + 1) / 2)
    x = np.where(np.isnan(values), np.inf, values)
    smaller = x[:, :, np.newaxis] < x[:, np.newaxis, :]
    equal = x[:, :, np.newaxis] == x[:, np.newaxis, :]
    expected = smaller.sum(axis=1) + (equal.sum(axis=1) + 1) / 2
    np.testing.assert_array_equal(ranks, expected)


REFERENCE = json.loads((GOLDEN / "friedman.json").read_text())
RTOL = 1e-9


@pytest.fixture(params=REFERENCE, scope="module")
def reference_table(request):
    with (GOLDEN / f"{request.param}.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    reference = REFERENCE[request.param]
    values = np.reshape([float(c["value"]) for c in cells], (reference["N"], reference["k"]))
    return values, reference


def test_every_reference_statistic(reference_table):
    values, reference = reference_table
    test = of_ranks.friedman(values)
    ours = {
        "N": test.problems, "k": test.algorithms, "friedman_tie_corrected": test.chi2, "p": test.p,
        "friedman_uncorrected": test.chi2_uncorrected, "iman_davenport_F": test.iman_davenport,
        "iman_p": test.iman_davenport_p, "kendall_W": test.kendall_w,
        "CD_nemenyi_05": of_ranks.critical_difference(test.algorithms, test.problems, 0.05),
    }  # fmt: skip
    others = {"p_uncorrected", "iman_davenport_F_uncorrected", "avg_ranks", "pairs"}
    assert set(reference) == {*ours, *others}
    for name, value in ours.items():
        assert value == pytest.approx(reference[name], rel=RTOL), name
    averages = list(reference["avg_ranks"].values())
    np.testing.assert_allclose(test.average_ranks, averages, rtol=RTOL)


def test_every_reference_pair(reference_table):
    values, reference = reference_table
    pairs = of_ranks.posthoc(values)
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
    test = of_ranks.friedman(np.full((5, 3), value))
    assert (test.chi2, test.iman_davenport, test.kendall_w) == (0.0, 0.0, 0.0)
    assert (test.p, test.iman_davenport_p) == (1.0, 1.0)
    pairs = of_ranks.posthoc(np.full((5, 3), value))
    for p in (pairs.p, pairs.p_holm, pairs.p_shaffer, pairs.p_nemenyi):
        np.testing.assert_array_equal(p, 1.0)


@pytest.mark.parametrize("shape", [(1, 3), (0, 3), (4, 1), (1, 1), (4, 0), (0, 0)])
def test_too_few_algorithms_or_problems(shape):
    test = of_ranks.friedman(np.zeros(shape))
    assert (test.problems, test.algorithms) == shape
    assert test.average_ranks.shape == shape[1:]
    for value in (test.chi2, test.p, test.iman_davenport, test.iman_davenport_p, test.kendall_w):
        assert np.isnan(value)
    assert np.isnan(of_ranks.critical_difference(shape[1], shape[0], 0.05))
    pairs = of_ranks.posthoc(np.zeros(shape))
    assert pairs.p.shape == (shape[1] * (shape[1] - 1) // 2,)
    for p in (pairs.z, pairs.p, pairs.p_holm, pairs.p_shaffer, pairs.p_nemenyi):
        assert np.isnan(p).all()


def test_the_critical_difference_is_where_nemenyis_p_is_alpha():
    for k, n, alpha in [(2, 5, 0.1), (4, 12, 0.05), (10, 24, 0.01)]:
        difference = of_ranks.critical_difference(k, n, alpha)
        z = difference / np.sqrt(k * (k + 1) / (6 * n))
        p = stats.studentized_range.sf(z * np.sqrt(2), k, np.inf)
        assert p == pytest.approx(alpha, rel=1e-6)
