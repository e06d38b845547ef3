"""The length of a launch that fills the budget is found before the runs, and recorded."""

import os
from pathlib import Path
from typing import Any

import pytest

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.campaign.plan import Job
from timefair.measure.job import schedule
from timefair.measure.job.cell import measure
from timefair.records.journal import Journal
from timefair.records.store import open_record

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

    def launch(length: int) -> schedule.Launch:
        tried.append(length)
        share = start + each * length
        return schedule.Launch(length, share < 1, False, share, 5 + 3 * length)

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
    found = schedule.find({"t": asked}, launches(start, each, tried), PLACE)
    assert (found["parameter"], found["asked"]) == ("t", asked)
    assert found["length"] == pytest.approx(length, abs=1)
    assert found["launch_evaluations"] == pytest.approx(3 * found["length"] + 5, abs=12)
    assert sum(min(start + each * n, 1) for n in tried) < 2.5


@pytest.mark.parametrize(("budget", "length"), [(3000, 3000), (500, 160)])
def test_a_length_in_evaluations_may_be_shorter_than_the_first_generations(budget, length):
    """180 points, then as many as the length still needs, at least 180."""

    def launch(length: int) -> schedule.Launch:
        made = 180 + max(180, length - 180)
        return schedule.Launch(length, made < budget, False, made / budget, made)

    found = schedule.find({"budget": "fill"}, launch, PLACE)
    assert found["length"] == pytest.approx(length, abs=1)


def test_a_parameter_that_does_not_limit_a_launch_is_a_fault():
    with pytest.raises(InputError, match=f"{PLACE}: a launch with t: 2 did not end within"):
        schedule.find({"t": "fill"}, launches(1.0, 0.0, []), PLACE)
    with pytest.raises(InputError, match=rf"{PLACE}: launches with t: 10 and 40 take equally"):
        schedule.find({"t": "fill"}, launches(0.2, 0.0, []), PLACE)
    assert schedule.find({"t": 500}, launches(1.0, 0.0, []), PLACE) == {}


def test_a_parameter_that_needs_a_longer_launch_gets_one():
    launch = launches(0.0, 1e-4, tried := [])
    failing = lambda length: launch(length)._replace(returned=length >= 100, failed=length < 100)  # noqa: E731
    assert schedule.find({"t": "fill"}, failing, PLACE)["length"] == pytest.approx(10_000, abs=1)
    assert tried[:3] == [10, 40, 160]


def job_of(folder: Path, function: str, asked: Any, code: str = ALGORITHM) -> tuple[Any, Job, Path]:
    (folder / "own.py").write_text(code)
    one = {"use": f"{folder / 'own.py'}:{function}", "schedule": {"Max_iter": asked}}
    campaign = configuration.parse({
        "name": "c", "budget": {"evaluations": 1000}, "runs": 2, "algorithms": {"a": one},
        "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": 1},
    })  # fmt: skip
    return campaign, Job("a", 1, 2, (1,), 1), folder / "c" / "records" / "f1" / "d2" / "a.parquet"


def measured(campaign: Any, job: Job, record: Path) -> list[dict[str, Any]]:
    """The runs of the job, which a child measures, because a job changes its process."""
    if (pid := os.fork()) == 0:
        try:
            measure(campaign, job, record, "key")
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    rows: list[dict[str, Any]] = open_record(record).read().to_pylist()
    return rows


@pytest.mark.parametrize(("asked", "length", "completed"), [("fill", 199, 1), (500, 500, 0)])
def test_the_length_is_in_the_record(tmp_path, asked, length, completed):
    campaign, job, record = job_of(tmp_path, "solve", asked)
    rows = measured(campaign, job, record)
    assert [row["completed_restarts"] for row in rows] == [completed] * 2
    (fact,) = open_record(record).facts["schedule"]
    place = {"suite": "bbob", "function": 1, "dimension": 2, "instance": 1, "algorithm": "a"}
    chosen = {"parameter": "Max_iter", "asked": asked, "length": length}
    assert fact == place | chosen | {"round": 1, "launch_evaluations": 1 + 5 * length}
    recorded = open_record(record).facts["campaign"]["algorithms"]["a"]
    assert (recorded["schedule"], recorded["parameters"]) == ({"Max_iter": asked}, {})


def test_an_interrupted_job_goes_on_with_the_length_of_its_first_runs(tmp_path):
    campaign, job, record = job_of(tmp_path, "solve", "fill")
    first, second = measured(campaign, job, record)
    other = record.with_name("b.parquet")
    with Journal(other, "key") as journal:
        chosen = {"parameter": "Max_iter", "asked": "fill", "length": 50}
        journal.append(first, {"schedule": chosen | {"launch_evaluations": 251}})
    _, again = measured(campaign, job, other)
    assert (second["completed_restarts"], again["completed_restarts"]) == (1, 3)
    assert schedule.of(open_record(other).facts)["length"] == 50


def test_the_runs_report_an_algorithm_that_fails(tmp_path):
    campaign, job, record = job_of(tmp_path, "raises", "fill")
    assert [row["status"] for row in measured(campaign, job, record)] == ["raised"] * 2
    assert open_record(record).facts["schedule"] == []


THREAD = """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)
pool.submit(abs, 1).result()
"""


@pytest.mark.thorough
@pytest.mark.slow
def test_runs_in_processes_of_their_own_have_the_length(tmp_path):
    campaign, job, record = job_of(tmp_path, "solve", {"launches": 4}, THREAD + ALGORITHM)
    assert [row["completed_restarts"] for row in measured(campaign, job, record)] == [4, 4]
    assert schedule.of(open_record(record).facts)["length"] == 49
