"""Tables about the measurement: perturbation, timing noise, overhead, stopping."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from timefair.exhibits.files import read, write
from timefair.exhibits.latex import Setting, typeset
from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import with_facts, write_record

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
    ratios = a[["reference_ratio_median", "reference_ratio_max"]]
    assert ratios.tolist() == pytest.approx([1.25, 1.5])
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
    counted = ["runs", "with_processes", "with_files", "with_names"]
    assert told.loc["A", counted].tolist() == [3, 1, 1, 2]
    assert told.loc["A", ["left_processes_max", "left_files_max"]].tolist() == [2, 3]
    assert told.loc["A", ["left_mb_max", "written_mb_max"]].tolist() == [0.5, 1.5]
    assert told["appeared"].tolist() == ["a.log, b.log", "none"]
    assert told["appeared_in_trial"].tolist() == ["c", "none"]
    assert told["watched_because"].tolist() == ["no", "none"]
    assert told.loc["A", ["private", "watched", "shared"]].tolist() == [2, 1, 0]
    assert told.loc["B", ["private", "watched", "shared"]].tolist() == [0, 0, 0]
    assert np.isnan(told.loc["B", "written_mb_max"])


@pytest.fixture
def detectable(run, table):
    """A function: the table, from the slowdown of each (algorithm, function, round)."""

    def make(slowdowns, analysis=ANALYSIS, **changes):
        rows = [
            run(algorithm=algorithm, function=function, round=round, run=10 * round + k,
                reference_before_s=0.01 * slow, reference_after_s=0.01 * slow, core=0,
                **{"foreign_delay_s": 0.0, **changes})
            for (algorithm, function, round), slow in slowdowns.items()
            for k in (0, 1)
        ]  # fmt: skip
        return TABLES["timing_noise"](Runs.of(table(*rows)), analysis).set_index("function")

    return make


JOBS = {(a, f, r): 1.0 for a in "AB" for f in (1, 2) for r in (1, 2, 3)}


def test_the_timing_noise_of_a_steady_machine_and_of_one_slow_job(detectable):
    frame = detectable(JOBS)
    assert frame["jobs"].to_dict() == {"1": 3, "2": 3, "all": 6}
    np.testing.assert_allclose(frame["detectable_ratio"], 1.0)
    np.testing.assert_allclose(frame[["slowdown_median", "slowdown_max"]], 1.0)
    slow = JOBS | {("B", 2, 3): 2.0}
    frame = detectable(slow)
    logs = np.log(list(slow.values()))
    reach = stats.t.isf(0.025, 11) * logs.std(ddof=1)
    assert frame.loc["1", "detectable_ratio"] == pytest.approx(np.exp(reach * np.sqrt(2 / 3)))
    assert frame.loc["all", "detectable_ratio"] == pytest.approx(np.exp(reach * np.sqrt(2 / 6)))
    assert frame["slowdown_max"].to_dict() == {"1": 1.0, "2": 2.0, "all": 2.0}


def test_the_share_of_real_time_is_that_of_each_problem(run, table):
    """A has the largest share on both functions: 0.5 on one, 0.1 on the other, 0.3 over both."""
    real = {("A", 1): 0.5, ("A", 2): 0.1, ("B", 1): 0.1, ("B", 2): 0.0}
    rows = [
        run(algorithm=name, function=function, round=round, run=round, core=0, foreign_delay_s=0.0,
            real_s=share, charged_s=1 - share, evaluation_cost_s=0.1,
            reference_before_s=0.01 * round, reference_after_s=0.01 * round)
        for (name, function), share in real.items() for round in (1, 2)
    ]  # fmt: skip
    frame = TABLES["timing_noise"](Runs.of(table(*rows)), ANALYSIS).set_index("function")
    assert frame["real_share"].to_dict() == pytest.approx({"1": 0.5, "2": 0.1, "all": 0.3})
    reach = stats.t.isf(0.025, 7) * np.sqrt(8 / 7) / 2  # of four jobs at each of two speeds
    for function, share, jobs in (("1", 0.5, 2), ("2", 0.1, 2), ("all", 0.3, 4)):
        expected = reach * -np.log(share / 2 + 1 - share) * np.sqrt(2 / jobs)
        assert np.log(frame.loc[function, "detectable_ratio"]) == pytest.approx(expected)


def test_waiting_slows_the_wall_clock_alone(detectable):
    waited = detectable(JOBS, foreign_delay_s=0.5)
    assert waited.loc["all", "slowdown_median"] == pytest.approx(2.0)  # of runs of 1 s
    cpu = detectable(JOBS, Analysis(targets=(1.0,), time="cpu"), foreign_delay_s=0.5)
    assert cpu.loc["all", "slowdown_median"] == pytest.approx(1.0)


def test_overhead_is_what_the_objective_does_not_take(run, table):
    runs = [
        run(run=k, wall_s=wall_s, evaluations=100, objective_s=1e-3)
        for k, wall_s in enumerate((0.2, 0.3, 0.4, 0.5, 0.6))
    ]
    runs += [run(run=9, evaluations=0), run(algorithm="B", objective_s=1.0)]
    frame = TABLES["overhead"](Runs.of(table(*runs)), ANALYSIS).set_index("algorithm")
    one = frame.loc["A"]
    assert one["runs"] == 5
    assert one["s_per_evaluation"] == pytest.approx(4e-3)
    assert one["overhead_s"] == pytest.approx(3e-3)
    assert (one["overhead_s_low"], one["overhead_s_high"]) == pytest.approx((2e-3, 4e-3))
    assert one["overhead_share"] == pytest.approx(0.75)
    assert frame.loc["B", "overhead_s"] == 0.0


PLACE = {
    "suite": "bbob", "function": 1, "dimension": 2, "instance": 1, "algorithm": "A", "round": 1,
}  # fmt: skip


def decision(**changes):
    return PLACE | {"runs": 5, "reason": None, "path": [0.4]} | changes


def test_the_last_round_says_how_it_ended_if_there_is_a_rule(run, table, tmp_path):
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
    assert TABLES["stopping"](Runs.of(table(run())), ANALYSIS).empty


CUT = {"evaluations": 100, "launches": 1, "completed_restarts": 0}
BY_TARGET = CUT | {"stop_reason": "target"}
COMPLETED = {"evaluations": 900, "launches": 3, "completed_restarts": 2}


def chosen(asked=500, length=500, evaluations=250, **place):
    facts = {"asked": asked, "length": length, "launch_evaluations": evaluations}
    return PLACE | {"parameter": "Max_iter"} | facts | place


@pytest.fixture
def made_of(run, table):
    """A function: a table of the first algorithm's runs on two instances, and of B without one."""

    def make(name, first, second, *facts):
        rows = [run(instance=1, **first), run(instance=2, **second), run(algorithm="B", **CUT)]
        runs = Runs.of(with_facts(table(*rows), {"schedule": list(facts)}))
        return TABLES[name](runs, ANALYSIS)

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
    made_of, first, second, share
):
    facts = chosen(), chosen(length=1000, evaluations=500, instance=2)
    frame = made_of("restarts", first, second, *facts).set_index("algorithm")
    assert frame.loc["A", "length_median"] == 750
    assert frame.loc["A", "stopped_at"] == pytest.approx(share, nan_ok=True)
    assert frame.loc["B", ["length_median", "stopped_at"]].isna().all()


def test_without_schedules_columns_are_empty_and_the_checklist_is_silent(made_of):
    frame = made_of("restarts", CUT, COMPLETED)
    assert frame[["length_median", "stopped_at"]].isna().all(axis=None)
    assert "Length of a launch" not in set(made_of("checklist", CUT, CUT)["part"])


@pytest.mark.parametrize(
    ("second", "facts", "said"),
    [
        (CUT, [chosen(), chosen(instance=2)],
         "A: Max_iter = 500 (given), always stopped, at 40% of its schedule"),
        (COMPLETED, [chosen("fill", 90), chosen("fill", 110, instance=2)],
         "A: Max_iter = 90 to 110 (one launch fills the budget)"),
        (COMPLETED, [chosen({"launches": 5})], "A: Max_iter = 500 (5 launches fill the budget)"),
    ],
)  # fmt: skip
def test_the_checklist_says_what_was_chosen(made_of, second, facts, said):
    frame = made_of("checklist", CUT, second, *facts).set_index("part")
    assert frame.loc["Length of a launch", "evidence"] == said
    assert frame.loc["Length of a launch", "met"]


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
