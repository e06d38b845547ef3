import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import mannwhitneyu

from timefair.extensions.reliability.tables import (
    FEATURES,
    auc,
    brier_skill,
    calibration_curve,
    features,
    fit_reliability,
    held_out,
)


def drawn(cases, weights, seed=1):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(cases, len(weights))) * 3.0 + 1.0
    return table, rng.random(cases) < expit(table @ np.array(weights))


def test_auc_is_mann_whitneys_share():
    rng = np.random.default_rng(1)
    stated, happened = rng.integers(6, size=80) / 5, rng.random(80) < 0.4
    u = mannwhitneyu(stated[happened], stated[~happened]).statistic
    assert auc(stated, happened) == pytest.approx(u / (happened.sum() * (~happened).sum()))


def test_bins_hold_all_cases_and_rise():
    rng = np.random.default_rng(2)
    stated = rng.random(1000)
    curve = calibration_curve(stated, rng.random(1000) < stated)
    assert curve.cases.tolist() == [100] * 10
    assert (np.diff(curve.stated) > 0).all()
    np.testing.assert_allclose(curve.observed, curve.stated, atol=0.17)


def test_the_fit_finds_the_law():
    table, right = drawn(20_000, [0.8, -0.4, 0.0])
    model = fit_reliability(table, right)
    np.testing.assert_allclose(model.weights / model.scale, [0.8, -0.4, 0.0], atol=0.05)
    np.testing.assert_allclose(model.probability(table).mean(), right.mean(), atol=1e-3)


def test_the_penalty_shrinks():
    table, right = drawn(100, [2.0])
    loose, tight = (fit_reliability(table, right, penalty=p).weights[0] for p in (0.1, 100.0))
    assert 0.0 < tight < loose


@pytest.mark.slow
def test_skill_shows_where_there_is_some_and_where_there_is_none():
    groups = np.arange(3000) % 10
    table, right = drawn(3000, [1.0, 0.0])
    stated, base = held_out(table, right, groups)
    assert brier_skill(stated, base, right) > 0.3
    assert auc(stated, right) > 0.8
    curve = calibration_curve(stated, right)
    np.testing.assert_allclose(curve.observed, curve.stated, atol=0.08)
    noise, base = held_out(np.random.default_rng(3).permutation(table), right, groups)
    assert abs(brier_skill(noise, base, right)) < 0.02
    assert abs(auc(noise, right) - 0.5) < 0.05


def test_a_group_is_judged_by_the_others():
    """The label is the group: whoever saw it would know."""
    groups = np.repeat([0, 1, 2, 3], 25)
    right = groups >= 2
    stated, base = held_out(np.eye(4)[groups], right, groups)
    assert base.tolist() == [2 / 3] * 50 + [1 / 3] * 50
    assert auc(stated, right) < 0.5


def test_features_do_not_depend_on_the_unit_and_see_failures():
    samples = np.random.default_rng(4).lognormal(size=(20, 12))
    table = features(samples)
    np.testing.assert_allclose(features(samples * 1e6), table)
    assert table.shape == (20, len(FEATURES))
    samples[0, :3] = np.inf
    assert features(samples)[0, -1] == 0.25
