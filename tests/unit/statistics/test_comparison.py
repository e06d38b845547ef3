from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from timefair.statistics.comparison import a12, equal_ert, mann_whitney, wilcoxon

INF = np.inf
precisions = st.lists(st.sampled_from([0.0, 1e-8, 1.0, 5.0, INF]), min_size=1, max_size=7)
costs = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 1.0, 7.0]), st.booleans()), min_size=2, max_size=7
)


def test_mann_whitney_doubles_the_smaller_tail():
    # complete separation: 2 of the 20 splits of six are as extreme
    assert mann_whitney([1.0, 2.0, 3.0], [4.0, 5.0, INF]) == pytest.approx(2 / 20)
    assert mann_whitney([0.0, 0.0], [1.0, 1.0, 2.0]) == pytest.approx(2 / 10)


def test_no_p_value_is_smaller_than_the_runs_can_give():
    assert stats.mannwhitneyu([0.0, 0.0], [1.0, 1.0]).pvalue < 2 / 6
    assert mann_whitney([0.0, 0.0], [1.0, 1.0]) == pytest.approx(2 / 6)


@pytest.mark.parametrize("value", [0.0, 3.0, INF])
def test_equal_results(value):
    same = [value] * 4
    assert mann_whitney(same, same) == 1.0
    effect = a12(same, same, confidence=0.95)
    assert effect.a12 == 0.5
    assert effect.low < 0.5 < effect.high
    assert (wilcoxon(same, same).p, wilcoxon(same, same).balance) == (1.0, 0.0)


def test_a12_counts_ties_half():
    # 1 beats 2 and inf, ties with 1; inf ties with inf, loses twice
    assert a12([1.0, INF], [1.0, 2.0, INF], confidence=0.95).a12 == pytest.approx(3 / 6)


@pytest.mark.slow
@settings(deadline=None)
@given(precisions, precisions)
def test_the_second_seen_from_the_first_is_the_first_seen_from_the_second(x, y):
    one, other = a12(x, y, confidence=0.9), a12(y, x, confidence=0.9)
    assert one.a12 == pytest.approx(1 - other.a12)
    assert one.low == pytest.approx(1 - other.high)
    assert mann_whitney(x, y) == pytest.approx(mann_whitney(y, x))
    assert 0 <= one.low <= one.a12 <= one.high <= 1
    assert one.low < one.high


@pytest.mark.slow
@settings(deadline=None)
@given(precisions, precisions)
def test_only_the_order_matters(x, y):
    def far(values):
        return [INF if v == INF else np.sqrt(v) for v in values]

    assert mann_whitney(x, y) == mann_whitney(far(x), far(y))
    assert a12(x, y, confidence=0.9) == a12(far(x), far(y), confidence=0.9)
    assert 0 < mann_whitney(x, y) <= 1


def test_wilcoxon_is_exact_and_infinity_the_largest_difference():
    # signed ranks +1 +2 -3 +4(inf): 7 against 3 of 10
    test = wilcoxon([1.0, 1.0, 9.0, 1.0], [2.0, 3.0, 6.0, INF])
    assert test.balance == pytest.approx(0.4)
    assert test.p == stats.wilcoxon([1.0, 2.0, -3.0, 4.0]).pvalue


@pytest.mark.parametrize("n", [3, 8, 20])
def test_wilcoxon_without_ties_is_scipys_exact_test(n):
    gain = np.random.default_rng(n).normal(0.5, 1.0, n)
    exact = stats.wilcoxon(gain, method="exact").pvalue
    assert wilcoxon(np.zeros(n), gain).p == pytest.approx(exact)


@pytest.mark.parametrize("seed", range(4))
def test_wilcoxon_with_ties_is_the_count_of_all_signs(seed):
    gain = np.random.default_rng(seed).integers(-2, 4, 8).astype(float)
    ranks = stats.rankdata(np.abs(gain))[gain != 0]
    signs = np.array(list(product([0, 1], repeat=ranks.size)))
    off = np.abs(signs @ ranks - ranks.sum() / 2)
    observed = abs(ranks[gain[gain != 0] > 0].sum() - ranks.sum() / 2)
    assert wilcoxon(np.zeros(8), gain).p == pytest.approx(np.mean(off >= observed))


@settings(deadline=None)
@given(st.lists(st.tuples(*[st.sampled_from([-INF, 0.0, 1.0, 2.5, INF])] * 2), max_size=6))
def test_a_pair_turned_round_turns_the_balance(pairs):
    x, y = [p[0] for p in pairs], [p[1] for p in pairs]
    one, other = wilcoxon(x, y), wilcoxon(y, x)
    assert one.p == pytest.approx(other.p, nan_ok=True)
    assert one.balance == pytest.approx(-other.balance, nan_ok=True)
    assert not pairs or (0 < one.p <= 1 and abs(one.balance) <= 1)


def test_welch_on_scores_by_hand():
    x, y = np.array([1.0, 2.0, 4.0, 3.0]), np.array([6.0, 3.0, 5.0, 7.0])
    reached = np.array([True, True, False, True])
    common = (10 + 21) / 7
    scores = x - common * reached, y - common
    assert equal_ert(x, reached, y, [True] * 4) == pytest.approx(
        stats.ttest_ind(*scores, equal_var=False).pvalue
    )


def test_a_failure_that_was_cut_short_says_little():
    """As runtimes with `inf` these differ beyond doubt; as ERTs they do not."""
    rng = np.random.default_rng(4)
    whole = rng.exponential(1.0, 20)
    cut, reached = np.minimum(whole, 0.1), whole <= 0.1
    slow = rng.exponential(1.0, 20)
    assert mann_whitney(np.where(reached, cut, INF), slow) < 1e-4
    assert equal_ert(cut, reached, slow, [True] * 20) > 0.1


@settings(deadline=None)
@given(costs, costs)
def test_an_ert_compared_either_way(x, y):
    (spent_x, reached_x), (spent_y, reached_y) = (zip(*z, strict=True) for z in (x, y))
    one = equal_ert(spent_x, reached_x, spent_y, reached_y)
    other = equal_ert(spent_y, reached_y, spent_x, reached_x)
    assert one == pytest.approx(other)
    assert 0 < one <= 1


@pytest.mark.parametrize("test", [mann_whitney, wilcoxon])
@pytest.mark.parametrize("first", [[np.nan], [[1.0]], 1.0])
def test_wrong_samples_are_named(test, first):
    with pytest.raises(ValueError, match="first must"):
        test(first, [1.0])
