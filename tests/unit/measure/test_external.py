"""External algorithms in whole runs: the examples of the documentation, and what goes wrong."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from measurements import running

from timefair.algorithms import libraries
from timefair.algorithms.algorithm import Algorithm
from timefair.machine.linux import kernel
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import prepare
from timefair.policies.restarts import NoRestart
from timefair.problems.problem import Problem
from timefair.problems.suites import SUITES

EXAMPLES = Path(__file__).parents[3] / "docs/guide/external"
T_NS = 2_000_000_000
"""Longer than a machine stalls and a program starts."""

SOON_NS = 60_000_000_000
"""Ends a run that should have ended by itself."""

_spec = importlib.util.spec_from_file_location("climber", EXAMPLES / "climber.py")
climber = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(climber)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Where runs make their temporary files; nothing may be left in it."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    return place


@pytest.fixture
def script(tmp_path):
    """``script(text)``: what a campaign writes to use a Python program that reads no header."""

    def write(text: str) -> str:
        path = tmp_path / "solver.py"
        path.write_text(text)
        return f"external:{sys.executable} {path}"

    return write


def run(use: str, problem: Problem, **allowed) -> dict:
    allowed = {"wall_ns": SOON_NS, **allowed}
    return measure_run(libraries.load(use, {}), problem, Allowance(**allowed), seed=5)


def _python(folder: Path) -> str:
    return f"{sys.executable} {EXAMPLES}/climber.py"


def _shell(folder: Path) -> str:
    _found("python3")
    return f"{EXAMPLES}/climber.py"


def _found(program: str) -> str:
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program} on the PATH")
    return program


def _compiled(compiler: str, standard: str, source: str, folder: Path) -> str:
    program = str(folder / "climber")
    options = ("-O2", f"-std={standard}", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
    subprocess.run([_found(compiler), *options, "-o", program, EXAMPLES / source], check=True)
    return program


def _c(folder: Path) -> str:
    return _compiled("cc", "c11", "climber.c", folder)


def _cpp(folder: Path) -> str:
    return _compiled("c++", "c++17", "climber.cpp", folder)


def _java(folder: Path) -> str:
    subprocess.run([_found("javac"), "-d", folder, EXAMPLES / "Climber.java"], check=True)
    return f"java -XX:TieredStopAtLevel=1 -Xshare:auto -cp {folder} Climber"


def _julia(folder: Path) -> str:
    return f"{_found('julia')} {EXAMPLES}/climber.jl"


def _r(folder: Path) -> str:
    return f"{_found('Rscript')} {EXAMPLES}/climber.R"


def _javascript(folder: Path) -> str:
    _found("node")
    return f"{EXAMPLES}/climber.js"


def in_process(**parameters) -> Algorithm:
    def solve(objective, rng):
        climber.climb(
            lambda points: [objective(point) for point in points],
            objective.lower.tolist(),
            objective.upper.tolist(),
            int(rng.integers(2**53)),
            **parameters,
        )

    return Algorithm(solve)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "parameters"),
    [pytest.param(1, {}, marks=pytest.mark.thorough), (21, {"offspring": 7, "step": 0.1})],
)
@pytest.mark.parametrize("example", [_c, _cpp, _java, _javascript, _julia, _python, _r, _shell])
def test_an_example_gives_the_events_of_the_same_algorithm_in_process(
    example, parameters, function, tmp_path
):
    problem = SUITES["bbob"].problem(function, 5, 1)
    evaluations = 5000
    allowance = Allowance(evaluations=evaluations, wall_ns=SOON_NS)
    outside = libraries.load(f"external:{example(tmp_path)}", parameters)
    ours, theirs = (
        measure_run(algorithm, problem, allowance, seed=3)
        for algorithm in (in_process(**parameters), outside)
    )
    assert theirs["message"] is None
    assert theirs["launches"] > 1
    assert theirs["evaluations"] == evaluations
    assert [launch["evaluations"] for launch in theirs["launch_log"]] == [
        launch["evaluations"] for launch in ours["launch_log"]
    ]
    assert [(e["launch"], e["evaluations"], e["precision"]) for e in theirs["events"]] == [
        (e["launch"], e["evaluations"], e["precision"]) for e in ours["events"]
    ]


@pytest.mark.slow
@pytest.mark.parametrize("allowed", [{"time_ns": T_NS}, {"evaluations": 20}])
def test_a_daemon_does_not_outlive_the_run(script, problem, folder, allowed):
    """The daemon, in a session of its own, is the one that asks; all before it has ended."""
    text = f"""
