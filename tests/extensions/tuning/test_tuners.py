"""Tuners: they stay in the space, find what is good, and repeat themselves with the same losses."""

import pytest

from timefair.extensions.tuning import tuners
from timefair.extensions.tuning.keys import read
from timefair.extensions.tuning.outcome import Tried, losses_of, result
from timefair.extensions.tuning.tuners import DEFAULT, FIRST_TEST, Evaluation

SPACE = {"F": {"float": [0, 1]}, "size": {"log_int": [4, 400]}, "kind": {"choice": ["a", "b", "c"]}}
TUNERS = ("random", "racing", "nevergrad:OnePlusOne")
PROBLEMS = 3


def loss(asked: Evaluation) -> float:
    """Least at F = 0.3 and kind b; the problem adds what is the same for all candidates."""
    if not asked.parameters:
        return 5.0 + asked.problem
    away = abs(asked.parameters["F"] - 0.3) + (asked.parameters["kind"] != "b")
    return away + asked.problem


def searched(tuner: str, evaluations: int, seed: int = 7) -> list[Tried]:
    search = tuners.begin(tuner, read(SPACE), PROBLEMS, seed, evaluations)
    asked, trace = next(search), []
    for number in range(evaluations):
        trace.append(Tried(number, **asked._asdict(), loss=loss(asked), seconds=1.0))
        asked = search.send(trace[-1].loss)
    return trace


@pytest.mark.parametrize("tuner", TUNERS)
def test_it_finds_what_is_good(tuner):
    trace = searched(tuner, 240)
    for one in trace[PROBLEMS:]:
        if one.candidate != DEFAULT:
            assert 0 <= one.parameters["F"] <= 1
            assert 4 <= one.parameters["size"] <= 400
            assert isinstance(one.parameters["size"], int)
    chosen = next(one for one in trace if one.candidate == result(trace)["candidate"])
    assert chosen.parameters["kind"] == "b"
    assert abs(chosen.parameters["F"] - 0.3) < 0.1


@pytest.mark.parametrize("tuner", TUNERS)
def test_the_same_losses_lead_to_the_same_candidates(tuner):
    assert searched(tuner, 60) == searched(tuner, 60)
    assert searched(tuner, 60) != searched(tuner, 60, seed=8)


def test_a_proposal_meets_every_problem_before_the_next():
    trace = searched("random", 12)
    assert [one.candidate for one in trace] == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [one.problem for one in trace] == [0, 1, 2] * 4
    assert {one.repetition for one in trace} == {0}


def test_a_race_spends_less_on_what_is_bad():
    trace = searched("racing", 300)
    losses = losses_of(trace)
    bad = [one for one in losses.values() if min(one) > 2 * PROBLEMS]
    assert len(losses[DEFAULT]) <= FIRST_TEST + 1
    assert all(len(one) <= FIRST_TEST + 1 for one in bad)
    assert len(losses[result(trace)["candidate"]]) == max(map(len, losses.values())) > FIRST_TEST


@pytest.mark.parametrize(
    ("tuner", "said"),
    [
        ("rando", "'rando': should be random, racing or nevergrad:NAME; did you mean 'random'?"),
        ("nevergrad:", "'nevergrad:': should be random, racing or nevergrad:NAME"),
    ],
)  # fmt: skip
def test_an_unknown_tuner(tuner, said):
    assert tuners.faults(tuner) == [said]
