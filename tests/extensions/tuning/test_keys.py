"""The section `tune`, the tuners, and the choice of a search."""

import copy

import pytest
from campaigns import refused

from timefair.campaign import configuration, plan, provenance
from timefair.extensions.tuning import outcome, tuners
from timefair.extensions.tuning.keys import read
from timefair.extensions.tuning.outcome import Tried, losses_of, result
from timefair.extensions.tuning.tuners import DEFAULT, FIRST_TEST, Evaluation

TUNE = {
    "space": {"F": {"float": [0.3, 0.9]}, "population": {"log_int": [8, 80]}},
    "tuner": "random",
    "budget_s": 9,
    "on": {"functions": 1, "dimensions": 2, "instances": "51-52"},
}
FILE = {
    "name": "test",
    "problems": {"suite": "bbob", "functions": "1,8", "dimensions": 2, "instances": "1-2"},
    "algorithms": {"DE": {"use": "timefair:DE", "tune": TUNE}, "NM": "scipy:Nelder-Mead"},
    "budget": {"time_s": 0.5},
}


def changed(key: str, value: object) -> dict:
    """The file with another value at a key below `tune`."""
    file = copy.deepcopy(FILE)
    place = file["algorithms"]["DE"]["tune"]
    *above, last = key.split(".")
    for name in above:
        place = place[name]
    place[last] = value
    return file


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("space.F", {"float": [0.9, 0.3]}, "space.F: {'float': [0.9, 0.3]}: should be two numbers, "
         "the lower first"),
        ("space.F", {"log": [0, 1]}, "space.F: {'log': [0, 1]}: should be two numbers, the lower "
         "first and above 0"),
        ("space.G", {"float": [0, 1]}, "space.G: 'G' is not a parameter of timefair:DE; it has: "
         "strategy, F, CR, population, population_per_dimension, patience, bounds"),
        ("space.F", {"float": [0.3, 9]}, "space.F: 'F' of timefair:DE is a number from 0 to 2, "
         "not 9.0"),
        ("tuner", "nevergrad:OnePlusTwo", "tuner: nevergrad has no algorithm 'OnePlusTwo'; did "
         "you mean 'OnePlusOne'?"),
        ("budget_s", 1.5, "budget_s: 1.5: should be at least 2, for the default and one candidate "
         "on 2 problems of 0.5 s"),
        ("on.instances", "2-4", "on: f1 D=2 instance 2: should not be in the comparison; choose "
         "other problems, or write overlap: allowed"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)  # fmt: skip
def test_what_is_wrong_is_one_line(key, value, line):
    assert refused(configuration.parse, changed(key, value)) == (f"algorithms.DE.tune.{line}",)


def test_overlap_has_to_be_allowed():
    file = changed("on.instances", "2-4")
    file["algorithms"]["DE"]["tune"]["overlap"] = "allowed"
    campaign = configuration.parse(file)
    (same,) = campaign.tuned["DE-tuned"].overlapping(campaign)
    assert str(same) == "f1 D=2 instance 2"


def test_a_search_asks_for_the_time_that_it_may_take():
    """Two candidates on two problems of 60 s are tried in any case, each up to three times."""

    def asked(**changes: object) -> dict[str, int]:
        file = changed("budget_s", 300) | {"budget": {"time_s": 60}} | changes
        return plan.tuning_resources(configuration.parse(file))

    assert asked()["runtime"] == 10 + 5
    again = asked(timing={"perturbed": "repeat", "repeats": 2})
    assert again["runtime"] == 10 + 2 * 2 * 3
    assert "runtime" not in asked(budget={"evaluations": 100})


def test_the_search_has_its_own_problems_and_parameters():
    campaign = configuration.parse(FILE)
    search = campaign.of_tuning("DE-tuned")
    assert list(search.algorithms) == ["DE-tuned"]
    assert (search.problems.functions, search.problems.instances) == ((1,), (51, 52))
    found = campaign.with_parameters("DE-tuned", {"F": 0.4})
    assert found.algorithms["DE-tuned"].parameters == {"F": 0.4}
    assert found.algorithms["DE"].parameters == {}


def keys(file: dict) -> dict[tuple[str, int], str]:
    return dict(provenance.measure_keys(configuration.parse(file)))


def test_what_decides_a_search_decides_the_runs_of_its_variant_alone():
    before = keys(FILE)
    assert ("DE-tuned", plan.TUNING_ROUND) in before
    for after in (
        keys(changed("budget_s", 10)),
        keys(changed("space.F", {"float": [0.2, 0.9]})),
        keys(changed("on.instances", "53-54")),
        keys(FILE | {"targets": [1, 0.1]}),
    ):
        different = {key for key in before if before[key] != after[key]}
        assert different == {("DE-tuned", 0), ("DE-tuned", 1)}


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
