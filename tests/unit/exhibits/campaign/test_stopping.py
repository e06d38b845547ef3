"""The table of what a stopping rule decided, from the facts that records carry."""

import pandas as pd

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import write_record

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
