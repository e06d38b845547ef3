"""The predictability of the reliability of an estimate, and its table."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import mannwhitneyu

from timefair.exhibits.registry import TABLES
from timefair.extensions.reliability import tables
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis, RunCount


def drawn(cases, weights, seed=1):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(cases, len(weights))) * 3.0 + 1.0
    return table, rng.random(cases) < expit(table @ np.array(weights))


def test_auc_is_mann_whitneys_share_and_bins_hold_all_cases():
    rng = np.random.default_rng(1)
    stated, happened = rng.integers(6, size=80) / 5, rng.random(80) < 0.4
    u = mannwhitneyu(stated[happened], stated[~happened]).statistic
    assert tables.auc(stated, happened) == pytest.approx(u / (happened.sum() * (~happened).sum()))
    rng = np.random.default_rng(2)
    stated = rng.random(1000)
    predicted, observed, cases = tables.calibration_curve(stated, rng.random(1000) < stated)
    assert cases.tolist() == [100] * 10
    assert (np.diff(predicted) > 0).all()
    np.testing.assert_allclose(observed, predicted, atol=0.17)


def test_the_fit_finds_the_law_and_the_penalty_shrinks():
    table, right = drawn(20_000, [0.8, -0.4, 0.0])
    model = tables.fit_reliability(table, right)
    np.testing.assert_allclose(model.weights / model.scale, [0.8, -0.4, 0.0], atol=0.05)
    np.testing.assert_allclose(model.probability(table).mean(), right.mean(), atol=1e-3)
    table, right = drawn(100, [2.0])
    loose, tight = (
        tables.fit_reliability(table, right, penalty=p).weights[0] for p in (0.1, 100.0)
    )
    assert 0.0 < tight < loose


@pytest.mark.slow
def test_skill_shows_where_there_is_some_and_where_there_is_none():
    groups = np.arange(3000) % 10
    table, right = drawn(3000, [1.0, 0.0])
    stated, base = tables.held_out(table, right, groups)
    assert tables.brier_skill(stated, base, right) > 0.3
    assert tables.auc(stated, right) > 0.8
    predicted, observed, _ = tables.calibration_curve(stated, right)
    np.testing.assert_allclose(observed, predicted, atol=0.08)
    noise, base = tables.held_out(np.random.default_rng(3).permutation(table), right, groups)
    assert abs(tables.brier_skill(noise, base, right)) < 0.02
    assert abs(tables.auc(noise, right) - 0.5) < 0.05


def test_a_group_is_judged_by_the_others():
    """The label is the group: whoever saw it would know."""
    groups = np.repeat([0, 1, 2, 3], 25)
    right = groups >= 2
    stated, base = tables.held_out(np.eye(4)[groups], right, groups)
    assert base.tolist() == [2 / 3] * 50 + [1 / 3] * 50
    assert tables.auc(stated, right) < 0.5


def test_features_do_not_depend_on_the_unit_and_see_failures():
    samples = np.random.default_rng(4).lognormal(size=(20, 12))
    table = tables.features(samples)
    np.testing.assert_allclose(tables.features(samples * 1e6), table)
    assert table.shape == (20, len(tables.FEATURES))
    samples[0, :3] = np.inf
    assert tables.features(samples)[0, -1] == 0.25


CAP = 12


def made(run, table, spread, functions=5, algorithms="ABCDEFGHIJ"):
    """The table of samples whose standard deviation is a function of the algorithm."""
    rng = np.random.default_rng(6)
    rows = [
        run(best_precision=value, run=k, function=function, algorithm=label)
        for function, label in product(range(1, functions + 1), algorithms)
        for k, value in enumerate(rng.lognormal(sigma=spread(label), size=2 * CAP))
    ]
    analysis = Analysis(targets=(1.0,), run_count=RunCount(cap=CAP))
    return TABLES["run_count_reliability"](Runs.of(table(*rows)), analysis)


@pytest.mark.slow
def test_reliability_can_be_told_where_the_spread_tells_it(run, table):
    """Half of the cells hardly vary, half do wildly."""
    frame = made(run, table, lambda label: 0.01 if label < "F" else 3.0)
    assert set(frame["held_out"]) == {"functions", "algorithms"}
    assert set(frame["truth"]) == {"independent"}
    wanted = frame["estimate"].eq("median") & frame["n"].eq(5) & frame["error_percent"].eq(10.0)
    (row,) = frame[wanted & frame["held_out"].eq("functions") & frame["bin"].eq(1)].to_dict(
        "records"
    )
    assert row["skill"] == pytest.approx(1 - row["brier"] / row["brier_base"])
    assert row["skill"] > 0.7
    assert row["auc"] > 0.9
    for _, curve in frame.groupby(["estimate", "n", "error_percent", "held_out"]):
        assert curve["bin_samples"].sum() == curve["samples"].iloc[0] == 50
        observed = np.average(curve["observed_percent"], weights=curve["bin_samples"])
        assert observed == pytest.approx(curve["right_percent"].iloc[0])
        assert curve["stated_percent"].is_monotonic_increasing


def test_one_function_and_one_algorithm_cannot_be_held_out(run, table):
    assert made(run, table, lambda label: 1.0, functions=1, algorithms="A").empty
