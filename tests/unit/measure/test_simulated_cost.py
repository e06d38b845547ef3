"""What an evaluation is made to cost, and restarts."""

import random
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measurements import run_of

from timefair.machine.linux import kernel
from timefair.measure.evaluation.objective import LaunchCut
from timefair.measure.evaluation.state import State
from timefair.policies import restart_policies, restarts
from timefair.problems.problem import Problem, ProblemName
from timefair.problems.suites import SUITES

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
    [(restarts.FixedLength(tau_s=100), {9, 10}), (restarts.Stagnation(plateau_s=100), None)],
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

    policy = restarts.FixedLength(tau_s=0.3)
    row = run(hangs, problem, cost_ns=10_000_000, time_ns=1_500_000_000, restart=policy)
    assert row["reaped_s"] < SOON_S
    assert {str(launch["end"]) for launch in row["launch_log"][:-1]} == {"tau"}
    assert (row["status"], row["wall_s"]) == ("ok", 1.5)


@pytest.mark.parametrize("cores", [2, 3])
def test_a_batch_costs_as_many_rounds_as_its_cores_need(problem, cores):
    def batches(objective, rng):
        objective.batch(rng.uniform(-5, 5, (7, 2)))
        objective(np.zeros(2))

    row = run(batches, problem, evaluations=8, cores=cores, restart=restarts.NoRestart())
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


def line() -> Problem:
    """f(x) = x, so that an algorithm decides itself which precision it reaches."""
    return Problem(
        ProblemName("test", 1, 1, 1),
        evaluate=lambda x: float(x[0]),
        lower=np.zeros(1),
        upper=np.full(1, 1e9),
        f_opt=0.0,
    )


def launched(solve, evaluations: int = 100, seed: int = 1, *, policy: str, **keys) -> dict:
    return run_of(
        solve, line(), seed, evaluations=evaluations, restart=restart_policies()[policy](**keys)
    )


def shape(row: dict) -> list[tuple[int, str]]:
    return [(launch["evaluations"], str(launch["end"])) for launch in row["launch_log"]]


def endless(objective, rng):
    while True:
        objective([1 + rng.random()])


def test_fixed_shares_are_equal_and_the_last_is_cut():
    row = launched(endless, policy="fixed", tau_evaluations=30)
    assert shape(row) == [(30, "tau")] * 3 + [(10, "cut")]
    assert row["completed_restarts"] == 3


@given(st.integers(1, 10**6))
def test_luby_is_its_recursion(i):
    k = i.bit_length()
    if i == 2**k - 1:
        assert restarts.luby(i) == 2 ** (k - 1)
    else:
        assert restarts.luby(i) == restarts.luby(i - 2 ** (k - 1) + 1)


@pytest.mark.parametrize(
    ("keys", "lengths", "last"),
    [
        ({"tau_evaluations": 2}, (2, 4, 8, 16), 5),
        ({"tau_evaluations": 4, "factor": 1.5}, (4, 6, 9, 13), 1),
        ({"tau_evaluations": 4, "factor": 1e300}, (4,), 30),
    ],
)
def test_geometric_lengths_grow_by_the_factor(keys, lengths, last):
    row = launched(endless, evaluations=sum(lengths) + last, policy="geometric", **keys)
    assert shape(row) == [*((n, "tau") for n in lengths), (last, "cut")]


def falling(objective, rng):
    """Improves ten times, each time one evaluation later than before; then never."""
    value = 100.0
    for wait in range(10):
        for _ in range(wait):
            objective([value])
        value -= 1
        objective([value])
    while True:
        objective([value])


def test_launches_stagnate_each_by_its_own_plateau():
    # It improves at evaluations 1, 3, 6, 10, ...: the wait after the k-th is k evaluations.
    row = launched(falling, evaluations=60, policy="stagnation", plateau_evaluations=5)
    assert shape(row)[0] == (15 + 5, "stagnated")
    assert shape(row) == [(20, "stagnated")] * 2 + [(20, "cut")]
    assert row["completed_restarts"] == 2
    starts = []

    def solve(objective, rng):
        starts.append(None)
        value = 1000.0 * len(starts)
        for _ in range(20):
            value -= 1
            objective([value])

    row = launched(solve, evaluations=60, policy="stagnation", plateau_evaluations=2)
    assert shape(row) == [(20, "returned")] * 2 + [(20, "cut")]

    def solve(objective, rng):
        while True:
            objective([np.nan])

    row = launched(solve, evaluations=20, policy="stagnation", plateau_evaluations=7)
    assert shape(row) == [(7, "stagnated")] * 2 + [(6, "cut")]


