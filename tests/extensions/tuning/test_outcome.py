"""The loss of a run, and the choice of a search."""

import pytest

from timefair.extensions.tuning import outcome
from timefair.extensions.tuning.outcome import Tried


def tried(number: int, candidate: int, loss: float) -> Tried:
    return Tried(number, candidate, {"F": candidate} if candidate else {}, 0, 0, loss, 1.0)


RUN = {
    "events": [
        {"time_s": 0.2, "evaluations": 3, "precision": 5.0},
        {"time_s": 0.4, "evaluations": 7, "precision": 0.5},
    ],
    "f_opt": 100.0,
    "budget_s": 1.0,
    "budget_evaluations": 50,
}


def test_a_target_that_was_not_reached_counts_as_the_budget():
    assert outcome.loss(RUN, [10, 1, 0.1], in_values=False) == pytest.approx((0.2 + 0.4 + 1) / 3)
    in_evaluations = RUN | {"budget_s": None}
    assert outcome.loss(in_evaluations, [10, 1, 0.1], in_values=False) == pytest.approx(60 / 3)
    assert outcome.loss(RUN | {"events": []}, [10], in_values=False) == 1.0


def test_the_best_of_those_with_the_most_evaluations():
    trace = [tried(0, 0, 3), tried(1, 0, 3), tried(2, 1, 2), tried(3, 1, 2), tried(4, 2, 0)]
    found = outcome.result(trace)
    assert found == {"candidate": 1, "parameters": {"F": 1}, "loss": 2.0, "default_loss": 3.0}


def test_the_default_stays_unless_another_is_better():
    assert outcome.result([tried(0, 0, 2), tried(1, 1, 2)])["candidate"] == 0
    assert outcome.result([tried(0, 0, 2), tried(1, 1, 3)])["parameters"] == {}
