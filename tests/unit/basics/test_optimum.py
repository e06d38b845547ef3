"""Distances to the optimum at the ends of the range of numbers."""

import numpy as np
import pandas as pd
import pytest

from timefair.basics.optimum import LARGEST, difference, is_below, precision

VALUES = [1.7e308, 1e308, 3.0, -1.7e308, np.inf, np.nan]
OPTIMA = [-1.7e308, 1e308, 1.0, 1.7e308, 1.0, 1.0]
DIFFERENCES = [LARGEST, 0.0, 2.0, -LARGEST, np.inf, np.nan]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("form", [np.array, pd.Series])
def test_a_difference_of_finite_numbers_is_finite(form):
    assert np.array_equal(difference(form(VALUES), form(OPTIMA)), DIFFERENCES, equal_nan=True)
    each = [difference(*pair) for pair in zip(VALUES, OPTIMA, strict=True)]
    assert np.array_equal(each, DIFFERENCES, equal_nan=True)
    assert is_below(form(VALUES), form(OPTIMA)).tolist() == [False] * 3 + [True] + [False] * 2
    assert precision(np.float64(1.7e308), np.float64(-1.7e308)) == LARGEST
