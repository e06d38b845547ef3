"""Algorithms that evaluate what should not be evaluated, or change what is not theirs."""

import os
import sys
import threading
import time

import numpy as np
from adversary import adversary, one, search

FAILED = "failure"


@adversary("no_finite_value")
def evaluates_nan(objective, rng):
    while True:
        objective(np.full(objective.dimension, np.nan))


@adversary("no_finite_value")
def evaluates_infinity(objective, rng):
    while True:
        objective(np.full(objective.dimension, np.inf))


@adversary("ok")
def evaluates_far_outside(objective, rng):
    while True:
        objective(rng.uniform(-1e6, 1e6, objective.dimension))


@adversary("raised", FAILED, message="ValueError", shows=lambda row: row["evaluations"] == 1)
def evaluates_a_wrong_shape(objective, rng):
    one(objective)
    objective(np.zeros(objective.dimension + 1))


@adversary("raised", FAILED, message="ValueError", shows=lambda row: row["evaluations"] == 1)
def evaluates_text(objective, rng):
    one(objective)
    objective("somewhere")


@adversary("raised", FAILED, message="Error", shows=lambda row: row["evaluations"] == 1)
def evaluates_nothing(objective, rng):
    one(objective)
    objective(None if objective.dimension > 1 else [])


@adversary("raised", FAILED, message="ValueError", shows=lambda row: row["evaluations"] == 1)
def evaluates_a_batch_of_a_wrong_shape(objective, rng):
    one(objective)
    objective.batch(np.zeros((3, objective.dimension + 1)))


@adversary("ok", shows=lambda row: row["evaluations"] <= row["budget_evaluations"])
def evaluates_more_than_its_budget_at_once(objective, rng):
    objective.batch(rng.uniform(-5, 5, (100_000, objective.dimension)))


@adversary("ok", shows=lambda row: row["best_precision"] > 0)
def changes_the_bounds(objective, rng):
    """Writes into the arrays of the bounds; others get new ones."""
    objective.lower[:] = objective.upper[:] = 0
    assert np.all(objective.lower < objective.upper)
    search(objective, rng)


@adversary("ok")
def changes_its_points_afterwards(objective, rng):
    """One array for all points; the best point is still what was evaluated."""
    x = np.empty(objective.dimension)
    while True:
        x[:] = rng.uniform(-5, 5, objective.dimension)
        objective(x)
        x[:] = np.nan


@adversary("ok")
def changes_its_points_meanwhile(objective, rng):
    """A thread changes a point while it is evaluated."""
    x = np.zeros(objective.dimension)

    def scribble():
        other = np.random.default_rng(1)
        while True:
            x[:] = other.uniform(-5, 5, x.size)

    threading.Thread(target=scribble, daemon=True).start()
    sys.setswitchinterval(1e-5)
    while True:
        objective(x)


@adversary("raised", FAILED, message="AttributeError")
def resets_its_count(objective, rng):
    one(objective)
    objective.evaluations = 0


@adversary("raised", FAILED, message="ValueError: the fork said 7")
def evaluates_in_a_fork(objective, rng):
    one(objective)
    pid = os.fork()
    if pid == 0:
        try:
            one(objective)
        except RuntimeError:
            os._exit(7)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    raise ValueError(f"the fork said {os.waitstatus_to_exitcode(status)}")


@adversary("ok", shows=lambda row: row["wall_s"] <= row["budget_s"])
def stops_the_clocks_of_python(objective, rng):
    """Replaces the functions of the module time."""
    for name in ("time", "monotonic", "perf_counter", "monotonic_ns", "time_ns"):
        setattr(time, name, lambda: 0)
    search(objective, rng)


@adversary("ok")
def traces_every_call(objective, rng):
    sys.setprofile(lambda *event: None)
    search(objective, rng)
