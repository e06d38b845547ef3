"""Continuous algorithms on integer variables: what is evaluated, and recorded, is rounded."""

import numpy as np
import pytest

from timefair.algorithms.base import Algorithm
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.run import measure_run
from timefair.measure.trial import Rounded, rounded
from timefair.problems.registry import SUITES

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
    row = measure_run(rounded(Algorithm(solve)), PROBLEM, allowed, seed=1)
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
