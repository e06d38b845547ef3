"""Runs on problems with constraints or that change: what counts, improves, and is kept."""

import ctypes
import mmap
import time
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from measurements import Launched, Over, run_of

from timefair.algorithms.adapter import given_start, starting_point
from timefair.algorithms.algorithm import Algorithm
from timefair.measure.evaluation.objective import NEVER
from timefair.measure.evaluation.state import State
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import penalized, prepare
from timefair.policies.restarts import AtChange, FixedLength
from timefair.problems.suites import SUITES, find
from timefair.records.collect import contradictions
from timefair.records.schema import RUN_SCHEMA
from timefair.records.status import Status, StopReason

PROBLEM = SUITES["bbob-constrained"].problem(3, 2, 1)


def run(solve, problem=PROBLEM, **allowed):
    return run_of(solve, problem, 1, **{"evaluations": 60, **allowed})


def of_constraints(constraints, f=PROBLEM.evaluate, **changes):
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


def test_launches_have_their_own_best_feasible_point_and_the_target_needs_one():
    row = run(around_the_start, restart=FixedLength(tau_evaluations=20))
    bests = [launch["best_precision"] for launch in row["launch_log"]]
    assert len(bests) == 3
    assert np.isfinite(bests).all()
    assert min(bests) == row["best_precision"]

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


ENVIRONMENTS = 4
X = np.array([3.0, -20.0])


def moving(environments=ENVIRONMENTS, function=2):
    return find("moving", {"environments": environments}).problem(function, 2, 1)


def values_in_each(environments=ENVIRONMENTS, x=X):
    problem = moving(environments)
    (evaluation,) = problem.keep
    found = []
    for evaluation.environment in range(environments):
        found.append(problem.evaluate(x)[0])
    return found


class Bench(Launched):
    """A launched objective, whose clock shows a list of times one after the other."""

    def __init__(self, problem=None, deadline=NEVER, **options):
        problem, self.times = problem or moving(), []
        super().__init__(State.of(problem), problem, lambda: self.times.pop(0), deadline, **options)
        self.measurement.begin_launch(0)

    def evaluate(self, begin, ready, x=X):
        """The value of an evaluation that the clock sees begin and end at these times."""
        self.times += [begin, ready]
        return self.objective(x)

    def vectors(self):
        rows = self.state.logs().vectors
        return [
            (int(row["evaluations"]), int(row["time"]), *row["outputs"].tolist()) for row in rows
        ]


@pytest.mark.parametrize("without", [{}, {"native": None}])
def test_an_evaluation_belongs_to_the_environment_in_which_it_begins(bench, without):
    b, values = bench(replace(moving(), **without), deadline=400), values_in_each()
    assert len(set(values)) == ENVIRONMENTS
    assert b.evaluate(10, 20) == values[0]
    assert b.evaluate(99, 100) == values[0]  # outdated
    assert b.evaluate(100, 101) == values[1]
    assert b.evaluate(120, 130) == values[1]
    assert b.evaluate(150, 399) == values[1]  # outdated, two changes later
    assert b.evaluate(399, 399) == values[3]
    assert b.vectors() == [
        (1, 20, values[0], 0.0),
        (3, 101, values[1], 1.0),
        (6, 399, values[3], 3.0),
    ]
    assert b.state["evaluations"] == 6


def test_an_outdated_value_hides_no_later_one_and_what_is_not_better_is_not_kept(bench):
    b, values = bench(deadline=400), values_in_each()
    b.evaluate(99, 101)
    b.evaluate(105, 110)
    assert b.vectors() == [(2, 110, values[1], 1.0)]
    b = bench(deadline=400)
    points = np.random.default_rng(1).uniform(-100, 100, (30, 2))
    found = [(b.evaluate(110 + k, 110 + k, x), k) for k, x in enumerate(points)]
    best = np.minimum.accumulate([value for value, _ in found])
    kept = [k + 1 for value, k in found if k == 0 or value < best[k - 1]]
    assert [row[0] for row in b.vectors()] == kept
    assert 1 < len(kept) < 30


