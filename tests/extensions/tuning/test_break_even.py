"""The section `tune`, the tuners, the choice of a search, and from how many problems it pays."""

import copy
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from campaigns import SMALL, SPHERE, refused

from timefair.campaign import configuration, plan, provenance
from timefair.exhibits.registry import TABLES
from timefair.extensions.tuning import tuners
from timefair.extensions.tuning.keys import read
from timefair.extensions.tuning.tables import break_even, findings
from timefair.extensions.tuning.tuners import (
    DEFAULT,
    FIRST_TEST,
    Evaluation,
    Tried,
    losses_of,
    result,
)
from timefair.records.integrity import Origins, mixed
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.report.evidence import Evidence, Space


def found(spent, before, after, resamples=200, seed=1):
    at = {"confidence": 0.95, "resamples": resamples, "rng": np.random.default_rng(seed)}
    return SimpleNamespace(**break_even(spent, before, after, **at))


def test_kinds_have_the_same_weight_and_limits_of_problems_are_those_of_the_saving():
    before = [np.full((2, 1), 10.0), np.full((8, 1), 4.0)]
    after = [np.full((4, 1), 6.0), np.full((2, 1), 4.0)]
    result = found(7.0, before, after)
    assert result.saved_s.tolist() == [2.0]  # (4 + 0) / 2
    assert result.problems.tolist() == [4.0]  # 7 / 2, rounded up
    assert (result.problems_low.item(), result.problems_high.item()) == (4.0, 4.0)
    rng = np.random.default_rng(3)
    before, after = [rng.exponential(2.0, (300, 1))], [rng.exponential(1.0, (300, 1))]
    result = found(10.0, before, after)
    assert result.problems_low.item() == np.ceil(10 / result.saved_s_high.item())
    assert result.problems_high.item() == np.ceil(10 / result.saved_s_low.item())
    wide = [rng.exponential(2.0, (30, 1))]
    undecided = found(10.0, wide, wide)
    assert undecided.saved_s_low.item() < 0 < undecided.saved_s_high.item()
    assert np.isinf(undecided.problems_high.item())
    assert np.isfinite(undecided.problems_low.item())


@pytest.mark.slow
def test_coverage():
    """Of 95 % intervals for 24 runs on each of 3 functions, 92 to 97 % hold the true number."""
    rng, truth, spent, held, times = np.random.default_rng(5), 0.5, 20.0, 0, 600
    for seed in range(times):
        before = [np.minimum(rng.exponential(1.5, (24, 1)), 6.0) for _ in range(3)]
        mean = 1.5 * (1 - np.exp(-6.0 / 1.5))
        after = [rng.normal(mean - truth, 0.4, (24, 1)) for _ in range(3)]
        result = found(spent, before, after, seed=seed, resamples=300)
        low, high = result.problems_low.item(), result.problems_high.item()
        held += low <= np.ceil(spent / truth) <= high
    assert 0.92 <= held / times <= 0.975


ANALYSIS = Analysis(targets=(10.0, 1.0, 0.1), resamples=50, problems=2)
SEARCH = {
    "of": "A", "tuner": "random", "seconds": 6.0, "candidates": 3, "evaluations": 6,
    "interrupted": 0, "overlap": [], "problems": "f1 D=2 instances 51-53", "checksum": "c",
    "result": {"parameters": {"F": 0.4}},
}  # fmt: skip


@pytest.fixture
def tuned(run, table):
    """`A` needs 0.8 s to 10 and 0.9 s to 1 on two functions; its variant `A-tuned` half a second
    less on the first function, and the same on the second. Nobody reaches 0.1."""

    def make(**changes) -> Runs:
        rows = []
        for function in (1, 2):
            for number in range(4):
                names = {"function": function, "run": number}
                rows.append(run([(1, 0.8, 5.0), (2, 0.9, 0.5)], **names))
                at = (0.3, 0.4) if function == 1 else (0.8, 0.9)
                events = [(1, at[0], 5.0), (2, at[1], 0.5)]
                rows.append(run(events, algorithm="A-tuned", **names))
        runs = Runs.of(table(*rows))
        origins = {"A": Origins(), "A-tuned": Origins(tuning=[SEARCH | changes])}
        return replace(runs, origins=origins)

    return make


