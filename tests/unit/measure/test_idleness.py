"""A run without an evaluation says why."""

import asyncio
import time

import numpy as np
import pytest
from measurements import run_of

from timefair.algorithms.base import Algorithm
from timefair.measure import trial
from timefair.measure.runs.run import explained
from timefair.measure.trial import evaluation_cost_s, prepare
from timefair.problems.base import Problem, ProblemName

PROBLEM = Problem(
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
        (lambda objective, rng: PROBLEM, "the algorithm returned an object of type Problem"),
    ],
)
@pytest.mark.filterwarnings("ignore:coroutine")
def test_what_came_back_says_why(solve, words):
    row = run_of(solve, PROBLEM, 1, time_ns=10**11)
    assert str(row["status"]) == "no_evaluation"
    assert words in row["message"]


@pytest.mark.slow
def test_where_a_trial_launch_was_is_in_the_message_of_a_run(monkeypatch):
    monkeypatch.setattr(trial, "TRACE_S", 0.1)
    trace = prepare(Algorithm(sleeps), PROBLEM).trace
    row = run_of(sleeps, PROBLEM, 1, time_ns=50_000_000)
    message = explained(row, trace)["message"]
    assert "a trial launch was at test_idleness.py, line " in message
    assert message.endswith(
        "in sleeps; what is done once belongs into solve.prepare (see docs/guide/own.md)"
    )


@pytest.mark.slow
def test_a_trial_that_evaluates_leaves_no_trace(monkeypatch):
    monkeypatch.setattr(trial, "TRACE_S", 0.1)

    def slow(objective, rng):
        objective([1, 1])
        time.sleep(100)

    assert prepare(Algorithm(slow), PROBLEM).trace == ""


@pytest.mark.slow
def test_the_cost_of_a_slow_function_is_measured_in_about_a_second():
    calls = []

    def evaluate(x):
        calls.append(1)
        time.sleep(0.02)
        return 1.0

    start = time.monotonic()
    objective_s, bare_s = evaluation_cost_s(
        evaluate, Problem(PROBLEM.name, evaluate, PROBLEM.lower, PROBLEM.upper, 0.0)
    )
    assert time.monotonic() - start < 10  # 80 s with 400 evaluations each
    assert len(calls) <= 60
    assert objective_s >= 0.02 <= bare_s
