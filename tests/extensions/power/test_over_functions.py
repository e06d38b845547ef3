from itertools import product

import numpy as np
import pytest

from timefair.extensions.power.power import (
    SignedRankPower,
    least_for_friedman,
    least_for_nemenyi,
    least_for_wilcoxon,
)
from timefair.statistics.comparison import wilcoxon
from timefair.statistics.ranks import friedman, posthoc


@pytest.mark.parametrize("algorithms", [2, 3, 5, 8, 13, 40])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_so_many_functions_of_one_order_are_significant_and_fewer_are_not(algorithms, alpha):
    def of_one_order(functions):
        return np.tile(np.arange(algorithms), (functions, 1))

    by_friedman = least_for_friedman(algorithms, alpha)
    assert friedman(of_one_order(by_friedman)).p <= alpha
    assert by_friedman == 2 or friedman(of_one_order(by_friedman - 1)).p > alpha
    by_nemenyi = least_for_nemenyi(algorithms, alpha)
    assert posthoc(of_one_order(by_nemenyi)).p_nemenyi.min() <= alpha
    assert by_nemenyi == 2 or posthoc(of_one_order(by_nemenyi - 1)).p_nemenyi.min() > alpha


@pytest.mark.parametrize("pairs", [1, 3, 28, 5356])
def test_so_many_functions_on_which_one_is_better_are_significant_and_fewer_are_not(pairs):
    least = least_for_wilcoxon(0.05 / pairs)
    assert wilcoxon(np.zeros(least), np.ones(least)).p * pairs <= 0.05
    assert wilcoxon(np.zeros(least - 1), np.ones(least - 1)).p * pairs > 0.05


@pytest.mark.parametrize("level", [0.05, 0.02])
def test_the_critical_sum_decides_as_wilcoxons_test_does(level):
    ranks = np.arange(1, 9)
    limit = SignedRankPower(8, level, rng=np.random.default_rng(1))._limit
    for signs in product((-1.0, 1.0), repeat=8):
        gains = ranks * np.array(signs)
        smaller = min(ranks[gains > 0].sum(), ranks[gains < 0].sum())
        assert (smaller <= limit) == (wilcoxon(np.zeros(8), gains).p <= level)


@pytest.mark.parametrize("functions", [50, 51, 80])
def test_the_critical_sum_is_the_last_one_that_is_significant(functions):
    level = 1e-3
    limit = int(SignedRankPower(functions, level, rng=np.random.default_rng(1))._limit)
    for total, significant in ((limit, True), (limit + 1, False)):
        gains, left = np.arange(1.0, functions + 1), total
        for rank in range(functions, 0, -1):  # ranks that add up to the total are lost
            if rank <= left:
                gains[rank - 1], left = -rank, left - rank
        assert left == 0
        assert (wilcoxon(np.zeros(functions), gains).p <= level) == significant
