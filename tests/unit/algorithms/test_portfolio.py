"""The portfolio: who evaluates when, what each member sees, and what is refused before it runs."""

import threading
from contextlib import suppress

import numpy as np
import pytest
from objectives import Cut, Plain, bowl

from timefair.algorithms import libraries
from timefair.measure.run import Allowance, measure_run
from timefair.policies.restarts import NoRestart
from timefair.problems.suites import SUITES

SEARCH = "timefair:random-search"
DE = {"use": "timefair:DE", "parameters": {"population": 5}}


def in_a_bowl(most=100, left=None):
    return Plain(bowl, most=most, left=left)


def member(log, name, launch=10**9):
    """An algorithm of which each launch makes `launch` evaluations, with what it saw."""

    def solve(objective, rng):
        for _ in range(launch):
            log.append((name, objective.evaluations, objective.evaluations_left))
            objective(rng.uniform(objective.lower, objective.upper))

    return solve


@pytest.fixture
def loaded(monkeypatch):
    def load(functions, **parameters):
        from timefair.algorithms.algorithm import Algorithm

        monkeypatch.setattr(libraries, "load", lambda use, _: Algorithm(functions[use]))
        from timefair.algorithms.builtin import portfolio

        return portfolio.load(members=[f"{name}" for name in functions], **parameters)

    return load


def order(log):
    return "".join(name for name, *_ in log)


def test_in_turn_each_member_has_its_share_and_is_launched_again_within_it(loaded):
    log = []
    portfolio = loaded(
        {"a": member(log, "a", 4), "b": member(log, "b")}, shares=[0.3, 0.7], evaluations=20
    )
    portfolio.solve(in_a_bowl(most=100), np.random.default_rng(1))
    assert order(log) == "a" * 6 + "b" * 14
    assert [seen for _, seen, _ in log] == [*range(6), *range(14)]


def test_in_slices_members_take_turns_and_go_on_where_they_were(loaded):
    log, threads = [], threading.active_count()
    portfolio = loaded(
        {"a": member(log, "a"), "b": member(log, "b")},
        shares=[0.25, 0.75], mode="slices", evaluations=4,
    )  # fmt: skip
    with pytest.raises(Cut):
        portfolio.solve(in_a_bowl(most=10), np.random.default_rng(1))
    assert order(log) == "abbbabbbabb"
    assert [seen for name, seen, _ in log if name == "b"] == list(range(8))
    assert threading.active_count() == threads


@pytest.mark.parametrize("mode", ["in turn", "slices"])
@pytest.mark.parametrize("length", [{"evaluations": 1000}, {"time_s": 60.0}])
def test_a_trial_launch_of_few_evaluations_tries_every_member(loaded, mode, length):
    log = []
    portfolio = loaded({"a": member(log, "a"), "b": member(log, "b")}, mode=mode, **length)
    with suppress(Cut):
        portfolio.solve(in_a_bowl(most=9, left=9), np.random.default_rng(1))
    assert (order(log).count("a"), order(log).count("b")) in ((4, 5), (5, 4), (4, 6), (5, 5))


@pytest.mark.parametrize(("mode", "evaluations"), [("in turn", 3), ("slices", 9)])
def test_a_member_that_does_not_evaluate_leaves_the_run_to_the_others(loaded, mode, evaluations):
    functions = {"a": lambda objective, rng: None, "b": member([], "b")}
    objective = in_a_bowl(most=9)
    with suppress(Cut):
        loaded(functions, mode=mode, evaluations=6).solve(objective, np.random.default_rng(1))
    assert objective.evaluations == evaluations


def test_a_member_that_catches_everything_is_refused_further_evaluations(loaded):
    log = []

    def deaf(objective, rng):
        for _ in range(50):
            try:
                objective(objective.lower)
                log.append("evaluated")
            except BaseException as error:
                log.append(type(error).__name__)

    portfolio = loaded({"a": deaf, "b": member([], "b")}, evaluations=6)
    portfolio.solve(in_a_bowl(most=99), np.random.default_rng(1))
    assert log.count("evaluated") == 2
    assert set(log[2:]) == {"ShareUsed"}


def test_batches_are_divided_where_a_turn_ends(loaded):
    def batching(objective, rng):
        while True:
            values = objective.batch(rng.uniform(-1, 1, (5, objective.dimension)))
            assert values.shape == (5,)

    portfolio = loaded({"a": batching, "b": batching}, mode="slices", evaluations=6)
    objective = Plain(most=12)
    with pytest.raises(Cut):
        portfolio.solve(objective, np.random.default_rng(1))
    assert objective.batches[:4] == [3, 3, 2, 1]


def run(parameters, evaluations=400, seed=3, function=8):
    portfolio = libraries.load("timefair:portfolio", parameters)
    problem = SUITES["bbob"].problem(function, 3, 1)
    return measure_run(
        portfolio, problem, Allowance(evaluations=evaluations, restart=NoRestart()), seed
    )


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["in turn", "slices"])
def test_a_measured_run_repeats_and_uses_all_of_its_budget(mode):
    parameters = {"members": [DE, "scipy:L-BFGS-B"], "mode": mode, "evaluations": 40}
    if mode == "in turn":
        parameters["evaluations"] = 400
    first, second = run(parameters), run(parameters)
    assert first["status"] == "ok", first["message"]
    assert first["evaluations"] == 400
    assert first["stop_reason"] == "evaluations"
    assert [e["precision"] for e in first["events"]] == [e["precision"] for e in second["events"]]


def test_members_in_c_give_the_same_as_through_the_interpreter(monkeypatch):
    from timefair.algorithms.builtin import kernels

    share = kernels.Share

    class Plain:
        def __init__(self, *arguments):
            vars(self)["_share"] = share(*arguments)

        def __getattr__(self, name):
            if name == "c_function":
                raise AttributeError(name)
            return getattr(self._share, name)

        def __setattr__(self, name, value):
            setattr(self._share, name, value)

        def __call__(self, x):
            return self._share(x)

    parameters = {"members": [DE, DE], "evaluations": 300, "shares": [0.4, 0.6]}
    native = run(parameters, evaluations=300)
    monkeypatch.setattr(kernels, "Share", Plain)
    plain = run(parameters, evaluations=300)
    events = [[(e["evaluations"], e["precision"]) for e in r["events"]] for r in (native, plain)]
    assert events[0] == events[1]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"members": [SEARCH]}, "at least two"),
        ({"members": [SEARCH, 3]}, "members[1]: 3 is not"),
        ({"members": [SEARCH, {"use": SEARCH, "share": 1}]}, "members[1]: unknown key 'share'"),
        ({"members": [SEARCH, "scipy:Powel"]}, "did you mean 'Powell'"),
        ({"members": [SEARCH, {"use": "timefair:DE", "parameters": {"F": 9}}]}, "members[1]: 'F'"),
        ({"shares": [0.5, 0.4]}, "add up to 1, not [0.5, 0.4]"),
        ({"shares": [0.5, 0.25, 0.25]}, "are 2 numbers"),
        ({"evaluations": None}, "needs 'evaluations' or 'time_s'"),
        ({"time_s": 1.0}, "not both"),
        ({"evaluations": 1}, "at least 2"),
        ({"evaluations": None, "time_s": -1}, "a number of at least"),
    ],
)
def test_bad_values_are_one_line(change, line):
    parameters = {"members": [SEARCH, "scipy:Powell"], "evaluations": 10} | change
    (found,) = libraries.faults("timefair:portfolio", parameters)
    assert line in found
    assert "\n" not in found
