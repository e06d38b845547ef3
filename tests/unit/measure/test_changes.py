"""Runs on problems that change: which environment an evaluation sees, and what a run keeps."""

import ctypes
import mmap
import time
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from measurements import run_of

from timefair.measure.evaluation.objective import NEVER
from timefair.measure.evaluation.state import State
from timefair.policies.restarts.at_change import AtChange
from timefair.policies.restarts.fixed import FixedLength
from timefair.problems.registry import find
from timefair.records.consistency import contradictions
from timefair.records.schema import RUN_SCHEMA
from timefair.records.status import Status, StopReason

ENVIRONMENTS = 4
X = np.array([3.0, -20.0])


class Over(BaseException):
    """Stands for the end of the process."""


def end(code):
    raise Over


def moving(environments=ENVIRONMENTS, function=2):
    return find("moving", {"environments": environments}).problem(function, 2, 1)


def values_in_each(environments=ENVIRONMENTS, x=X):
    """The values of a point in all environments."""
    problem = moving(environments)
    (evaluation,) = problem.keep
    found = []
    for evaluation.environment in range(environments):
        found.append(problem.evaluate(x)[0])
    return found


class Bench:
    """A launched objective, whose clock shows a list of times one after the other."""

    def __init__(self, problem=None, deadline=NEVER, **options):
        problem = problem or moving()
        self.times, self.state = [], State.of(problem)
        self.measurement = self.state.measurement(
            problem, clock=lambda: self.times.pop(0), exit=end, **options
        )
        self.measurement.start(0, deadline)
        self.measurement.begin_launch(0)
        self.objective = self.measurement.objective

    def evaluate(self, begin, ready, x=X):
        """The value of an evaluation that the clock sees begin and end at these times."""
        self.times += [begin, ready]
        return self.objective(x)

    def vectors(self):
        """Evaluations, time and numbers of each kept vector."""
        rows = self.state.logs().vectors
        return [
            (int(row["evaluations"]), int(row["time"]), *row["outputs"].tolist()) for row in rows
        ]


@pytest.fixture
def bench():
    made = []

    def make(*args, **options):
        made.append(Bench(*args, **options))
        return made[-1]

    yield make
    for one in made:
        one.state.close()


@pytest.mark.parametrize("native", [True, False])
def test_an_evaluation_belongs_to_the_environment_in_which_it_begins(bench, native):
    b, values = bench(deadline=400, native=native), values_in_each()
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


def test_an_outdated_value_does_not_hide_a_later_one(bench):
    b, values = bench(deadline=400), values_in_each()
    b.evaluate(99, 101)
    b.evaluate(105, 110)
    assert b.vectors() == [(2, 110, values[1], 1.0)]


def test_what_is_not_better_in_its_environment_is_not_kept(bench):
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


def test_an_algorithm_may_ask_how_often_the_problem_has_changed(bench):
    b = bench(deadline=400)
    for now, changes in ((0, 0), (99, 0), (100, 1), (399, 3), (1000, 3)):
        b.times = [now]
        assert b.objective.changes == changes
    counted = bench(cap=10)
    counted.times = [0] * 40
    for made in range(9):
        assert counted.objective.changes == made * 4 // 10
        counted.objective(X)


def test_the_limits_until_the_next_change(bench):
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


def run(solve, environments=ENVIRONMENTS, **allowed):
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
    row, changes = run(search, evaluations=400), moving().changes
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
    row = run(lambda objective, rng: [objective([number, 0.0]) for _ in range(9)], evaluations=40)
    assert [row["status"], row["evaluations"]] == [Status.NO_FINITE_VALUE, 40]
    assert row["vectors"] == row["events"] == []
    assert row["best_precision"] == np.inf


@pytest.mark.slow
def test_the_same_seed_repeats_a_run_bit_for_bit():
    one, again = (run(search, evaluations=500) for _ in range(2))
    python = run(search, evaluations=500, problem=replace(moving(), native=None))
    for other in (again, python):
        assert vectors_of(other).tolist() == vectors_of(one).tolist()
        for name in ("evaluations", "precision"):
            assert [e[name] for e in other["events"]] == [e[name] for e in one["events"]]


def test_a_launch_that_returns_is_followed_by_another_in_the_same_environment():
    def five(objective, rng):
        for _ in range(5):
            objective(rng.uniform(objective.lower, objective.upper))

    row = run(five, evaluations=32, restart=AtChange())
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

    row = run(solve, environments, time_ns=environments * period)
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
    row = run(search, environments=13, time_ns=13 * period, restart=AtChange())
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

    row = run(solve, environments=4, time_ns=1_600_000_000, restart=restart)
    assert row["stop_reason"] in (StopReason.TIME, StopReason.TIME_KILLED)  # the former: a stall
    assert 2 <= row["launches"] <= 4  # each in a process of its own; a stall hides environments
    for vector in row["vectors"]:
        assert vector["outputs"][1] == round(vector["time_s"] * 1e9) // 400_000_000
    assert len(set(vectors_of(row)[:, 1])) >= 2
