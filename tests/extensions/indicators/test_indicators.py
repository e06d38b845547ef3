"""AOCC, attainment, U-scores, ranks over time: by hand and beside moocore; and their sentences."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.stats import mannwhitneyu

from timefair.exhibits.registry import TABLES
from timefair.extensions.indicators.tables import (
    areas,
    attained,
    dominance,
    findings,
    resampled_medians,
    scaled,
)
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import RUN_SCHEMA
from timefair.report.evidence import Evidence, Space
from timefair.statistics.bands import best_so_far
from timefair.statistics.samples import sample_quantile

ANALYSIS = Analysis(resamples=200)


def test_areas_of_evaluations_and_over_decades_of_seconds_by_hand():
    assert areas([0, 50], [1e-1, 1e-4], [0, 2], first=0, last=100) == pytest.approx([0.45])
    assert areas([50], [1e-4], [0, 0, 1], first=0, last=100) == pytest.approx([0.0, 0.3])
    cost, precision = [0.01, 1e-9, 2.0], [1e-8, 1e-8, 1e-8]
    found = areas(cost, precision, [0, 1, 2, 3], first=1e-3, last=1.0, log=True)
    assert found == pytest.approx([2 / 3, 1.0, 0.0])


@pytest.fixture
def traces():
    """Traces of 9 runs, with precisions on the rungs of a ladder of half decades."""
    rng = np.random.default_rng(3)
    cost, precision, offsets = [], [], [0]
    for _ in range(9):
        at = np.unique(rng.integers(1, 200, size=12))
        cost += at.tolist()
        precision += (10.0 ** (2 - np.cumsum(rng.integers(1, 4, at.size)) / 2)).tolist()
        offsets.append(len(cost))
    return np.array(cost, float), np.array(precision), np.array(offsets)


def test_the_area_is_the_expectation_of_the_attainment(traces):
    """Its mean over all costs, and over levels midway between the rungs."""
    levels = 10.0 ** (np.arange(-8, 2, 0.5) + 0.25)
    best = best_so_far(*traces, np.arange(200))
    expected = attained(best, levels).mean()
    found = areas(*traces, first=0, last=200)
    assert found.mean() == pytest.approx(expected, abs=1e-12)
    assert 0.1 < expected < 0.9


def test_the_attainment_is_moocores(traces):
    """Each corner of a surface of moocore is attained by that share, and nothing before it is."""
    moocore = pytest.importorskip("moocore")
    cost, precision, offsets = traces
    run = np.repeat(np.arange(9), np.diff(offsets))
    theirs = moocore.eaf(np.column_stack([cost, np.log10(precision)]), run)
    assert len(theirs) > 50
    for at, log, percent in theirs:
        ours = attained(
            best_so_far(*traces, [at, at - 0.5]), [10.0**log * 1.0001, 10.0 ** (log - 0.1)]
        )
        assert ours[0, 0] >= percent / 100 - 1e-9
        assert max(ours[1, 0], ours[0, 1]) < percent / 100


def test_u_scores_by_hand_and_of_two_by_mann_and_whitney():
    reached = [10, 30, 20, np.inf, np.inf, np.inf]
    score, share, _ = dominance(reached, [0, 0, 0, 5, 5, 9], [0, 0, 1, 1, 2, 2])
    assert score.tolist() == [7.0, 4.5, 0.5]
    assert share == pytest.approx(np.array([7, 4.5, 0.5]) / 8)
    rng = np.random.default_rng(5)
    values = rng.integers(0, 6, size=23).astype(float)
    owner = np.repeat([0, 1], [9, 14])
    score, _, variance = dominance(np.full(23, np.inf), values, owner)
    theirs = mannwhitneyu(values[owner == 1], values[owner == 0]).statistic
    assert score == pytest.approx([theirs, 9 * 14 - theirs])
    assert variance[0] == pytest.approx(variance[1])


def test_a_score_has_the_stated_variance():
    """Over campaigns of three algorithms with 12 runs each, within a fifth."""
    rng = np.random.default_rng(7)
    owner = np.repeat([0, 1, 2], 12)
    found = [
        dominance(np.full(36, np.inf), rng.normal(size=36) + 0.4 * owner, owner) for _ in range(400)
    ]
    shares, variances = (np.array([one[k][0] for one in found]) for k in (1, 2))
    assert np.var(shares) == pytest.approx(variances.mean(), rel=0.2)


def test_resampled_medians_are_those_of_samples():
    rng = np.random.default_rng(11)
    values = np.array([[3.0], [1.0], [np.inf], [2.0], [5.0]])
    found = resampled_medians(values, resamples=20_000, rng=rng)[:, 0]
    drawn = sample_quantile(values[rng.integers(5, size=(20_000, 5)), 0], 0.5)
    for value in values[:, 0]:
        assert (found == value).mean() == pytest.approx((drawn == value).mean(), abs=0.02)


def campaign():
    """`early` is at 1e-3 at once and stays, `late` is at 1e-7 after half of the budget."""
    found = {"early": [(1, 0.01, 1e-3)], "late": [(1, 0.01, 10.0), (50, 0.5, 1e-7)]}
    rows = []
    for (algorithm, steps), function, run in product(found.items(), (1, 2), range(6)):
        names = ("evaluations", "time_s", "precision", "launch")
        events = [
            dict(zip(names, (n, t, p * (1 + run / 100), 0), strict=True)) for n, t, p in steps
        ]
        best = events[-1]["precision"]
        rows.append({
            "suite": "bbob", "function": function, "dimension": 2, "instance": 1, "round": 1,
            "algorithm": algorithm, "run": run, "f_opt": 0.0, "status": "ok", "stop_reason": "time",
            "wall_s": 1.0, "budget_s": 1.0, "evaluations": 100, "best_f": best,
            "best_precision": best, "events": events,
        })  # fmt: skip
    return Runs.of(pa.Table.from_pylist(rows, RUN_SCHEMA))


def test_tables_say_who_leads_when():
    runs = campaign()
    ranks = TABLES["rank_over_time"](runs, ANALYSIS)
    ranks = ranks[ranks["unit"] == "seconds"].set_index(["algorithm", "cost"])
    assert ranks.loc["early"].iloc[0][["average_rank", "leads"]].tolist() == [1.0, 1.0]
    assert ranks.loc["late"].iloc[-1][["average_rank", "leads"]].tolist() == [1.0, 1.0]
    scores = TABLES["u_scores"](runs, ANALYSIS)
    over = scores[scores["function"] == "all"].set_index(["algorithm", "unit"])
    assert over.loc[("late", "seconds"), "u_score"] == 2 * 6 * 6
    assert over.loc[("early", "evaluations"), "u_score"] == 0
    areas = TABLES["aocc"](runs, ANALYSIS)
    row = areas[(areas["function"] == "all") & (areas["unit"] == "seconds")].set_index("algorithm")
    assert row["from"].tolist() == [1e-3, 1e-3]
    assert row.loc["early", "aocc"] == pytest.approx(2 / 3 * scaled(1.025e-3), abs=1e-3)
    assert (row["aocc_low"] <= row["aocc"]).all()
    assert (row["aocc"] <= row["aocc_high"]).all()


def test_the_mean_of_the_surface_orders_the_pair_and_the_difference_has_its_sign():
    frame = TABLES["eaf_difference"](campaign(), ANALYSIS)
    assert set(zip(frame["algorithm_a"], frame["algorithm_b"], strict=True)) == {("early", "late")}
    at_the_end = frame[(frame["cost"] == 1.0) & (frame["precision"] < 1e-4)]
    assert at_the_end["difference"].min() == -1.0
    assert frame["difference"].max() == 1.0
    named = TABLES["eaf_difference"](campaign(), ANALYSIS.model_copy(update={"pairs": ("late",)}))
    assert set(named["algorithm_a"]) == {"late"}


@pytest.mark.parametrize("single", [True, False])
def test_without_a_second_run_there_are_no_limits(single):
    runs = campaign()
    kept = np.asarray(runs.frame["run"] == 0) if single else np.ones(len(runs.frame), bool)
    frame = TABLES["aocc"](runs.where(kept), ANALYSIS)
    assert frame["aocc_low"].isna().all() == single
    ranks = TABLES["rank_over_time"](runs.where(kept), ANALYSIS)
    assert ranks["leads"].isna().all() == single


SPACE = {"suite": "bbob", "dimension": 5, "unit": "seconds"}
RANKS = pd.DataFrame(
    [
        {**SPACE, "measure": "seconds", "criterion": "ERT", "algorithm": name, "average_rank": rank}
        for name, rank in (("A", 1.2), ("B", 1.8))
    ]
)


def indicators(low_of_b, column="aocc"):
    rows = [("A", 0.5, 0.45, 0.55), ("B", 0.7, low_of_b, 0.8)]
    names = ["algorithm", column, f"{column}_low", f"{column}_high"]
    return pd.DataFrame(rows, columns=names).assign(function="all", **SPACE)


def said(**tables):
    campaign = SimpleNamespace(
        budget=SimpleNamespace(unit="seconds"),
        statistics=SimpleNamespace(time="wall", confidence=0.95),
    )
    return list(findings(Evidence({"ranks": RANKS, **tables}, campaign), Space("bbob", 5)))


@pytest.mark.parametrize(("table", "column"), [("aocc", "aocc"), ("u_scores", "share")])
def test_a_significant_leader_that_is_not_the_one_by_targets_is_named(table, column):
    (sentence,) = said(**{table: indicators(0.6, column)})
    assert "B leads with 0.7 [0.6, 0.8]" in sentence
    assert said(**{table: indicators(0.5, column)}) == []
    assert said(**{table: indicators(0.6, column).replace({"A": "B", "B": "A"})}) == []


def over_time(*leads):
    rows = [
        {**SPACE, "algorithm": name, "cost": 10.0**k, "leads": share if name == "A" else 1 - share}
        for k, share in enumerate(leads)
        for name in "AB"
    ]
    return pd.DataFrame(rows)


def test_a_change_of_the_leader_has_its_times():
    (sentence,) = said(rank_over_time=over_time(0.99, 0.6, 0.02))
    assert "A leads until 1\u00a0s, and B from 100\u00a0s on" in sentence
    assert said(rank_over_time=over_time(0.99, 0.97, 0.2)) == []
    assert said(rank_over_time=over_time(0.5, 0.5, 0.02)) == []
