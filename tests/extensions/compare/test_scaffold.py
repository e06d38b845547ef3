"""A campaign for two versions of a library in git, and the steps of the composite action."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from campaigns import refused

from timefair.campaign.configuration import AlgorithmSpec, read_yaml
from timefair.extensions.compare import scaffold
from timefair.extensions.environments import interpreters

SEARCH = '''"""A random search that moves by steps."""

import numpy


def minimize(objective, start, rng):
    best, value, step = start, objective(start), 1.0
    while step > 1e-6:
        point = best + step * rng.normal(size=best.size)
        found = objective(point)
        if found < value:
            best, value, step = point, found, 2 * step
        else:
            step *= {factor}
'''


def git(folder: Path, *words: str) -> str:
    own = ["-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"]
    command = ["git", *own, "-C", str(folder), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def library(tmp_path):
    """A repository whose package was committed twice, and has changed since."""
    top = tmp_path / "repository"
    package = top / "src/steps"
    package.mkdir(parents=True)
    git(tmp_path, "init", "-q", str(top))
    for factor in (0.5, 0.9):
        (package / "__init__.py").write_text(SEARCH.format(factor=factor))
        git(top, "add", ".")
        git(top, "commit", "-q", "-m", f"Steps shrink by {factor}")
    (package / "__init__.py").write_text(SEARCH.format(factor=0.95))
    return top


@pytest.mark.parametrize(("ref", "factor"), [("HEAD", 0.9), ("HEAD~1", 0.5)])
def test_the_baseline_is_a_commit_and_the_candidate_the_files_as_they_are(
    library, tmp_path, ref, factor
):
    study = tmp_path / "study"
    commit = scaffold.begin(study, library, ref)
    assert commit == git(library, "rev-parse", "--short", ref)
    campaign = read_yaml(study / "campaign.yaml")
    found = campaign["algorithms"]
    versions = {
        label: (study / spec["path"] / "steps/__init__.py").read_text()
        for label, spec in found.items()
    }
    assert versions == {
        "baseline": SEARCH.format(factor=factor),
        "candidate": SEARCH.format(factor=0.95),
    }
    assert found["candidate"]["seed_as"] == "baseline"
    assert "\nimport steps\n" in (study / "wrapper.py").read_text()
    assert (study / "Snakefile").is_file()
    assert "study/baseline" in git(library, "worktree", "list")


WRAPPER = """import steps


def solve(objective, rng):
    steps.minimize(objective, rng.uniform(objective.lower, objective.upper), rng)
