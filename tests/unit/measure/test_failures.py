"""What the user's function raises is the status of the run, whatever the algorithm makes of it."""

import contextlib
import threading
from pathlib import Path

import numpy as np
import pytest
from measurements import run_of

from timefair.algorithms.registry import load
from timefair.measure.evaluation.state import failure
from timefair.measure.runs.run import _outside
from timefair.problems.base import Problem
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


def test_a_best_point_outside_the_bounds_is_a_remark():
    problem = SUITES["f1-f23"].problem(1, 5, 1)
    inside, outside = problem.upper.tolist(), (problem.upper + np.eye(5)[4]).tolist()
    assert _outside(inside, problem) is None
    assert _outside(None, problem) is None
    assert "outside the bounds" in _outside(outside, problem)
    assert _outside([9.0] * 5, SUITES["bbob"].problem(1, 5, 1)) is None
