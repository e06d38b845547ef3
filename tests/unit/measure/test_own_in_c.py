"""The example of an algorithm in C in docs/guide/own.md is compiled and measured."""

import shutil
import subprocess
from pathlib import Path

import pytest

from timefair.algorithms import registry
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.run import measure_run
from timefair.measure.trial import prepare
from timefair.policies.restarts.fixed import FixedLength
from timefair.problems.registry import SUITES

EXAMPLES = Path(__file__).parents[3] / "docs/guide/own"

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a compiler")


@pytest.fixture(scope="module")
def use(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    for name in ("search.c", "climber_in_c.py"):
        shutil.copy(EXAMPLES / name, folder)
    command = ["gcc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", "search.so", "search.c"]
    subprocess.run(command, cwd=folder, check=True)
    return f"{folder}/climber_in_c.py:solve"


@pytest.mark.parametrize(
    ("allowed", "stop_reason", "least"),
    [
        ({"evaluations": 3000}, "evaluations", 1),
        ({"time_ns": 1_300_000_000}, "time", 1),
        ({"evaluations": 3000, "restart": FixedLength(tau_evaluations=100)}, "evaluations", 30),
    ],
)
def test_it_runs_restarts_and_ends(use, allowed, stop_reason, least):
    problem, algorithm = SUITES["bbob"].problem(8, 5, 1), registry.load(use, {})
    assert prepare(algorithm, problem).trace == ""
    row = measure_run(algorithm, problem, Allowance(**{"wall_ns": 10**10, **allowed}), seed=3)
    assert (str(row["status"]), row["message"]) == ("ok", None)
    assert str(row["stop_reason"]).startswith(stop_reason)  # time_killed where the machine is busy
    assert row["launches"] >= least
    assert problem.evaluate(row["best_x"]) == row["best_f"]
