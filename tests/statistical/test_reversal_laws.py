"""How often a pair is falsely said to have opposite orders over all functions."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binom

from timefair.exhibits.comparisons.comparison import reversals

CHANCE = 1e-4
ALPHA = 0.05
ALGORITHMS, FUNCTIONS, CAMPAIGNS = 5, 24, 100
PAIRS = list(combinations(range(ALGORITHMS), 2))
EQUAL = np.zeros(ALGORITHMS)
ORDERED = np.arange(ALGORITHMS, dtype=float)


def share_with_a_reversal(by_evaluations, at_the_end, wanted=PAIRS):
    """Of simulated campaigns, given the mean logarithm of the precision of each algorithm."""
    rng, found = np.random.default_rng(7), 0
    for _ in range(CAMPAIGNS):
        scale = rng.normal(0.0, 3.0, size=(FUNCTIONS, 1))
        early, late = (
            10 ** (scale + mean + rng.normal(0.0, 1.0, size=(FUNCTIONS, ALGORITHMS)))
            for mean in (by_evaluations, at_the_end)
        )
        medians = {
            (str(a), str(b)): list(
                zip(early[:, a], early[:, b], late[:, a], late[:, b], strict=True)
            )
            for a, b in PAIRS
        }
        sure = {one.pair for one in reversals(medians, tests=len(PAIRS)) if one.p_adjusted <= ALPHA}
        found += any((str(a), str(b)) in sure for a, b in wanted)
    return found / CAMPAIGNS


@pytest.mark.slow
@pytest.mark.thinned(2)
@pytest.mark.parametrize(
    ("by_evaluations", "at_the_end"), [(2 * ORDERED, EQUAL), (EQUAL, 2 * ORDERED)]
)
def test_a_false_reversal_is_at_most_as_frequent_as_the_level(by_evaluations, at_the_end):
    """If one order is certain and the other a tie, a false reversal is most frequent."""
    false = share_with_a_reversal(by_evaluations, at_the_end)
    assert false <= binom.ppf(1 - CHANCE, CAMPAIGNS, ALPHA) / CAMPAIGNS


@pytest.mark.thorough
def test_false_reversals_stay_rare_beside_a_true_one():
    by_evaluations, at_the_end = 2 * ORDERED, np.array([2.0, 0.0, 1.0, 1.0, 1.0])
    true = [(0, k) for k in range(1, ALGORITHMS)]
    false = [(2, 3), (2, 4), (3, 4)]
    assert share_with_a_reversal(by_evaluations, at_the_end, true) > 0.8
    most = binom.ppf(1 - CHANCE, CAMPAIGNS, ALPHA) / CAMPAIGNS
    assert share_with_a_reversal(by_evaluations, at_the_end, false) <= most
