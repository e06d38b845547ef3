"""What each table holds, on campaigns small enough to count by hand; without a known optimum."""

import functools

import numpy as np
import pandas as pd
import pytest

from timefair.exhibits.files import read, write
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.exhibits.unknown_optimum import captioned
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import USUAL_SHARES, Analysis

ANALYSIS = Analysis(targets=(1.0, 10.0, 0.1), resamples=200)


def made(name, table):
    return TABLES[name](Runs.of(table), ANALYSIS)


@pytest.fixture(scope="module")
def of_campaign(campaign):
    runs = Runs.of(campaign)
    make = functools.cache(lambda name: TABLES[name](runs, ANALYSIS))
    return lambda name: make(name).copy()


@pytest.mark.thinned(9)
@pytest.mark.parametrize("name", TABLES)
def test_the_order_of_the_records_does_not_matter(name, campaign, of_campaign):
    backwards = campaign.take(list(range(campaign.num_rows))[::-1])
    pd.testing.assert_frame_equal(of_campaign(name), made(name, backwards))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", TABLES)
def test_no_run_gives_no_row(name, of_campaign, no_runs):
    frame = TABLES[name](no_runs, ANALYSIS)
    assert list(frame.columns) == list(of_campaign(name).columns)
    assert frame.empty


@pytest.mark.thinned(9)
@pytest.mark.parametrize("name", TABLES)
def test_a_file_gives_the_table_back(name, of_campaign, tmp_path):
    frame, columns = of_campaign(name), TABLES[name].exhibit.columns
    write(frame, tmp_path / "table.parquet", columns)
    back = read(tmp_path / "table.parquet", columns)
    same = {"check_dtype": False, "check_categorical": False}
    pd.testing.assert_frame_equal(back, frame, **same, check_exact=True)


def test_csv_has_six_digits_but_of_whole_numbers_and_exact_columns(tmp_path):
    row = {"f": 1 / 3, "time_s": 1 / 3, "evaluations": 123456789.0, "algorithm": "A"}
    columns = TABLES["best_points"].exhibit.columns
    write(pd.DataFrame([row]), tmp_path / "best_points.csv", columns)
    text = (tmp_path / "best_points.csv").read_text().splitlines()[1]
    assert text == "0.3333333333333333,0.333333,123456789,A"
    write(pd.DataFrame([row]), tmp_path / "best_points.parquet", columns)
    assert read(tmp_path / "best_points.parquet")["time_s"].item() == 1 / 3


def test_ert_charges_a_failure_its_own_end(campaign):
    frame = made("ert", campaign).set_index(["algorithm", "target"])
    assert frame.loc[("A", 10.0), "ert_s"] == pytest.approx((0.1 + 0.6) / 2)
    assert frame.loc[("A", 10.0), "ert_evaluations"] == pytest.approx((1 + 20) / 2)
    b = frame.loc[("B", 1.0)]
    assert (b["runs"], b["successes"], b["success_rate"]) == (2, 1, 0.5)
    assert b["ert_s"] == pytest.approx(0.2 + 0.5)
    assert b["ert_evaluations"] == pytest.approx(2 + 40)
    assert b["ert_s_high"] == np.inf
    assert frame.loc[("B", 0.1), "ert_s"] == np.inf


def test_all_failed(run, table):
    rows = table(*[run(run=k, status="no_evaluation", evaluations=0) for k in range(3)])
    ert = made("ert", rows)
    assert np.isinf(ert["ert_s"]).all()
    assert (ert["success_rate"] == 0).all()
    assert np.isinf(made("quantiles", rows)["precision"]).all()
    assert (made("profile", rows)["fraction"] == 0).all()
    assert made("restarts", rows)["s_per_evaluation"].isna().all()


def test_ecdf_over_one_function_and_over_all(campaign, run, table):
    rows = table(*campaign.to_pylist(), run(function=3), run(function=3, algorithm="B"))
    frame = made("ecdf", rows).query("unit == 'seconds'")
    ends = frame.groupby(["function", "algorithm"])["fraction"].last()
    assert ends["1", "A"] == pytest.approx((33 + 51) / 102)
    assert ends["1", "B"] == pytest.approx(33 / 102)
    assert ends["3", "A"] == 0
    assert ends["all", "A"] == pytest.approx((33 + 51) / 153)


def test_profile_keeps_what_nobody_solved_and_drops_what_not_all_ran(campaign, run, table):
    rows = table(*campaign.to_pylist(), run(instance=3))
    frame = made("profile", rows)
    assert (frame["problems"] == 6).all()
    at_one = frame[frame["ratio"] == 1].set_index("algorithm")["fraction"]
    # instance 1: A wins 10, B wins 1, nobody has 0.1; instance 2: A alone wins all three.
    assert at_one["A"] == pytest.approx(4 / 6)
    assert at_one["B"] == pytest.approx(1 / 6)
    ends = frame.groupby("algorithm")["fraction"].last()
    assert ends["A"] == pytest.approx(5 / 6)
    assert ends["B"] == pytest.approx(2 / 6)


