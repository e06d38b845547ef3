"""Anytime curves, ECDFs, profiles and shares of feasible runs, counted by hand."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import beta

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(1.0, 10.0, 0.1), resamples=100)
PROFILES = ("profile", "profile_evaluations")


def made(name, table, analysis=ANALYSIS):
    return TABLES[name](Runs.of(table), analysis)


@pytest.fixture
def campaign(run, table):
    """Two dimensions; A is fast, B needs ten times as long, two runs each on an instance.

    The first evaluation finds 16, both end at 0.
    """
    rows = []
    for (name, factor), dimension, k in product((("A", 1), ("B", 10)), (2, 4), (0, 1)):
        found = ((1, 0.001, 16.0), (10, 0.02, 4.0), (20, 0.03 + 0.01 * k, 0.0))
        events = [(n * factor, t * factor, q) for n, t, q in found]
        own = {"algorithm": name, "dimension": dimension, "run": k}
        rows.append(run(events, **own, evaluations=20 * factor))
    return table(*rows)


@pytest.mark.parametrize(
    ("targets", "used"),
    [
        ((10.0, 0.1), 10 ** np.linspace(1, -1, 51)),
        ((0.1, 1.0, 10.0), 10 ** np.linspace(1, -1, 51)),
        ((0.1,), [0.1]),
        ((1.0, 0.0), [1.0, 0.0]),
        (tuple(range(1, 61)), range(1, 61)),
    ],
)
def test_an_ecdf_has_51_targets(targets, used):
    assert Analysis(targets=targets).curve_targets == pytest.approx(used)


@pytest.mark.parametrize("name", PROFILES)
def test_one_run_on_an_instance_leaves_profiles_without_limits(name, campaign, run, table):
    rows = table(
        *campaign.to_pylist(), *(run([(1, 0.1, 1.0)], algorithm=name, instance=2) for name in "AB")
    )
    frame = made(name, rows).set_index("dimension")
    frame.index = frame.index.astype(str)
    assert frame.loc["2", ["low", "high"]].isna().all(axis=None)
    assert frame.loc["4", ["low", "high"]].notna().all(axis=None)


@pytest.fixture
def cut_off(run, table):
    """A is cut off by the time after 20, 40 and 80 evaluations, on its way to the last target; one
    of its runs reaches all targets. B ends by itself, C makes 1000 evaluations, D makes none.
    """
    steps = ((1, 0.1, 9.0), (10, 0.2, 0.5))
    return table(
        *(run(steps, run=k, evaluations=n) for k, n in enumerate((20, 40, 80))),
        run([*steps, (15, 0.3, 0.01)], run=3, evaluations=15, stop_reason="target"),
        *(run(steps, algorithm="B", run=k, stop_reason="algorithm_ended") for k in range(2)),
        *(run([(900, 0.9, 0.5)], algorithm="C", run=k, evaluations=1000) for k in range(2)),
        *(run(algorithm="D", run=k, evaluations=0) for k in range(2)),
    )


@pytest.mark.parametrize("function", ["1", "all"])
def test_a_share_over_evaluations_is_a_lower_bound_from_the_first_cut_to_the_last(
    function, cut_off
):
    frame = made("ecdf", cut_off).query("function == @function")
    curves = dict(list(frame[frame["unit"] == "evaluations"].groupby("algorithm")))
    a = curves["A"].set_index("cost")
    assert 75 <= a.index.max() <= 80
    steps = [(0, 20, 1.0), (20, 40, 0.75), (40, 80, 0.5)]
    for start, end, share in steps:
        assert (a.loc[(a.index > start) & (a.index <= end), "observed"] == share).all()
    limits = a.filter(regex="low|high")
    assert limits[a["observed"] < 1].isna().all(axis=None)
    assert limits[a["observed"] == 1].notna().all(axis=None)
    assert a["fraction"].iloc[-1] == pytest.approx((3 * 33 + 51) / (4 * 51))
    for name in "BCD":  # what ended by itself or made no evaluation is final
        assert curves[name]["cost"].max() == 1000
        assert (curves[name]["observed"] == 1).all()
    seconds = frame[frame["unit"] == "seconds"]
    assert (seconds["observed"] == 1).all()
    assert seconds.groupby("algorithm")["cost"].max().eq(1.0).all()


def test_a_median_has_no_limits_from_the_first_cut_on(cut_off):
    frame = made("anytime", cut_off).query("algorithm == 'A' and unit == 'evaluations'")
    assert 55 <= frame["cost"].max() <= 60  # half of 20, 40 and 80; the fourth run is final
    cut = frame["cost"] > 20
    assert (frame.loc[cut, "observed"] < 1).all()
    assert (frame.loc[~cut, "observed"] == 1).all()
    assert frame.loc[cut, ["low", "high", "median_low"]].isna().all(axis=None)
    assert frame.loc[~cut, ["low", "high"]].notna().all(axis=None)
    assert frame.loc[cut, ["median"]].notna().all(axis=None)


def test_a_profile_in_evaluations_says_which_failures_are_of_runs_that_were_cut_off(
    cut_off, run, table
):
    beyond = "with more evaluations, the curves may end higher."
    alone = table(*(row for row in cut_off.to_pylist() if row["algorithm"] == "A"))
    assert made("profile_evaluations", alone).attrs["omitted"].startswith("All failures")
    # A and C fail 3 and 2 times, B fails twice at the last target and D everywhere
    said = made("profile_evaluations", cut_off).attrs["omitted"]
    assert said.startswith("5 of 13 failures")
    assert said.endswith(beyond)
    solved = table(*(run([(1, 0.1, 0.0)], run=k, stop_reason="target") for k in range(2)))
    assert made("profile_evaluations", solved).attrs["omitted"] == ""
    assert made("profile", cut_off).attrs["omitted"] == ""


FEW = Analysis(targets=(1.0,), resamples=10)


@pytest.fixture
def constrained(run):
    """A function: a run whose vectors are (evaluations, seconds, violation)."""

    def make(vectors=(), **changes):
        events = [(n, t, 1.0 / n) for n, t, violation in vectors if violation == 0]
        kept = [
            {"launch": 0, "evaluations": n, "time_s": t, "outputs": [5.0, violation, n // 2]}
            for n, t, violation in vectors
        ]
        own = {"suite": "bbob-constrained", "constraint_evaluations": 50, "vectors": kept}
        return run(events, **own, **changes)

    return make


@pytest.fixture
def feasible_runs(constrained, table):
    return table(
        constrained([(2, 0.1, 3.0), (10, 0.5, 0.0), (20, 0.6, 0.0)]),
        constrained([(4, 0.2, 0.0)], run=1),
        constrained([(4, 0.2, 7.0)], run=2),
        constrained([(2, 0.1, 0.0)], function=2),
        constrained([], algorithm="B"),
    )


def feasible(table, analysis=FEW):
    return TABLES["feasible"](Runs.of(table), analysis)


def last_and_at(frame, unit, cost):
    part = frame[(frame["unit"] == unit) & (frame["cost"] <= cost * (1 + 1e-9))]
    return part.groupby(["algorithm", "function"])["fraction"].last().to_dict()


def test_a_run_counts_from_its_first_feasible_point_on_with_the_interval_of_clopper_and_pearson(
    feasible_runs,
):
    frame = feasible(feasible_runs)
    assert last_and_at(frame, "evaluations", 4) == pytest.approx(
        {("A", "1"): 1 / 3, ("A", "2"): 1.0, ("A", "all"): 2 / 4, ("B", "1"): 0, ("B", "all"): 0}
    )
    assert last_and_at(frame, "seconds", 1.0) == pytest.approx(
        {("A", "1"): 2 / 3, ("A", "2"): 1.0, ("A", "all"): 3 / 4, ("B", "1"): 0, ("B", "all"): 0}
    )
    just_before = last_and_at(frame, "seconds", 0.49)
    assert just_before["A", "1"] == pytest.approx(1 / 3)
    end = frame[(frame["unit"] == "seconds") & (frame["cost"] == 1.0)].set_index(
        ["algorithm", "function"]
    )
    row = end.loc[("A", "1")]
    low, high = beta.ppf([0.025, 0.975], [2, 3], [2, 1])
    assert (row["low"], row["high"]) == pytest.approx((low, high))
    assert end.loc[("B", "1"), "low"] == 0
    assert end.loc[("B", "1"), "high"] == pytest.approx(0.975)


def test_without_a_feasible_run_there_is_one_cost_and_without_constraints_none(
    constrained, run, table
):
    frame = feasible(table(constrained([(3, 0.2, 1.0)])))
    assert frame.groupby("unit")["cost"].unique().map(list).to_dict() == {
        "seconds": [1.0],
        "evaluations": [100.0],
    }
    assert (frame["fraction"] == 0).all()
    assert feasible(table(run([(1, 0.1, 5.0)]))).empty


def test_the_share_is_a_lower_bound_where_runs_were_cut_off_before(constrained, table):
    found = constrained([(4, 0.2, 0.0)], evaluations=20)
    rows = [constrained([(4, 0.2, 1.0)], run=k, evaluations=20 * k) for k in (1, 2)]
    late = constrained([(90, 0.9, 0.0)], algorithm="B")
    frame = feasible(table(found, *rows, late)).query("unit == 'evaluations' and function == '1'")
    a = frame[frame["algorithm"] == "A"].set_index("cost")
    assert 30 <= a.index.max() <= 40
    observed = [1.0 if cost <= 20 else 2 / 3 for cost in a.index]
    assert a["observed"].tolist() == pytest.approx(observed)
    assert (a["low"].isna() == (a.index > 20)).all()
    assert a["fraction"].iloc[-1] == pytest.approx(1 / 3)
    assert frame["cost"].max() == 100
