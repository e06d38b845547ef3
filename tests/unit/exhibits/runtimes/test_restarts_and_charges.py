"""Tables on restarts, executions, relative targets and ancillary cost, counted by hand."""

import numpy as np
import pandas as pd
import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(1.0, 10.0, 0.1), problems=2)
AMORTISED = ANALYSIS.model_copy(update={"ancillary": "amortised"})
INF = np.inf


def launch(start_s, end_s, best, end="returned", evaluations=10):
    times = {"start_s": start_s, "end_s": end_s}
    return times | {"evaluations": evaluations, "best_precision": best, "end": end}


def made(name, table, analysis=ANALYSIS):
    return TABLES[name](Runs.of(table), analysis)


def test_curves_without_a_failure_are_the_ecdf_and_go_beyond_the_runs(run, table):
    rows = table(*[run([(k + 1, 0.1 * (k + 1), 0.0)], run=k) for k in range(5)])
    curves = made("restarted_curves", rows).query("function == '1' and unit == 'evaluations'")
    within = [(np.arange(1, 6) <= cost * (1 + 1e-9)).mean() for cost in curves["cost"]]
    np.testing.assert_allclose(curves["fraction"], within)
    assert (curves["error"] == 0).all()
    assert (curves["observed"] == 1).all()  # every run reached every target
    assert curves["cost"].iloc[-1] == pytest.approx(100 * 100)


def test_curves_average_over_targets_and_functions(campaign, run, table):
    rows = table(*campaign.to_pylist(), run(function=3), run(function=3, algorithm="B"))
    curves = made("restarted_curves", rows).query("unit == 'seconds'")
    ends = curves.groupby(["function", "algorithm"])["fraction"].last()
    assert ends["1", "A"] == pytest.approx(1.0, abs=1e-6)
    assert ends["1", "B"] == pytest.approx(2 / 3, abs=1e-6)  # 0.1 was never reached
    assert ends["3", "A"] == 0
    assert ends["all", "B"] == pytest.approx(1 / 3, abs=1e-6)
    assert (curves[curves["function"] == "all"]["runs"] == 3).all()


def test_the_best_of_several_executions_also_without_a_result(run, table):
    rows = table(*[run([(1, 0.1, float(k))], run=k) for k in range(1, 13)])
    frame = made("best_of", rows, ANALYSIS.model_copy(update={"executions": (4, 1, 4, 13)}))
    assert frame["k"].drop_duplicates().tolist() == [1, 4, 13]
    precision = frame.set_index(["k", "measure"])["precision"]
    assert precision[4, "mean"] == pytest.approx(2.6)
    assert precision[1, "mean"] == pytest.approx(6.5)
    assert precision[1, "Q.50"] == 6
    assert precision[4, "Q.50"] == 2
    assert precision[13].isna().all()
    rows = table(run([(1, 0.1, 3.0)]), run(run=1), run(run=2))
    precision = made("best_of", rows).set_index(["k", "measure"])["precision"]
    assert precision[1, "mean"] == precision[2, "mean"] == INF
    assert precision[3, "mean"] == 3.0


def restarting(make, **changes):
    log = [
        launch(0.0, 0.2, 4.0),
        launch(0.2, 0.5, 1.0),
        launch(0.5, 0.75, 2.0),
        launch(0.75, 1.0, 0.5, "cut", 3),
    ]
    return make([(1, 0.1, 4.0), (15, 0.3, 1.0), (32, 0.9, 0.5)], launch_log=log, **changes)


def test_launches_that_a_budget_affords_are_complete_ones(run, table):
    frame = made("restart_fairness", table(restarting(run), restarting(run, run=1)))
    mean = frame.set_index("measure").loc["mean"]
    assert (mean["unit"], mean["budget"], mean["complete_launches"]) == ("seconds", 1.0, 6)
    assert mean["tau"] == pytest.approx(0.25)
    assert mean["k"] == 4
    assert mean["one_launch"] == pytest.approx(7 / 3)
    # Best of 4 of 1, 1, 2, 2, 4, 4: 1 unless both ones are left out.
    assert mean["best_of_k_launches"] == pytest.approx(1 + 1 / 15)
    assert mean["best_of_restarts"] == 0.5
    log = [launch(0.0, 0.2, 4.0, "failed"), launch(0.2, 0.4, 0.0, "target")]
    frame = made("restart_fairness", table(run([(1, 0.3, 0.0)], launch_log=log)))
    assert (frame["complete_launches"] == 1).all()
    assert (frame["one_launch"] == 0.0).all()
    assert frame["best_of_k_launches"].isna().all()  # 5 of 1


def test_launches_of_a_charged_run(run, table):
    runs = Runs.of(table(restarting(run))).charged({"A": 0.3})
    assert runs.launches["start_s"].tolist() == pytest.approx([0.3, 0.5, 0.8])
    assert runs.launches["end_s"].tolist() == pytest.approx([0.5, 0.8, 1.0])
    assert runs.launches["complete"].tolist() == [True, True, False]
    charged = AMORTISED.model_copy(update={"preparation_s": {"A": 0.6}})
    frame = made("restart_fairness", table(restarting(run)), charged).set_index("measure")
    assert frame.loc["mean", "k"] == 2  # 0.7 s are left, a launch takes 0.25 s


def test_amortised_tables_charge_their_runs(campaign):
    analysis = AMORTISED.model_copy(update={"preparation_s": {"A": 0.2, "B": 0.2}})
    ert = made("ert", campaign, analysis).set_index(["algorithm", "target"])
    assert ert.loc[("A", 10.0), "ert_s"] == pytest.approx((0.2 + 0.7) / 2)
    assert ert.loc[("B", 1.0), "ert_s"] == pytest.approx(0.3 + 0.6)
    assert ert.loc[("B", 1.0), "ert_evaluations"] == 2 + 40


@pytest.mark.parametrize("name", ["runs", "restarts", "ancillary", "ancillary_effect"])
def test_what_is_about_the_measurement_is_not_charged(name, campaign):
    pd.testing.assert_frame_equal(made(name, campaign), made(name, campaign, AMORTISED))


@pytest.mark.slow
def test_what_ancillary_cost_changes(campaign):
    analysis = ANALYSIS.model_copy(
        update={"tuning_s": {"A": 1.0}, "preparation_s": {"A": 0.0, "B": 0.0}}
    )
    frame = made("ancillary_effect", campaign, analysis)
    assert set(frame["algorithm"]) <= {"A", "B"}
    rows = frame.set_index(["table", "algorithm", "row", "column"])[["excluded", "amortised"]]
    ert = rows.loc[("ert", "A", "target 10", "ert_s")]
    assert ert.tolist() == pytest.approx([0.35, 0.6 + 1.0])
    rate = rows.loc[("ert", "A", "target 10", "success_rate")]
    assert rate.tolist() == [1.0, 0.5]
    quality = rows.loc[("quantiles", "A", "quantile 0.9", "precision")]
    assert quality.tolist() == [0.5, 50.0]
    assert ("ert", "B", "target 10", "ert_s") not in rows.index
    rank = rows.loc[("rankings", "B", "fixed target, target 1", "rank_by_time")]
    assert rank.tolist() == [2.0, 1.0]
    fastest = rows.loc[("profile", "B", "ratio 1", "fraction")]
    assert fastest["amortised"] > fastest["excluded"]
