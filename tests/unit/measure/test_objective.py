"""The objective that an algorithm gets: events, limits, launches, traces, and batches."""

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
from measurements import Launched, Over, end
from measurements import run_of as run

from timefair.machine.linux import kernel
from timefair.measure.evaluation.objective import EVENT, NEVER, LaunchCode, LaunchCut, Log, Stop
from timefair.measure.evaluation.state import State
from timefair.policies.restarts import FixedLength, NoRestart
from timefair.problems.problem import Problem, ProblemName
from timefair.records.thinning import Thinning


class Clock:
    def __init__(self, step: int = 10) -> None:
        self.now, self.step = 0, step

    def __call__(self) -> int:
        self.now += self.step
        return self.now


def sphere(dimension: int = 2, f_opt: float = 1.0) -> Problem:
    return Problem(
        ProblemName("test", 1, dimension, 1),
        evaluate=lambda x: float(x @ x) + f_opt,
        lower=np.full(dimension, -5.0),
        upper=np.full(dimension, 5.0),
        f_opt=f_opt,
    )


class Bench(Launched):
    def __init__(self, deadline=NEVER, problem=None, rows=None, step=10, **options) -> None:
        state, self.clock = State(), Clock(step)
        if rows is not None:
            state.event_log = Log(state.event_log.fd, EVENT, rows)
            state.launch_event_log = Log(state.launch_event_log.fd, EVENT, rows)
        super().__init__(state, problem or sphere(), self.clock, deadline, **options)
        self.measurement.begin_launch()

    def events(self) -> list[tuple]:
        return self.state.logs().events.tolist()


def test_improvements_are_events_with_launch_count_time_and_precision(bench):
    b = bench()
    for x in ([3, 0], [4, 0], [1, 0], [1, 0], [0, 0.5]):
        b.objective(x)
    # begin_launch read the clock once
    assert b.events() == [(0, 1, 20, 9.0), (0, 3, 40, 1.0), (0, 5, 60, 0.25)]
    assert b.state["evaluations"] == b.objective.evaluations == 5
    value, point = b.state.best(2)
    assert (value, point.tolist()) == (1.25, [0, 0.5])


@pytest.mark.parametrize("dimension", [1, 2, 1000])
def test_the_best_point_is_the_one_that_was_evaluated_at_the_last_event(bench, dimension):
    b = bench(problem=sphere(dimension))
    for k in range(1, 8):
        array = np.full(dimension, 1 / k)
        value = b.objective(array)
        array[:] = 7  # the array is the algorithm's
        found, point = b.state.best(dimension)
        assert found == value
        assert point.tolist() == [1 / k] * dimension
        b.objective(np.full(dimension, 2.0))


def test_a_point_that_was_written_and_not_committed_is_not_the_best(bench):
    b = bench(problem=sphere(3))
    for k in (3, 2, 1):
        b.objective([k, 0, 0])
    before = b.state["events"]
    b.objective([0, 0, 0])
    b.state["events"] = before  # as if killed after the point and before the commit
    value, point = b.state.best(3)
    assert (value, point.tolist()) == (2.0, [1, 0, 0])


@pytest.mark.parametrize("x", [[1, 2, 3], [[1, 2]], 1.0, np.zeros(3), np.zeros((1, 2)), []])
def test_a_wrong_shape_is_refused_and_counted_as_a_call(bench, x):
    b = bench()
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        b.objective(x)
    assert b.objective.evaluations == 1
    assert b.state["evaluations"] == 0


@pytest.mark.parametrize(
    "x",
    [
        (1, 2),
        np.array([1, 2]),
        np.array([1, 2], dtype=np.float32),
        np.array([1.0, 9.0, 2.0])[::2],
        np.array([1.0, 2.0]).astype(">f8"),
    ],
)
def test_any_array_like_of_the_right_shape_is_taken(bench, x):
    assert bench().objective(x) == 6.0


def test_an_evaluation_that_ends_at_the_deadline_is_dropped_and_ends_the_run(bench):
    b = bench(deadline=40)
    b.objective([3, 0])  # ends at 20
    b.objective([2, 0])  # ends at 30
    with pytest.raises(Over):
        b.objective([1, 0])  # ends at 40 = T
    assert [event[2] for event in b.events()] == [20, 30]
    assert b.state["evaluations"] == 2
    assert b.state["last"] == 40
    assert b.state["stop"] == Stop.TIME
    assert b.state.best(2)[0] == 5.0
    launch = b.state.launches()[0]
    assert (launch["code"], launch["last"], launch["best"]) == (LaunchCode.LAUNCH_CUT, 2, 4.0)


def test_a_budget_of_evaluations_is_used_exactly(bench):
    b = bench(cap=3)
    assert b.objective.evaluations_left == 3
    b.objective([3, 0])
    b.objective([3, 0])
    with pytest.raises(Over):
        b.objective([1, 0])
    assert b.state["evaluations"] == 3
    assert b.state["stop"] == Stop.EVALUATIONS
    assert b.events()[-1][1] == 3
    assert b.objective.evaluations_left == 0


