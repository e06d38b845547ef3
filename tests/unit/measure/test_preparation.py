"""Modules of a launch are loaded before the clock; their threads are there in each run."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from bench import solve
from campaigns import SMALL, SPHERE
from measurements import do_jobs

from timefair.algorithms.base import Algorithm
from timefair.campaign import configuration
from timefair.machine.linux import kernel
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.run import measure_run
from timefair.measure.trial import prepare
from timefair.problems.registry import SUITES
from timefair.records.store import read_runs

NAMES = (
    "random_search", "raises", "exits_python", "evaluates_nan", "never_evaluates",
    "returns_at_once", "swallows_everything", "swallows_in_a_thread", "sleeps", "blocks_signals",
    "spins_on_numbers", "allocates", "segfaults", "aborts", "ends_the_process", "kills_itself",
    "evaluates_in_a_fork",
)  # fmt: skip


@pytest.fixture(scope="module")
def problem():
    return SUITES["bbob"].problem(1, 3, 1)


@pytest.mark.slow
def test_what_a_launch_imports_late_is_there_before_the_clock(problem, tmp_path, monkeypatch):
    text = "with open(__file__ + '.imports', 'a') as file:\n    file.write('x')\n"
    (tmp_path / "put_off.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))

    def solve(objective, rng):
        objective(rng.uniform(-5, 5, 3))
        import put_off  # noqa: F401

        objective(rng.uniform(-5, 5, 3))

    algorithm = Algorithm(solve)
    prepare(algorithm, problem)
    assert "put_off" in sys.modules
    row = measure_run(algorithm, problem, Allowance(evaluations=100), seed=1)
    assert row["evaluations"] == 100
    assert (tmp_path / "put_off.py.imports").read_text() == "xx"  # by the trial and by this process


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_trial_ends_whatever_the_algorithm_does(problem, name, capfd):
    threads = threading.active_count()
    prepare(Algorithm(solve(name)), problem, memory_mb=200)
    assert kernel.children() == []
    assert threading.active_count() == threads
    assert capfd.readouterr() == ("", "")


SLOW = """
import time

time.sleep({slow_s})

def bowl(x):
    return float(x @ x)

bowl.lower, bowl.upper = -1, 1

def solve(objective, rng):
    objective(objective.lower)
"""


@pytest.mark.thinned(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("use", "suite", "slow_s", "charged"),
    [
        ("slow_algorithm.py:solve", "bbob", 0.5, True),
        ("slow_module:solve", "bbob", 0.5, True),
        ("timefair:random-search", "slow_problem.py:bowl", 2.5, False),  # longer than a stall
        ("slow_both.py:solve", "./slow_both.py:bowl", 0.5, True),
    ],
)
def test_the_import_of_an_own_algorithm_is_preparation(
    tmp_path, monkeypatch, use, suite, slow_s, charged
):
    """Also where the check of the campaign has imported it in the same process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [p for p in sys.path if p])
    for name in ("slow_algorithm", "slow_module", "slow_problem", "slow_both"):
        (tmp_path / f"{name}.py").write_text(SLOW.replace("{slow_s}", str(slow_s)))
    one = {"problems": SPHERE | {"suite": suite}, "algorithms": {"only": use}, "runs": 1}
    once = {"budget": {"evaluations": 1, "final_target": None}}
    campaign = configuration.parse(SMALL | one | once)
    (row,) = read_runs(do_jobs(campaign, tmp_path)).to_pylist()
    assert (row["preparation_s"] >= slow_s) == charged
    monkeypatch.delitem(sys.modules, "slow_module", raising=False)


POOL = """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)
pool.submit(abs, 1).result()
"""
SEARCH = """
def solve(objective, rng):
    while True:
        x = rng.uniform(objective.lower, objective.upper)
        objective({x})
"""
FUNCTION = """
def f(x): return {value}
f.lower, f.upper = -5, 5
"""
SUM = "float((x**2).sum())"
MEASURE = """
import json
from pathlib import Path
from timefair.campaign import configuration
from timefair.campaign.plan import Job
from timefair.measure.job.cell import runner, unprepared
from timefair.measure.job.cores import held_cores

campaign = configuration.parse({
    "name": "c", "budget": {"time_s": 1.0, "evaluations": 50}, "runs": 2,
    "problems": {"suite": "problem.py:f", "functions": 1, "instances": 1, "dimensions": 2},
    "algorithms": {"a": {"use": "algorithm.py:solve"}},
})
prepared, job = unprepared(campaign), Job("a", 1, 2, (1,), 1)
with held_cores(1) as cores, runner(prepared, job, cores, Path()) as running:
    rows = [running.measure(1, run, 7, give_up=False) for run in range(2)]
print(json.dumps([
    {k: row[k] for k in ("status", "message", "evaluations", "preparation_s", "best_f")}
    for row in rows
]))
"""


def measured(folder: Path, algorithm: str, problem: str) -> list[dict]:
    (folder / "algorithm.py").write_text(algorithm)
    (folder / "problem.py").write_text(problem)
    command = [sys.executable, "-P", "-c", MEASURE]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    rows: list[dict] = json.loads(done.stdout)
    return rows


@pytest.mark.slow
def test_the_algorithm_has_its_threads_in_each_run(tmp_path):
    code = POOL + "import time; time.sleep(0.2)\n" + SEARCH.format(x="pool.submit(abs, x).result()")
    first, second = measured(tmp_path, code, FUNCTION.format(value=SUM))
    assert first["evaluations"] == second["evaluations"] == 50
    assert first["best_f"] == second["best_f"]  # one seed
    assert first["status"] == "ok"
    assert first["message"] == (
        "its modules were imported again, because forks would lose or share "
        "1 thread (ThreadPoolExecutor-0_0)"
    )
    assert min(first["preparation_s"], second["preparation_s"]) > 0.2


def test_other_runs_are_forks_that_import_nothing(tmp_path):
    code = "with open('log', 'a') as file: file.write('x')\n"
    for row in measured(tmp_path, code + SEARCH.format(x="x"), FUNCTION.format(value=SUM)):
        assert (row["status"], row["message"], row["evaluations"]) == ("ok", None, 50)
    assert (tmp_path / "log").read_text() == "x"
