"""Runs on problems with constraints: what counts, what improves, and what is a status."""

from dataclasses import replace

import numpy as np
import pytest
from measurements import run_of

from timefair.algorithms.adapter import given_start, starting_point
from timefair.algorithms.base import Algorithm
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.run import measure_run
from timefair.measure.trial import penalized, prepare
from timefair.policies.restarts.fixed import FixedLength
from timefair.problems.registry import SUITES

PROBLEM = SUITES["bbob-constrained"].problem(3, 2, 1)


def run(solve, problem=PROBLEM, **allowed):
    return run_of(solve, problem, 1, **{"evaluations": 60, **allowed})


def of_constraints(constraints, f=PROBLEM.evaluate, **changes):
    """The problem with other constraints and another f, both in Python."""
    own = replace(PROBLEM.constraints, count=1, evaluate=constraints, native=None)
    return replace(PROBLEM, kind=own, evaluate=f, native=None, **changes)


def around_the_start(objective, rng):
    while True:
        x = objective.start + 0.1 * rng.standard_normal(2)
        objective.constraints(x)
        objective(x)
        objective(x + 0.01)


def test_both_kinds_of_evaluations_use_the_budget_and_are_counted():
    row = run(around_the_start, evaluations=60)
    assert (str(row["status"]), str(row["stop_reason"])) == ("ok", "evaluations")
    assert (row["evaluations"], row["constraint_evaluations"]) == (60, 20)
    assert row["launch_log"][0]["evaluations"] == 60
    assert PROBLEM.constraints.violation(np.array(row["best_x"])) == 0
    assert PROBLEM.evaluate(np.array(row["best_x"])) == row["best_f"]


def test_constraints_of_a_point_are_evaluated_once_in_either_order():
    calls = []

    def evaluate(x):
        calls.append(x.copy())
        return np.array([-1.0])

    def solve(objective, rng):
        before = len(calls)
        for k in range(5):  # f falls, so the objective has to know the constraints
            x = np.array([1.0, -1.0]) * (5 - k)
            for ask in (
                (objective, objective.constraints) if k % 2 else (objective.constraints, objective)
            ):
                ask(x)
            objective.constraints(x)
        assert len(calls) - before == 5
        raise RuntimeError("as it should be")

    falling = of_constraints(evaluate, lambda x: float(abs(x[0])), f_opt=0.0)
    assert "as it should be" in run(solve, falling)["message"]


def test_f_that_improves_nothing_needs_no_constraints():
    calls = []

    def solve(objective, rng):
        before = len(calls)
        for k in range(1, 10):
            objective(np.array([float(k), 0.0]))
        assert len(calls) - before == 1  # of the first point
        raise RuntimeError("as it should be")

    def evaluate(x):
        calls.append(x)
        return np.array([-1.0])

    rising = of_constraints(evaluate, lambda x: float(x[0]), f_opt=0.0)
    assert "as it should be" in run(solve, rising)["message"]


def test_a_run_without_a_feasible_point_is_in_order_and_has_no_precision():
    def solve(objective, rng):
        while True:
            objective(rng.uniform(objective.lower, objective.upper))

    never = of_constraints(lambda x: np.array([1.0 + x[0] ** 2]))
    row = run(solve, never)
    assert (str(row["status"]), row["best_precision"], row["events"]) == ("ok", np.inf, [])
    assert row["best_x"] is None
    violations = [vector["outputs"][1] for vector in row["vectors"]]
    assert len(violations) > 1
    assert min(violations) >= 1


@pytest.mark.parametrize(
    ("g", "status", "message"),
    [
        (np.array([np.nan]), "no_finite_value", None),
        (np.array([np.inf]), "no_finite_value", None),
        (np.zeros(2), "raised", "the constraints at a point have shape (1,), not (2,)"),
        (0.0, "raised", "the constraints at a point have shape (1,), not ()"),
    ],
)
@pytest.mark.parametrize("asks", [False, True])
def test_hostile_constraints_are_a_status(g, status, message, asks):
    def solve(objective, rng):
        while True:
            x = rng.uniform(objective.lower, objective.upper)
            if asks:
                objective.constraints(x)
            objective(x)

    row = run(solve, of_constraints(lambda x: g))
    assert str(row["status"]) == status
    assert row["best_precision"] == np.inf
    assert message is None or message in row["message"]


def test_batches_are_one_point_after_the_other():
    def one_by_one(objective, rng):
        while True:
            for x in objective.start + 0.1 * rng.standard_normal((5, 2)):
                objective(x)

    def together(objective, rng):
        while True:
            objective.batch(objective.start + 0.1 * rng.standard_normal((5, 2)))

    rows = [run(solve) for solve in (one_by_one, together)]
    for name in ("best_f", "evaluations", "constraint_evaluations"):
        assert rows[0][name] == rows[1][name]
    assert [v["outputs"] for v in rows[0]["vectors"]] == [v["outputs"] for v in rows[1]["vectors"]]
    assert sum(each["size"] * each["count"] for each in rows[1]["batches"]) == 60


def test_each_launch_has_its_own_best_feasible_point():
    row = run(around_the_start, restart=FixedLength(tau_evaluations=20))
    bests = [launch["best_precision"] for launch in row["launch_log"]]
    assert len(bests) == 3
    assert np.isfinite(bests).all()
    assert min(bests) == row["best_precision"]


def test_the_target_ends_a_run_at_a_feasible_point_only():
    def solve(objective, rng):
        for x in (1.0, -3.0, 0.0):
            objective(np.array([x, 0.0]))

    problem = of_constraints(lambda x: -x[:1], lambda x: float(x[0]), f_opt=0.0)
    row = run(solve, problem, final_target=0.5)
    assert (str(row["stop_reason"]), row["evaluations"]) == ("target", 3)


def test_a_trial_launch_offers_the_constraints():
    def solve(objective, rng):
        assert objective.constraints(objective.start).shape == (9,)
        import zipapp  # noqa: F401

    assert "zipapp" in prepare(Algorithm(solve), PROBLEM).modules


def test_the_first_launch_starts_at_the_point_of_the_suite():
    def solve(objective, rng):
        given = given_start(objective)
        x = starting_point(objective, rng)
        objective(x)
        raise RuntimeError(f"{(given == x).all()} {(x == objective.start).all()}")

    assert "True True" in run(solve)["message"]

    def later(objective, rng):
        x = starting_point(objective, rng)
        if objective.evaluations:
            inside = (abs(x - objective.start) < 1).all() and (abs(x) <= 5).all()
            raise RuntimeError(f"{inside} {(x == objective.start).all()} {given_start(objective)}")
        objective(x)

    assert "True False None" in run(later)["message"]


def test_a_penalty_is_added_to_the_value_of_an_infeasible_point():
    inside, outside = PROBLEM.start, np.zeros(2)
    violation = PROBLEM.constraints.violation(outside)
    assert violation > 0

    def solve(objective, rng):
        assert objective.evaluations == 0
        assert objective.evaluations_left == 30
        assert objective(inside) == PROBLEM.evaluate(inside)
        value = PROBLEM.evaluate(outside) + 10.0 * violation
        assert objective.batch([outside]).tolist() == pytest.approx([value])
        assert not hasattr(objective, "constraints")
        raise RuntimeError(f"{objective.evaluations} {objective.evaluations_left}")

    row = measure_run(penalized(Algorithm(solve), 10.0), PROBLEM, Allowance(evaluations=60), 1)
    assert "2 28" in row["message"]
    assert row["best_f"] == PROBLEM.evaluate(inside)
