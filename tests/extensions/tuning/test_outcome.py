"""The loss of a run, the choice of a search, and records that contradict themselves."""

import copy
from dataclasses import asdict

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


def test_a_target_that_was_not_reached_counts_as_the_budget() -> None:
    assert outcome.loss(RUN, [10, 1, 0.1], in_values=False) == pytest.approx((0.2 + 0.4 + 1) / 3)
    in_evaluations = RUN | {"budget_s": None}
    assert outcome.loss(in_evaluations, [10, 1, 0.1], in_values=False) == pytest.approx(60 / 3)
    assert outcome.loss(RUN | {"events": []}, [10], in_values=False) == 1.0


def test_the_best_of_those_with_the_most_evaluations() -> None:
    trace = [tried(0, 0, 3), tried(1, 0, 3), tried(2, 1, 2), tried(3, 1, 2), tried(4, 2, 0)]
    assert outcome.best(trace) == 1
    found = outcome.result(trace)
    assert found == {"candidate": 1, "parameters": {"F": 1}, "loss": 2.0, "default_loss": 3.0}


def test_the_default_stays_unless_another_is_better() -> None:
    assert outcome.best([tried(0, 0, 2), tried(1, 1, 2)]) == 0
    assert outcome.result([tried(0, 0, 2), tried(1, 1, 3)])["parameters"] == {}


# --- Records of searches --------------------------------------------------------------------

TRACE = [tried(0, 0, 0.4), tried(1, 1, 0.4)]
SEARCH = {
    "targets": [1.0],
    "target_values": False,
    "seconds": 2.5,
    "interrupted_s": 0.0,
    "trace": [asdict(one) for one in TRACE],
    "result": outcome.result(TRACE),
}
RUNS = [RUN | {"run": number, "real_s": 0.5, "charged_s": 0.0} for number in (0, 1)]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda search, runs: runs.pop(), "its trace has 2 evaluations, and there are 1 runs"),
        (
            lambda search, runs: search["trace"][1].update(loss=0.1),
            "evaluation 1 has the loss 0.1, and its run 0.4",
        ),
        (
            lambda search, runs: search["trace"][1].update(seconds=0.4),
            "evaluation 1 is charged less than its run took",
        ),
        (
            lambda search, runs: search.update(seconds=1.9),
            "it is charged less than its evaluations took",
        ),
        (
            lambda search, runs: search.update(interrupted_s=1.0),
            "it is charged less than its evaluations took",
        ),
        (
            lambda search, runs: search["result"].update(parameters={"F": 9}),
            "its trace decides for other parameters",
        ),
    ],
)
def test_each_contradiction_is_found(damage, said) -> None:
    search, runs = copy.deepcopy(SEARCH), copy.deepcopy(RUNS)
    damage(search, runs)
    assert said in list(outcome.contradictions(search, runs))
