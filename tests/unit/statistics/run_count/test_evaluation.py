"""The offline verdict: against resampling, scipy's intervals and the same formulas in numpy."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import bootstrap

from timefair.statistics.run_count import evaluation
from timefair.statistics.run_count.evaluation import (
    evaluate,
    fixed_control,
    random_control,
    rule_proposal,
    savings,
    verdicts,
)
from timefair.statistics.run_count.stopping_rules import Outliers, SkewnessRule, StopCounts

GOLDEN = Path(__file__).parents[3] / "golden"
TECHNIQUES = (Outliers.NONE, Outliers.IQR, Outliers.PERCENTILE, Outliers.MAD)
RULES = [SkewnessRule(tau, technique) for technique in TECHNIQUES for tau in (0.05, 0.2)]
OUTLIERS = [rule.outliers for rule in RULES]


def skewed(samples, seed=1):
    rng = np.random.default_rng(seed)
    return np.exp(rng.normal(size=(samples, 50)) * rng.uniform(0.1, 2.0, size=(samples, 1)))


def contains_zero(interval):
    return interval.low <= 0.0 <= interval.high


def depth_in(interval, error):
    return min(abs(interval.low), abs(interval.high)) / error


@pytest.mark.slow
def test_clear_verdicts_are_those_of_scipys_intervals():
    """Two samples of 50, no trimming: exactly scipy's bootstrap of a difference of means."""
    rng = np.random.default_rng(2)
    samples = skewed(60)
    truth = rng.permuted(samples, axis=1) * rng.uniform(0.7, 1.4, size=(60, 1))
    accurate, _ = verdicts(samples, np.full((60, 1), 50), [Outliers.NONE], truth)
    clear = 0
    for sample, true, verdict in zip(samples, truth, accurate[:, 0], strict=True):

        def difference(x, y, axis):
            return x.mean(axis=axis) - y.mean(axis=axis)

        options = {"n_resamples": 2000, "rng": rng, "vectorized": True}
        percentile = bootstrap((sample, true), difference, method="percentile", **options)
        bca = bootstrap((sample, true), difference, method="BCa", **options)
        intervals = percentile.confidence_interval, bca.confidence_interval
        if min(depth_in(each, percentile.standard_error) for each in intervals) > 0.15:
            clear += 1
            assert verdict == any(contains_zero(each) for each in intervals)
    assert clear > 40


def test_degenerate_samples_have_verdicts():
    inf = np.inf
    samples = np.array([
        [3.0, 3.0, 3.0, 3.0],
        [3.0, 3.0, 3.0, 4.0],
        [0.0, 0.0, 0.0, 0.0],
        [3.0, 3.0, 3.0, inf],
        [inf, 3.0, 3.0, 3.0],
        [inf, inf, inf, inf],
    ])  # fmt: skip
    accurate, within = verdicts(samples, np.full((6, 2), 3), [Outliers.NONE] * 2)
    assert accurate[:, 0].tolist() == [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]
    assert accurate[:, 1].tolist() == accurate[:, 0].tolist()
    assert (within >= accurate[..., np.newaxis]).all()
    accurate, within = verdicts([[3.0, 3.0]], [[2]], [Outliers.MAD], [[3.3, 3.3, 3.3]])
    assert accurate.item() == 0.0
    assert within.ravel().tolist() == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]


PRINTED = pd.read_csv(GOLDEN / "seed001_table2.csv")


def test_table_2_by_its_own_arithmetic():
    row = savings(PRINTED.total, PRINTED.est, PRINTED.acc_implied)
    np.testing.assert_array_equal(row["saved_runs"], PRINTED.saved)
    np.testing.assert_allclose(row["estimated_percent"], PRINTED.pct_est, atol=0.0051)
    np.testing.assert_allclose(row["saved_percent"], PRINTED.pct_saved, atol=0.0051)
    np.testing.assert_allclose(row["expected_saved_percent"], PRINTED.pct_exp, atol=0.0051)
    rounding = 0.5e-4 / 100 * PRINTED.saved + 0.01
    assert (abs(row["expected_saved_runs"] - PRINTED.exp_saved) <= rounding).all()
    np.testing.assert_allclose(PRINTED.acc_implied, PRINTED.acc, atol=0.0051)
    np.testing.assert_allclose(PRINTED.est / (PRINTED.total / 50), PRINTED.mean_n, atol=0.0051)
    assert len(PRINTED) == 24


