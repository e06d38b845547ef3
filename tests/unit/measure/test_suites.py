"""A job of each suite, and the audit of algorithms."""

import os
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from bench import solve
from campaigns import SMALL
from measurements import do_jobs

from timefair import cli
from timefair.algorithms.base import Algorithm
from timefair.campaign import configuration
from timefair.measure import audit as of_audit
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import AS, Rounded
from timefair.problems.registry import SUITES
from timefair.records.store import read_runs

OWN = """
def bowl(x):
    return sum(x * x) - 5
"""


@pytest.fixture
def measured(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [p for p in sys.path if p])
    Path("mine.py").write_text(OWN)

    def run(use: str, **changes: Any) -> list[dict[str, Any]]:
        problems = {"functions": 1, "dimensions": 5, "instances": 1, **changes}
        one = {"algorithms": {"only": use}, "budget": {"evaluations": 300}}
        wanted = configuration.parse(SMALL | one | {"problems": problems})
        return read_runs(do_jobs(wanted, tmp_path)).to_pylist()

    return run


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("problems", "use"),
    [
        ({"suite": "bbob-boxed", "functions": 8}, "timefair:random-search"),
        ({"suite": "bbob-largescale", "dimensions": 40}, "timefair:random-search"),
        ({"suite": "bbob-mixint", "functions": 3}, "scipy:differential_evolution"),
        ({"suite": "bbob-noisy", "functions": 109}, "timefair:random-search"),
        ({"suite": "cec2017", "functions": 29, "dimensions": 10}, "timefair:random-search"),
        ({"suite": "cec2022", "functions": 7, "dimensions": 10}, "timefair:random-search"),
        ({"suite": "engineering", "functions": 31, "dimensions": 4}, "timefair:random-search"),
        ({"suite": "f1-f23", "functions": 21, "dimensions": 4}, "scipy:Nelder-Mead"),
        ({"suite": "pbo", "functions": 2}, "timefair:OnePlusOneEA"),
        (
            {"suite": "mine.py:bowl", "parameters": {"lower": -1, "upper": 2, "f_opt": -5}},
            "scipy:Nelder-Mead",
        ),
    ],
    ids=lambda value: value.get("suite") if isinstance(value, dict) else "",
)
def test_a_job_of_each_suite(measured, problems, use):
    for row in measured(use, **problems):
        assert (row["status"], row["message"]) == ("ok", None)
        assert row["suite"] == problems["suite"]
        assert row["evaluations"] == 300 or row["stop_reason"] == "target"
        assert row["best_precision"] == max(row["best_f"] - row["f_opt"], 0.0)
        assert row["best_precision"] == row["events"][-1]["precision"]


PROBLEM = SUITES["bbob-mixint"].problem(1, 5, 1)


def search(objective, rng):
    assert not objective.integer.any()
    while True:
        objective(rng.uniform(objective.lower, objective.upper))


def in_batches(objective, rng):
    while True:
        objective.batch(rng.uniform(objective.lower, objective.upper, (7, objective.dimension)))


@pytest.mark.parametrize("solve", [search, in_batches])
def test_the_recorded_point_is_the_rounded_one(solve):
    allowed = Allowance(evaluations=100)
    row = measure_run(AS["round"](Algorithm(solve)), PROBLEM, allowed, seed=1)
    assert (str(row["status"]), row["evaluations"]) == ("ok", 100)
    whole = row["best_x"][PROBLEM.integer]
    assert (whole == np.rint(whole)).all()
    assert PROBLEM.evaluate(row["best_x"]) == row["best_f"]
    assert str(measure_run(Algorithm(solve), PROBLEM, allowed, 1)["status"]) == "raised"


def test_every_whole_number_has_the_same_share_and_none_is_outside():
    seen: list[np.ndarray] = []

    class Wide:
        dimension = 2
        lower, upper = np.array([0.0, -1.0]), np.array([3.0, 1.0])
        integer = np.array([True, False])

        def batch(self, points):
            seen.append(points)
            return np.zeros(len(points))

    objective = Rounded(Wide())
    assert objective.lower.tolist() == [-0.5, -1.0]
    assert objective.upper.tolist() == [3.5, 1.0]
    points = np.column_stack([np.linspace(-0.5, 3.5, 4001), np.linspace(-1, 1, 4001)])
    objective.batch(points)
    objective.batch([[-9.0, 0.25], [9.0, 0.25]])
    values, counts = np.unique(seen[0][:, 0], return_counts=True)
    assert values.tolist() == [0, 1, 2, 3]
    assert counts.max() - counts.min() <= 2
    assert (seen[0][:, 1] == points[:, 1]).all()
    assert seen[1].tolist() == [[0.0, 0.25], [3.0, 0.25]]
    assert points[0, 0] == -0.5  # the array is the algorithm's


