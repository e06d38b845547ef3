"""`timefair.external` in whole runs: programs in Python without protocol code of their own."""

import sys
from pathlib import Path

import numpy as np
import pytest

from timefair.algorithms import registry
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.run import measure_run
from timefair.policies.restarts.none import NoRestart
from timefair.problems.registry import SUITES

SOON_NS = 60_000_000_000
PROBLEM = SUITES["bbob"].problem(8, 3, 1)
PYTHON = f"{sys.executable} -S"  # no site-packages: timefair is not installed there


def run(path: Path, text: str | None = None, problem=PROBLEM, **parameters) -> dict:
    if text is not None:
        path.write_text(text)
    allowed = Allowance(evaluations=40, wall_ns=SOON_NS, restart=NoRestart())
    algorithm = registry.load(f"external:{PYTHON} {path}", parameters)
    return measure_run(algorithm, problem, allowed, seed=5)


@pytest.mark.fast
def test_single_points_and_batches_are_evaluated(tmp_path):
    text = "from timefair.external import serve\n"
    text += "def solve(objective):\n"
    text += "    print('this goes to standard error')\n"
    text += "    one = objective(objective.lower)\n"
    text += "    assert [one] * 2 == objective.batch([objective.lower] * 2)\n"
    text += "    assert 0 < objective.progress < 1\n"
    text += "    objective([0.1, 1 / 3, -2])\nserve(solve)\n"
    row = run(tmp_path / "solver.py", text)
    assert (str(row["status"]), row["message"], row["evaluations"]) == ("ok", None, 4)
    assert row["best_x"].tolist() in ([0.1, 1 / 3, -2.0], [-5.0, -5.0, -5.0])


def test_the_header_arrives_with_the_types_of_the_campaign(tmp_path):
    wanted = {"step": 0.5, "count": 3, "on": True, "off": None, "sizes": [1, 2], "name": "a b"}
    text = "from timefair.external import serve\n"
    text += f"def solve(objective, **given):\n    assert given == {wanted!r}, given\n"
    text += "    assert objective.dimension == len(objective.upper) == 5\n"
    text += "    assert objective.evaluations_left == 40 and 0 <= objective.seed < 2**53\n"
    text += "    assert objective.integer == [True] * 4 + [False], objective.integer\n"
    text += "    objective(objective.lower)\nserve(solve)\n"
    problem = SUITES["bbob-mixint"].problem(1, 5, 1)
    row = run(tmp_path / "solver.py", text, problem, **wanted)
    assert (str(row["status"]), row["message"]) == ("ok", None)
    assert np.array_equal(row["best_x"], problem.lower)


def test_what_solve_raises_is_in_the_message(tmp_path):
    text = "from timefair.external import serve\n"
    text += "def solve(objective):\n    objective([0, 0, 0]); raise OSError('no disk')\n"
    row = run(tmp_path / "solver.py", text + "serve(solve)\n")
    assert str(row["status"]) == "raised"
    assert "no disk" in row["message"]