def test_restarts_and_speed(campaign):
    frame = made("restarts", campaign).set_index("algorithm")
    assert frame.loc["B", "evaluations_per_s"] == pytest.approx(140 / 1.5)
    assert frame.loc["B", "cpu_per_wall"] == pytest.approx(1.0 / 1.5)
    assert frame.loc["A", ["launches_mean", "completed_restarts_mean"]].tolist() == [2, 1]


def test_outcomes_are_counted(run, table):
    rows = table(
        run(overshoot_s=0.01, run_queue_delay_s=0.2),
        run(run=1, overshoot_s=0.03),
        run(run=2, status="raised", stop_reason="failure", message="no"),
    )
    frame = made("runs", rows).set_index("status")
    assert frame["runs"].to_dict() == {"ok": 2, "raised": 1}
    assert frame.loc["ok", "overshoot_max_s"] == 0.03
    assert frame.loc["ok", "run_queue_delay_share"] == pytest.approx(0.2)
    assert frame.loc["ok", "objective_share"] == pytest.approx(0.01)
    assert frame.loc["ok", "objective_per_bare"] == pytest.approx(0.5)
    assert np.isnan(frame.loc["raised", "run_queue_delay_share"])


@pytest.mark.parametrize(
    "settings",
    [
        {"targets": ()}, {"targets": (np.nan,)}, {"targets": (np.inf,)}, {"targets": (1.0, 1.0)},
        {"quantiles": (0.0,)}, {"confidence": 1.0}, {"resamples": 0}, {"seed": -1},
    ],
)  # fmt: skip
def test_wrong_settings_are_named(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        Analysis(**({"targets": (1.0,)} | settings))


def test_an_ert_of_heavy_tailed_runtimes_is_marked(run, table):
    costs = np.exp(2.0 * np.linspace(-1.6, 2.4, 15))
    heavy = [
        run([(1, 0.01 * cost, 0.0)], run=k, wall_s=0.01 * cost, stop_reason="target")
        for k, cost in enumerate(costs)
    ]
    even = [
        run([(1, 0.1, 0.0)], algorithm="B", run=k, wall_s=0.1, stop_reason="target")
        for k in range(15)
    ]
    frame = TABLES["ert"](Runs.of(table(*heavy, *even)), Analysis(targets=(1.0,)))
    assert frame.set_index("algorithm")["ert_s_heavy_tail"].to_dict() == {"A": True, "B": False}


SETTINGS = {"resamples": 50}


@pytest.fixture
def unknown(table, run):
    """Two algorithms that start at values of 10 to 12 and reach -2 and 1."""
    return Runs.of(
        table(
            run([(1, 0.1, 10.0), (5, 0.5, -2.0)], f_opt=None, best_f=-2.0),
            run([(1, 0.1, 10.0), (9, 0.6, 4.0)], run=1, f_opt=None, best_f=4.0),
            run([(1, 0.1, 12.0), (7, 0.5, 1.0)], algorithm="B", f_opt=None, best_f=1.0),
        )
    )


def success(runs: Runs, **changes) -> pd.DataFrame:
    frame = TABLES["success"](runs, Analysis(**SETTINGS, **changes))
    return frame[frame["function"].astype(str) == "1"]


def test_default_targets_are_shares_of_what_was_found_and_may_be_values_of_f(unknown):
    frame = success(unknown)
    assert sorted(set(frame["target"]), reverse=True) == list(USUAL_SHARES)
    # the way is from 10 to -2; a half of it is left at 4, a fifth at 0.4
    of = frame[frame["algorithm"] == "A"].set_index("target")["successes"]
    assert (of[0.5], of[0.2]) == (2, 1)
    of = frame[frame["algorithm"] == "B"].set_index("target")["successes"]
    assert (of[0.5], of[0.2]) == (1, 0)
    frame = success(unknown, target_values=(4.0, 0.0, -5.0))
    assert list(frame[frame["algorithm"] == "A"]["target"]) == [4.0, 0.0, -5.0]
    assert list(frame[frame["algorithm"] == "A"]["successes"]) == [2, 1, 0]
    assert list(frame[frame["algorithm"] == "B"]["successes"]) == [1, 0, 0]


@pytest.mark.slow
def test_no_label_and_no_caption_says_precision(unknown):
    analysis = Analysis(**SETTINGS)
    for name, entry in FIGURES.items():
        if name not in ("quantiles", "anytime", "ert", "ecdf"):
            continue
        frame = TABLES[entry.table](unknown, analysis)
        drawing = entry.figure(frame)
        from matplotlib.text import Text

        texts = " ".join(text.get_text() for text in drawing.findobj(Text))
        assert "recision" not in texts, name
        caption = captioned(entry.figure.printed_caption, frame)
        assert "recision" not in caption
        assert "optimum is unknown" in caption or "target" not in caption


def test_final_values_are_of_f_and_the_checklist_says_what_a_gap_is(unknown):
    frame = TABLES["paper_values"](unknown, Analysis(**SETTINGS))
    assert frame[["f_best", "f_median", "f_worst"]].to_numpy().tolist() == [[-2, 1, 4], [1, 1, 1]]
    frame = TABLES["checklist"](unknown, Analysis(**SETTINGS))
    text = frame.to_csv()
    assert "a gap is f minus the least f" in text
    assert "no target ends a run" in text
    assert "recision" not in text
