"""The length of a launch, and where the budget stopped one, in the table and the checklist."""

import math

import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import with_facts

CUT = {"evaluations": 100, "launches": 1, "completed_restarts": 0}
BY_TARGET = CUT | {"stop_reason": "target"}
COMPLETED = {"evaluations": 900, "launches": 3, "completed_restarts": 2}


def chosen(asked=500, length=500, evaluations=250, **place):
    return {
        "suite": "bbob", "function": 1, "dimension": 2, "instance": 1, "algorithm": "A", "round": 1,
        "parameter": "Max_iter", "asked": asked, "length": length,
        "launch_evaluations": evaluations,
    } | place  # fmt: skip


@pytest.fixture
def made(run, table):
    """A function: a table of the first algorithm's runs on two instances, and of B without one."""

    def make(name, first, second, *facts):
        rows = [run(instance=1, **first), run(instance=2, **second), run(algorithm="B", **CUT)]
        runs = Runs.of(with_facts(table(*rows), {"schedule": list(facts)}))
        return TABLES[name](runs, Analysis(targets=(1.0,)))

    return make


@pytest.mark.parametrize(
    ("first", "second", "share"),
    [
        (CUT, CUT, 0.3),  # 100 of 250 and of 500 evaluations
        (CUT, BY_TARGET, 0.4),
        (CUT, CUT | {"evaluations": 600}, 0.7),  # at most the whole
        (CUT, COMPLETED, math.nan),
        (BY_TARGET, BY_TARGET, math.nan),
    ],
)
def test_a_run_without_a_complete_launch_was_stopped_within_its_schedule(
    made, first, second, share
):
    facts = chosen(), chosen(length=1000, evaluations=500, instance=2)
    frame = made("restarts", first, second, *facts).set_index("algorithm")
    assert frame.loc["A", "length_median"] == 750
    assert frame.loc["A", "stopped_at"] == pytest.approx(share, nan_ok=True)
    assert frame.loc["B", ["length_median", "stopped_at"]].isna().all()


def test_without_schedules_the_columns_are_empty(made):
    frame = made("restarts", CUT, COMPLETED)
    assert frame[["length_median", "stopped_at"]].isna().all(axis=None)


@pytest.mark.parametrize(
    ("second", "facts", "said"),
    [
        (
            CUT,
            [chosen(), chosen(instance=2)],
            "A: Max_iter = 500 (given), always stopped, at 40% of its schedule",
        ),
        (
            COMPLETED,
            [chosen("fill", 90), chosen("fill", 110, instance=2)],
            "A: Max_iter = 90 to 110 (one launch fills the budget)",
        ),
        (COMPLETED, [chosen({"launches": 5})], "A: Max_iter = 500 (5 launches fill the budget)"),
    ],
)
def test_the_checklist_says_what_was_chosen(made, second, facts, said):
    frame = made("checklist", CUT, second, *facts).set_index("part")
    assert frame.loc["Length of a launch", "evidence"] == said
    assert frame.loc["Length of a launch", "met"]


def test_the_checklist_is_silent_without_schedules(made):
    assert "Length of a launch" not in set(made("checklist", CUT, CUT)["part"])