def test_progress_is_the_larger_share_of_what_the_launch_may_use(bench):
    b = bench(deadline=1010, cap=50)  # the launch began at 10
    assert b.objective.progress == 0.01
    for _ in range(4):
        b.objective([3, 0])
    assert b.objective.progress == 0.08
    b.measurement.end_launch(LaunchCode.RETURNED)
    b.measurement.begin_launch(evaluations=8)
    assert b.objective.progress == 10 / (1010 - 90)  # of the rest of the run's time
    b.objective([3, 0])
    b.objective([3, 0])
    assert b.objective.progress == 0.25
    b.clock.now = 5000
    assert b.objective.progress == 1.0


def test_the_final_target_ends_the_run(bench):
    b = bench(final_target=1.0)
    b.objective([2, 0])
    with pytest.raises(Over):
        b.objective([1, 0])
    assert b.state["stop"] == Stop.TARGET
    assert b.events()[-1][3] == 1.0
    assert b.state.launches()[0]["code"] == LaunchCode.LAUNCH_TARGET


def test_precision_is_clamped_at_zero_only_by_rounding(bench):
    values = iter([1.0 - 1e-12, 1.0 - 1e-9, 1.0])
    problem = replace(sphere(), evaluate=lambda x: next(values))
    b = bench(problem=problem)
    for _ in range(3):
        b.objective([0, 0])
    assert [event[3] for event in b.events()] == [0.0]
    values = iter([3.0, 0.5, 0.75, -4.0])
    problem = replace(sphere(), evaluate=lambda x: next(values))
    b = bench(problem=problem)  # without a final target, no precision ends the run
    for x in range(4):
        b.objective([x, 0])
    assert [event[3] for event in b.events()] == [2.0, -0.5, -5.0]
    value, point = b.state.best(2)
    assert (value, point.tolist()) == (-4.0, [3.0, 0.0])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_counted_and_are_no_events(bench, value):
    problem = replace(sphere(), evaluate=lambda x: value)
    b = bench(problem=problem, final_target=1e-8)
    b.objective([0, 0])
    assert b.events() == []
    assert b.state["evaluations"] == 1
    assert b.state.best(2) == (np.inf, None)


def test_a_launch_is_cut_at_tau_again_and_again_until_it_gives_up(bench):
    b = bench()
    b.measurement.begin_launch(deadline=50)
    b.objective([3, 0])  # ends at 30
    b.objective([2, 0])  # ends at 40
    for _ in range(3):
        with pytest.raises(LaunchCut):
            b.objective([1, 0])
    # It was evaluated once more, and what ended at tau or later is nobody's result.
    assert b.state["evaluations"] == 3
    assert [event[0] for event in b.events()] == [1, 1]
    assert b.measurement.end_launch(LaunchCode.RETURNED) == 3
    assert b.state.launches()[1]["code"] == LaunchCode.TAU


def test_a_launch_uses_exactly_its_evaluations_and_one_that_swallows_its_cut_ends_with_the_run(
    bench,
):
    b = bench()
    b.measurement.begin_launch(evaluations=2)
    b.objective([3, 0])
    with pytest.raises(LaunchCut):
        b.objective([2, 0])
    with pytest.raises(LaunchCut):
        b.objective([1, 0])
    assert b.measurement.end_launch(LaunchCode.TAU) == 2
    assert b.events()[-1] == (1, 2, 40, 4.0)
    b = bench(deadline=80)
    b.measurement.begin_launch(evaluations=1)
    for _ in range(4):
        with pytest.raises(LaunchCut):
            b.objective([1, 0])
    with pytest.raises(Over):  # the clock has come to T
        b.objective([1, 0])
    assert b.state["stop"] == Stop.TIME
    assert b.state["evaluations"] == 1


def test_each_launch_keeps_its_own_best_and_count(bench):
    b = bench()
    b.objective([1, 0])
    b.measurement.end_launch(LaunchCode.RETURNED)
    b.measurement.begin_launch()
    b.objective([3, 0])
    b.objective([2, 0])
    b.measurement.end_launch(LaunchCode.RETURNED)
    log = b.state.launches()
    assert log["best"].tolist() == [1.0, 4.0]
    assert (log["last"] - log["first"]).tolist() == [1, 2]
    assert len(b.events()) == 1


def test_a_new_process_goes_on_where_the_last_one_was_killed(bench):
    b = bench(cap=5)
    b.objective([2, 0])
    b.objective([3, 0])
    b.state.close_open_launch(LaunchCode.TAU, 35)
    measurement = b.state.measurement(sphere(), cap=5, clock=b.clock, exit=end)
    measurement.start(0)
    measurement.begin_launch()
    after = measurement.objective
    assert after.evaluations == 2
    after([2.5, 0])  # better than the launch's own past only
    after([1, 0])
    assert [event[0] for event in b.events()] == [0, 1]
    assert b.events()[-1][1] == 4
    with pytest.raises(Over):
        after([1, 0])
    assert b.state.launches()["best"].tolist() == [4.0, 1.0]
    assert b.state.best(2)[1].tolist() == [1, 0]


