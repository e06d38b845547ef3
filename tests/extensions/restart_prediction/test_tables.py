"""The tables on restart policies, from runs whose launches are known by hand."""

import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(10.0, 1.0), resamples=20)
BUDGET = 1000


@pytest.fixture
def one_launch(run):
    """A run of one launch, cut by the budget, that reaches both targets after `hit` evaluations."""

    def make(hit, **changes):
        events = [(1, 0.001, 50.0)]
        events += [(hit, hit / 1000, 0.5)] if hit else []
        best = 0.5 if hit else 50.0
        end = {"start_s": 0.0, "end_s": 1.0, "evaluations": BUDGET, "best_precision": best}
        spent = {"evaluations": BUDGET, "budget_evaluations": BUDGET, "wall_s": 1.0}
        made = run(events, launch_log=[end | {"end": "cut"}], **spent, **changes)
        return made | {"stop_reason": "evaluations", "launch_events": []}

    return make


@pytest.fixture
def stuck(one_launch):
    """On three functions two launches of five are quick, and the others never reach a target."""
    hits = (30, 40, None, None, None)
    return [
        one_launch(hit, function=function, run=number + 5 * again, algorithm="stuck")
        for function in (1, 3, 8)
        for again in range(4)
        for number, hit in enumerate(hits)
    ]


def test_lengths_cost_what_the_formula_says(stuck, table):
    found = TABLES["restart_what_if"](Runs.of(table(*stuck)), ANALYSIS)
    (row,) = found[(found["function"] == 1) & (found["tau"] == 40)].to_dict("records")
    assert row["target"] == 1.0
    assert row["ert"] == pytest.approx((30 + 40 + 3 * 40) / 2)
    assert row["success_rate"] == pytest.approx(1 - 0.6**25)
    assert row["factor"] == pytest.approx(row["ert"] / ((30 + 40 + 3 * BUDGET) / 2))
    assert row["factor_low"] < row["factor"] < row["factor_high"]
    assert row["launches"] == 20


def test_the_advice_finds_the_gain_and_judges_it_elsewhere(stuck, table):
    (row,) = TABLES["restart_advice"](Runs.of(table(*stuck)), ANALYSIS).to_dict("records")
    assert row["verdict"] == "gain"
    assert row["tau"] == 40
    assert row["gain"] == pytest.approx((70 + 3 * BUDGET) / 190)
    assert row["gain"] == pytest.approx(row["gain_same_runs"])
    assert row["functions"] == 3


def test_records_without_launch_traces_say_so(one_launch, stuck, table):
    old = [
        one_launch(30, function=f, run=k, algorithm="old") | {"launch_events": None}
        for f in (1, 3)
        for k in range(4)
    ]
    runs = Runs.of(table(*old, *stuck))
    advice = TABLES["restart_advice"](runs, ANALYSIS)
    assert dict(zip(advice["algorithm"], advice["verdict"], strict=True)) == {
        "old": "no launch traces",
        "stuck": "gain",
    }
    assert advice.attrs["omitted"].startswith("No launch traces: old;")
    assert "old" not in set(TABLES["restart_what_if"](runs, ANALYSIS)["algorithm"])
