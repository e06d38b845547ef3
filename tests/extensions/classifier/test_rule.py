"""The rule `classifier` as a campaign chooses it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.extensions.classifier.rule import TrainedModel
from timefair.extensions.classifier.statistics import Cases, Question, train

CAMPAIGN = {
    "name": "test",
    "problems": {"suite": "bbob", "functions": 8, "dimensions": 2, "instances": 1},
    "algorithms": {"random": "timefair:random-search"},
    "budget": {"evaluations": 60},
    "runs": 20,
}


def classifier():
    rng = np.random.default_rng(1)
    values = np.exp(rng.uniform(0.05, 2.0, size=(200, 1)) * rng.normal(size=(200, 20)))
    question = Question(width=0.3, start=5, cap=20)
    return train(Cases(values, np.ones(200)), np.arange(200) % 4, question)


@pytest.fixture
def model(tmp_path):
    """Writes the file of a classifier; its path."""

    def write(**changes) -> str:
        content = TrainedModel.of(classifier(), "function", {}).model_dump(mode="json")
        path = tmp_path / "model.json"
        path.write_text(json.dumps(content | changes))
        return str(path)

    return write


def faults(**stopping) -> str:
    with pytest.raises(InputError) as error:
        configuration.parse(CAMPAIGN | {"stopping": {"rule": "classifier", **stopping}})
    assert len(error.value.faults) == 1
    return error.value.faults[0]


def test_the_model_of_timefair_is_the_default() -> None:
    campaign = configuration.parse(CAMPAIGN | {"stopping": {"rule": "classifier"}})
    rule = campaign.stopping.judge(20)
    assert (rule.start, rule.cap) == (10, 20)
    assert rule.threshold == rule.classifier.stops.threshold_for(0.95)
    assert (campaign.stopping.model.p, campaign.stopping.model.width) == (0.5, 0.5)
    assert campaign.stopping.model.origin["campaigns"][0]["campaign"] == "reliability"


@pytest.mark.parametrize(
    ("keys", "fault"),
    [
        ({"width": 0.2}, "stopping.width: 0.2: the model was trained for 0.3; train another with"),
        ({"p": 0.9}, "stopping.p: 0.9: the model was trained for 0.5; train another with"),
        ({"start": 4}, "stopping.start: 4: the model was trained for 5 runs or more; train"),
        ({"probability": 0.9999}, "stopping.probability: 0.9999: should be at most 0."),
    ],
)
def test_a_model_of_other_settings_is_refused(model, keys, fault) -> None:
    assert faults(model=model(), **keys).startswith(fault)


@pytest.mark.parametrize("runs", [4, 21])
def test_numbers_of_runs_that_the_model_does_not_know_are_refused(model, runs) -> None:
    wanted = {"rule": "classifier", "model": model()}
    with pytest.raises(InputError, match=f"trained for 5 to 20 runs, but runs is {runs}; change"):
        configuration.parse(CAMPAIGN | {"runs": runs, "stopping": wanted})


@pytest.mark.parametrize(
    "changes",
    [
        {"features": ["log_n"]},
        {"weights": [1.0]},
        {"stops": {"threshold": [0.5], "stopped": [1.0], "kept": [], "runs": [5.0]}},
    ],
)
def test_a_model_with_other_features_is_refused(model, changes) -> None:
    found = faults(model=model(**changes))
    assert found.startswith("stopping.model: has other features than this version of timefair")


@pytest.mark.parametrize("changes", [{"version": 2}, {"width": -1}, {"extra": 1}])
def test_what_is_no_model_is_refused(model, changes) -> None:
    assert "not a model of this version of timefair" in faults(model=model(**changes))


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\xfe"])
def test_a_file_that_is_no_model_is_refused(tmp_path, content) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    assert "not a model of this version of timefair" in faults(model=str(path))
