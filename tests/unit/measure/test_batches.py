"""Batches: the same evaluations as one by one, on one core and on several."""

import contextlib
import multiprocessing
import os
import re
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from measurements import run_of as run

from timefair.machine.linux import kernel
from timefair.measure.evaluation.objective import NEVER
from timefair.policies.restarts.fixed import FixedLength
from timefair.policies.restarts.none import NoRestart
from timefair.problems.base import Problem, ProblemName


def slow(seconds: float) -> Problem:
    """Sleeps as long as its only variable says, in units of `seconds`."""

    def evaluate(x) -> float:
        time.sleep(seconds * float(x[0]))
        return float(x[0])

    return Problem(ProblemName("test", 1, 1, 1), evaluate, np.zeros(1), np.full(1, 9.0), 0.0)


def one_by_one(objective, rng):
    while True:
        for x in rng.uniform(-5, 5, (7, 3)):
            objective(x)


def in_batches(objective, rng):
    while True:
        objective.batch(rng.uniform(-5, 5, (7, 3)))


def events(row: dict) -> list[tuple]:
    return [(e["launch"], e["evaluations"], e["precision"]) for e in row["events"]]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("cores", [1, 2, 3])
@pytest.mark.parametrize("evaluations", [1, 7, 10, 100])
def test_batches_are_the_same_evaluations(problem, cores, evaluations):
    single = run(one_by_one, problem, evaluations=evaluations)
    batch = run(in_batches, problem, evaluations=evaluations, cores=cores)
    assert events(batch) == events(single)
    assert batch["evaluations"] == single["evaluations"] == evaluations
    assert str(batch["stop_reason"]) == "evaluations"
    times = [event["time_s"] for event in batch["events"]]
    assert times == sorted(times)


@pytest.mark.parametrize("cores", [1, 2])
def test_values_come_in_the_order_of_the_points(problem, cores):
    def solve(objective, rng):
        points = rng.uniform(-5, 5, (5000, 3))
        values = objective.batch(points)
        assert values.tolist() == [problem.evaluate(x) for x in points]
        assert objective.batch(np.zeros((0, 3))).shape == (0,)
        assert objective.evaluations == 5000

    row = run(solve, problem, evaluations=6000, cores=cores, restart=NoRestart())
    assert (str(row["status"]), row["message"]) == ("ok", None)
    assert row["evaluations"] == 5000


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("points", [np.zeros(3), np.zeros((2, 4)), 1.0, [], [[]]])
def test_a_wrong_shape_is_refused(problem, cores, points):
    def solve(objective, rng):
        objective(np.zeros(3))
        objective.batch(points)

    row = run(solve, problem, evaluations=9, cores=cores)
    assert str(row["status"]) == "raised"
    assert "a batch is an array of shape (k, 3)" in row["message"]


@pytest.mark.parametrize("cores", [1, 2])
def test_what_the_problem_raises_ends_the_batch_there(cores):
    def evaluate(x) -> float:
        if x[0] == 2:
            raise ArithmeticError("two")
        return float(x[0])

    def solve(objective, rng):
        with contextlib.suppress(ArithmeticError):  # in vain
            objective.batch([[5.0], [4.0], [2.0], [1.0]])
        objective([3.0])

    problem = Problem(ProblemName("test", 1, 1, 1), evaluate, np.zeros(1), np.full(1, 9.0), 0.0)
    row = run(solve, problem, evaluations=9, cores=cores, restart=NoRestart())
    assert events(row) == [(0, 1, 5.0), (0, 2, 4.0)]
    assert re.fullmatch(r"ArithmeticError: two \(test_batches.py:\d+\)", row["message"])
    assert (str(row["status"]), rows(row)) == ("raised", [(0, 2, 1)])


def test_what_only_one_process_raises_ends_the_run():
    parent = os.getpid()

    def evaluate(x) -> float:
        if os.getppid() != parent:  # not in the process of the run
            raise SystemExit("no licence")
        return float(x[0])

    problem = Problem(ProblemName("test", 1, 1, 1), evaluate, np.zeros(1), np.full(1, 9.0), 0.0)

    def solve(objective, rng):
        objective.batch(np.ones((4, 1)))

    row = run(solve, problem, evaluations=9, cores=2)
    assert str(row["status"]) == "raised"
    assert row["message"].startswith("SystemExit: no licence (test_batches.py:")


@pytest.mark.parametrize(
    ("end", "status", "message"),
    [
        (lambda: os._exit(0), "exited", "exit code 0"),
        (lambda: os._exit(3), "exited", "exit code 3"),
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), "crashed", "SIGSEGV"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "killed", "SIGKILL from outside"),
    ],
)
@pytest.mark.parametrize("time_ns", [NEVER, 60_000_000_000])
def test_an_evaluator_that_ends_ends_the_run_as_the_problem_would(time_ns, end, status, message):
    parent = os.getpid()

    def evaluate(x) -> float:
        if os.getppid() != parent and x[0] == 2:  # not in the process of the run
            end()
        return float(x[0])

    problem = Problem(ProblemName("test", 1, 1, 1), evaluate, np.zeros(1), np.full(1, 9.0), 0.0)

    def solve(objective, rng):
        objective.batch([[1.0], [2.0], [1.0]])

    row = run(solve, problem, evaluations=9, time_ns=time_ns, cores=2)
    assert (row["status"], row["message"]) == (status, message)
    assert row["real_s"] < 30
    assert kernel.children() == []


