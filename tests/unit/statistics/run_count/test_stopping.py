import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from run_counts import stopping

from timefair.statistics.run_count.skewness import Outliers, SkewnessRule
from timefair.statistics.run_count.stopping import FixedCount, Reason, decide, stop_counts
from timefair.statistics.run_count.widths import (
    BoundedMeanWidth,
    MeanWidth,
    QuantileWidth,
    Validity,
)

RULES = [
    FixedCount(7),
    SkewnessRule(0.2, Outliers.MAD, cap=16),
    *(QuantileWidth(0.5, validity=validity, start=6, cap=16) for validity in Validity),
    QuantileWidth(2.0, p=0.9, relative=False, start=3, cap=16),
    MeanWidth(0.5, start=2, cap=16),
]
BOUNDED = BoundedMeanWidth(0.3, lowest=0.0, highest=9.0, start=4, cap=16)
VALUES = st.one_of(st.integers(0, 9).map(float), st.floats(0.0, 9.0))


def check_agreement(rule, samples):
    many = stop_counts(rule, samples)
    for sample, n, met in zip(samples, many.n, many.met, strict=True):
        one = stopping(rule, sample)
        assert (one.n, one.reason in (Reason.MET, Reason.DEGENERATE)) == (n, met)
        assert one.path.size == n - rule.start + 1
        decisions = [decide(rule, sample[:k]) for k in range(1, n + 1)]
        assert [decision.stop for decision in decisions] == [False] * (n - 1) + [True]
        assert decisions[-1].reason is one.reason
        assert all(d.reason is Reason.START for d in decisions[: rule.start - 1])


@pytest.mark.thinned(4)
@pytest.mark.parametrize("rule", [*RULES, BOUNDED], ids=repr)
@settings(deadline=None, max_examples=15)
@given(samples=arrays(np.float64, (3, 16), elements=VALUES))
def test_asked_after_each_run_or_afterwards_the_n_is_the_same(rule, samples):
    check_agreement(rule, samples)


@pytest.mark.parametrize("rule", [*RULES, BOUNDED], ids=repr)
def test_wrong_values_are_named(rule):
    for wrong in ([1.0, np.nan], [-np.inf, 1.0]):
        with pytest.raises(ValueError, match="NaN or -inf"):
            decide(rule, wrong)
    with pytest.raises(ValueError, match="cap"):
        stopping(rule, np.ones(rule.cap - 1))
    with pytest.raises(ValueError, match="dimension"):
        stop_counts(rule, np.ones(16))


@pytest.mark.parametrize("rule", [*RULES, BOUNDED], ids=repr)
def test_no_run_is_too_few_and_no_sample_gives_no_count(rule):
    assert decide(rule, []).reason is Reason.START
    assert stop_counts(rule, np.empty((0, 16))).n.size == 0
