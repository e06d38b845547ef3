"""The sentence on algorithms that share the budget: only where it surely pays."""

import pandas as pd
import pytest

from timefair.campaign import configuration
from timefair.report.evidence import Evidence, Space
from timefair.report.findings.portfolios import sharing_pays

CAMPAIGN = {
    "name": "test",
    "problems": {"suite": "bbob", "functions": "1-8", "dimensions": 2, "instances": 1},
    "algorithms": {"A": "timefair:DE", "B": "timefair:random-search"},
    "budget": {"time_s": 1},
}
ROW = {
    "suite": "bbob", "dimension": 2, "unit": "seconds", "arrangement": "in turn", "size": 2,
    "members": "A, B", "shares": "0.3, 0.7", "held_out": 0.71, "gain": 0.11, "gain_low": 0.05,
    "gain_high": 0.17,
}  # fmt: skip


def said(**changes):
    tables = {"portfolio": pd.DataFrame([ROW | changes])}
    return sharing_pays(Evidence(tables, configuration.parse(CAMPAIGN)), Space("bbob", 2))


def test_it_names_members_shares_and_the_gain():
    text = said()
    assert "A for 30\u00a0% of the budget, then B for 70\u00a0% of the budget" in text
    assert "reaches 71\u00a0% of the targets, 11 [5, 17] percentage points more than" in text
    assert "the best single algorithm (60\u00a0%)." in text


@pytest.mark.parametrize(
    "changes",
    [
        {"gain_low": 0.0},
        {"gain_low": float("nan")},
        {"unit": "evaluations"},
        {"arrangement": "slices"},
        {"size": 3},
        {"dimension": 5},
    ],
)
def test_it_says_nothing_where_the_gain_may_be_chance(changes):
    assert said(**changes) == ""
