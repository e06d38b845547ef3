"""A campaign from Python: the same records as from its file, and nothing is measured twice."""

import json
import subprocess
import sys
from pathlib import Path

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


@pytest.mark.slow
def test_the_notebook_runs(here):
    cells = json.loads((ROOT / "docs/start/python.ipynb").read_text())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    (here / "notebook.py").write_text(code.replace("runs=10", "runs=2"))
    done = subprocess.run([sys.executable, "notebook.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name in ("notebook", "timed"):
        assert timefair.load(f"results/{name}").verdict
