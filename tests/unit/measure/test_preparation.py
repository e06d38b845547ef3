"""What a launch needs is there before the clock; launches have the length of their schedule."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from bench import solve
from campaigns import SMALL, SPHERE
from measurements import do_jobs

from timefair.algorithms.algorithm import Algorithm
from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.campaign.plan import Job
from timefair.machine.linux import kernel
from timefair.measure import job as cell
from timefair.measure.job import Prepared, measure_job
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import prepare
from timefair.problems.suites import SUITES
from timefair.records.store import Journal, open_record, read_runs

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
from timefair.measure.job import Prepared, runner
from timefair.measure.isolation import held_cores

campaign = configuration.parse({
    "name": "c", "budget": {"time_s": 1.0, "evaluations": 50}, "runs": 2,
    "problems": {"suite": "problem.py:f", "functions": 1, "instances": 1, "dimensions": 2},
    "algorithms": {"a": {"use": "algorithm.py:solve"}},
})
prepared, job = Prepared(campaign), Job("a", 1, 2, (1,), 1)
with held_cores(1) as cores, runner(prepared, job, cores, Path()) as running:
    rows = [running(1, run, 7) for run in range(2)]
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


ALGORITHM = """
def solve(objective, rng, Max_iter, population=5):
    objective(objective.lower)
    for t in range(Max_iter):
        for _ in range(population):
            objective(rng.uniform(objective.lower, objective.upper))


def raises(objective, rng, Max_iter):
    raise ValueError("no")
