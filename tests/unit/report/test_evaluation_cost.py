"""What the slider of the evaluation cost shows: only what was observed."""

import pytest

from timefair.report import evaluation_cost
from timefair.report.page import page
from timefair.rundata.evaluation_cost import COSTS_S


@pytest.fixture
def known(evidence):
    return evidence({"quick": 0.01, "slow": 0.5, "never": 50.0}, made=("cost_map",), functions=2)


def test_it_has_the_known_budgets_of_the_table(known):
    """The page ranked an algorithm by runs that were cut after 141 evaluations."""
    given = evaluation_cost.lines(known)
    assert given["costs"] == list(COSTS_S)
    (space,) = given["spaces"]
    assert (space["suite"], space["dimension"]) == ("bbob", "2")
    rows = known.tables["cost_map"].query("measure == 'share'")
    for cost, shown in zip(given["costs"], space["at"], strict=True):
        at = rows[rows["evaluation_cost_s"] == cost]
        observed = at[at["known"] & at["best"].notna()]
        assert shown["budgets"] == observed["budget_s"].tolist()
        assert shown["best"] == observed["best"].tolist()
        assert shown["share"] == observed["value"].tolist()
        assert shown["until"] == at.loc[at["known"], "budget_s"].max()
        assert shown["missing"] == at.loc[at["missing"].notna(), "missing"].iloc[0]
    assert space["at"][0]["until"] <= 1.0  # every run was cut at 1 s


def test_algorithms_with_restarts_in_seconds_are_named(known):
    frame = known.tables["cost_map"].copy()
    frame.attrs["refused"] = "Omitted: slow (restart.plateau_s)."
    assert "slow (restart.plateau_s)" in page({"cost_map": frame}, {}, known.campaign)
