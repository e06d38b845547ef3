"""An older version of a library, with an older numpy, beside the installed ones in one campaign."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pytest

from timefair.records.store import open_record, read_runs

pytestmark = pytest.mark.workflow

OLD = {"numpy": "1.26.4", "cma": "3.4.0"}
NOT_REACHED = ("No matching distribution", "Connection", "timed out")
"""What pip prints where there is no package index."""


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    folder = tmp_path_factory.mktemp("old")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    made = str(folder / "bin/python")
    needed = ("coco-experiment", "pyarrow<22", "pydantic", "PyYAML")
    pins = [f"{package}=={version}" for package, version in OLD.items()]
    install = [made, "-m", "pip", "install", "--quiet", *needed, *pins]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode and any(words in done.stderr for words in NOT_REACHED):
        pytest.skip("the package index is not reached")
    assert done.returncode == 0, done.stderr
    return made


@pytest.mark.thorough
def test_two_versions_of_a_library_take_turns(workspace, python):
    algorithms = {"old": {"use": "pycma:CMA-ES", "python": python}, "here": {"use": "pycma:CMA-ES"}}
    workspace.configure(algorithms=algorithms, rounds=2, tables=["checklist"], figures=["anytime"])
    workspace.complete()
    rows = workspace.rows()
    assert {row["status"] for row in rows} == {"ok"}
    assert len(rows) == 2 * 2 * 2 * 2

    machine = facts_of(workspace, "old")["machine"]
    assert machine["own_environment"]["python"] == python
    assert OLD.items() <= machine["versions"].items()
    assert OLD.items() <= machine["packages"].items()
    here = facts_of(workspace, "here")["machine"]
    assert "own_environment" not in here
    installed = {name: here["versions"][name] for name in OLD}
    assert installed == {name: version(name) for name in OLD} != OLD

    frame = pd.read_csv(workspace.results / "tables/checklist.csv").set_index("part")
    shown = frame.loc["Versions"]
    assert shown["met"]
    assert f"cma {OLD['cma']}, numpy {OLD['numpy']} (old)" in shown["evidence"]
    assert python in frame.loc["Environments of their own", "evidence"]

    began = pd.DataFrame(rows).sort_values("started_utc").groupby("round")["started_utc"]
    assert began.max()[1] < began.min()[2]  # in each round, both

    replay(workspace)
    again(workspace, python)


def facts_of(workspace, label: str) -> dict:
    path = next((workspace.results / "records" / label).rglob("*.parquet"))
    return open_record(path).facts


def replay(workspace) -> None:
    record = workspace.results / "collected/old.parquet"
    words = ["-m", "timefair", "reproduce", str(record), "--function", "8", "--instance", "2"]
    done = subprocess.run(
        [sys.executable, *words, "--run", "1"],
        cwd=workspace.folder, env=workspace.environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def again(workspace, python) -> None:
    before = workspace.records()
    install = [python, "-m", "pip", "install", "--quiet", "cma==3.3.0"]
    subprocess.run(install, check=True)
    workspace.complete("--until", "finish_round")
    after = workspace.records()
    new = {path.parts[-3] for path in after.keys() - before.keys()}
    assert new == {"old"}
    assert before.items() <= after.items()
    assert facts_of_newest(after)["machine"]["versions"]["cma"] == "3.3.0"


def facts_of_newest(records: dict[Path, float]) -> dict:
    newest = max(records, key=records.__getitem__)
    assert set(read_runs([newest])["status"].to_pylist()) == {"ok"}
    return open_record(newest).facts
