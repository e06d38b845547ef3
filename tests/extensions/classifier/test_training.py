"""Classifiers from recorded campaigns: what they are trained on, and the command."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from timefair import cli
from timefair.basics.errors import InputError
from timefair.campaign import configuration, plan
from timefair.extensions.classifier.statistics import SHAPE, Question
from timefair.extensions.classifier.training import TrainingSamples, train_classifier
from timefair.records.store import write_record

QUESTION = Question(start=4, cap=8)
CAMPAIGN = {
    "name": "recorded",
    "problems": {"suite": "bbob", "functions": "1-4", "dimensions": 2, "instances": "1-3"},
    "algorithms": {
        "A": "timefair:random-search",
        "B": {"use": "timefair:DE", "parameters": {"F": 0.5, "strategy": "best/1/bin"}},
    },
    "budget": {"evaluations": 100},
    "runs": 20,
}
SMALL = {
    "name": "small",
    "problems": {"suite": "bbob", "functions": 3, "dimensions": 2, "instances": 1},
    "algorithms": {"B": "timefair:DE"},
    "budget": {"evaluations": 100},
    "runs": 8,
}


@pytest.fixture
def recorded(tmp_path, run, table):
    """Makes the folder of a campaign, in which B varies more than A and f4 more than f1."""

    def make(functions=range(1, 5), runs=20, spread=1.0) -> Path:
        folder = tmp_path / "recorded"
        rng = np.random.default_rng(1)
        plan.write_snapshot(configuration.parse(CAMPAIGN), folder)
        (folder / "collected").mkdir()
        for label in "AB":
            rows = []
            for function, instance, number in product(functions, (1, 2, 3), range(runs)):
                value = np.exp(spread * (0.1 + 0.2 * function * (label == "B")) * rng.normal())
                names = {"function": function, "instance": instance, "run": number}
                found = {"best_f": value, "best_precision": value}
                rows.append(run([(1, 0.1, value)], algorithm=label, **names, **found))
            write_record(folder / f"collected/{label}.parquet", table(*rows).to_batches(), {})
        return folder

    return make


@pytest.fixture
def command(capsys):
    """Runs the command; its status and its lines."""

    def call(*words: object) -> tuple[int, list[str]]:
        status = cli.main(["train-classifier", *map(str, words)])
        printed = capsys.readouterr()
        return status, (printed.out + printed.err).splitlines()

    return call


# --- Samples ------------------------------------------------------------------------------------


def test_the_first_runs_are_the_sample_and_the_others_judge_it(recorded) -> None:
    found = TrainingSamples.read([recorded()], QUESTION)
    assert found.cases.values.shape == (24, 8)
    assert list(found.names["use"].unique()) == ["timefair:random-search", "timefair:DE"]
    origin = found.origin[0]
    assert (origin["campaign"], origin["samples"], origin["runs"]) == ("recorded", 24, 20)
    assert set(origin["records"]) == {"A", "B"}
    assert all(len(checksum) == 64 for checksum in origin["records"].values())


# --- Training -----------------------------------------------------------------------------------


def test_the_file_is_the_classifier(recorded, tmp_path) -> None:
    trained = train_classifier([recorded()], QUESTION)
    path = tmp_path / "model.json"
    trained.write(path)
    wanted = {"rule": "classifier", "model": str(path), "probability": 0.6}
    campaign = configuration.parse(SMALL | {"stopping": wanted})
    again = campaign.stopping.model.classifier()
    samples = np.exp(np.random.default_rng(1).normal(size=(5, 6)))
    np.testing.assert_array_equal(
        again.probability(samples), trained.classifier.probability(samples)
    )
    assert again.stops.threshold_for(0.6) == trained.classifier.stops.threshold_for(0.6)
    assert campaign.stopping.model.features == SHAPE
    assert campaign.stopping.model.origin["campaigns"][0]["campaign"] == "recorded"


def test_one_function_cannot_be_held_out(recorded) -> None:
    with pytest.raises(InputError, match="has one function; functions are held out in turn"):
        train_classifier([recorded(functions=[2])], QUESTION)


# --- Command ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_command_writes_the_file_and_says_where_the_rule_stops(
    recorded, command, tmp_path
) -> None:
    path = tmp_path / "new" / "model.json"
    status, lines = command(recorded(), "--output", path, "--runs", "4-8")
    assert status == 0
    assert lines[0].startswith("samples       24, of which ")
    assert lines[1].startswith("held out      each function once: Brier skill ")
    assert [line[:8] for line in lines[2:]] == ["p = 0.9 ", "p = 0.95", "p = 0.99"]
    assert json.loads(path.read_text())["kind"] == "timefair classifier"


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["--runs", "8"], "--runs: '8': should be two numbers such as 10-50, the first at least 2"),
        (["--width", "0"], "--width: 0: should be above 0"),
        (["--quantile", "1"], "--quantile: 1: should be above 0 and below 1"),
        ([], "has no cell with 100 runs: 50 for the estimate and 50 that judge it"),
    ],
)
def test_wrong_words_are_one_line(recorded, command, tmp_path, words, fault) -> None:
    status, lines = command(recorded(), "--output", tmp_path / "model.json", *words)
    assert status == 2
    assert fault in "".join(lines)
    assert len([line for line in lines if not line.startswith("=")]) == 1
    assert not (tmp_path / "model.json").exists()