import os, signal
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
print(1, 2, 3, flush=True)
while {"evaluations" in allowed}:
    print(1, 2, 3, flush=True)
open("unfinished", "w")
os.execvp("sleep", ["sleep", "10{os.getpid()}"])
"""
    row = run(script(text), problem, **allowed)
    assert row["status"] == "ok"
    assert row["evaluations"] == allowed.get("evaluations", 1)
    assert kernel.children() == []
    assert not running(f"sleep 10{os.getpid()}")
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_a_trial_launch_leaves_nothing(problem, folder):
    prepare(libraries.load(f"external:{_python(folder)}", {}), problem)
    assert kernel.children() == []
    assert list(folder.iterdir()) == []


BURN = "import time\nwhile time.process_time() < 0.3: pass\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "allowed", "stop_reason"),
    [
        (BURN + "while True: print(1, 2, 3)", {"evaluations": 5}, "evaluations"),
        (BURN + "print(1, 2, 3)", {"restart": NoRestart()}, "algorithm_ended"),
        (BURN + "print(1, 2)", {}, "failure"),
        ("print('1 2 3', flush=True)\nwhile True: pass", {"time_ns": T_NS}, "time_killed"),
        (f"import os, sys\nif os.fork(): os.wait(); sys.exit()\n{BURN}print(1, 2, 3)",
         {"restart": NoRestart()}, "algorithm_ended"),
        (f"import os\nif os.fork(): os._exit(0)\n{BURN}while True: print(1, 2, 3)",
         {"evaluations": 5}, "evaluations"),
    ],
    ids=["ended", "returns", "raises", "killed", "waits-for-its-child", "leaves-its-child"],
)  # fmt: skip
def test_its_cpu_time_is_the_run_s(script, problem, text, allowed, stop_reason):
    row = run(script(text), problem, **allowed)
    assert row["stop_reason"] == stop_reason
    if "time_ns" not in allowed:
        assert row["cpu_s"] >= 0.3
    else:  # all that the machine gave it
        assert row["cpu_s"] > 0.05


def test_its_memory_is_limited_with_the_run_s(script, problem):
    text = "import resource as r\nraise SystemExit(str(r.getrlimit(r.RLIMIT_AS)))"
    row = run(script(text), problem, memory_mb=777)
    limit = int(row["message"].rpartition("(")[2].partition(",")[0])
    assert 777 * 2**20 < limit < 2**63


PROBLEM = SUITES["bbob"].problem(8, 3, 1)
PYTHON = f"{sys.executable} -S"  # no site-packages: timefair is not installed there


def client(path: Path, text: str | None = None, problem=PROBLEM, **parameters) -> dict:
    if text is not None:
        path.write_text(text)
    allowed = Allowance(evaluations=40, wall_ns=SOON_NS, restart=NoRestart())
    algorithm = libraries.load(f"external:{PYTHON} {path}", parameters)
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
    row = client(tmp_path / "solver.py", text)
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
    row = client(tmp_path / "solver.py", text, problem, **wanted)
    assert (str(row["status"]), row["message"]) == ("ok", None)
    assert np.array_equal(row["best_x"], problem.lower)


def test_what_solve_raises_is_in_the_message(tmp_path):
    text = "from timefair.external import serve\n"
    text += "def solve(objective):\n    objective([0, 0, 0]); raise OSError('no disk')\n"
    row = client(tmp_path / "solver.py", text + "serve(solve)\n")
    assert str(row["status"]) == "raised"
    assert "no disk" in row["message"]
