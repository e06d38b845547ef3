"""What a design can show before it is measured."""

import json
from pathlib import Path

import pytest
from campaigns import SMALL, SPHERE

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.extensions.power.check import Design
from timefair.extensions.power.check import check as check_lines

ROOT = Path(__file__).parents[3]
CAMPAIGN = SMALL | {
    "problems": SPHERE | {"functions": "1-6", "instances": "1-2"},
    "algorithms": {"A": "timefair:random-search", "B": "timefair:DE"},
    "budget": {"time_s": 1},
    "runs": 4,
    "targets": [1, 0.1],
}


def checked(**changes):
    return list(check_lines(configuration.parse(CAMPAIGN | changes)))


def test_families_are_those_of_the_tables():
    design = Design(functions=24, instances=5, runs=3, algorithms=4, targets=8)
    assert design.pairs == 6
    assert design.level_over_functions == pytest.approx(0.05 / 6)
    assert design.level_on_function == pytest.approx(0.05 / (6 * 24))
    assert design.level_at_target == pytest.approx(0.05 / (6 * 24 * 8))


def test_check_warns_of_a_design_that_can_decide_nothing(tmp_path, capsys):
    file = tmp_path / "campaign.json"
    file.write_text(json.dumps(CAMPAIGN | {"algorithms": dict.fromkeys("ABC", "timefair:DE")}))
    assert cli.main(["check", str(file)]) == 0
    assert "6 functions, 3 pairs; Wilcoxon's test needs 7 functions" in capsys.readouterr().out


def test_check_says_how_large_a_difference_has_to_be():
    functions = CAMPAIGN["problems"] | {"functions": "1-24"}
    lines = "\n".join(checked(problems=functions, runs=30))
    assert "A12 0.7" in lines
    assert "ratio of ERTs 2." in lines
    assert "better on 73 % of all functions" in lines
    assert "nothing" not in lines


def test_the_default_campaign_can_decide_something_in_five_minutes_on_two_cores():
    """It had six functions, which are too few to decide any of its 28 pairs."""
    campaign = configuration.parse(configuration.read_yaml(ROOT / "config/config.yaml"))
    lines = "\n".join(check_lines(campaign))
    assert "cannot detect" not in lines
    assert "better on 81 % of all functions" in lines
    assert plan.wall_seconds(campaign, cores=2) < 300