@pytest.mark.slow
def test_a_plateau_in_seconds_waits_from_the_last_improvement():
    def solve(objective, rng):
        for value in (3.0, 2.0, 1.0):
            time.sleep(0.06)
            objective([value])
        while True:
            objective([1.0])

    row = run_of(solve, line(), time_ns=10**9, restart=restarts.Stagnation(plateau_s=0.1))
    first = row["launch_log"][0]
    assert str(first["end"]) == "stagnated"
    assert first["best_precision"] == 1.0  # sleeps shorter than the plateau did not end it
    assert first["end_s"] >= 0.18 + 0.1


def from_all(rng) -> float:
    return rng.random() + np.random.random() + random.random()  # noqa: NPY002


def drawn(objective, rng):
    """Its first value is its best; what it draws says which launch it is."""
    value = from_all(rng)
    for _ in range(40):
        objective([value])
        value += rng.random()


def test_the_best_candidate_goes_on_with_what_is_left_and_independent_launches_follow():
    row = launched(drawn, evaluations=50, policy="bet-and-run", tau_evaluations=4, candidates=5)
    best = [launch["best_precision"] for launch in row["launch_log"]]
    winner = best[:5].index(min(best[:5]))
    expected = [(4, "tau")] * 5
    expected[winner] = (34, "cut")
    assert shape(row) == expected
    assert row["evaluations"] == 50
    assert row["events"][-1]["launch"] == winner
    row = launched(drawn, evaluations=130, policy="bet-and-run", tau_evaluations=4, candidates=3)
    ends = shape(row)
    assert sorted(ends[:3]) == [(4, "tau"), (4, "tau"), (40, "returned")]
    assert ends[3:] == [(40, "returned"), (40, "returned"), (2, "cut")]


def test_a_winner_goes_on_as_if_it_had_never_been_paused():
    """Its values after the pause are those of the same launch alone, generators included."""

    def solve(objective, rng):
        while True:
            objective([from_all(rng)])

    def improvements(row):
        return [(event["evaluations"], event["precision"]) for event in row["events"]]

    alone = launched(solve, evaluations=30, policy="none")
    # With one candidate the bet is on the only launch: it is paused and goes on.
    paused = launched(solve, evaluations=30, policy="bet-and-run", tau_evaluations=7, candidates=1)
    assert improvements(paused) == improvements(alone)
    assert shape(paused) == [(30, "cut")]


def test_what_a_candidate_raises_is_the_status_of_the_run():
    def solve(objective, rng):
        for _ in range(6):
            objective([rng.random()])
        raise RuntimeError("no convergence")

    row = launched(solve, policy="bet-and-run", tau_evaluations=4, candidates=2)
    assert (str(row["status"]), row["message"]) == ("raised", "RuntimeError: no convergence")


@pytest.mark.slow
def test_a_bet_in_seconds_ends_at_t_and_nothing_is_left():
    bet = restarts.BetAndRun(tau_s=0.02, candidates=4)
    row = run_of(endless, line(), time_ns=300_000_000, restart=bet)
    assert (str(row["status"]), len(row["launch_log"])) == ("ok", 4)
    assert row["wall_s"] == 0.3
    assert row["evaluations"] == sum(launch["evaluations"] for launch in row["launch_log"])
    times = [event["time_s"] for event in row["events"]]
    assert times == sorted(times)
    assert kernel.children() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "policy",
    [
        {"policy": "luby", "tau_evaluations": 3},
        {"policy": "geometric", "tau_evaluations": 3},
        {"policy": "stagnation", "plateau_evaluations": 4},
        {"policy": "bet-and-run", "tau_evaluations": 4, "candidates": 5},
    ],
)
def test_two_executions_agree_bit_for_bit(policy):
    def events(row):
        return [(e["launch"], e["evaluations"], e["precision"]) for e in row["events"]]

    first, again, other = (launched(drawn, evaluations=90, seed=s, **policy) for s in (3, 3, 4))
    assert events(first) == events(again) != events(other)
    assert len({launch["best_precision"] for launch in first["launch_log"]}) > 1
    assert shape(first) == shape(again)