"""
PLACE = "algorithms.a.schedule"


def launches(start: float, each: float, tried: list[int]) -> Any:
    """Launches that take `start` and, for each iteration, `each` of the budget, and 3 points."""

    def launch(length: int) -> cell.Launch:
        tried.append(length)
        share = start + each * length
        return cell.Launch(length, share < 1, False, share, 5 + 3 * length)

    return launch


@pytest.mark.parametrize(
    ("asked", "start", "each", "length"),
    [
        ("fill", 0.0, 1e-4, 10_000),
        ("fill", 0.2, 1e-4, 8_000),  # a program that has to start
        ({"launches": 4}, 0.05, 1e-3, 200),
        ({"launches": 4}, 0.3, 1e-3, 1),  # four launches do not even begin
        ("fill", 0.0, 0.04, 25),  # 40 iterations do not fit
        ("fill", 0.0, 0.2, 5),  # 10 do not fit
        (500, 0.0, 1e-4, 500),
        (500, 0.0, 0.01, 500),  # 500 do not fit
        (1, 0.0, 0.1, 1),
    ],
)
def test_the_budget_is_filled(asked, start, each, length):
    tried: list[int] = []
    found = cell.found_schedule({"t": asked}, launches(start, each, tried), PLACE)
    assert (found["parameter"], found["asked"]) == ("t", asked)
    assert found["length"] == pytest.approx(length, abs=1)
    assert found["launch_evaluations"] == pytest.approx(3 * found["length"] + 5, abs=12)
    assert sum(min(start + each * n, 1) for n in tried) < 2.5


@pytest.mark.parametrize(
    ("first", "budget", "length"), [(180, 3000, 3000), (180, 500, 160), (500, 1500, 640)]
)
def test_a_length_in_evaluations_may_be_shorter_than_the_first_generations(first, budget, length):
    """`first` points, then as many as the length still needs, at least as many again."""

    def launch(length: int) -> cell.Launch:
        made = first + max(first, length - first)
        return cell.Launch(length, made < budget, False, made / budget, made)

    found = cell.found_schedule({"budget": "fill"}, launch, PLACE)
    assert found["length"] == pytest.approx(length, abs=1)


def test_of_launches_that_end_by_themselves_any_long_one_fills_the_budget():
    def launch(length: int) -> cell.Launch:
        return cell.Launch(length, True, False, min(length, 900) / 9000, min(length, 900))

    assert cell.found_schedule({"t": "fill"}, launch, PLACE)["length"] == 10_240


def test_only_a_parameter_that_limits_a_launch_is_one_and_it_may_need_a_longer_launch():
    with pytest.raises(InputError, match=f"{PLACE}: a launch with t: 2 did not end within"):
        cell.found_schedule({"t": "fill"}, launches(1.0, 0.0, []), PLACE)
    alike = lambda length: cell.Launch(length, True, False, 0.2, 100)  # noqa: E731
    with pytest.raises(InputError, match=rf"{PLACE}: launches with t: 640 and 2560 take equally"):
        cell.found_schedule({"t": "fill"}, alike, PLACE)
    assert cell.found_schedule({"t": 500}, launches(1.0, 0.0, []), PLACE) == {}
    launch = launches(0.0, 1e-4, tried := [])
    failing = lambda length: launch(length)._replace(returned=length >= 100, failed=length < 100)  # noqa: E731
    assert cell.found_schedule({"t": "fill"}, failing, PLACE)["length"] == pytest.approx(
        10_000, abs=1
    )
    assert tried[:3] == [10, 40, 160]


def job_of(folder: Path, function: str, asked: Any, code: str = ALGORITHM) -> tuple[Any, Job, Path]:
    (folder / "own.py").write_text(code)
    one = {"use": f"{folder / 'own.py'}:{function}", "schedule": {"Max_iter": asked}}
    campaign = configuration.parse({
        "name": "c", "budget": {"evaluations": 1000}, "runs": 2, "algorithms": {"a": one},
        "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": 1},
    })  # fmt: skip
    return campaign, Job("a", 1, 2, (1,), 1), folder / "c" / "records" / "f1" / "d2" / "a.parquet"


def scheduled(campaign: Any, job: Job, record: Path) -> list[dict[str, Any]]:
    if (pid := os.fork()) == 0:
        try:
            measure_job(Prepared(campaign), job, record, "key")
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    rows: list[dict[str, Any]] = open_record(record).read().to_pylist()
    return rows


@pytest.mark.parametrize(("asked", "length", "completed"), [("fill", 199, 1), (500, 500, 0)])
def test_the_length_is_in_the_record(tmp_path, asked, length, completed):
    campaign, job, record = job_of(tmp_path, "solve", asked)
    rows = scheduled(campaign, job, record)
    assert [row["completed_restarts"] for row in rows] == [completed] * 2
    (fact,) = open_record(record).facts["schedule"]
    place = {"suite": "bbob", "function": 1, "dimension": 2, "instance": 1, "algorithm": "a"}
    chosen = {"parameter": "Max_iter", "asked": asked, "length": length}
    assert fact == place | chosen | {"round": 1, "launch_evaluations": 1 + 5 * length}
    recorded = open_record(record).facts["campaign"]["algorithms"]["a"]
    assert (recorded["schedule"], recorded["parameters"]) == ({"Max_iter": asked}, {})


def test_an_interrupted_job_goes_on_with_the_length_of_its_first_runs(tmp_path):
    campaign, job, record = job_of(tmp_path, "solve", "fill")
    first, second = scheduled(campaign, job, record)
    other = record.with_name("b.parquet")
    with Journal(other, "key") as journal:
        chosen = {"parameter": "Max_iter", "asked": "fill", "length": 50}
        journal.append(first, {"schedule": chosen | {"launch_evaluations": 251}})
    _, again = scheduled(campaign, job, other)
    assert (second["completed_restarts"], again["completed_restarts"]) == (1, 3)
    assert cell.schedule_of(open_record(other).facts)["length"] == 50


def test_the_runs_report_an_algorithm_that_fails(tmp_path):
    campaign, job, record = job_of(tmp_path, "raises", "fill")
    assert [row["status"] for row in scheduled(campaign, job, record)] == ["raised"] * 2
    assert open_record(record).facts["schedule"] == []


@pytest.mark.thorough
@pytest.mark.slow
def test_runs_in_processes_of_their_own_have_the_length(tmp_path):
    campaign, job, record = job_of(tmp_path, "solve", {"launches": 4}, POOL + ALGORITHM)
    assert [row["completed_restarts"] for row in scheduled(campaign, job, record)] == [4, 4]
    assert cell.schedule_of(open_record(record).facts)["length"] == 49
