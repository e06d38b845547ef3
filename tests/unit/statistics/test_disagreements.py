import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.statistics.means import opposed_pairs, smaller_gap

GOLDEN = Path(__file__).parents[2] / "golden"
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


def test_an_infinite_mean_with_the_better_median():
    assert opposed_pairs([np.inf, 5.0], [1.0, 2.0]).tolist() == [[1, 0]]


@pytest.mark.parametrize("measure", [[], [1.0]])
def test_fewer_than_two_have_no_pair(measure):
    pairs = opposed_pairs(measure, measure)
    assert pairs.shape == (0, 2)
    assert smaller_gap(measure, measure, pairs).shape == (0,)


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


@pytest.mark.parametrize(
    ("first", "second"), [([1.0], [1.0, 2.0]), ([np.nan], [1.0]), ([[1.0]], [[1.0]])]
)
def test_wrong_measures_are_named(first, second):
    with pytest.raises(ValueError, match=r"measures|first must"):
        opposed_pairs(first, second)


def test_gaps_are_of_measures_that_are_not_negative():
    with pytest.raises(ValueError, match="negative"):
        smaller_gap([-1.0, 1.0], [1.0, 0.0], [[0, 1]])