"""


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.skipif(
    "path" not in AlgorithmSpec.model_fields, reason="needs algorithms.X.path (environments)"
)
def test_both_versions_are_measured_and_compared(library, tmp_path, monkeypatch, compare):
    study = tmp_path / "study"
    scaffold.begin(study, library, "HEAD~1")
    campaign = read_yaml(study / "campaign.yaml")
    campaign |= {"budget": {"evaluations": 1000}, "runs": 12, "rounds": 1, "targets": [1e-3]}
    campaign["timing"] = {"reference": True}  # the default with a budget in seconds
    campaign["problems"] |= {"functions": 1, "instances": "1-2"}
    (study / "campaign.yaml").write_text(yaml.safe_dump(campaign))
    monkeypatch.chdir(study)
    package = str(Path(scaffold.__file__).parents[3])
    monkeypatch.setenv("PYTHONPATH", package)

    status, printed = compare("campaign.yaml", "--cores", "2")
    assert status == 2
    assert "baseline: cannot be launched: NotImplementedError" in printed[-1]
    assert "wrapper.py: call your optimizer here" in printed[-1]

    (study / "wrapper.py").write_text(WRAPPER)
    interpreters._answer.cache_clear()
    status, printed = compare("campaign.yaml", "--cores", "2")
    # Steps that are halved shrink too fast for a sphere.
    assert (status, printed[-1].partition(":")[0]) == (0, "better"), printed
    assert "in total 24 runs of each version on 1 function, in pairs of one seed" in printed[-1]


@pytest.mark.parametrize(
    ("where", "ref", "line"),
    [
        ("nowhere", "HEAD", "nowhere: there is no such folder"),
        (".", "HEAD", "git rev-parse: fatal: not a git repository"),
        ("repository", "lost", "git rev-parse: fatal: Needed a single revision"),
        ("repository/new", "HEAD", "git cat-file: fatal: path 'new' exists on disk"),
    ],
)
def test_what_cannot_be_a_baseline_is_one_line(library, tmp_path, where, ref, line):
    (library / "new").mkdir()
    (library / "new/steps.py").write_text("")
    (fault,) = refused(scaffold.begin, tmp_path / "study", tmp_path / where, ref)
    assert fault.startswith("--for-optimizer: ")
    assert line in fault
    assert not (tmp_path / "study").exists()


ROOT = Path(__file__).parents[3]
ACTION = yaml.safe_load((ROOT / ".github/actions/compare/action.yml").read_text())
CAMPAIGN: dict[str, Any] = {
    "name": "versions",
    "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": 1},
    "algorithms": {
        "baseline": "timefair:DE",
        "candidate": {"use": "timefair:DE", "seed_as": "baseline"},
    },
    "budget": {"evaluations": 300},
    "targets": [10, 1],
    "runs": 12,
    "statistics": {"matters": {"ratio": 1.5}},
}


@pytest.fixture
def repository(tmp_path):
    top = tmp_path / "repository"
    (top / "benchmarks").mkdir(parents=True)
    (top / "benchmarks/campaign.yaml").write_text(yaml.safe_dump(CAMPAIGN))
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        git(top, *words)
    return top


def perform(repository: Path, **inputs: str) -> tuple[int, dict[str, str], str]:
    """Run the steps: the exit status of the last one, the outputs and the summary."""
    given = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | inputs
    files = {
        name: repository.parent / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")
    }
    for file in files.values():
        file.touch()
    place = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    package = f"{ROOT / 'workflow'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    status = 0
    for step in ACTION["runs"]["steps"]:
        own = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], value)
            for name, value in step["env"].items()
        }
        environment = {
            **os.environ,
            **own,
            **{name: str(file) for name, file in files.items()},
            "PATH": place,
            "PYTHONPATH": package,
            "TIMEFAIR_LOCKS": str(repository.parent / "locks"),
        }
        assert step["shell"] == "bash"
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        status = subprocess.run(command, cwd=repository, env=environment, check=False).returncode
        if status:
            break
    lines = files["GITHUB_OUTPUT"].read_text().splitlines()
    outputs = dict(line.split("=", 1) for line in lines)
    return status, outputs, files["GITHUB_STEP_SUMMARY"].read_text()


@pytest.mark.slow
@pytest.mark.thorough
def test_the_steps_build_both_compare_and_write_the_summary(repository):
    now = CAMPAIGN | {"targets": [10, 2]}
    (repository / "benchmarks/campaign.yaml").write_text(yaml.safe_dump(now))
    build = "test ! -e benchmarks/results && cp benchmarks/campaign.yaml built.yaml"
    status, outputs, summary = perform(
        repository, study="benchmarks", baseline="HEAD", install="", build=build
    )
    assert status == 0
    assert outputs["status"] == "0"
    assert outputs["verdict"].startswith(
        "equal: candidate needs 1 times the evaluations of baseline"
    )
    assert outputs["verdict"] in summary
    built = (repository / "benchmarks/baseline/built.yaml", repository / "built.yaml")
    assert [yaml.safe_load(path.read_text()) for path in built] == [CAMPAIGN, now]


@pytest.mark.slow
@pytest.mark.thorough
def test_the_example_uses_the_inputs_that_the_action_has():
    example = yaml.safe_load((ROOT / "docs/guide/compare/workflow.yml").read_text())
    (step,) = [
        step
        for step in example["jobs"]["compare"]["steps"]
        if ".github/actions/compare" in step["uses"]
    ]
    needed = {name for name, one in ACTION["inputs"].items() if one.get("required")}
    assert needed <= set(step["with"]) <= set(ACTION["inputs"])
