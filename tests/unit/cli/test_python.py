"""A campaign from Python: the same records as from its file, and nothing is measured twice."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import timefair
from timefair.basics.errors import InputError

ROOT = Path(__file__).parents[3]


SMALL = {"dimensions": 2, "evaluations": 60, "runs": 2, "tables": ["ert"], "figures": []}


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"runz": 3}, "runz: unknown key; did you mean 'runs'"),
        ({"functions": 25}, "functions: 25"),
        ({"evaluations": None}, "budget"),
        ({"suite": "bbobb"}, "did you mean 'bbob'"),
    ],
)
def test_faults_are_those_of_the_campaign(here, keys, line):
    asked = {"a": "timefair:random-search"}
    with pytest.raises(InputError, match=line):
        timefair.run(asked, **(SMALL | keys))
    assert not (here / "results").exists()


@pytest.mark.parametrize(
    ("label", "keys", "line"),
    [
        ("a", {"name": "../x"}, "name: '../x': letters, digits and . _ [+] - only"),
        ("a", {"name": 3}, "name: 3: should be text"),
        ("../a", {}, "algorithms.../a: '../a': letters, digits"),
        ("a", {"runs": 0}, "runs: 0: should be at least 1"),
    ],
)
def test_no_file_is_written_before_names_and_numbers_are_checked(here, label, keys, line):
    def walk(objective, rng): ...

    walk.__module__ = "__main__"
    before = sorted(here.parent.rglob("*"))
    with pytest.raises(InputError, match=line):
        timefair.run({label: walk}, **(SMALL | keys))
    assert sorted(here.parent.rglob("*")) == before


@pytest.mark.parametrize("name", ["../x", "a/b", "", 3])
def test_the_name_of_an_analysis_is_checked(here, name):
    before = sorted(here.parent.rglob("*"))
    with pytest.raises(InputError, match=r"^name: "):
        timefair.analyse(pd.DataFrame({"algorithm": ["a"]}), name=name)
    assert sorted(here.parent.rglob("*")) == before


@pytest.mark.thorough
def test_the_notebook_runs(here):
    cells = json.loads((ROOT / "docs/guide/python.ipynb").read_text())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    few = 'tables=["ert", "ecdf", "comparison"], figures={"names": ["ecdf"]}'
    for usual, less in {
        "[1, 8, 15]": "1", "runs=10": f"runs=2, {few}", 'name="timed"': f'name="timed", {few}',
    }.items():  # fmt: skip
        assert usual in code
        code = code.replace(usual, less)
    (here / "notebook.py").write_text(code)
    done = subprocess.run([sys.executable, "notebook.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in ("notebook", "timed"):
        assert timefair.load(f"results/{name}").verdict