SETTING = of_audit.AuditSettings(dimension=3, evaluations=120, time_s=1.3)
"""No run is shorter than a machine stalls."""


def finding(solve) -> SimpleNamespace:
    subject = of_audit.Subject("it", "mine:solve")
    return SimpleNamespace(**of_audit.audit(subject, Algorithm(solve), SETTING))


@pytest.mark.slow
def test_a_good_algorithm():
    found = finding(solve("random_search"))
    assert (found.algorithm, found.use) == ("it", "mine:solve")
    assert (found.status, found.message, found.evaluations) == ("ok", None, 120)
    assert (found.ended_early, found.deterministic, found.inside) == (False, True, True)
    assert found.farthest == 0
    assert found.overhead > 0
    assert found.stopped_by in ("time", "time_killed")
    assert found.last_evaluation_ms >= 0
    assert found.gone_ms >= 0
    assert found.cpu_per_wall > 0


@pytest.mark.slow
def test_the_audit_of_early_ends_of_the_clock_and_of_batches():
    found = finding(solve("short"))
    assert (found.status, found.ended_early, found.evaluations) == ("ok", True, 50)

    def hurries(objective, rng):
        least_s = np.inf
        for k in range(10**9):
            begin = time.perf_counter()
            random = k >= 10 and least_s < of_audit.SLOW_S  # a machine does not stall ten times
            objective(rng.uniform(-5, 5, objective.dimension) * random)
            least_s = min(least_s, time.perf_counter() - begin)

    assert finding(hurries).by_the_clock is True
    assert finding(solve("random_search")).by_the_clock is False

    def in_batches(objective, rng):
        while True:
            objective.batch(rng.uniform(-5, 5, (5, objective.dimension)))

    assert finding(in_batches).batches is True
    assert finding(solve("random_search")).batches is False
    assert of_audit.look_at(of_audit.Subject("it", "timefair:ABC"), SETTING)["batches"] is False


@pytest.mark.slow
def test_points_outside_the_bounds_and_how_far():
    def solve(objective, rng):
        objective(np.zeros(3))
        objective(np.array([0.0, -10.0, 5.5]))  # 5 and .5 of a width of 10
        objective(np.zeros(3))

    found = finding(solve)
    assert found.inside is False
    assert found.farthest == 0.5


@pytest.mark.slow
def test_runs_that_differ_in_their_values():
    def solve(objective, rng):
        for _ in range(100):
            objective(np.frombuffer(os.urandom(3), dtype=np.uint8) / 64)

    assert finding(solve).deterministic is False


def test_subjects_are_campaigns_libraries_and_names(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "name: mine\nproblems: {suite: bbob, functions: 1, dimensions: 5, instances: 1}\n"
        "algorithms: {small: {use: pycma:BIPOP, parameters: {popsize: 6}}}\n"
        "budget: {time_s: 1}\nruns: 1\n"
    )
    found = of_audit.subjects([str(path), "scipy:Powell", "pycma"])
    assert found[0] == of_audit.Subject("small", "pycma:BIPOP", {"popsize": 6})
    assert found[1] == of_audit.Subject("scipy:Powell", "scipy:Powell")
    assert [each.use for each in found[2:]] == [
        f"pycma:{name}" for name in ("CMA-ES", "IPOP", "BIPOP", "lq-CMA-ES")
    ]


@pytest.mark.slow
def test_the_command_prints_and_writes_the_table(tmp_path, capsys):
    outputs = [tmp_path / "audit.csv", tmp_path / "audit.md"]
    budgets = ["--dimension", "2", "--evaluations", "30", "--time", "0.02"]
    argv = ["audit", "timefair:random-search", *budgets, "--output", *map(str, outputs)]
    assert cli.main(argv) == 0
    printed = capsys.readouterr().out
    assert outputs[1].read_text() == printed
    assert printed.splitlines()[2].startswith("| timefair:random-search |")
    head, row = outputs[0].read_text().splitlines()
    assert dict(zip(head.split(","), row.split(","), strict=True))["evaluations"] == "30"
    assert cli.main(["audit", "pycma:BIPOP", "--output", "a.pdf"]) == 2
    assert cli.main(["audit", "pycma:BIPOP", "--dimension", "4"]) == 2
    assert "dimensions: 4 is not in bbob" in capsys.readouterr().err
