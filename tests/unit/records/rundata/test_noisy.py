"""Traces of noisy runs by the rule that the analysis asks for."""

import numpy as np
import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import write_record

ROWS = [(1, 0.1, 6.0, 5.0), (4, 0.2, 2.0, 4.5), (9, 0.4, 2.5, 1.0), (12, 0.5, 1.5, 3.0)]
"""Evaluations, seconds, measured value, value without noise; the third only improves the latter."""


def noisy(make, rows=ROWS, recommended=(), **changes):
    measured = [row for k, row in enumerate(rows) if all(row[2] < r[2] for r in rows[:k])]
    row = make([row[:3] for row in measured], **{"suite": "bbob-noisy", "function": 101, **changes})
    return row | {
        "best_f": measured[-1][2],
        "noise_free_f": measured[-1][3],
        "vectors": [
            {"launch": 0, "evaluations": n, "time_s": t, "outputs": [y, true]}
            for n, t, y, true in rows
        ],
        "recommendations": [
            {"launch": 0, "evaluations": n, "time_s": t, "noise_free": true}
            for n, t, true in recommended
        ],
    }


def events(runs, value):
    part = runs.with_values(value).traces.together()
    return [
        list(zip(part.evaluations[a:b], part.time_s[a:b], part.precision[a:b], strict=True))
        for a, b in zip(part.offsets[:-1], part.offsets[1:], strict=True)
    ]


RECOMMENDED = [(10, 0.45, 0.5), (12, 0.6, 2.0)]
BY_RULE = {
    "measured": [(1, 0.1, 6.0), (4, 0.2, 2.0), (12, 0.5, 1.5)],
    "best_measured": [(1, 0.1, 5.0), (4, 0.2, 4.5), (12, 0.5, 3.0)],
    "best_evaluated": [(1, 0.1, 5.0), (4, 0.2, 4.5), (9, 0.4, 1.0)],
    "recommended": [(1, 0.1, 5.0), (4, 0.2, 4.5), (10, 0.45, 2.0)],
}


@pytest.mark.parametrize("value", BY_RULE)
@pytest.mark.parametrize("stored", [False, True])
def test_each_rule_has_its_trace(run, table, tmp_path, value, stored):
    runs = table(run([(3, 0.3, 7.0)], run=1, algorithm="B"), noisy(run, recommended=RECOMMENDED))
    if stored:
        write_record(tmp_path / "a.parquet", runs.to_batches(), {})
        taken = Runs.read([tmp_path / "a.parquet"])
    else:
        taken = Runs.of(runs)
    assert events(taken, value) == [[(3, 0.3, 7.0)], BY_RULE[value]]
    best = taken.with_values(value).frame["best_precision"].tolist()
    assert best == [7.0, BY_RULE[value][-1][2]]


def test_chosen_runs_keep_their_own_also_without_an_optimum_or_true_values(run, table):
    better = [(2, 0.1, 0.4, 0.3)]
    runs = Runs.of(table(noisy(run), noisy(run, rows=better, run=1), run(algorithm="B")))
    chosen = runs.where(np.array([True, False, True]))  # those of bbob come first
    assert events(chosen, "best_measured") == [[], [(2, 0.1, 0.3)]]
    mine = {"suite": "mine.py:f", "function": 1, "f_opt": None}
    runs = Runs.of(table(noisy(run, **mine), noisy(run, rows=[(5, 0.1, 1.0, 2.5)], run=1, **mine)))
    found = runs.with_values("best_measured")
    assert found.frame["best_precision"].tolist() == [0.5, 0.0]
    assert found.frame["reference_f"].tolist() == [2.5, 2.5]
    assert events(runs, "best_measured") == [
        [(1, 0.1, 2.5), (4, 0.2, 2.0), (12, 0.5, 0.5)], [(5, 0.1, 0.0)]
    ]  # fmt: skip
    runs = Runs.of(table(run([(3, 0.3, 7.0)], suite="bbob-noisy", function=101)))
    assert events(runs, "recommended") == [[(3, 0.3, 7.0)]]


def test_tables_take_the_value_that_the_analysis_asks_for_and_say_so(run, table):
    runs = Runs.of(table(noisy(run, recommended=RECOMMENDED)))
    for value, said in (("recommended", "recommends"), ("measured", "measured values")):
        made = TABLES["quantiles"](runs, Analysis(noisy_value=value))
        assert set(made["precision"]) == {BY_RULE[value][-1][2]}
        assert said in made.attrs["noise"]
    exact = TABLES["quantiles"](Runs.of(table(run([(3, 0.3, 7.0)]))), Analysis())
    assert exact.attrs["noise"] == ""
    points = TABLES["best_points"](runs, Analysis())
    assert "measured" in points.attrs["noise"]
