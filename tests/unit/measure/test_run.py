"""A run of every kind of misbehaviour ends in time, with the right words and all of its events."""

import asyncio
import contextlib
import dataclasses
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from adversary import search
from bench import BENCH, solve
from measurements import run_of, running

from timefair.algorithms import libraries
from timefair.algorithms.algorithm import Algorithm
from timefair.algorithms.libraries import load
from timefair.machine.linux import kernel
from timefair.measure import run as measuring
from timefair.measure import trial
from timefair.measure.evaluation.objective import Stop
from timefair.measure.evaluation.state import failure
from timefair.measure.run import ATTEMPTS, Allowance, _outside, measure_run
from timefair.measure.trial import prepare
from timefair.policies.restarts import FixedLength, NoRestart
from timefair.problems.kinds import Constraints
from timefair.problems.problem import Problem, ProblemName
from timefair.problems.suites import SUITES, find

T = 1.3
"""Longer than a machine stalls."""

AMPLE_NS = 60_000_000_000
"""The time of a run that something else ends."""


def run(name: str, problem: Problem, **allowed) -> dict:
    allowed = {"time_ns": round(T * 1e9), "memory_mb": 512, **allowed}
    return run_of(solve(name), problem, 5, **allowed)


MISBEHAVING = (
    "raises", "raises_what_has_no_text", "exits_python", "evaluates_nan", "never_evaluates",
    "returns_at_once", "swallows_everything", "swallows_in_a_thread", "sleeps", "blocks_signals",
    "spins_in_c", "spins_on_numbers", "allocates", "maps_memory", "segfaults", "aborts",
    "ends_the_process", "kills_itself", "forks_children", "evaluates_in_a_fork",
)  # fmt: skip


@pytest.mark.thinned(1)
@pytest.mark.slow
@pytest.mark.parametrize("name", MISBEHAVING)
def test_each_misbehaviour_comes_to_what_it_should(problem, name):
    entry = BENCH[name].without_evaluations()
    row = run(name, problem, **({} if entry.held else {"time_ns": AMPLE_NS}))
    message = "objective(x) was not called" if name == "never_evaluates" else entry.message
    assert not dataclasses.replace(entry, message=message).differs(row)
    assert row["wall_s"] <= row["budget_s"]
    assert all(event["time_s"] < row["budget_s"] for event in row["events"])
    if entry.status not in ("no_evaluation", "no_finite_value"):
        # The one evaluation that it made, or more, is not lost.
        assert row["evaluations"] >= 1
        assert np.isfinite(row["best_f"])
        assert row["events"][-1]["precision"] == row["best_precision"]
        assert problem.evaluate(row["best_x"]) == row["best_f"]
    assert row["attempts"] == (ATTEMPTS if entry.status == "killed" else 1)
    assert kernel.children() == []
    if entry.held:
        assert row["wall_s"] == T
        assert row["reaped_s"] >= T


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_a_point_with_its_value():
    dimension = 1000
    problem = Problem(
        ProblemName("test", 1, dimension, 1),
        evaluate=lambda x: float(x[0]),
        lower=np.zeros(dimension),
        upper=np.ones(dimension),
        f_opt=float("nan"),
    )

    def improves(objective, rng):
        pid = os.getpid()
        objective(np.full(dimension, 1.0))
        if os.fork() == 0:  # not by the run itself: a kill between two instructions
            time.sleep(rng.uniform(0.001, 0.003))
            os.kill(pid, signal.SIGSEGV)
            os._exit(0)
        for k in range(10**9):
            objective(np.full(dimension, -float(k)))

    for seed in range(20):
        row = run_of(improves, problem, seed, time_ns=10**10)
        assert str(row["status"]) == "crashed"
        assert set(row["best_x"]) == {row["best_f"]}
        assert row["best_precision"] == row["best_f"]


@pytest.mark.slow
def test_nothing_outlives_a_run(problem):
    marker = f"sleep 10{os.getpid()}"

    def solve(objective, rng):
        objective(np.zeros(3))
        os.system(f"(setsid {marker} &) ; {marker} &")
        time.sleep(1000)

    run_of(solve, problem, 1, time_ns=150_000_000)
    assert running(marker) == []


