"""Break-even factors of own time, by hand on tiny records, and the verdict that follows."""

import numpy as np
import pandas as pd
import pytest

from timefair.exhibits.registry import TABLES
from timefair.extensions.break_even.verdict import checklist, robustness
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

TARGETS, CALIBRATED, T = (10.0, 1.0), 1e-3, 5.0
NEEDS = {"quick": (100, 1e-3), "frugal": (20, 0.1)}
"""Evaluations to the harder target, and own seconds per evaluation. ERTs: 0.2 s and 2.02 s."""
FUNCTIONS = range(1, 9)


def analysis(**settings):
    return Analysis(targets=TARGETS, resamples=20, **settings)


def rows_of(run, cut=(), charged=0.0):
    """Four equal runs of each; on the functions of `cut`, one of `frugal` misses the target 1."""
    for name, (count, own) in NEEDS.items():
        pace = CALIBRATED + own + charged
        for function in FUNCTIONS:
            for number in range(4):
                misses = name == "frugal" and number == 0 and function in cut
                ends = 49 if misses else count
                events = [(1, pace, 50.0), (count // 2, pace * (count // 2), 5.0)]
                if not misses:
                    events.append((count, pace * count, 0.5))
                yield run(
                    events, algorithm=name, function=function, run=number, evaluations=ends,
                    objective_s=CALIBRATED, charged_s=charged * ends, budget_s=T,
                    wall_s=T if misses else pace * count,
                    stop_reason="time" if misses else "target",
                )  # fmt: skip


@pytest.fixture
def made(run, table):
    def make(name, settings=None, **changes):
        return TABLES[name](Runs.of(table(*rows_of(run, **changes))), settings or analysis())

    return make


def test_the_factor_and_the_order_by_time_at_equal_own_time_and_in_evaluations(made):
    row = made("implementation").iloc[0]
    assert (row["by_time"], row["behind"], row["leading"]) == ("quick", "frugal", True)
    assert (row["by_evaluations"], row["at_equal_own_time"]) == ("frugal", "frugal")
    assert row["equal"] == pytest.approx(0.01)
    expected = (0.2 - 0.02) / 2.0
    limits = row[["factor", "factor_q1", "factor_q3", "factor_low", "factor_high"]]
    assert limits.to_numpy(float) == pytest.approx(expected)
    counts = row[["functions", "known", "easier", "behind_on", "never", "missing_s"]]
    assert counts.tolist() == [8, 8, 0, 8, 0, 0]


def test_a_simulated_cost_is_no_own_time(made):
    row = made("implementation", charged=0.001).iloc[0]
    assert row["factor"] == pytest.approx((0.3 - 0.04) / 2.0)


def test_where_a_run_was_cut_the_next_easier_target_counts_and_the_seconds_are_told(made):
    row = made("implementation", cut=(1, 2)).iloc[0]
    assert row[["known", "easier"]].tolist() == [8, 2]
    fixed, own = (3 * 0.02 + 0.049) / 3, (3 * 2.0 + 4.951) / 3
    missing = T**2 / (0.049 + 4.951 * (0.2 - fixed) / own)
    assert row["missing_s"] == pytest.approx(2 * missing)
    factors = made("own_time_factors", cut=(1, 2)).set_index(["function", "algorithm", "target"])
    assert factors.loc[(3, "frugal", 1.0), "factor"] == pytest.approx(0.09)
    unknown = factors.loc[(1, "frugal", 1.0)]
    assert (unknown["set"], unknown["cut_runs"]) == ("unknown", 1)
    assert np.isnan(unknown["factor"])
    assert unknown["missing_s"] == pytest.approx(missing)
    assert factors.loc[(1, "frugal", 10.0), "factor"] == pytest.approx((0.1 - 0.01) / 1.0)
    slower = factors.loc[(1, "quick", 1.0)]  # the runs of `quick` were not cut
    assert slower["factor"] == pytest.approx((fixed + own - 0.1) / 0.1)
    assert slower["missing_s"] == 0


def test_unknown_factors_widen_the_interval(made):
    few = made("implementation", analysis().model_copy(update={"targets": (1.0,)}), cut=(1, 2, 3))
    row = few.iloc[0]
    assert (row["known"], row["factor_low"], row["factor_high"]) == (5, 0.0, np.inf)
    assert list(robustness(few)) == []


def test_a_position_holds_between_the_break_even_factors_of_its_neighbours(made):
    ranks = made("own_time_ranks").set_index("algorithm")
    assert ranks["position"].to_dict() == {"quick": 1, "frugal": 2}
    assert ranks.loc["quick", ["holds_from", "holds_to"]].tolist() == pytest.approx([0, 19.2])
    assert ranks.loc["frugal", ["holds_from", "holds_to"]].tolist() == pytest.approx([0.09, np.inf])
    assert ranks.loc["quick", "next_behind"] == ranks.loc["frugal", "next_ahead"].replace(
        "quick", "frugal"
    )


def test_without_calibration_an_algorithm_is_omitted_by_name(run, table):
    rows = [row | {"objective_s": None} for row in rows_of(run)]
    frame = TABLES["implementation"](Runs.of(table(*rows)), analysis())
    assert frame.empty
    assert "was not calibrated: frugal, quick." in frame.attrs["omitted"]


ROW = {
    "leading": True, "by_time": "DE", "behind": "CMA", "at_equal_own_time": "CMA", "p_equal": 0.01,
    "factor": 0.04, "factor_low": 0.02, "factor_high": 0.1, "functions": 24, "known": 19,
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "of implementations: at equal own time per evaluation it reverses (p"),
        ({}, "CMA became 25 times faster [10, 50] (median over 19 of 24 functions)."),
        ({"at_equal_own_time": "DE"}, "DE leads CMA by time; the lead holds unless the own"),
        ({"at_equal_own_time": None, "factor": 0, "factor_low": 0}, "CMA took no time"),
        ({"at_equal_own_time": None, "factor_high": 1.2}, ""),
        ({"by_time": None, "leading": False}, ""),
    ],
)
def test_the_verdict_follows_from_the_table_and_is_silent_where_it_is_open(changes, said):
    sentences = list(robustness(pd.DataFrame([ROW | changes])))
    assert len(sentences) == bool(said)
    assert said in "".join(sentences).replace("\u00a0", " ")


def test_a_report_without_the_table_says_nothing():
    assert list(robustness(pd.DataFrame())) == []


def test_of_several_pairs_the_one_that_needs_least_is_named(run, table):
    rows = [ROW | {"behind": name, "at_equal_own_time": "DE", "factor": f} for name, f in
            (("A", 0.02), ("B", 0.05))]  # fmt: skip
    assert "leads B" in next(robustness(pd.DataFrame(rows)))
    runs = Runs.of(table(*rows_of(run)))
    assert list(checklist(runs, analysis())) == []  # the campaign does not ask for the table
    (part,) = checklist(runs, analysis(campaign={"tables": ["implementation"]}))
    assert part.met
    assert "quick and frugal by time is one of implementations" in part.evidence