def test_seconds_of_the_search_over_seconds_that_are_saved(tuned):
    frame = TABLES["tuning_pays"](tuned(), ANALYSIS).set_index("target")
    assert frame["algorithm"].unique().tolist() == ["A-tuned"]
    assert frame["default"].unique().tolist() == ["A"]
    assert frame["saved_s"].tolist() == pytest.approx([0.25, 0.25, 0.0])
    assert frame.loc[10.0, "problems"] == 24  # 6 s / 0.25 s
    assert (frame.loc[10.0, "problems_low"], frame.loc[10.0, "problems_high"]) == (24, 24)
    assert frame["verdict"].tolist() == ["pays", "pays", "never"]
    assert np.isinf(frame.loc[0.1, "problems"])
    assert frame["success_rate"].tolist() == [1.0, 1.0, 0.0]


def test_a_variant_that_is_slower_or_has_the_parameters_of_the_default_never_pays(tuned):
    runs = tuned()
    labels = runs.frame["algorithm"].map({"A": "A-tuned", "A-tuned": "A"})
    swapped = replace(runs, frame=runs.frame.assign(algorithm=labels))
    frame = TABLES["tuning_pays"](swapped, ANALYSIS)
    assert frame["saved_s"].tolist() == pytest.approx([-0.25, -0.25, 0.0])
    assert set(frame["verdict"]) == {"never"}
    frame = TABLES["tuning_pays"](tuned(result={"parameters": {}}), ANALYSIS)
    assert set(frame["chosen"]) == {"default"}
    assert frame["saved_s"].tolist() == pytest.approx([0.25, 0.25, 0.0])
    assert set(frame["verdict"]) == {"never"}
    assert np.isinf(frame[["problems", "problems_low", "problems_high"]]).all(axis=None)


def test_runs_of_two_searches_are_mixed():
    both = Origins(tuning=[SEARCH, SEARCH | {"checksum": "d"}])
    assert mixed({"A-tuned": both}) == ["A-tuned: runs of 2 searches for its parameters"]


NODE = {"cpu": "Z80", "cores": 2, "memory_mb": 15_900.0}
ELSEWHERE = (
    "parameters searched on Z81 with 2 cores and 16 GB, runs measured on Z80 with 2 cores and 16 GB"
)


@pytest.mark.parametrize(("cpu", "clauses"), [("Z80", []), ("Z81", [f"A-tuned: {ELSEWHERE}"])])
def test_a_search_on_another_kind_of_machine_is_mixed(cpu, clauses):
    search = SEARCH | {"machine": {"cpu": cpu, "cores": 2, "memory_gb": 16}}
    origin = Origins(machine=[NODE], tuning=[search])
    assert mixed({"A-tuned": origin}) == clauses
    assert mixed({"A-tuned": replace(origin, campaign=[{"block": "node"}])}) == []


def item(runs: Runs) -> dict:
    frame = TABLES["checklist"](runs, ANALYSIS)
    row = frame[(frame["topic"] == "Tuning") & (frame["part"] == "Tuning")].iloc[0]
    return row[["evidence", "missing"]].fillna("").to_dict()


def test_the_checklist_quotes_the_records_of_the_search(tuned):
    said = item(tuned())
    assert said["evidence"] == (
        "6.0 s measured: random, 3 candidates in 6 runs on f1 D=2 instances 51-53"
    )
    assert said["missing"] == "declare algorithms.A.ancillary.method"


CAMPAIGN = SMALL | {"problems": SPHERE | {"functions": "1-8"}, "algorithms": {"A": "timefair:DE"}}
ROW = {
    "suite": "bbob", "dimension": 2, "algorithm": "A-tuned", "default": "A", "target": 0.1,
    "tuning_s": 60.4, "success_rate": 0.9, "default_success_rate": 0.4, "saved_s": 0.5,
    "saved_s_low": 0.25, "saved_s_high": 1.0, "problems": 121.0, "problems_low": 61.0,
    "problems_high": 242.0, "verdict": "pays", "chosen": "new",
}  # fmt: skip


def said(*rows):
    evidence = Evidence(
        {"tuning_pays": pd.DataFrame([ROW | row for row in rows])}, configuration.parse(CAMPAIGN)
    )
    return list(findings(evidence, Space("bbob", 2)))