@pytest.mark.slow
def test_what_a_run_left_behind_is_told(problem, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    row = run("litters", problem, time_ns=AMPLE_NS, restart=NoRestart())
    assert row["left_processes"] == 1
    assert row["left_files"] == 1
    assert row["left_mb"] == pytest.approx(2.0)
    assert row["appeared"] == "litter.txt"
    assert row["written_mb"] is None or row["written_mb"] >= 2.0
    tidy = run("random_search", problem)
    assert (tidy["left_processes"], tidy["left_files"], tidy["appeared"]) == (0, 0, None)


@pytest.mark.slow
def test_an_evaluation_budget_that_hangs_ends_at_the_wall_limit(problem):
    row = run("sleeps", problem, time_ns=2**63 - 1, evaluations=100, wall_ns=round(T * 1e9))
    assert (row["status"], row["stop_reason"]) == ("wall_limit", "failure")
    assert row["evaluations"] == 1
    assert len(row["events"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["random_search", "swallows_everything", "sleeps", "spins_in_c"])
def test_fixed_launches_end_at_tau_even_if_they_hang(problem, name):
    tau, k = 0.4, 3
    row = run(name, problem, time_ns=1_500_000_000, restart=FixedLength(tau_s=tau))
    *before, last = row["launch_log"]
    assert 1 <= row["completed_restarts"] <= k
    assert last["end"] in ("cut", "tau")  # tau, if T came while the next process was made
    for launch in before:
        assert launch["end"] == "tau"
        assert launch["end_s"] - launch["start_s"] >= 0.999 * tau
    assert sum(launch["evaluations"] for launch in row["launch_log"]) == row["evaluations"]


@pytest.mark.slow
def test_what_a_run_used_is_recorded(problem):
    row = run("random_search", problem)
    assert 0 < row["cpu_s"] <= 1.2 * row["reaped_s"]
    assert 1 < row["peak_memory_mb"] < 4096
    assert row["run_queue_delay_s"] is None or 0 <= row["run_queue_delay_s"] <= row["reaped_s"]
    if row["stop_reason"] == "time":
        assert row["last_evaluation_s"] >= T
        assert 0 <= row["overshoot_s"] == pytest.approx(row["last_evaluation_s"] - T)
    else:  # it stalled at T
        assert row["overshoot_s"] == 0


@pytest.mark.slow
def test_a_problem_that_never_returns_has_a_status(problem, monkeypatch):
    monkeypatch.setattr(measuring, "ANSWER_NS", 300_000_000)
    hanging = dataclasses.replace(problem, evaluate=lambda x: time.sleep(1000), native=None)
    row = run("random_search", hanging, time_ns=150_000_000)
    assert (str(row["status"]), str(row["stop_reason"])) == ("no_evaluation", "failure")
    assert row["message"] == (
        "the problem did not return a value within 0.3 s, before the clock started"
    )
    assert (row["wall_s"], row["launches"]) == (0, 0)
    assert kernel.children() == []


@pytest.mark.slow
def test_a_process_that_comes_back_from_a_launch_twice_is_one_run(problem):
    """Also if the process that the algorithm forked comes back first, or raises."""

    def solve(objective, rng):
        objective(np.zeros(objective.dimension))
        if os.fork():
            time.sleep(0.05)
        elif rng.uniform() < 0.5:
            raise RuntimeError("not the run's")

    for seed in (1, 2, 3, 4):
        row = run_of(solve, problem, seed, time_ns=10**10, restart=NoRestart())
        assert (str(row["status"]), str(row["stop_reason"])) == ("ok", "algorithm_ended")
        assert (row["launches"], row["evaluations"], row["message"]) == (1, 1, None)


@pytest.mark.slow
def test_what_a_run_prints_is_cut_off(problem, tmp_path):
    log = tmp_path / "log.txt"
    pid = os.fork()
    if pid == 0:
        file = os.open(log, os.O_WRONLY | os.O_CREAT)
        os.dup2(file, 1)
        os.dup2(file, 2)
        sys.stderr = os.fdopen(2, "w", closefd=False)
        os.write(1, b"before\n")
        run("floods_the_log", problem)
        os.write(1, b"after\n")
        os._exit(0)
    os.waitpid(pid, 0)
    said = log.read_bytes().replace(b"x", b"").split(b"\n")
    cut = b"timefair: the run printed more than 100000 bytes; the rest is cut off"
    assert [line for line in said if line] == [b"before", cut, b"after"]
    assert 100_000 < log.stat().st_size < 101_000


def test_the_memory_of_all_processes_of_a_run_counts(problem):
    def hoard(objective, rng):
        objective(np.zeros(3))
        for _ in range(16):
            if os.fork() == 0:
                kept = b"x" * 60_000_000
                while kept:
                    time.sleep(1)
        time.sleep(60)

    row = run_of(hoard, problem, 5, time_ns=AMPLE_NS, memory_mb=100)
    assert (row["status"], row["events"][0]["evaluations"]) == ("out_of_memory", 1)
    assert "processes used" in row["message"]
    assert row["wall_s"] < 30

    def share(objective, rng):
        kept = bytearray(b"x" * 60_000_000)
        for _ in range(4):
            if os.fork() == 0:
                time.sleep(60 + len(kept))
        end = time.monotonic() + 0.6
        while time.monotonic() < end:
            objective(np.zeros(3))

    row = run_of(share, problem, time_ns=AMPLE_NS, memory_mb=120, restart=NoRestart())
    assert row["status"] == "ok"


def test_a_run_leaves_some_of_what_all_processes_of_a_user_share(problem):
    limits = (resource.RLIMIT_NPROC, resource.RLIMIT_SIGPENDING)

    def compare(objective, rng):
        raise ValueError([resource.getrlimit(one)[1] for one in limits])

    before = [resource.getrlimit(one)[0] for one in limits]
    most = [n if n == resource.RLIM_INFINITY else n - min(n // 8, 256) for n in before]
    row = run_of(compare, problem, 5, evaluations=1)
    assert row["message"] == f"ValueError: {most}"


EXAMPLES = Path(__file__).parents[3] / "docs/guide/own"


@pytest.fixture(scope="module")
def use(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    for name in ("search.c", "climber_in_c.py"):
        shutil.copy(EXAMPLES / name, folder)
    command = ["gcc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", "search.so", "search.c"]
    subprocess.run(command, cwd=folder, check=True)
    return f"{folder}/climber_in_c.py:solve"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a compiler")
@pytest.mark.parametrize(
    ("allowed", "stop_reason", "least"),
    [
        ({"evaluations": 3000}, "evaluations", 1),
        ({"time_ns": 1_300_000_000}, "time", 1),
        ({"evaluations": 3000, "restart": FixedLength(tau_evaluations=100)}, "evaluations", 30),
    ],
)
def test_it_runs_restarts_and_ends(use, allowed, stop_reason, least):
    problem, algorithm = SUITES["bbob"].problem(8, 5, 1), libraries.load(use, {})
    assert prepare(algorithm, problem).trace == ""
    row = measure_run(algorithm, problem, Allowance(**{"wall_ns": 10**10, **allowed}), seed=3)
    assert (str(row["status"]), row["message"]) == ("ok", None)
    assert str(row["stop_reason"]).startswith(stop_reason)  # time_killed where the machine is busy
    assert row["launches"] >= least
    assert problem.evaluate(row["best_x"]) == row["best_f"]


SOURCE = """
import numpy as np
calls = 0

def simulator(x):
    global calls
    calls += 1
    if calls > 140:  # some of them are before the clock starts
        raise ValueError("my simulator has failed")
    return float(x @ x)

def f(x, how):
    value = simulator(x) if how == "raises" else float(x @ x)
    if how == "exits":
        raise SystemExit("no licence")
    return {"nothing": None, "pair": x, "text": "much"}.get(how, value)

f.lower, f.upper = -5, 5
"""

SWALLOWING = ("scipy:differential_evolution", "fcmaes:BiteOpt", "fcmaes:dual-annealing")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "plant.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def replaces(objective, rng):
    try:
        search(objective, rng)
    except Exception:
        raise RuntimeError("a map-like callable is needed") from None


def told(solve, problem: Problem) -> tuple[str, str | None]:
    row = run_of(solve, problem, 1, evaluations=2000)
    return str(row["status"]), row["message"]


@pytest.mark.thinned(1)
@pytest.mark.slow
@pytest.mark.parametrize(
    "found", ["swallows_everything", "swallows_in_a_thread", replaces, *SWALLOWING]
)
def test_what_a_function_raises_is_what_is_told(folder, found):
    if isinstance(found, str) and ":" in found:
        pytest.importorskip(found.partition(":")[0])
        found = load(found, {}).solve
    elif isinstance(found, str):
        found = solve(found)
    problem = find("plant.py:f", {"how": "raises"}).problem(1, 2, 1)
    assert told(found, problem) == ("raised", "ValueError: my simulator has failed (plant.py:9)")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("exits", "SystemExit: no licence (plant.py:15)"),
        ("nothing", "TypeError: plant.py:f returned None, not a number"),
        ("pair", "TypeError: plant.py:f returned an array of shape (2,), not a number"),
        ("text", "TypeError: plant.py:f returned 'much', not a number"),
    ],
)  # fmt: skip
def test_what_is_not_a_value_is_told(folder, how, said):
    problem = find("plant.py:f", {"how": how}).problem(1, 2, 1)
    assert told(solve("swallows_everything"), problem) == ("raised", said)


def test_constraints_that_raise_are_told(problem):
    def fails(x):
        raise OSError("no disk")

    constrained = Problem(
        problem.name, lambda x: 0.0, np.zeros(3), np.ones(3), 0.0, kind=Constraints(1, fails)
    )

    def asks(objective, rng):
        while True:
            with contextlib.suppress(OSError):
                objective.constraints(objective.lower)

    status, message = told(asks, constrained)
    assert (status, message.partition(":")[0]) == ("raised", "OSError")
    assert "no disk (test_run.py:" in message


def test_a_replaced_exception_is_shown_with_its_place_in_the_users_file():
    error = RuntimeError("a map-like callable is needed")
    error.__cause__ = ValueError("my penalty has failed")
    told = "RuntimeError: a map-like callable is needed; from ValueError: my penalty has failed"
    assert failure(error) == (Stop.FAILURE, told)
    with pytest.raises(np.linalg.LinAlgError) as caught:
        np.linalg.inv(np.zeros((2, 2)))
    text = failure(caught.value, of_problem=True)[1]
    assert text.startswith("LinAlgError: Singular matrix (test_run.py:")
    assert failure(MemoryError(), of_problem=True) == (Stop.OUT_OF_MEMORY, "MemoryError")


SPHERE = Problem(
    ProblemName("test", 1, 2, 1), lambda x: float(x @ x), np.full(2, -5.0), np.full(2, 5.0), 0.0
)


def yields(objective, rng):
    yield objective(objective.lower)


async def waits(objective, rng):
    await asyncio.sleep(0)
    objective(objective.lower)


def sleeps(objective, rng):
    time.sleep(100)


@pytest.mark.parametrize(
    ("solve", "words"),
    [
        (yields, "solve is a generator"),
        (waits, "solve is async"),
        (lambda objective, rng: None, "the algorithm returned without an evaluation"),
        (lambda objective, rng: SPHERE, "the algorithm returned an object of type Problem"),
    ],
)
@pytest.mark.filterwarnings("ignore:coroutine")
def test_what_came_back_says_why(solve, words):
    row = run_of(solve, SPHERE, 1, time_ns=10**11)
    assert str(row["status"]) == "no_evaluation"
    assert words in row["message"]


@pytest.mark.slow
def test_where_a_trial_launch_was_is_told_unless_it_evaluated(monkeypatch):
    monkeypatch.setattr(trial, "TRACE_S", 0.1)
    trace = prepare(Algorithm(sleeps), SPHERE).trace
    message = run_of(sleeps, SPHERE, 1, time_ns=50_000_000, trace=trace)["message"]
    assert "a trial launch was at test_run.py, line " in message
    assert message.endswith(
        "in sleeps; what is done once belongs into solve.prepare (see docs/guide/own.md)"
    )
    monkeypatch.setattr(trial, "TRACE_S", 0.1)

    def slow(objective, rng):
        objective([1, 1])
        time.sleep(100)

    assert prepare(Algorithm(slow), SPHERE).trace == ""


def test_a_best_point_outside_the_bounds_is_a_remark():
    problem = SUITES["f1-f23"].problem(1, 5, 1)
    inside, outside = problem.upper.tolist(), (problem.upper + np.eye(5)[4]).tolist()
    assert _outside(inside, problem) is None
    assert _outside(None, problem) is None
    assert "outside the bounds" in _outside(outside, problem)
    assert _outside([9.0] * 5, SUITES["bbob"].problem(1, 5, 1)) is None
