"""What the user's function raises is the status of the run; a run without a value says why."""

import asyncio
import contextlib
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from measurements import run_of

from timefair.algorithms.base import Algorithm
from timefair.algorithms.registry import load
from timefair.measure import trial
from timefair.measure.evaluation.failures import failure
from timefair.measure.runs.run import _outside, explained
from timefair.measure.trial import evaluation_cost_s, prepare
from timefair.problems.base import Problem, ProblemName
from timefair.problems.kinds import Constraints
from timefair.problems.registry import SUITES, find

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


def swallows(objective, rng):
    while True:
        with contextlib.suppress(BaseException):
            objective(rng.uniform(objective.lower, objective.upper))


def swallows_in_a_thread(objective, rng):
    thread = threading.Thread(target=swallows, args=(objective, rng))
    thread.start()
    thread.join()


def replaces(objective, rng):
    try:
        swallows_nothing(objective, rng)
    except Exception:
        raise RuntimeError("a map-like callable is needed") from None


def swallows_nothing(objective, rng):
    while True:
        objective(rng.uniform(objective.lower, objective.upper))


def run(solve, problem: Problem) -> tuple[str, str | None]:
    row = run_of(solve, problem, 1, evaluations=2000)
    return str(row["status"]), row["message"]


@pytest.mark.thinned(1)
@pytest.mark.slow
@pytest.mark.parametrize("solve", [swallows, swallows_in_a_thread, replaces, *SWALLOWING])
def test_what_a_function_raises_is_what_is_told(folder, solve):
    if isinstance(solve, str):
        pytest.importorskip(solve.partition(":")[0])
        solve = load(solve, {}).solve
    problem = find("plant.py:f", {"how": "raises"}).problem(1, 2, 1)
    assert run(solve, problem) == ("raised", "ValueError: my simulator has failed (plant.py:9)")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("exits", "SystemExit: no licence (plant.py:15)"),
        ("nothing", "TypeError: plant.py:f returned None, not a number"),
        (
            "pair",
            "TypeError: plant.py:f returned an array of shape (2,), not a number; for two "
            "objectives, set 'ideal' and 'nadir'",
        ),
        ("text", "TypeError: plant.py:f returned 'much', not a number"),
    ],
)
def test_what_is_not_a_value_is_told(folder, how, said):
    problem = find("plant.py:f", {"how": how}).problem(1, 2, 1)
    assert run(swallows, problem) == ("raised", said)


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

    status, message = run(asks, constrained)
    assert (status, message.partition(":")[0]) == ("raised", "OSError")
    assert "no disk (test_failures.py:" in message


def test_a_library_that_replaces_an_exception_shows_it():
    error = RuntimeError("a map-like callable is needed")
    error.__cause__ = ValueError("my penalty has failed")
    told = "RuntimeError: a map-like callable is needed; from ValueError: my penalty has failed"
    assert failure(error) == (0, told)


def test_the_place_is_in_the_users_file():
    with pytest.raises(np.linalg.LinAlgError) as caught:
        np.linalg.inv(np.zeros((2, 2)))
    text = failure(caught.value, of_problem=True)[1]
    assert text.startswith("LinAlgError: Singular matrix (test_failures.py:")
    assert failure(MemoryError(), of_problem=True) == (1, "MemoryError")  # raised nowhere


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="it is a number there")
def test_an_array_of_one_number_is_told(folder):
    Path("one.py").write_text("def f(x): return x[:1]\n")
    problem = find("one.py:f", {"lower": 0, "upper": 1}).problem(1, 2, 1)
    with pytest.raises(TypeError, match=r"shape \(1,\), not a number; return value.item\(\)"):
        problem.evaluate(np.zeros(2))


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
def test_where_a_trial_launch_was_is_in_the_message_of_a_run(monkeypatch):
    monkeypatch.setattr(trial, "TRACE_S", 0.1)
    trace = prepare(Algorithm(sleeps), SPHERE).trace
    row = run_of(sleeps, SPHERE, 1, time_ns=50_000_000)
    message = explained(row, trace)["message"]
    assert "a trial launch was at test_failures.py, line " in message
    assert message.endswith(
        "in sleeps; what is done once belongs into solve.prepare (see docs/guide/own.md)"
    )


@pytest.mark.slow
def test_a_trial_that_evaluates_leaves_no_trace(monkeypatch):
    monkeypatch.setattr(trial, "TRACE_S", 0.1)

    def slow(objective, rng):
        objective([1, 1])
        time.sleep(100)

    assert prepare(Algorithm(slow), SPHERE).trace == ""


@pytest.mark.slow
def test_the_cost_of_a_slow_function_is_measured_in_about_a_second():
    calls = []

    def evaluate(x):
        calls.append(1)
        time.sleep(0.02)
        return 1.0

    start = time.monotonic()
    objective_s, bare_s = evaluation_cost_s(
        evaluate, Problem(SPHERE.name, evaluate, SPHERE.lower, SPHERE.upper, 0.0)
    )
    assert time.monotonic() - start < 10  # 80 s with 400 evaluations each
    assert len(calls) <= 60
    assert objective_s >= 0.02 <= bare_s


def test_a_best_point_outside_the_bounds_is_a_remark():
    problem = SUITES["f1-f23"].problem(1, 5, 1)
    inside, outside = problem.upper.tolist(), (problem.upper + np.eye(5)[4]).tolist()
    assert _outside(inside, problem) is None
    assert _outside(None, problem) is None
    assert "outside the bounds" in _outside(outside, problem)
    assert _outside([9.0] * 5, SUITES["bbob"].problem(1, 5, 1)) is None
