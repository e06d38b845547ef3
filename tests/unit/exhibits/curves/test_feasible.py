"""Share of feasible runs, on runs that are small enough to count by hand."""

import pytest
from scipy.stats import beta

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(1.0,), resamples=10)


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
def campaign(constrained, table):
    return table(
        constrained([(2, 0.1, 3.0), (10, 0.5, 0.0), (20, 0.6, 0.0)]),
        constrained([(4, 0.2, 0.0)], run=1),
        constrained([(4, 0.2, 7.0)], run=2),
        constrained([(2, 0.1, 0.0)], function=2),
        constrained([], algorithm="B"),
    )


def made(table, analysis=ANALYSIS):
    return TABLES["feasible"](Runs.of(table), analysis)


def last_and_at(frame, unit, cost):
    part = frame[(frame["unit"] == unit) & (frame["cost"] <= cost * (1 + 1e-9))]
    return part.groupby(["algorithm", "function"])["fraction"].last().to_dict()


def test_a_run_counts_from_its_first_feasible_point_on(campaign):
    frame = made(campaign)
    assert last_and_at(frame, "evaluations", 4) == pytest.approx(
        {("A", "1"): 1 / 3, ("A", "2"): 1.0, ("A", "all"): 2 / 4, ("B", "1"): 0, ("B", "all"): 0}
    )
    assert last_and_at(frame, "seconds", 1.0) == pytest.approx(
        {("A", "1"): 2 / 3, ("A", "2"): 1.0, ("A", "all"): 3 / 4, ("B", "1"): 0, ("B", "all"): 0}
    )
    just_before = last_and_at(frame, "seconds", 0.49)
    assert just_before["A", "1"] == pytest.approx(1 / 3)


def test_the_interval_is_that_of_clopper_and_pearson(campaign):
    frame = made(campaign)
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
    frame = made(table(constrained([(3, 0.2, 1.0)])))
    assert frame.groupby("unit")["cost"].unique().map(list).to_dict() == {
        "seconds": [1.0],
        "evaluations": [100.0],
    }
    assert (frame["fraction"] == 0).all()
    assert made(table(run([(1, 0.1, 5.0)]))).empty


def test_the_share_is_a_lower_bound_where_runs_were_cut_off_before(constrained, table):
    found = constrained([(4, 0.2, 0.0)], evaluations=20)
    rows = [constrained([(4, 0.2, 1.0)], run=k, evaluations=20 * k) for k in (1, 2)]
    late = constrained([(90, 0.9, 0.0)], algorithm="B")
    frame = made(table(found, *rows, late)).query("unit == 'evaluations' and function == '1'")
    a = frame[frame["algorithm"] == "A"].set_index("cost")
    assert 30 <= a.index.max() <= 40
    observed = [1.0 if cost <= 20 else 2 / 3 for cost in a.index]
    assert a["observed"].tolist() == pytest.approx(observed)
    assert (a["low"].isna() == (a.index > 20)).all()
    assert a["fraction"].iloc[-1] == pytest.approx(1 / 3)
    assert frame["cost"].max() == 100