@pytest.mark.slow
def test_the_logs_grow_over_many_segments(bench):
    b = bench(problem=sphere(1, f_opt=0.0))
    many = 50_000
    for k in range(many):
        b.objective([np.sqrt(many - k)])
    events = b.state.logs().events
    assert len(events) == many
    assert events["evaluations"].tolist() == list(range(1, many + 1))
    assert (np.diff(events["precision"]) < 0).all()


def test_a_thread_that_comes_in_while_the_log_grows_neither_loses_nor_spoils_an_event(
    bench, monkeypatch
):
    b = bench(rows=128)
    for k in range(128):
        b.objective([1000 - k, 0])

    def come_in(*args):
        monkeypatch.undo()
        b.objective([1, 0])
        return os.fstat(*args)

    monkeypatch.setattr(os, "fstat", come_in)
    b.objective([2, 0])
    b.objective([0, 0])
    assert [event[-1] for event in b.events()[127:]] == [873.0**2, 1.0, 0.0]


def line_up(bench, *launches, f_opt=0.0, pauses=None, **options):
    """A run whose evaluations have these precisions, one sequence per launch.

    `pauses` are times that pass before an evaluation, by its place in the run.
    """
    values = [value for launch in launches for value in launch]
    problem = replace(sphere(1, f_opt), evaluate=lambda x: values[int(x[0])])
    b = bench(problem=problem, **options)
    place, b.times = iter(range(len(values))), []
    for k, launch in enumerate(launches):
        if k:
            b.measurement.end_launch(LaunchCode.RETURNED)
            b.measurement.begin_launch()
        for _ in launch:
            at = next(place)
            b.clock.now += (pauses or {}).get(at, 0)
            b.objective([at])
            b.times.append(b.clock.now)
    b.times = np.array(b.times)
    return b


def test_what_a_launch_improves_of_its_own_is_recorded_apart_from_the_run(bench):
    b = line_up(bench, [5, 3], [9, 9, 4, 2], [7, 1])
    assert [(e[0], e[1], e[3]) for e in b.events()] == [(0, 1, 5), (0, 2, 3), (1, 6, 2), (2, 8, 1)]
    assert b.state.logs().launch_events.tolist() == [(1, 3, 60, 9), (1, 5, 80, 4), (2, 7, 120, 7)]


@pytest.mark.parametrize("resolution", [1, 3, 50])
@pytest.mark.parametrize("jump", [0, 10_000])
def test_a_target_is_seen_at_most_one_step_late(bench, resolution, jump):
    """In evaluations and in time, also where one evaluation took long."""
    rng = np.random.default_rng(resolution + jump)
    found = np.concatenate([rng.exponential(1, 3000), rng.exponential(0.02, 500)])
    b = line_up(bench, [0.0], found, thinning=Thinning(resolution), pauses={101: jump, 1001: jump})
    start = b.state.launches()["start"][1]
    kept = b.state.logs().launch_events
    costs = [kept["evaluations"] - 1, kept["time"] - start]
    times = b.times[1:] - start
    best = np.minimum.accumulate(found)
    for target in np.unique(best):
        seen = np.argmax(kept["precision"] <= target)
        exact = np.argmax(best <= target)
        for cost, least in zip(costs, (exact + 1, times[exact]), strict=True):
            assert least <= cost[seen] <= least * (1 + 1 / resolution)


def test_only_some_of_many_launches_are_traced(bench):
    b = line_up(bench, [1], *[[3, 2]] * 4000, thinning=Thinning(dense=8))
    traced = np.unique(b.state.logs().launch_events["launch"])
    expected = [*range(1, 8), *range(8, 16, 2), *range(16, 32, 4), *range(32, 64, 8)]
    assert traced[: len(expected)].tolist() == expected
    assert traced.size == 7 + 4 * 9
    assert b.state["launches"] == 4001


def test_a_launch_that_goes_on_after_a_pause_is_traced_from_its_own_evaluations(bench):
    def meanwhile():
        b.measurement.begin_launch()
        b.objective([1.0, 0])
        b.measurement.end_launch(LaunchCode.RETURNED)

    b = bench()
    b.measurement.begin_launch(turn=(NEVER, 1), pause=meanwhile)
    for x in (4.0, 3.0, 2.0):
        b.objective([x, 0])
    own = [e[:2] + e[3:] for e in b.state.logs().launch_events.tolist()]
    assert own == [(1, 3, 9.0), (1, 4, 4.0)]
    assert [e[:2] + e[3:] for e in b.events()] == [(1, 1, 16.0), (2, 2, 1.0)]


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
    assert re.fullmatch(r"ArithmeticError: two \(test_objective.py:\d+\)", row["message"])
    assert (str(row["status"]), rows(row)) == ("raised", [(0, 2, 1)])


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
        objective.batch(np.ones((3, 3)))
        other.join()

    def evaluate(x) -> float:
        time.sleep(0)  # lets the other thread in
        return float(x @ x)

    slowly = replace(problem, evaluate=evaluate, native=None)
    row = run(solve, slowly, evaluations=9000, restart=NoRestart())
    assert (row["evaluations"], row["batches"]) == (2003, None)