@pytest.mark.slow
def test_points_are_evaluated_at_the_same_time():
    meeting = multiprocessing.get_context("fork").Barrier(4, timeout=60)

    def solve(objective, rng):
        pids = set(objective.batch(np.full((4, 1), 0.5)).tolist())
        assert len(pids) == 4
        assert os.getpid() not in pids

    def evaluate(x) -> float:
        if x[0] == 0.5:
            meeting.wait()  # until each process has taken one
        return float(os.getpid())

    problem = Problem(ProblemName("test", 1, 1, 1), evaluate, np.zeros(1), np.full(1, 1e9), 0.0)
    row = run(solve, problem, evaluations=9, cores=4, restart=NoRestart())
    assert (str(row["status"]), row["message"]) == ("ok", None)


@pytest.mark.slow
def test_at_t_what_was_ready_counts_and_what_was_not_does_not():
    def solve(objective, rng):
        objective.batch([[9.0], [1.0], [2.0]])

    def evaluate(x) -> float:
        if x[0] == 9:
            time.sleep(1000)
        return float(x[0])

    ready = Problem(ProblemName("test", 1, 1, 1), evaluate, np.zeros(1), np.full(1, 9.5), 0.0)
    row = run(solve, ready, time_ns=1_500_000_000, cores=2)
    assert (str(row["status"]), str(row["stop_reason"])) == ("ok", "time")
    assert events(row) == [(0, 1, 1.0)]
    assert row["evaluations"] == 2
    assert row["wall_s"] == 1.5
    assert kernel.children() == []


@pytest.mark.slow
def test_a_launch_that_is_cut_in_a_batch_leaves_the_next_one_in_order():
    def solve(objective, rng):
        objective.batch([[1.0], [8.0]])

    policy = FixedLength(tau_s=0.2)
    row = run(solve, slow(0.05), time_ns=1_700_000_000, cores=2, restart=policy)
    assert {str(launch["end"]) for launch in row["launch_log"][:-1]} == {"tau"}
    # One point is ready at tau and the other is not; no launch counts what the one before left.
    assert {launch["evaluations"] for launch in row["launch_log"]} <= {0, 1}
    assert row["evaluations"] == sum(launch["evaluations"] for launch in row["launch_log"])
    assert row["best_precision"] == 1.0


def rows(record: dict) -> list[tuple] | None:
    found = record["batches"]
    return found and [(row["first"], row["size"], row["count"]) for row in found]


@pytest.mark.parametrize("cores", [1, 2])
def test_batches_are_recorded_and_equal_ones_share_a_row(problem, cores):
    def solve(objective, rng):
        for size in (3, 3, 1, 4, 0, 4, 3):
            objective.batch(np.zeros((size, 3)))
        objective(np.zeros(3))
        objective.batch(np.zeros((3, 3)))

    row = run(solve, problem, evaluations=90, cores=cores, restart=NoRestart())
    assert rows(row) == [(0, 3, 2), (7, 4, 2), (15, 3, 1), (19, 3, 1)]
    assert row["evaluations"] == 22


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize(
    ("evaluations", "expected"),
    [
        (6, [(0, 6, 1)]),
        (7, [(0, 7, 1)]),
        (8, [(0, 7, 1), (7, 1, 1)]),
        (17, [(0, 7, 2), (14, 3, 1)]),
    ],
)
def test_of_the_last_batch_the_points_that_were_evaluated_are_recorded(
    problem, cores, evaluations, expected
):
    assert rows(run(in_batches, problem, evaluations=evaluations, cores=cores)) == expected


@pytest.mark.slow
def test_batches_of_two_threads_are_not_known(problem):
    def solve(objective, rng):
        other = threading.Thread(target=lambda: objective.batch(np.zeros((2000, 3))))
        other.start()
        while not objective.evaluations:
            time.sleep(0)
        objective(np.ones(3))
        other.join()

    def evaluate(x) -> float:
        time.sleep(0)  # lets the other thread in
        return float(x @ x)

    slowly = replace(problem, evaluate=evaluate, native=None)
    row = run(solve, slowly, evaluations=9000, restart=NoRestart())
    assert (row["evaluations"], row["batches"]) == (2001, None)


def test_evaluations_of_two_threads_that_end_together_are_a_run(problem):
    begun, ended = threading.Event(), threading.Event()

    def evaluate(x) -> float:
        if x[0] == 0:
            begun.set()
            ended.wait(60)
        elif x[0] == 1:
            begun.wait(60)
        return float(x @ x)

    def solve(objective, rng):
        other = threading.Thread(target=lambda: objective(np.zeros(3)))
        other.start()
        objective(np.ones(3))
        ended.set()
        other.join()

    two = replace(problem, evaluate=evaluate, native=None, f_opt=0.0)
    row = run(solve, two, evaluations=9000, restart=NoRestart())
    assert (str(row["status"]), row["message"], row["evaluations"]) == ("ok", None, 2)
    assert events(row) == [(0, 2, 3.0), (0, 2, 0.0)]
