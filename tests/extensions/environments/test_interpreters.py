"""An algorithm in an environment of its own is measured there as here."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from campaigns import refused

from timefair.campaign import configuration, plan, provenance
from timefair.campaign.configuration import Campaign
from timefair.extensions.environments import interpreters
from timefair.extensions.reproduce.verdict import NOTHING
from timefair.measure.runner import JobFailed
from timefair.measure.runner import measured as jobs_measured
from timefair.measure.runner import measured as measured_jobs
from timefair.records.store import open_record, read_runs

SOLVER = """
def solve(objective, rng, most=60):
    for _ in range(most):
        objective(rng.uniform(objective.lower, objective.upper))
"""


@pytest.fixture(autouse=True)
def at_work(tmp_path, monkeypatch):
    """A working directory with a solver, and no answers of other tests."""
    monkeypatch.chdir(tmp_path)
    interpreters._answer.cache_clear()
    folder = tmp_path / "checkout"
    folder.mkdir()
    (folder / "mine.py").write_text(SOLVER)
    return folder


@pytest.fixture
def campaign():
    def make(spec: dict[str, Any], **changes: Any) -> Campaign:
        mapping = {
            "name": "own",
            "problems": {"suite": "bbob", "functions": 8, "dimensions": 3, "instances": "1-2"},
            "algorithms": {"a": spec},
            "budget": {"evaluations": 300},
            "runs": 2,
            "instances_per_job": 2,
            "timing": {"reference": False},
        }
        return configuration.parse(mapping | changes)

    return make


@pytest.fixture
def measured():
    def measure_all(campaign: Campaign) -> Path:
        folder = Path("results/own")
        folder.mkdir(parents=True, exist_ok=True)
        keys = provenance.measure_keys(campaign)
        plan.write_snapshot(campaign, folder)
        plan.write_keys(keys, folder)
        (record,) = measured_jobs(folder, list(plan.jobs(campaign)), keys, 1)
        return record

    return measure_all


DECIDED = (
    "function", "dimension", "instance", "algorithm", "run", "f_opt", "seed", "budget_evaluations",
    "status", "stop_reason", "message", "evaluations", "launches", "completed_restarts", "best_f",
    "best_x", "best_precision", "isolation",
)  # fmt: skip
"""Columns that do not depend on the time that anything takes."""

UNNEEDED = ("matplotlib", "pandas", "scipy", "seaborn", "snakemake")


def results(record: Path) -> list[dict[str, object]]:
    """What the runs of a record found, with the evaluations and precisions of all events."""
    rows = read_runs([record]).to_pylist()
    return [
        {name: row[name] for name in DECIDED}
        | {
            log: [(e["launch"], e["evaluations"], e["precision"]) for e in row[log]]
            for log in ("events", "launch_events")
        }
        for row in rows
    ]


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        {"restart": {"policy": "luby", "tau_evaluations": 40}, "isolation": "strict"},
        {"restart": {"policy": "bet-and-run", "candidates": 3, "tau_evaluations": 20}},
        {"stopping": {"rule": "quantile", "start": 2}},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_the_interpreter_of_the_workflow_gives_the_same_results(campaign, measured, changes):
    spec = {"use": "checkout/mine.py:solve"}
    here = measured(campaign(spec, **changes))
    own = measured(campaign({**spec, "python": sys.executable}, **changes))
    assert here != own
    assert results(here) == results(own)
    assert [row["status"] for row in read_runs([own]).to_pylist()] == ["ok"] * 4


@pytest.mark.slow
def test_little_is_needed_there(campaign, measured, at_work):
    for name in UNNEEDED:
        (at_work / f"{name}.py").write_text("raise ImportError('needed')\n")
    own = measured(campaign({"use": "mine:solve", "path": "checkout"}))
    assert {row["status"] for row in read_runs([own]).to_pylist()} == {"ok"}


@pytest.mark.slow
def test_the_record_names_the_environment(campaign, measured, at_work):
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=at_work, check=True)
    head = [*git, "rev-parse", "HEAD"]
    commit = subprocess.run(head, cwd=at_work, check=True, capture_output=True, text=True).stdout
    spec = {"use": "mine:solve", "python": sys.executable, "path": "checkout"}
    facts = open_record(measured(campaign(spec))).facts["machine"]
    named = facts["own_environment"].pop("commit")
    assert facts["own_environment"] == {"python": sys.executable, "path": "checkout"}
    assert commit.startswith(named)
    assert facts["versions"]["numpy"] == np.__version__
    assert facts["versions"]["timefair"] is not None


@pytest.mark.thorough
def test_a_recorded_run_is_replayed_in_its_environment(campaign, measured):
    record = measured(campaign({"use": "mine:solve", "path": "checkout"}))
    words = ["reproduce", str(record), "--instance", "2", "--run", "1"]
    replay = [sys.executable, "-P", "-m", "timefair", *words]
    done = subprocess.run(replay, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, last = done.stdout.splitlines()
    assert "identical, bit for bit" in first
    assert last == NOTHING


@pytest.mark.slow
def test_a_change_since_the_plan_is_refused(campaign, at_work):
    one = campaign({"use": "mine:solve", "path": "checkout"})
    keys, folder = provenance.measure_keys(one), Path("results/own")
    folder.mkdir(parents=True)
    plan.write_snapshot(one, folder)
    (at_work / "part").mkdir()
    (at_work / "part/deep.py").write_text("answer = 42\n")
    with pytest.raises(JobFailed, match="changed since this job was planned"):
        jobs_measured(folder, list(plan.jobs(one)), keys, 1)
    assert not list(folder.rglob("*.parquet"))


def fault_of(campaign, **spec: str) -> str:
    (line,) = refused(campaign, {"use": "mine:solve", **spec})
    return line


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        ({"python": "no/python"}, "python: 'no/python': there is no such file"),
        ({"python": "."}, "python: '.': a folder; name the interpreter in it, bin/python"),
        ({"python": "checkout/mine.py"}, "python: 'checkout/mine.py': cannot be executed; name"),
        ({"path": "no"}, "path: 'no': there is no such folder; name the one with the package"),
        ({"path": "checkout", "use": "mine:solved"}, "path: 'checkout': mine has no function"),
        ({"python": sys.executable}, f"python: {sys.executable!r}: there is no library and no mod"),
        ({"python": sys.executable, "use": "external:./x"}, "python: only for algorithms in Pyth"),
    ],
)
def test_what_is_wrong_is_one_line(campaign, spec, line):
    if spec.get("use", "").startswith("external:"):
        Path("x").touch(mode=0o755)
    assert fault_of(campaign, **spec).startswith(f"algorithms.a.{line}")
