"""Pairs with opposite orders over all functions, counted by hand."""

import numpy as np
import pytest

from timefair.exhibits.comparisons.rank_reversals import reversals
from timefair.statistics.comparison import wilcoxon

OPPOSITE = (1.0, 2.0, 4.0, 3.0)
"""The first is better at equal evaluations, the second at the end."""


def test_a_pair_with_opposite_orders_on_all_functions():
    (found,) = reversals({("A", "B"): [OPPOSITE] * 8}, tests=1)
    assert found.pair == ("A", "B")
    assert found.first_by_evaluations
    assert found.functions == 8
    assert found.better_on == (8, 0, 0, 8)
    assert found.p_by_evaluations == found.p_by_time == found.p_adjusted == 2 / 2**8


def test_the_larger_p_value_counts():
    ends = np.array([2.0, 2.0, 2.0, 2.0, 2.0, 0.5, 0.4, 2.0])  # of A, where B ends at 1
    (found,) = reversals({("A", "B"): [(1.0, 2.0, end, 1.0) for end in ends]}, tests=1)
    assert found.better_on == (8, 0, 2, 6)
    assert found.p_by_time == wilcoxon(np.log10(ends), np.zeros(8)).p
    assert found.p_adjusted == found.p_by_time > found.p_by_evaluations


@pytest.mark.parametrize(
    "medians",
    [
        [],
        [OPPOSITE],  # one function says nothing about other functions
        [(1.0, 2.0, 3.0, 3.0)] * 8,  # a tie at the end
        [(0.0, 0.0, 0.0, 0.0)] * 8,
        [(np.inf, np.inf, 1.0, 2.0)] * 8,
        [(1.0, 2.0, 3.0, 4.0)] * 8,
        [(-1.0, -2.0, -3.0, -2.0)] * 8,  # below a wrong optimum
    ],
)
def test_no_reversal(medians):
    assert reversals({("A", "B"): medians}, tests=1) == []