@pytest.mark.parametrize(
    ("row", "after"),
    [
        ({}, "At the target 0.1, it has paid off after 121 [61, 242] problems: A-tuned saves 0.5 "
         "[0.25, 1] s per problem."),
        ({"saved_s_low": -0.1, "problems_high": math.inf, "verdict": "undecided"},
         "Whether it pays off at the target 0.1 is undecided: A-tuned saves 0.5 [-0.1, 1] s per "
         "problem. If it does, it takes at least 61 problems."),
        ({"chosen": "default", "verdict": "never"}, "It never pays off: the search kept the "
         "parameters of A, which were the best that it tried."),
    ],
    ids=["pays", "undecided", "default"],
)  # fmt: skip
def test_the_sentence_on_a_variant(row, after):
    assert said(row) == [f"Tuning A took 60.4 s. {after}"]


def test_the_hardest_target_that_half_of_the_runs_of_one_of_both_reached():
    easy = {"target": 10.0}
    unreached = {"target": 1e-3, "success_rate": 0.4, "default_success_rate": 0.1}
    by_default = {"target": 1e-2, "success_rate": 0.4, "default_success_rate": 0.6}
    (text,) = said(easy, {}, by_default, unreached)
    assert "At the target 0.01" in text
    assert said(unreached) == []


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
        ("space.G", {"float": [0, 1]}, "space.G: 'G' is not a parameter of timefair:DE; it has: "
         "strategy, F, CR, population, population_per_dimension, patience, bounds"),
        ("space.F", {"float": [0.3, 9]}, "space.F: 'F' of timefair:DE is a number from 0 to 2, "
         "not 9.0"),
        ("budget_s", 1.5, "budget_s: 1.5: should be at least 2, for the default and one candidate "
         "on 2 problems of 0.5 s"),
        ("on.instances", "2-4", "on: f1 D=2 instance 2: should not be in the comparison; choose "
         "other problems, or write overlap: allowed"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)  # fmt: skip
def test_what_is_wrong_is_one_line(key, value, line):
    assert refused(configuration.parse, changed(key, value)) == (f"algorithms.DE.tune.{line}",)


def test_overlap_has_to_be_allowed_and_a_search_has_its_own_problems():
    file = changed("on.instances", "2-4")
    file["algorithms"]["DE"]["tune"]["overlap"] = "allowed"
    campaign = configuration.parse(file)
    (same,) = campaign.tuned["DE-tuned"].overlapping(campaign)
    assert str(same) == "f1 D=2 instance 2"
    campaign = configuration.parse(FILE)
    search = campaign.of_tuning("DE-tuned")
    assert list(search.algorithms) == ["DE-tuned"]
    assert (search.problems.functions, search.problems.instances) == ((1,), (51, 52))
    found = campaign.with_parameters("DE-tuned", {"F": 0.4})
    assert found.algorithms["DE-tuned"].parameters == {"F": 0.4}
    assert found.algorithms["DE"].parameters == {}


def test_a_search_asks_for_the_time_that_it_may_take():
    """Two candidates on two problems of 60 s are tried in any case, each up to three times."""

    def asked(**changes: object) -> dict[str, int]:
        file = changed("budget_s", 300) | {"budget": {"time_s": 60}} | changes
        return plan.resources(configuration.parse(file), searching=True)

    assert asked()["runtime"] == 10 + 5
    again = asked(timing={"perturbed": "repeat", "repeats": 2})
    assert again["runtime"] == 10 + 2 * 2 * 3
    assert "runtime" not in asked(budget={"evaluations": 100})


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


def test_the_loss_the_best_of_those_with_most_evaluations_and_the_default():
    assert tuners.loss(RUN, [10, 1, 0.1], in_values=False) == pytest.approx((0.2 + 0.4 + 1) / 3)
    in_evaluations = RUN | {"budget_s": None}
    assert tuners.loss(in_evaluations, [10, 1, 0.1], in_values=False) == pytest.approx(60 / 3)
    assert tuners.loss(RUN | {"events": []}, [10], in_values=False) == 1.0
    trace = [tried(0, 0, 3), tried(1, 0, 3), tried(2, 1, 2), tried(3, 1, 2), tried(4, 2, 0)]
    found = tuners.result(trace)
    assert found == {"candidate": 1, "parameters": {"F": 1}, "loss": 2.0, "default_loss": 3.0}
    assert tuners.result([tried(0, 0, 2), tried(1, 1, 2)])["candidate"] == 0
    assert tuners.result([tried(0, 0, 2), tried(1, 1, 3)])["parameters"] == {}


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


def test_a_proposal_meets_every_problem_and_a_race_spends_less_on_what_is_bad():
    trace = searched("random", 12)
    assert [one.candidate for one in trace] == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [one.problem for one in trace] == [0, 1, 2] * 4
    assert {one.repetition for one in trace} == {0}
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
