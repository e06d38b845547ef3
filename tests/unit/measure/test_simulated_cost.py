"""A simulated evaluation cost counts as if it had been waited for."""

import time

import numpy as np
import pytest
from measurements import run_of

from timefair.measure.evaluation.objective import LaunchCut
from timefair.measure.evaluation.state import State
from timefair.policies.restarts.fixed import FixedLength
from timefair.policies.restarts.none import NoRestart
from timefair.policies.restarts.stagnation import Stagnation
from timefair.problems.registry import SUITES

C_NS, T_NS = 10_000_000_000, 1_000_000_000_000
MOST = T_NS // C_NS
"""The time that a run really takes is nothing beside them, even if the machine stalls."""

SOON_S = 50
"""A run that waited for its cost would take longer."""


@pytest.fixture
def problem():
    return SUITES["bbob"].problem(1, 2, 1)


def sample(objective, rng):
    while True:
        objective(rng.uniform(objective.lower, objective.upper))


def run(solve, problem, **allowed):
    allowed = {"cost_ns": C_NS, **allowed}
    return run_of(solve, problem, 3, **allowed)


def test_a_run_ends_at_the_first_evaluation_that_its_cost_brings_to_the_budget(problem):
    row = run(sample, problem, time_ns=T_NS)
    assert (row["status"], row["stop_reason"]) == ("ok", "time")
    assert MOST - 10 <= row["evaluations"] < MOST
    assert row["wall_s"] == 1000.0
    assert row["evaluation_cost_s"] == 10.0
    assert row["charged_s"] == 10.0 * (row["evaluations"] + 1)
    assert row["real_s"] < row["reaped_s"] < SOON_S
    assert row["real_s"] + row["charged_s"] == pytest.approx(1000 + row["overshoot_s"])
    for event in row["events"]:
        assert 10 * event["evaluations"] <= event["time_s"] < 1000


def test_the_same_evaluations_are_made_without_a_cost(problem):
    costly, free = (run_of(sample, problem, 3, evaluations=50, cost_ns=cost) for cost in (C_NS, 0))
    found = [[(e["evaluations"], e["precision"]) for e in row["events"]] for row in (costly, free)]
    assert found[0] == found[1]
    assert costly["wall_s"] >= 500 > free["wall_s"]
    assert (free["charged_s"], free["real_s"]) == (0.0, free["wall_s"])


@pytest.mark.slow
def test_computing_of_the_algorithm_counts_as_it_takes(problem):
    def computes(objective, rng):
        while True:
            time.sleep(0.01)
            objective(rng.uniform(-5, 5, 2))

    row = run(computes, problem, cost_ns=10_000_000, time_ns=500_000_000)
    assert row["evaluations"] <= 25
    assert row["real_s"] > 0.1


@pytest.mark.parametrize(
    ("policy", "evaluations"),
    [(FixedLength(tau_s=100), {9, 10}), (Stagnation(plateau_s=100), None)],
    ids=str,
)
def test_restart_policies_count_it(problem, policy, evaluations):
    row = run(lambda f, rng: stuck(f), problem, time_ns=T_NS, restart=policy)
    *complete, _ = row["launch_log"]
    assert len(complete) >= 8
    spans = [launch["end_s"] - launch["start_s"] for launch in complete]
    assert all(100 <= span < 150 for span in spans)
    assert {launch["evaluations"] for launch in complete} <= (evaluations or {10, 11})


def stuck(objective):
    while True:
        objective(np.zeros(2))


@pytest.mark.slow
def test_a_launch_that_hangs_is_ended_by_the_machine_s_clock(problem):
    def hangs(objective, rng):
        objective(np.zeros(2))
        time.sleep(1000)

    policy = FixedLength(tau_s=0.3)
    row = run(hangs, problem, cost_ns=10_000_000, time_ns=1_500_000_000, restart=policy)
    assert row["reaped_s"] < SOON_S
    assert {str(launch["end"]) for launch in row["launch_log"][:-1]} == {"tau"}
    assert (row["status"], row["wall_s"]) == ("ok", 1.5)


@pytest.mark.parametrize("cores", [2, 3])
def test_a_batch_costs_as_many_rounds_as_its_cores_need(problem, cores):
    def batches(objective, rng):
        objective.batch(rng.uniform(-5, 5, (7, 2)))
        objective(np.zeros(2))

    row = run(batches, problem, evaluations=8, cores=cores, restart=NoRestart())
    assert row["charged_s"] == pytest.approx(10 * (-(-7 // cores) + 1))
    assert row["wall_s"] == pytest.approx(row["real_s"] + row["charged_s"])
    for event in row["events"][:-1]:
        assert event["time_s"] >= 10 * -(-event["evaluations"] // cores)


def test_of_a_batch_counts_what_ends_before_the_budget(problem):
    row = run(
        lambda objective, rng: objective.batch(rng.uniform(-5, 5, (1000, 2))),
        problem, time_ns=T_NS, cores=2,
    )  # fmt: skip
    assert (row["status"], row["stop_reason"]) == ("ok", "time")
    assert 2 * (MOST - 20) <= row["evaluations"] < 2 * MOST
    assert row["real_s"] < SOON_S


def charges_less(objective, rng):
    import gc

    state = next(thing for thing in gc.get_objects() if isinstance(thing, State))
    try:
        for k in range(10**9):
            objective(np.full(2, 5 / (1 + k)))
            state["charge"] = 0
    except LaunchCut:
        pass


@pytest.mark.slow
def test_evaluations_that_were_not_charged_are_found(problem):
    row = run(charges_less, problem, evaluations=1000)
    assert row["status"] == "inconsistent"
    assert "charged" in row["message"]
    assert row["events"] == []
