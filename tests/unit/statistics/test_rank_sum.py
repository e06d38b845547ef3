"""The permutation distribution of U, against enumeration, scipy and its own approximation."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, rankdata

from timefair.statistics import rank_sum
from timefair.statistics.comparison import mann_whitney
from timefair.statistics.rank_sum import at_most, tails

INF = np.inf
tied = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, 7.0, INF]), min_size=1, max_size=6)


def enumerated(first, second):
    """Both tails by listing every way to deal the values."""
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
    assert (found.lower, found.upper) == pytest.approx(enumerated(first, second), rel=1e-12)


@settings(deadline=None)
@given(st.permutations(range(9)), st.integers(1, 8))
def test_without_ties_it_is_the_count_of_all_permutations(values, m):
    found = tails(values[:m], values[m:])
    expected = enumerated(values[:m], values[m:])
    assert (found.lower, found.upper) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("m", "n"), [(9, 9), (10, 10), (15, 12), (30, 30), (50, 47)])
def test_without_ties_p_values_are_scipys_exact_ones(m, n):
    rng = np.random.default_rng(m)
    for shift in (0.0, 0.5, 1.5):
        first, second = rng.normal(size=m), rng.normal(shift, size=n)
        exact = mannwhitneyu(first, second, method="exact").pvalue
        assert mann_whitney(first, second) == pytest.approx(exact, rel=1e-9)


@pytest.mark.slow
def test_more_runs_that_differ_altogether_are_stronger_evidence():
    """The normal approximation gave 1.55e-4 for 8 runs each and 1.83e-4 for 10."""
    sizes = [*range(2, 50), 100, 141, 142, 200]
    p = [mann_whitney(np.arange(n), np.arange(n) + n) for n in sizes]
    assert p == pytest.approx([2 / comb(2 * n, n) for n in sizes], rel=1e-9)
    assert (np.diff(p) < 0).all()


@pytest.mark.parametrize("runs", [8, 9, 20, 30, 31, 60, 300])
def test_with_ties_too(runs):
    """All successes of one algorithm are equal, and better than all runs of the other."""
    first, second = np.zeros(runs), 1.0 + np.arange(runs)
    assert mann_whitney(first, second) == pytest.approx(2 / comb(2 * runs, runs), rel=1e-9)


def test_the_order_of_the_samples_does_not_matter():
    rng = np.random.default_rng(6)
    for m, n in [(3, 12), (40, 90)]:
        first, second = np.round(rng.normal(size=m), 1), np.round(rng.normal(size=n), 1)
        one, other = tails(first, second), tails(second, first)
        assert (one.lower, one.upper) == (other.upper, other.lower)


def test_a_probability_is_one_at_most():
    assert tails([1.0] * 4, [1.0] * 5) == rank_sum.Tails(1.0, 1.0)
    assert tails([3.0], [3.0, 4.0]).upper == 1.0
    assert at_most([0, 1], 1, 1).tolist() == [0.5, 1.0]


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
    monkeypatch.setattr(rank_sum, "EXACT_ADDITIONS", np.inf)
    exact = [tails(*pair) for pair in samples]
    monkeypatch.setattr(rank_sum, "EXACT_ADDITIONS", 0)
    monkeypatch.setattr(rank_sum, "EXACT_PAIRS", 0)
    for pair, found in zip(samples, exact, strict=True):
        near = tails(*pair)
        for p, q in ((near.lower, found.lower), (near.upper, found.upper)):
            if q > 1e-12:
                assert p == pytest.approx(q, rel=0.01 if q > 1e-6 else 0.04)
    assert sum(found.lower < 1e-3 for found in exact) >= 2


def test_samples_of_every_size_have_a_p_value():
    """Far beyond the exact sizes, with a cost that stays bounded."""
    rng = np.random.default_rng(8)
    first, second = np.round(rng.normal(size=900), 1), np.round(rng.normal(0.2, size=700), 1)
    normal = mannwhitneyu(first, second, method="asymptotic").pvalue
    assert mann_whitney(first, second) == pytest.approx(normal, rel=0.02)
    assert mann_whitney(np.arange(250), np.arange(250) + 250) == 2 / comb(500, 250)
    assert mann_whitney(np.arange(900), np.arange(900) + 900) < 1e-300
    assert mann_whitney(first, first) == pytest.approx(1.0, abs=0.02)


def test_thirty_runs_each_are_exact_whatever_the_ties():
    rng = np.random.default_rng(9)
    for _ in range(300):
        groups = rng.integers(2, 60)
        ties = 1 + rng.multinomial(60 - groups, rng.dirichlet(np.full(groups, 0.3)))
        cost = rank_sum._Groups.of(tuple(ties.tolist())).additions(30)
        assert cost <= rank_sum.EXACT_ADDITIONS


@pytest.mark.parametrize("first", [[], [np.nan], [[1.0]], 1.0])
def test_wrong_samples_are_named(first):
    with pytest.raises(ValueError, match="must"):
        tails(first, [1.0])
