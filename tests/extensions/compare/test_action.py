"""The steps of the composite action, as a shell runs them; GitHub itself is not asked."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

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
    """A library with a folder for the comparison, in git."""
    top = tmp_path / "repository"
    (top / "benchmarks").mkdir(parents=True)
    (top / "benchmarks/campaign.yaml").write_text(yaml.safe_dump(CAMPAIGN))
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        own = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *own, "-C", str(top), *words], check=True)
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
def test_the_steps_compare_and_write_the_summary(repository):
    status, outputs, summary = perform(repository, study="benchmarks", baseline="HEAD", install="")
    assert status == 0
    assert outputs["status"] == "0"
    assert outputs["verdict"].startswith(
        "equal: candidate needs 1 times the evaluations of baseline"
    )
    assert outputs["verdict"] in summary
    assert (repository / "benchmarks/baseline/benchmarks/campaign.yaml").is_file()


@pytest.mark.slow
@pytest.mark.thorough
def test_the_base_and_the_head_are_built_before_they_are_compared(repository):
    few = CAMPAIGN | {"runs": 2}
    (repository / "benchmarks/campaign.yaml").write_text(yaml.safe_dump(few))
    build = "test ! -e benchmarks/results && cp benchmarks/campaign.yaml built.yaml"
    status, _, _ = perform(repository, study="benchmarks", baseline="HEAD", install="", build=build)
    assert status == 0
    built = [
        (top / "built.yaml").read_text() for top in (repository / "benchmarks/baseline", repository)
    ]
    assert built[0] == yaml.safe_dump(CAMPAIGN)
    assert built[1] == yaml.safe_dump(few)


def test_the_example_uses_the_inputs_that_the_action_has():
    example = yaml.safe_load((ROOT / "docs/guide/compare/workflow.yml").read_text())
    (step,) = [
        step
        for step in example["jobs"]["compare"]["steps"]
        if ".github/actions/compare" in step["uses"]
    ]
    needed = {name for name, one in ACTION["inputs"].items() if one.get("required")}
    assert needed <= set(step["with"]) <= set(ACTION["inputs"])
