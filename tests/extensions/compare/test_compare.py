"""The command on measured campaigns and on those that it measures: answers, status, refusals."""

import json
import os
import re
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from campaigns import refused

from timefair.campaign import configuration
from timefair.campaign.scaffold import CAMPAIGN as CAMPAIGN_FILE
from timefair.extensions.compare.comparison import Measure
from timefair.extensions.compare.rounds import Rounds
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import open_record, write_record

SAME = (1.0, 1.0)


def ratio(line: str) -> float:
    found = re.search(r"needs ([\d.]+) times", line)
    assert found
    return float(found[1])


@pytest.mark.thinned(1)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "status", "answer"),
    [
        (SAME, 0, "equal"), ((1.03, 1.0), 0, "equal"), ((1.3, 1.0), 1, "worse"),
        ((1.0, 1.3), 1, "worse"), ((0.7, 1.0), 0, "better"), ((1.1, 1.0), 3, "undecided"),
    ],
)  # fmt: skip
def test_the_last_line_is_the_verdict_and_gives_the_status(folder, compare, law, status, answer):
    results = folder("mine", {"baseline": SAME, "candidate": law})
    found, lines = compare(results, "baseline", "candidate")
    assert found == status
    assert lines[-1].startswith(f"{answer}: candidate needs ")
    assert "on 2 functions, in pairs of one seed" in lines[-1]
    assert ratio(lines[-1]) == pytest.approx(law[0] * law[1], rel=0.02)
    assert compare(results, "baseline", "candidate", "--quiet") == (status, lines[-1:])


@pytest.mark.parametrize(
    ("law", "speed", "evaluations"), [((1.3, 1.0), 1.3, 1), ((1.0, 1.3), 1, 1.3)]
)
def test_the_reason_is_the_speed_or_the_evaluations(folder, compare, law, speed, evaluations):
    _, lines = compare(
        folder("mine", {"baseline": SAME, "candidate": law}), "baseline", "candidate"
    )
    (line,) = [line for line in lines if line.startswith("ratio of seconds 1.3 = ")]
    factors = re.findall(r"([\d.]+) \(", line)
    assert [float(factor) for factor in factors] == pytest.approx([speed, evaluations], rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("by", "answers"),
    [("speed", (1, 0)), ("evaluations", (0, 1)), ("seconds", (1, 1)), ("quality", (0, 0))],
)
def test_the_verdict_is_about_what_the_user_asks_for(folder, compare, by, answers):
    slower = folder("slower", {"baseline": SAME, "candidate": (1.3, 1.0)})
    longer = folder("longer", {"baseline": SAME, "candidate": (1.0, 1.3)})
    found = tuple(
        compare(place, "baseline", "candidate", "--by", by)[0] for place in (slower, longer)
    )
    assert found == answers


@pytest.mark.parametrize("paired", [True, False])
def test_runs_that_spend_the_whole_budget_do_not_hide_a_slowdown(folder, compare, paired):
    """In seconds up to T, the ratio of the ERTs would be 1.08: stuck runs take 1 s in both."""
    laws = {"baseline": SAME, "candidate": (1.3, 1.0)}
    _, lines = compare(folder("mine", laws, stuck=3, paired=paired), "baseline", "candidate")
    assert ratio(lines[-1]) == pytest.approx(1.3, rel=0.02 if paired else 0.2)


@pytest.mark.slow
def test_a_campaign_that_was_looked_at_gives_each_look_its_share(folder, compare):
    results = folder("mine", {"baseline": SAME, "candidate": SAME})
    assert "95 % confidence" in compare(results, "baseline", "candidate")[1][-1]
    versions = {"baseline": "baseline", "candidate": "candidate", "looks": 4}
    (results / "comparison.json").write_text(json.dumps(versions))
    # There are no records of rounds in this folder: what is there counts as the first look.
    _, lines = compare(results, "baseline", "candidate")
    assert "99.5 % confidence" in lines[-1]
    assert lines[-1].endswith("stopped after round 1 of 4, as the answer is decided")
    (results / "comparison.json").write_text("{}")
    status, lines = compare(results, "baseline", "candidate")
    assert status == 2
    assert "comparison.json: not what timefair wrote" in lines[0]


# --- Wrong input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("{} baseline candidat", "has no algorithm 'candidat'; did you mean 'candidate'?"),
        ("{} baseline baseline", "baseline: is baseline and candidate; name two algorithms"),
        ("{} baseline", "baseline: give RESULTS BASELINE CANDIDATE: one folder and two labels"),
        ("{} baseline candidate --margin 0.9", "--margin: 0.9: should be a ratio of at least 1"),
        ("{} baseline candidate --baseline baseline", "give BASELINE CANDIDATE or --baseline and"),
        ("{} baseline candidate --cores 2", "--cores: only with CAMPAIGN.yaml, which is measured"),
        ("nowhere.yaml baseline", "baseline: give --baseline LABEL and --candidate LABEL after a"),
    ],
)
def test_wrong_words_are_one_line_and_status_2(folder, compare, words, line):
    results = folder("mine", {"baseline": SAME, "candidate": SAME})
    status, lines = compare(*words.format(results).split())
    assert status == 2
    assert len(lines) == 1
    assert line in lines[0]


def test_a_version_that_never_evaluates_is_refused_with_its_message(folder, compare):
    results = folder("mine", {"baseline": SAME, "candidate": SAME})
    path = results / "collected/candidate.parquet"
    record = open_record(path)
    rows = [
        row | {"evaluations": 0, "events": [], "status": "raised", "message": "ValueError: no"}
        for row in record.read().to_pylist()
    ]
    write_record(path, pa.Table.from_pylist(rows, RUN_SCHEMA).to_batches(), record.facts)
    status, lines = compare(results, "baseline", "candidate")
    assert (status, len(lines)) == (2, 1)
    assert lines[0].endswith("candidate made no evaluation in any run: ValueError: no")


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
    (line,) = refused(rounds.until_sure, Measure.EVALUATIONS, 1.2, print)
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