def test_groups_add_up_and_blocks_do_not_matter(monkeypatch):
    samples = skewed(100, seed=11)
    proposal = rule_proposal(RULES, samples)
    groups = np.arange(100) % 3
    whole = evaluate(samples, proposal, OUTLIERS)
    monkeypatch.setattr(evaluation, "BLOCK", 7)
    again = rule_proposal(RULES, samples)
    np.testing.assert_array_equal(again.n, proposal.n)
    parts = evaluate(samples, proposal, OUTLIERS, groups=groups)
    assert parts["samples"].tolist() == [34, 33, 33]
    for name in ("runs", "stopped", "accurate", "accurate_stopped", "within", "samples"):
        np.testing.assert_allclose(parts[name].sum(axis=0), whole[name][0])
    some = StopCounts(proposal.n[1::3], proposal.met[1::3])
    second = evaluate(samples[groups == 1], some, OUTLIERS)
    np.testing.assert_allclose(parts["accurate"][1], second["accurate"][0])


def test_the_sums_are_what_they_say():
    samples = skewed(200, seed=12)
    proposal = rule_proposal(RULES, samples)
    found = evaluate(samples, proposal, OUTLIERS)
    accurate, within = verdicts(samples, proposal.n, OUTLIERS)
    np.testing.assert_allclose(found["accurate"][0], accurate.sum(axis=0))
    np.testing.assert_allclose(found["within"][0], within.sum(axis=0))
    np.testing.assert_allclose(found["stopped"][0], proposal.met.sum(axis=0))
    stopped = accurate[:, 0][proposal.met[:, 0]]
    assert found["accurate_stopped"][0, 0] == pytest.approx(stopped.sum())
    assert found["runs"][0].tolist() == proposal.n.sum(axis=0).tolist()


def test_controls_cost_what_the_rule_costs():
    samples = skewed(150, seed=13)
    proposal = rule_proposal(RULES, samples)
    fixed, dealt = fixed_control(proposal), random_control(proposal, rng=np.random.default_rng(1))
    assert (fixed.n.sum(axis=0) <= proposal.n.sum(axis=0)).all()
    assert (fixed.n.sum(axis=0) > proposal.n.sum(axis=0) - 150).all()
    np.testing.assert_array_equal(np.sort(dealt.n, axis=0), np.sort(proposal.n, axis=0))
    np.testing.assert_array_equal(dealt.met.sum(axis=0), proposal.met.sum(axis=0))
    assert (dealt.n != proposal.n).any(axis=0).all()
    assert not (dealt.n[:, 0] == 50)[~proposal.met[:, 0]].all()


RUNS = 50
SETTINGS = [technique for technique in Outliers for _ in range(4)]


def numbers_of_runs(samples, settings, seed):
    """Equal numbers among a sample's settings, and the cap, are frequent, as in real life."""
    rng = np.random.default_rng(seed)
    numbers = rng.integers(5, RUNS, size=(samples, settings))
    often = rng.choice([5, 6, RUNS], size=numbers.shape)
    return np.where(rng.random(numbers.shape) < 0.6, often, numbers)


@pytest.mark.parametrize("exponent", [-990, -500, -300, 300, 500, 900])
def test_the_unit_of_the_values_does_not_matter(exponent):
    """Powers of fourth order of such values are 0 or infinite."""
    samples = np.random.default_rng(10).lognormal(size=(100, RUNS))
    counts = numbers_of_runs(100, len(SETTINGS), seed=11)
    scaled = samples * 2.0**exponent
    found, other = (verdicts(each, counts, SETTINGS) for each in (samples, scaled))
    np.testing.assert_array_equal(other[0], found[0])
    np.testing.assert_allclose(other[1], found[1], atol=1e-9)
