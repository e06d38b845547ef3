"""Runs of a module that starts threads when it is imported have these threads."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

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
PROBLEM = """
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
    first, second = measured(tmp_path, code, PROBLEM.format(value=SUM))
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
    for row in measured(tmp_path, code + SEARCH.format(x="x"), PROBLEM.format(value=SUM)):
        assert (row["status"], row["message"], row["evaluations"]) == ("ok", None, 50)
    assert (tmp_path / "log").read_text() == "x"
