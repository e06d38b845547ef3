"""What a stopping rule decided, the length of a launch, and every digit of the best points."""

import math

import numpy as np
import pandas as pd
import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import with_facts, write_record

ANALYSIS = Analysis(targets=(1.0,))


def decision(**changes):
    row = {
        "suite": "bbob", "function": 1, "dimension": 2, "instance": 1, "algorithm": "A",
        "round": 1, "runs": 5, "reason": None, "path": [0.4],
    }  # fmt: skip
    return row | changes


def test_the_last_round_says_how_it_ended(run, table, tmp_path):
    decided = [
        decision(round=2, runs=7, reason="met", path=[0.4, None, 0.02]),
        decision(),
        decision(instance=2, runs=0, reason="dropped", path=[]),
    ]
    path = tmp_path / "A.parquet"
    write_record(path, table(run()).to_batches(), {"stopping": decided})
    frame = TABLES["stopping"](Runs.read([path]), ANALYSIS)
    assert frame["instance"].tolist() == [1, 2]
    assert frame[["rounds", "runs", "reason", "looks"]].values.tolist() == [
        [2, 7, "met", 3],
        [1, 0, "dropped", 0],
    ]
    assert frame["value"][0] == 0.02
    assert pd.isna(frame["value"][1])
    assert frame["path"].tolist() == ["0.4 n/a 0.02", ""]


def test_without_a_rule_there_is_no_row(run, table):
    assert TABLES["stopping"](Runs.of(table(run())), ANALYSIS).empty


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


X = [0.1, 1 / 3]


def test_a_row_per_run_with_the_place_among_all_runs_on_the_problem(table, run):
    runs = Runs.of(
        table(
            run([(1, 0.1, 5.0), (9, 0.4, 3.0)], run=0, f_opt=None, best_f=3.0, best_x=X),
            run([(2, 0.1, 1.0)], run=1, f_opt=None, best_f=1.0, best_x=[1.0, 2.0]),
            run([(3, 0.2, 3.0)], algorithm="B", f_opt=None, best_f=3.0, best_x=[0.0, 0.0]),
            run([], algorithm="B", run=1, f_opt=None, best_f=np.inf),
            run([(4, 0.2, 2.0)], instance=2, f_opt=None, best_f=2.0),
        )
    )
    frame = TABLES["best_points"](runs, Analysis(targets=(1.0,)))
    columns = ["instance", "algorithm", "run", "place", "f", "evaluations", "time_s", "x"]
    assert frame[columns].values.tolist() == [
        [1, "A", 1, 1, 1.0, 2.0, 0.1, "1.0 2.0"],
        [1, "A", 0, 3, 3.0, 9.0, 0.4, "0.1 0.3333333333333333"],
        [1, "B", 0, 2, 3.0, 3.0, 0.2, "0.0 0.0"],
        [2, "A", 0, 1, 2.0, 4.0, 0.2, "none"],
    ]
    assert [float(word) for word in frame["x"][1].split()] == X
