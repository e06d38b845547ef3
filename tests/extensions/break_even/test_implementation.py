"""Break-even factors of own time, the verdict, and crossings of lines against brute force."""

import numpy as np
import pandas as pd
import pytest

from timefair.exhibits.registry import TABLES
from timefair.extensions.break_even.sets import turning_cost, turning_factor, turning_sets
from timefair.extensions.break_even.tables import checklist, robustness
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.ert import ert
from timefair.statistics.two_samples import equal_ert

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


def test_the_factor_and_the_orders_by_time_at_equal_own_time_and_in_evaluations(made):
    row = made("implementation").iloc[0]
    assert (row["by_time"], row["behind"], row["leading"]) == ("quick", "frugal", True)
    assert (row["by_evaluations"], row["at_equal_own_time"]) == ("frugal", "frugal")
    assert row["equal"] == pytest.approx(0.01)
    expected = (0.2 - 0.02) / 2.0
    limits = row[["factor", "factor_q1", "factor_q3", "factor_low", "factor_high"]]
    assert limits.to_numpy(float) == pytest.approx(expected)
    counts = row[["functions", "known", "easier", "behind_on", "never", "missing_s"]]
    assert counts.tolist() == [8, 8, 0, 8, 0, 0]
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


def test_unknown_factors_widen_intervals_and_positions_hold_between_those_of_neighbours(made):
    few = made("implementation", analysis().model_copy(update={"targets": (1.0,)}), cut=(1, 2, 3))
    row = few.iloc[0]
    assert (row["known"], row["factor_low"], row["factor_high"]) == (5, 0.0, np.inf)
    assert list(robustness(few)) == []
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


def test_of_several_pairs_the_one_that_needs_least_is_named(run, table):
    rows = [ROW | {"behind": name, "at_equal_own_time": "DE", "factor": f} for name, f in
            (("A", 0.02), ("B", 0.05))]  # fmt: skip
    assert "leads B" in next(robustness(pd.DataFrame(rows)))
    runs = Runs.of(table(*rows_of(run)))
    assert list(checklist(runs, analysis())) == []  # the campaign does not ask for the table
    (part,) = checklist(runs, analysis(campaign={"tables": ["implementation"]}))
    assert part.met
    assert "quick and frugal by time is one of implementations" in part.evidence


def sample(rng, seconds, evaluations, runs=12, rate=1.0):
    """Runs with exponential costs and one speed, shape (runs, 1) each."""
    length = rng.exponential(size=(runs, 1)) + 0.5
    return seconds * length, np.ceil(evaluations * length), rng.random((runs, 1)) < rate


def accepted(first, second, cost, confidence):
    p = equal_ert(
        *((first[0] + cost * first[1])[:, 0], first[2][:, 0]),
        *((second[0] + cost * second[1])[:, 0], second[2][:, 0]),
    )
    return p > 1 - confidence


FORMS = {
    "empty": lambda cost, low, high: False,
    "every": lambda cost, low, high: True,
    "below": lambda cost, low, high: cost <= high,
    "above": lambda cost, low, high: cost >= low,
    "between": lambda cost, low, high: low <= cost <= high,
    "outside": lambda cost, low, high: cost <= low or cost >= high,
}


@pytest.mark.thinned(5)
@pytest.mark.parametrize("seed", range(30))
def test_a_set_has_the_costs_that_the_test_does_not_reject(seed):
    rng = np.random.default_rng(seed)
    first = sample(rng, 1.0, 1000 * rng.choice([0.1, 1.0, 10.0]), rate=rng.choice([0.5, 1.0]))
    second = sample(rng, rng.choice([0.3, 1.0, 9.0]), 300, rate=rng.choice([0.4, 1.0]))
    if seed % 2:  # as for a factor of the first one's own time
        second = (second[0], np.zeros_like(second[1]), second[2])
    sets = turning_sets(*first, *second, confidence=0.9)
    form, low, high = sets.shape[0], sets.low[0], sets.high[0]
    for cost in np.geomspace(1e-7, 1e3, 60):
        if np.isclose(cost, [low, high], rtol=1e-6).any():
            continue
        assert FORMS[form](cost, low, high) == accepted(first, second, cost, 0.9), (form, cost)


def test_the_forms_of_sets():
    rng = np.random.default_rng(3)
    quick, frugal = sample(rng, 1.0, 10_000), sample(rng, 100.0, 100)
    both = turning_sets(*quick, *frugal, confidence=0.95)
    assert both.shape[0] == "between"
    lines = [ert(x[:, 0], np.ones(12)) for x in (*quick[:2], *frugal[:2])]
    assert both.low[0] < turning_cost(*lines) < both.high[0]
    better = turning_sets(*sample(rng, 1.0, 100), *sample(rng, 100.0, 10_000), confidence=0.95)
    assert better.shape[0] == "empty"
    assert np.isnan([better.low[0], better.high[0]]).all()
    few = turning_sets(*(x[:2] for x in (*quick, *frugal)), confidence=0.95)
    assert (few.shape[0], few.low[0], few.high[0]) == ("every", 0.0, np.inf)
    never = (quick[0], quick[1], np.zeros((12, 1)))
    assert turning_sets(*never, *never, confidence=0.95).shape[0] == "every"


def of_campaigns(rng, *laws):
    """For each law, the samples of a thousand campaigns of 15 runs, side by side."""
    for law in laws:
        every = (sample(rng, *law, runs=15) for _ in range(1000))
        yield [np.hstack(parts) for parts in zip(*every, strict=True)]


def hold(sets, truth):
    found = zip(sets.shape, sets.low, sets.high, strict=True)
    held = np.mean([FORMS[form](truth, low, high) for form, low, high in found])
    return held >= 0.9 - 4 * np.sqrt(0.09 / len(sets.shape))


def test_sets_hold_the_true_cost_and_factor_as_often_as_they_say():
    first, second = of_campaigns(np.random.default_rng(4), (1.0, 10_000), (10.0, 1000))
    assert hold(turning_sets(*first, *second, confidence=0.9), 9.0 / 9000)
    scaled, other = of_campaigns(np.random.default_rng(6), (10.0, 1000), (1.0, 10_000))
    fixed, none = 1e-4 * scaled[1], np.zeros_like(scaled[1])
    own = (fixed, scaled[0] - fixed, scaled[2])
    assert hold(turning_sets(*own, other[0], none, other[2], confidence=0.9), 0.9 / 9.9)


def test_the_factor_of_own_time_at_the_ends():
    inf = np.inf
    fixed, own, other = np.array(
        [(1, 4, 3), (1, 4, 1), (3, 4, 1), (1, 0, 2), (2, 0, 1), (1, 4, inf), (inf, inf, 1)]
    ).T
    expected = [0.5, 0.0, 0.0, inf, 0.0, inf, 0.0]
    np.testing.assert_array_equal(turning_factor(fixed, own, other), expected)
    assert np.isnan(turning_factor(inf, inf, inf))