def test_a_virtual_cost_moves_the_clock_of_the_changes(bench):
    b, values = bench(deadline=400, cost=30), values_in_each()
    assert b.evaluate(80, 80) == values[0]  # from 80 to 110
    assert b.evaluate(81, 81) == values[1]  # from 111 to 141
    assert b.evaluate(82, 82) == values[1]  # from 142 to 172
    assert b.evaluate(139, 139) == values[2]  # from 229 to 259
    assert b.vectors() == [(2, 141, values[1], 1.0), (4, 259, values[2], 2.0)]


def test_a_budget_of_evaluations_is_divided_as_evenly_as_it_can_be(bench):
    b, values = bench(cap=10, deadline=7), values_in_each()
    seen = [b.evaluate(0, 0) for _ in range(9)]
    b.times = [6, 6, 6]
    with pytest.raises(Over):
        b.objective(X)
    expected = [0, 0, 0, 1, 1, 2, 2, 2, 3, 3]
    assert seen == [values[k] for k in expected[:-1]]
    assert [(row[0], row[3]) for row in b.vectors()] == [(1, 0), (4, 1), (6, 2), (9, 3)]


def test_a_c_function_writes_the_value_alone(bench):
    b, values = bench(deadline=400), values_in_each()
    function, handle = b.objective.c_function
    evaluate = ctypes.PYFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3)(function)
    y = np.full(2, 9.0)
    b.times = [210, 220]
    assert evaluate(handle, X.ctypes.data, y.ctypes.data) == 0
    assert y.tolist() == [values[2], 9.0]
    assert b.vectors() == [(1, 220, values[2], 2.0)]


def test_how_often_the_problem_has_changed_and_the_limits_until_it_does(bench):
    b = bench(deadline=400)
    for now, changes in ((0, 0), (99, 0), (100, 1), (399, 3), (1000, 3)):
        b.times = [now]
        assert b.objective.changes == changes
    counted = bench(cap=10)
    counted.times = [0] * 40
    for made in range(9):
        assert counted.objective.changes == made * 4 // 10
        counted.objective(X)
    timed = bench(deadline=401).measurement
    found = {now: timed.until_change(now) for now in (0, 100, 101, 300, 301, 400)}
    assert found == {
        0: (101, NEVER), 100: (101, NEVER), 101: (201, NEVER), 300: (301, NEVER),
        301: (NEVER, NEVER), 400: (NEVER, NEVER),
    }  # fmt: skip
    counted = bench(cap=10)
    counted.times = [0] * 40
    left = []
    for _ in range(9):
        left.append(counted.measurement.until_change(5))
        counted.objective(X)
    assert left == [(NEVER, n) for n in (3, 2, 1, 2, 1, 3, 2, 1, NEVER)]


def changing(solve, environments=ENVIRONMENTS, **allowed):
    """The row of a run, whose record does not contradict itself."""
    problem = allowed.pop("problem", None) or moving(environments)
    row = run_of(solve, problem, 3, **allowed)
    names = {"suite": "moving", "function": 2, "dimension": 2, "instance": 1, "run": 0, "round": 1}
    record = pa.Table.from_pylist([row | names | {"f_opt": 0.0}], schema=RUN_SCHEMA)
    assert list(contradictions(record)) == []
    return row


def search(objective, rng):
    while True:
        objective(rng.uniform(objective.lower, objective.upper))


def vectors_of(row):
    return np.array([vector["outputs"] for vector in row["vectors"]])


def test_the_events_of_a_run_are_those_of_its_quality():
    row, changes = changing(search, evaluations=400), moving().changes
    assert [row["status"], row["stop_reason"]] == [Status.OK, StopReason.EVALUATIONS]
    means = changes.quality(vectors_of(row))
    falls = np.diff(means, prepend=np.inf) < 0
    assert [event["precision"] for event in row["events"]] == means[falls].tolist()
    assert row["best_precision"] == row["best_f"] == means[-1]
    assert row["best_x"] is row["launch_events"] is None
    for vector in row["vectors"]:
        assert vector["outputs"][1] == (vector["evaluations"] - 1) * 4 // 400


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_points_that_are_not_finite_are_evaluations_without_a_value(number):
    row = changing(
        lambda objective, rng: [objective([number, 0.0]) for _ in range(9)], evaluations=40
    )
    assert [row["status"], row["evaluations"]] == [Status.NO_FINITE_VALUE, 40]
    assert row["vectors"] == row["events"] == []
    assert row["best_precision"] == np.inf


