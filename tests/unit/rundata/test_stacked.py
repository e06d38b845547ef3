"""Frames made of parts."""

import pandas as pd
import pytest

from timefair.rundata.frames import stacked

COLUMNS = ["algorithm", "k", "value"]


def test_one_value_stands_for_all_rows_of_its_part():
    parts = [
        {"algorithm": "A", "k": [1, 2], "value": [0.5, float("inf")]},
        {"algorithm": "another", "k": 3, "value": 1.5},
    ]
    expected = pd.DataFrame(
        {
            "algorithm": ["A", "A", "another"],
            "k": [1, 2, 3],
            "value": [0.5, float("inf"), 1.5],
        }
    )
    pd.testing.assert_frame_equal(stacked(parts, COLUMNS), expected)


def test_a_part_may_have_no_row():
    parts = [
        {"algorithm": "A", "k": 1, "value": []},
        {"algorithm": "B", "k": 2, "value": [1.0]},
    ]
    assert stacked(parts, COLUMNS).values.tolist() == [["B", 2, 1.0]]


def test_without_a_part_there_are_the_columns():
    frame = stacked([], COLUMNS)
    assert frame.empty
    assert list(frame.columns) == COLUMNS


def test_lengths_that_do_not_go_together_are_refused():
    with pytest.raises(ValueError, match="one length"):
        stacked([{"algorithm": ["A", "B"], "k": [1, 2, 3], "value": 0.0}], COLUMNS)


def test_what_has_no_column_is_left_out():
    assert list(stacked([{"k": 1, "x": 2}], ["k"]).columns) == ["k"]
