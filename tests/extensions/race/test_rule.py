"""The stopping rule `campaign_race` as a campaign chooses it."""

from __future__ import annotations

from typing import Any

import pytest

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.extensions.race.statistics import ranking_race

CAMPAIGN: dict[str, Any] = {
    "name": "test",
    "problems": {"suite": "bbob", "functions": "1-6", "dimensions": [2, 5], "instances": "1-2"},
    "algorithms": dict.fromkeys("ABC", "timefair:DE"),
    "budget": {"time_s": 2},
    "runs": 24,
    "rounds": 8,
    "stopping": {"rule": "campaign_race", "confidence": 0.9},
}


def test_the_first_round_decides_where_the_race_begins() -> None:
    campaign = configuration.parse(CAMPAIGN)
    race = campaign.stopping.race(campaign)
    assert race == ranking_race(3, 6, 2, start=6, confidence=0.9)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"rounds": 1},
            "stopping.rule: 'campaign_race' with rounds 1: runs are given after each round; give "
            "rounds: 2 or more",
        ),
        (
            {"algorithms": {"A": "timefair:DE"}},
            "stopping.rule: 'campaign_race' with 1 algorithm: takes two or more",
        ),
        (
            {"rounds": 24},
            "stopping.rule: 'campaign_race' with 2 runs of an algorithm on a function in the first "
            "round: should be 4 or more; increase runs or the instances, or decrease rounds",
        ),
        (
            {"problems": CAMPAIGN["problems"] | {"functions": 3, "instances": 1}},
            "stopping.rule: 'campaign_race' with 3 runs of an algorithm on a function in the first "
            "round: should be 15 or more; increase runs or the instances, or decrease rounds",
        ),
        (
            {"problems": {"suite": "f1-f23", "functions": "14-18", "instances": "1-2"}},
            "stopping.rule: 'campaign_race': needs problems.dimensions, which all functions have",
        ),
        (
            {"stopping": CAMPAIGN["stopping"] | {"budget_core_s": 431.9}},
            "stopping.budget_core_s: 431.9: the first round alone may take 432 core-seconds; give "
            "more, or decrease runs",
        ),
    ],
)
def test_a_campaign_that_cannot_race_is_refused(changes: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError) as caught:
        configuration.parse(CAMPAIGN | changes)
    assert caught.value.faults == (line,)