@pytest.mark.slow
def test_the_same_seed_repeats_a_run_bit_for_bit():
    one, again = (changing(search, evaluations=500) for _ in range(2))
    python = changing(search, evaluations=500, problem=replace(moving(), native=None))
    for other in (again, python):
        assert vectors_of(other).tolist() == vectors_of(one).tolist()
        for name in ("evaluations", "precision"):
            assert [e[name] for e in other["events"]] == [e[name] for e in one["events"]]


def test_a_launch_that_returns_is_followed_by_another_in_the_same_environment():
    def five(objective, rng):
        for _ in range(5):
            objective(rng.uniform(objective.lower, objective.upper))

    row = changing(five, evaluations=32, restart=AtChange())
    assert [launch["evaluations"] for launch in row["launch_log"]] == [5, 3] * 4


def shared(shape):
    """Numbers that the process of a run writes for its test."""
    size = 8 * int(np.prod(shape))
    return np.frombuffer(mmap.mmap(-1, size), dtype=np.int64).reshape(shape)


@pytest.mark.slow
def test_a_real_clock_changes_the_problem_in_time():
    """Each change is between the two readings of the clock around it, all of them with one t0.

    Of so many changes, a machine that stalls hides half.
    """
    environments, period = 40, 50_000_000
    values = values_in_each(environments)
    readings, wrong = shared((environments, 2)), shared(1)

    def solve(objective, rng):
        earlier, before = time.monotonic_ns(), objective.changes
        while True:
            value = objective(X)
            begin, after, ready = time.monotonic_ns(), objective.changes, time.monotonic_ns()
            wrong[0] += value not in values[before : after + 1]
            if after > before:
                readings[after] = earlier, ready
            earlier, before = begin, after

    row = changing(solve, environments, time_ns=environments * period)
    assert row["status"] == Status.OK
    assert wrong[0] == 0
    seen = [k for k in range(1, environments) if readings[k].any()]
    t0 = [readings[k] - k * period for k in seen]
    assert seen
    assert max(first for first, _ in t0) <= min(last for _, last in t0)
    assert min(last - first for first, last in t0) < 1_000_000
    for vector in row["vectors"]:
        here = round(vector["time_s"] * 1e9) // period
        assert here == vector["outputs"][1]
        assert vector["outputs"][0] == values[here]


@pytest.mark.slow
def test_launches_end_at_changes_in_time():
    """A machine that stalls hides some of the changes."""
    period = 100_000_000
    row = changing(search, environments=13, time_ns=13 * period, restart=AtChange())
    begun = [round(launch["start_s"] * 1e9) // period for launch in row["launch_log"]]
    assert len(begun) >= 3
    assert begun == sorted(set(begun))
    for launch, here in zip(row["launch_log"], begun, strict=True):
        assert round(launch["end_s"] * 1e9) >= (here + 1) * period


@pytest.mark.slow
@pytest.mark.parametrize("restart", [AtChange(), FixedLength(tau_s=0.4)])
def test_a_run_whose_process_is_killed_goes_on_in_the_environment_of_its_clock(restart):
    def solve(objective, rng):
        for _ in range(5):
            objective(rng.uniform(objective.lower, objective.upper))
        time.sleep(60)

    row = changing(solve, environments=4, time_ns=1_600_000_000, restart=restart)
    assert row["stop_reason"] in (StopReason.TIME, StopReason.TIME_KILLED)  # the former: a stall
    assert 2 <= row["launches"] <= 4  # each in a process of its own; a stall hides environments
    for vector in row["vectors"]:
        assert vector["outputs"][1] == round(vector["time_s"] * 1e9) // 400_000_000
    assert len(set(vectors_of(row)[:, 1])) >= 2
