"""What the slider of the evaluation cost computes from."""

from dataclasses import replace

import numpy as np
import pytest

from timefair.report import evaluation_cost
from timefair.report.page import page
from timefair.rundata.evaluation_cost import COSTS_S


@pytest.fixture
def known(evidence):
    return evidence({"quick": 0.01, "slow": 0.5, "never": 50.0}, made=("ert",), functions=2)


def test_the_lines_are_those_of_the_table_unrounded(known):
    given = evaluation_cost.lines(known)
    assert given["costs"] == list(COSTS_S)
    (space,) = given["spaces"]
    assert (space["suite"], space["dimension"]) == ("bbob", "2")
    assert [one["function"] for one in space["functions"]] == ["1", "2"]
    table = known.tables["ert"].set_index(["function", "target", "algorithm"])
    for one in space["functions"]:
        assert one["targets"] == [1.0, 0.1]
        for unit, column in (("seconds", "ert_s"), ("evaluations", "ert_evaluations")):
            for target, line in zip(one["targets"], one[unit], strict=True):
                for name, value in zip(space["algorithms"], line, strict=True):
                    there = table.loc[(int(one["function"]), target, name), column]
                    assert value == (there if np.isfinite(there) else None)


def test_algorithms_with_restarts_in_seconds_are_omitted_and_named(known):
    changed = known.campaign.model_dump()
    changed["algorithms"]["slow"]["restart"] = {"policy": "stagnation", "plateau_s": 0.1}
    campaign = type(known.campaign).model_validate(changed, strict=False)
    refused = replace(known, campaign=campaign)
    assert evaluation_cost.lines(refused)["spaces"][0]["algorithms"] == ["never", "quick"]
    assert "slow (restart.plateau_s)" in page(refused.tables, {}, campaign)


def test_with_workers_there_is_no_slider_and_the_page_says_why(known):
    changed = known.campaign.model_dump(mode="json", by_alias=True)
    changed["statistics"]["workers"] = 16
    many = replace(known, campaign=type(known.campaign)(**changed))
    text = evaluation_cost.part(many, evaluation_cost.lines(many)["spaces"])
    assert 'id="evaluation-cost"' not in text
    assert "Up to 16 evaluations" in text


def test_without_lines_there_is_no_slider(known):
    empty = replace(known, tables={})
    assert evaluation_cost.part(empty, evaluation_cost.lines(empty)["spaces"]) == ""
    assert 'id="evaluation-cost"' not in page({}, {}, known.campaign)


def test_functions_that_not_all_were_run_on_are_omitted(known):
    table = known.tables["ert"]
    less = table[~((table["function"] == 2) & (table["algorithm"] == "slow"))]
    (space,) = evaluation_cost.lines(replace(known, tables={"ert": less}))["spaces"]
    assert [one["function"] for one in space["functions"]] == ["1"]
