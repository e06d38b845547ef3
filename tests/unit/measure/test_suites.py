"""A job of each suite."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from campaigns import SMALL
from measurements import do_jobs

from timefair.algorithms.algorithm import Algorithm
from timefair.campaign import configuration
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import AS, Rounded
from timefair.problems.suites import SUITES
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
