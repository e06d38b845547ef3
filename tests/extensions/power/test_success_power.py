from itertools import product
from math import comb

import numpy as np
import pytest

from timefair.extensions.power import power as of_tests
from timefair.extensions.power.power import SameRate
from timefair.statistics.comparison import mann_whitney


@pytest.mark.parametrize("level", [0.05, 0.01])
def test_power_is_the_sum_over_all_tables_that_mann_and_whitneys_test_finds(level):
    runs, first, second = 7, 0.1, 0.8
    expected = 0.0
    for a, b in product(range(runs + 1), repeat=2):
        one, other = (np.arange(runs) >= reached for reached in (a, b))  # 0 is a success
        if mann_whitney(one, other) <= level:
            chance = comb(runs, a) * first**a * (1 - first) ** (runs - a)
            expected += chance * comb(runs, b) * second**b * (1 - second) ** (runs - b)
    assert SameRate(runs, level).power(first, second) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("runs", [15, 40])
def test_a_difference_is_hardest_to_find_around_one_half(runs):
    test = SameRate(runs, 0.01)
    width = test.smallest_difference(0.8)
    centred = test.power(0.5 - width / 2, 0.5 + width / 2)
    lows = np.linspace(0, 1 - width, 21)
    assert min(test.power(low, low + width) for low in lows) == pytest.approx(centred, abs=0.01)


def test_the_normal_approximation_takes_over_without_a_jump(monkeypatch):
    width = SameRate(1000, 1e-3).smallest_difference(0.8)
    monkeypatch.setattr(of_tests, "EXACT_BINOMIAL", 1)
    power = SameRate(1000, 1e-3).power(0.5 - width / 2, 0.5 + width / 2)
    assert power == pytest.approx(0.8, abs=0.02)
