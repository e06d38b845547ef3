"""A comparison that measures: rounds, the early stop, what is kept, and failing jobs."""

import json
import os
from pathlib import Path

import pytest
import yaml

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.campaign.scaffold import CAMPAIGN as CAMPAIGN_FILE
from timefair.extensions.compare.comparison import Measure
from timefair.extensions.compare.rounds import Rounds

LIBRARY = """
def solve(objective, rng, lost=0.0):
    if rng.random() < lost:
        while True:
            objective(objective.upper)
    x = rng.uniform(objective.lower, objective.upper)
    value, step = objective(x), 1.0
    while True:
        y = x + step * rng.normal(size=x.size)
        found = objective(y)
        better = found < value
        x, value, step = (y, found, 1.5 * step) if better else (x, value, 0.9 * step)


def broken(objective, rng):
    objective(objective.lower)


def fail():
    raise ValueError("no data")


broken.prepare = fail


def called(objective, rng):
    solve(objective, rng, more=1)
"""
CAMPAIGN = {
    "name": "mine",
    "problems": {"suite": "bbob", "functions": [1, 5], "dimensions": 2, "instances": "1-2"},
    "algorithms": {
        "baseline": "library:solve",
        "candidate": {"use": "library:solve", "seed_as": "baseline"},
        "worse": {"use": "library:solve", "parameters": {"lost": 0.6}, "seed_as": "baseline"},
        "broken": "library:broken",
        "called": "library:called",
        "other": "timefair:DE",
    },
    "budget": {"evaluations": 300},
    "restart": {"policy": "none"},
    "targets": [1, 0.1, 0.01],
    "runs": 24,
    "rounds": 4,
    "instances_per_job": 2,
    "timing": {"reference": False},
    "statistics": {"matters": {"ratio": 1.2}},
}


@pytest.fixture
def study(tmp_path, monkeypatch):
    """The working directory with a library and a campaign."""
    (tmp_path / "library.py").write_text(LIBRARY)
    (tmp_path / CAMPAIGN_FILE).write_text(yaml.safe_dump(CAMPAIGN, sort_keys=False))
    monkeypatch.chdir(tmp_path)
    package = str(Path(configuration.__file__).parents[3])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]))
    return tmp_path


def records(study: Path) -> dict[Path, int]:
    """The records of the campaign, with the time when each was written."""
    return {path: path.stat().st_mtime_ns for path in study.rglob("results/**/*.parquet")}


def rounds_of(study: Path) -> set[str]:
    return {path.stem.rpartition("_")[2] for path in records(study)}


@pytest.mark.slow
def test_equal_versions_are_measured_until_that_is_sure_and_once(study, compare):
    status, printed = compare(CAMPAIGN_FILE, "--cores", "2")
    assert status == 0
    assert printed[0].startswith("plan      in total 96 runs of each version, in pairs of one seed")
    assert printed[-1].startswith(
        "equal: candidate needs 1 times the evaluations of baseline to the target"
    )
    assert "as the answer is decided" in printed[-1]
    made = rounds_of(study)
    assert made == {f"r{k}" for k in range(1, len(made) + 1)}
    assert 1 <= len(made) < 4
    assert {path.parts[-3] for path in records(study)} == {"baseline", "candidate"}

    before = records(study)
    assert compare(CAMPAIGN_FILE, "--quiet") == (0, printed[-1:])
    assert records(study) == before
    # The runs were looked at: a later test of them has the level of that look.
    assert compare("results/mine", "baseline", "candidate", "--quiet") == (0, printed[-1:])
    content = json.loads((study / "results/mine/comparison.json").read_text())
    assert content == {"baseline": "baseline", "candidate": "candidate", "looks": 4}


@pytest.mark.thorough
@pytest.mark.slow
def test_a_version_that_cannot_be_launched_is_one_line_before_a_run(study, compare):
    status, printed = compare(CAMPAIGN_FILE, "--candidate", "called")
    said = f"TypeError: solve() got an unexpected keyword argument 'more' ({study}/library.py:27)"
    line = f"timefair: algorithms.called: cannot be launched: {said}"
    assert (status, printed) == (2, [line])
    assert not records(study)


@pytest.mark.slow
def test_a_job_that_fails_names_its_log(study, compare):
    rounds = Rounds(
        configuration.load(study / CAMPAIGN_FILE), study / "results", "baseline", "broken", 2
    )
    with pytest.raises(InputError) as error:
        rounds.until_sure(Measure.EVALUATIONS, 1.2, print)
    (line,) = error.value.faults
    assert line.startswith(f"{study}/results/mine/logs/broken/")
    assert line.endswith("the job failed: library:broken.prepare failed: ValueError: no data")


@pytest.mark.parametrize(
    ("changes", "words", "line"),
    [
        ({}, "--candidate candidat", "--candidate: 'candidat' is not in the campaign"),
        ({}, "--candidate baseline", "--candidate: 'baseline': is the baseline as well"),
        ({"stopping": {"rule": "quantile"}}, "", "stopping.rule: 'quantile': should be 'fixed'"),
        ({"block": "node"}, "", "block: 'node': versions are measured side by side, not in blocks"),
        ({}, "--cores 0", "--cores: 0: should be at least 1"),
        ({"runs": 0}, "", "runs: 0: should be at least 1"),
    ],
)
def test_what_cannot_be_compared_is_one_line_before_a_run(study, compare, changes, words, line):
    (study / CAMPAIGN_FILE).write_text(yaml.safe_dump(CAMPAIGN | changes, sort_keys=False))
    status, printed = compare(CAMPAIGN_FILE, *words.split())
    assert (status, len(printed)) == (2, 1)
    assert line in printed[0]
    assert not records(study)
