"""Rules of stopping, and the scan for them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.policies import stopping_rules
from timefair.policies.stopping import (
    KnownQuantile,
    SuccessRate,
    SuccessWidth,
    SymmetricSample,
    success_interval,
)
from timefair.statistics.run_count.stopping_rules import (
    Outliers,
    Reason,
    SkewnessRule,
    decide,
    stop_counts,
)
from timefair.statistics.run_count.widths import QuantileWidth, Validity


@pytest.mark.parametrize(
    ("chosen", "runs", "start"), [({}, 50, 5), ({}, 4, 4), ({"start": 9}, 50, 9)]
)
def test_the_first_look_of_a_skewness(chosen, runs, start):
    rule = SymmetricSample(tau=0.1, outliers="iqr", **chosen).judge(runs)
    assert rule == SkewnessRule(0.1, Outliers.IQR, start, runs)


def test_keys_of_the_campaign_reach_rules_that_compare_or_judge():
    first, second = KnownQuantile(p=0.9), KnownQuantile(p=0.9, validity="anytime")
    assert first.judge(30) == QuantileWidth(0.5, 0.9, validity=Validity.HORIZON, cap=30)
    assert second.judge(30) == QuantileWidth(0.5, 0.9, validity=Validity.ANYTIME, cap=30)
    chosen = SuccessRate(target=0.1, width=0.3, confidence=0.9, start=3)
    assert chosen.judge(30) == SuccessWidth(0.1, 0.3, 0.9, 3, 30)
    kinds = {
        name: (kind.compares, kind().judge(20) is not None)
        for name, kind in stopping_rules().items()
    }
    assert kinds["fixed"] == (False, False)
    comparing = {name for name, (compares, _) in kinds.items() if compares}
    assert comparing == {"race"}
    assert all(compares != judges for name, (compares, judges) in kinds.items() if name != "fixed")


def missed(rate: float, confidence: float, runs: int) -> float:
    """The probability that any of the first intervals misses the success rate."""
    alive, missed = np.zeros(runs + 1), 0.0
    alive[0] = 1.0
    for n in range(1, runs + 1):
        alive[1:] = alive[1:] * (1.0 - rate) + alive[:-1] * rate
        alive[0] *= 1.0 - rate
        for k in np.flatnonzero(alive):
            low, high = success_interval(int(k), n, confidence)
            if not low <= rate <= high:
                missed += alive[k]
                alive[k] = 0.0
    return missed


@pytest.mark.parametrize("confidence", [0.8, 0.95])
@pytest.mark.parametrize("rate", [0.001, 0.02, 0.1, 0.5, 0.7, 0.99])
def test_all_looks_together_miss_as_seldom_as_promised(rate, confidence):
    assert missed(rate, confidence, runs=100) <= 1.0 - confidence


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_contains_the_share_and_mirrors_the_failures(counts):
    k, n = counts
    low, high = success_interval(k, n, 0.9)
    assert 0.0 <= low <= k / n <= high <= 1.0
    assert success_interval(n - k, n, 0.9) == pytest.approx((1.0 - high, 1.0 - low), abs=1e-9)


def test_the_limits_are_rates_under_which_the_evidence_is_just_enough():
    """Against the mixture's integral, by the midpoint rule."""
    k, n, confidence = 7, 20, 0.95
    quantiles = np.sin(np.pi / 2 * (np.arange(100_000) + 0.5) / 100_000) ** 2  # beta(1/2, 1/2)
    mixed = np.mean(quantiles**k * (1.0 - quantiles) ** (n - k))
    for limit in success_interval(k, n, confidence):
        ratio = mixed / (limit**k * (1.0 - limit) ** (n - k))
        assert ratio == pytest.approx(1.0 / (1.0 - confidence), rel=1e-6)


def test_it_stops_sooner_where_runs_agree():
    rule = SuccessRate().judge(100)
    always, never = np.zeros(100), np.full(100, np.inf)
    half = np.tile([0.0, 1.0], 50)
    counts = stop_counts(rule, [always, never, half])
    assert counts.n.tolist() == [24, 24, 62]
    assert decide(rule, always[:24]).reason is Reason.MET
