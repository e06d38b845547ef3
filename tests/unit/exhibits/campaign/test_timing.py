"""Clocks, perturbed runs, and what tables say about them."""

import math

import numpy as np
import pandas as pd
import pytest

from timefair.exhibits.files import read, write
from timefair.exhibits.latex import Setting, typeset
from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(1.0,), resamples=50)


def analysis(**changes):
    return Analysis(targets=(1.0,), resamples=50, **changes)


def made(name, table, settings=ANALYSIS):
    return TABLES[name](Runs.of(table), settings)


@pytest.fixture
def timed(run, table):
    """Two runs of 1 s: the first computed for 0.5 s at 0.01 s a kernel, the second for 0.9 s."""
    launches = [{"start_s": 0.0, "end_s": 0.6, "evaluations": 50, "best_precision": 5.0,
                 "end": "returned"}]  # fmt: skip
    return table(
        run([(1, 0.2, 5.0), (50, 0.4, 0.5)], cpu_s=0.5, reference_before_s=0.008,
            reference_after_s=0.012, launch_log=launches, perturbation="perturbed"),
        run([(1, 0.5, 5.0)], run=1, cpu_s=0.9, reference_before_s=0.01, reference_after_s=0.02,
            perturbation="clean"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("clock", "time_s", "wall_s", "end_s"),
    [
        ("wall", [0.2, 0.4, 0.5], [1.0, 1.0], 0.6),
        ("cpu", [0.1, 0.2, 0.45], [0.5, 0.9], 0.3),
        ("reference", [10.0, 20.0, 30.0], [50.0, 60.0], 30.0),
    ],
)
def test_a_clock_scales_a_run_as_a_whole(timed, clock, time_s, wall_s, end_s):
    runs = Runs.of(timed).timed_by(clock)
    events = runs.traces.together()
    assert events.time_s == pytest.approx(time_s)
    assert runs.spent("seconds") == pytest.approx(wall_s)
    assert runs.frame["budget_s"].tolist() == pytest.approx(wall_s)
    assert runs.launches["end_s"].tolist() == pytest.approx([end_s])
    assert events.evaluations.tolist() == [1, 50, 1]


def test_tables_are_made_with_the_clock_that_is_asked_for(timed):
    by_wall = made("ert", timed)
    by_cpu = made("ert", timed, analysis(time="cpu"))
    assert by_wall["ert_s"].tolist() == pytest.approx([0.4 + 1.0])
    assert by_cpu["ert_s"].tolist() == pytest.approx([0.2 + 0.9])
    assert by_cpu["ert_evaluations"].tolist() == by_wall["ert_evaluations"].tolist()
    same = made("restarts", timed, analysis(time="cpu"))
    pd.testing.assert_frame_equal(same, made("restarts", timed))


def test_perturbed_runs_are_left_out_where_results_are(timed):
    excluded = analysis(perturbed="exclude")
    assert made("ert", timed)["runs"].tolist() == [2]
    assert made("ert", timed, excluded)["runs"].tolist() == [1]
    assert made("restarts", timed, excluded)["runs"].tolist() == [1]
    assert made("runs", timed, excluded)["runs"].tolist() == [2]
    assert made("runs", timed, excluded)["perturbed"].tolist() == [1]


@pytest.mark.parametrize(
    ("settings", "name", "said"),
    [
        ({}, "ert", "1 of 2 runs was perturbed and is included."),
        ({"perturbed": "exclude"}, "ert", "1 of 2 runs was perturbed and is omitted."),
        ({"perturbed": "exclude"}, "runs", "1 of 2 runs was perturbed and is included."),
    ],
)
def test_every_table_says_how_many_were_perturbed(timed, tmp_path, settings, name, said):
    frame = made(name, timed, analysis(**settings))
    write(frame, tmp_path / "t.parquet")
    back = read(tmp_path / "t.parquet")
    assert said in typeset(
        TABLES[name].exhibit, back, TABLES[name].exhibit.printed(back), Setting(ANALYSIS)
    )


def test_the_table_of_perturbation(run, table):
    rows = table(
        run(perturbation="clean", foreign_delay_s=0.01, repeats=0, core=0, steal_s=0.0,
            reference_before_s=0.01, reference_after_s=0.01),
        run(run=1, perturbation="perturbed", foreign_delay_s=0.5, repeats=2, core=0, steal_s=0.5,
            reference_before_s=0.01, reference_after_s=0.02, wall_s=2.0),
        run(run=2, perturbation="unknown", core=1),
        run(algorithm="B"),
    )  # fmt: skip
    frame = made("perturbation", rows, analysis(perturbed="exclude")).set_index("algorithm")
    a = frame.loc["A"]
    assert a[["runs", "clean", "perturbed", "unknown"]].tolist() == [3, 1, 1, 1]
    assert a[["excluded", "repeated", "repeats"]].tolist() == [1, 1, 2]
    assert a[["delay_share_median", "delay_share_max"]].tolist() == pytest.approx([0.13, 0.25])
    assert a[["reference_ratio_median", "reference_ratio_max"]].tolist() == pytest.approx(
        [1.25, 1.5]
    )
    assert a["steal_s"] == 0.5
    assert math.isnan(a["throttled_s"])
    b = frame.loc["B"]
    assert b[["delay_share_max", "reference_ratio_max", "steal_s"]].isna().all()
    assert made("perturbation", rows)["excluded"].tolist() == [0, 0]


def test_what_was_left_behind_is_counted_by_algorithm(run, table):
    told = made(
        "leftovers",
        table(
            run(run=0, left_processes=2, left_files=0, left_mb=0.0, written_mb=1.5),
            run(run=1, left_processes=0, left_files=3, left_mb=0.5, appeared="a.log, b.log"),
            run(run=2, left_processes=0, left_files=0, left_mb=0.0, appeared="a.log, b.log",
                isolation="watched", watched_because="no", appeared_in_trial="c"),
            run(algorithm="B", left_processes=0, left_files=0, left_mb=0.0, isolation=None),
        ),
    ).set_index("algorithm")  # fmt: skip
    assert told.loc["A", ["runs", "with_processes", "with_files", "with_names"]].tolist() == [
        3, 1, 1, 2,
    ]  # fmt: skip
    assert told.loc["A", ["left_processes_max", "left_files_max"]].tolist() == [2, 3]
    assert told.loc["A", ["left_mb_max", "written_mb_max"]].tolist() == [0.5, 1.5]
    assert told["appeared"].tolist() == ["a.log, b.log", "none"]
    assert told["appeared_in_trial"].tolist() == ["c", "none"]
    assert told["watched_because"].tolist() == ["no", "none"]
    assert told.loc["A", ["private", "watched", "shared"]].tolist() == [2, 1, 0]
    assert told.loc["B", ["private", "watched", "shared"]].tolist() == [0, 0, 0]
    assert np.isnan(told.loc["B", "written_mb_max"])
