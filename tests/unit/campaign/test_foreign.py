"""A campaign of imported runs has the problems of the data."""

import pytest

from timefair.campaign.foreign import ForeignRuns, campaign_of


@pytest.mark.parametrize(
    ("problems", "spaces"),
    [
        ([(1, 3, 1), (1, 3, 2), (2, 5, 1)], ((1, 3), (2, 5))),
        ([(1, 3, 1), (2, 3, 1)], ((1, 3), (2, 3))),
        ([(1, 3, 1), (1, 5, 1), (2, 5, 1)], ((1, 3), (2, 3), (1, 5), (2, 5))),
    ],
)
def test_functions_with_one_dimension_each_have_only_that(problems, spaces):
    runs = ForeignRuns("table", "runs.csv", "mine", problems, {}, {"A": "A"}, {}, {}, 1, [])
    assert campaign_of(runs, "c", {}).problems.spaces == spaces
