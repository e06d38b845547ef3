"""The stopping rule `campaign_race` as a campaign chooses it."""

from __future__ import annotations

from typing import Any

import pytest

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.extensions.race.statistics import CampaignRace, ranking_race

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


REGISTERED: dict[str, Any] = {
    "question": "Is C better than A?",
    "table": "comparison",
    "measure": "precision",
    "algorithms": ["C", "A"],
    "dimension": 5,
    "test": "mean-a12",
    "alpha": 0.1,
}
OF_REGISTERED: dict[str, Any] = {
    "registered": REGISTERED,
    "stopping": CAMPAIGN["stopping"] | {"question": "registered"},
}


def test_the_registered_question_is_about_one_pair_at_its_level() -> None:
    campaign = configuration.parse(CAMPAIGN | OF_REGISTERED)
    assert campaign.stopping.race(campaign) == CampaignRace(((2, 0),), 6, 6, 0.9)
    assert campaign.stopping.subject(campaign) == (("C", "A"), (1, 2, 3, 4, 5, 6), (5,))
    one = OF_REGISTERED | {"runs": 72, "registered": REGISTERED | {"function": 4}}
    campaign = configuration.parse(CAMPAIGN | one)
    assert campaign.stopping.subject(campaign) == (("C", "A"), (4,), (5,))


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
            {"stopping": CAMPAIGN["stopping"] | {"budget_core_s": 431.9}},
            "stopping.budget_core_s: 431.9: the first round alone may take 432 core-seconds; give "
            "more, or decrease runs",
        ),
        (
            {"stopping": OF_REGISTERED["stopping"]},
            "stopping.question: 'registered': needs the section registered, with the question",
        ),
        (
            OF_REGISTERED | {"registered": REGISTERED | {"alpha": 0.05}},
            "stopping.confidence: 0.9: should be 0.95 (1 - registered.alpha)",
        ),
        (
            OF_REGISTERED | {"registered": REGISTERED | {"test": "wilcoxon"}},
            "registered.test: 'wilcoxon': should be 'mean-a12' with stopping.question 'registered'",
        ),
        (
            OF_REGISTERED
            | {"registered": REGISTERED | {"table": "ert", "measure": "ert_s", "target": 1.0}},
            "registered.measure: 'ert_s': should be 'precision' with stopping.question "
            "'registered'",
        ),
        (
            OF_REGISTERED | {"registered": REGISTERED | {"function": 4}},
            "stopping.rule: 'campaign_race' with 6 runs of an algorithm on a function in the first "
            "round: should be 15 or more; increase runs or the instances, or decrease rounds",
        ),
    ],
)
def test_a_campaign_that_cannot_race_is_refused(changes: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError) as caught:
        configuration.parse(CAMPAIGN | changes)
    assert caught.value.faults == (line,)
