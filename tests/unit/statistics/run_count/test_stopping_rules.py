"""Rules for numbers of runs: asked after each run or afterwards, and against exact laws."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from run_counts import is_kept, stopping
from scipy.stats import mannwhitneyu, quantile_test, skew, t

from timefair.statistics.run_count import stopping_rules as racing
from timefair.statistics.run_count.stopping_rules import (
    Outliers,
    Reason,
    SkewnessRule,
    decide,
    equal_if_solved,
    fences,
    race,
    stop_counts,
)
from timefair.statistics.run_count.widths import (
    BoundedMeanWidth,
    MeanWidth,
    QuantileWidth,
    Validity,
)

RULES = [
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
@pytest.mark.parametrize("rule", [*RULES, BOUNDED])
@settings(deadline=None, max_examples=15)
@given(samples=arrays(np.float64, (3, 16), elements=VALUES))
def test_asked_after_each_run_or_afterwards_the_n_is_the_same(rule, samples):
    check_agreement(rule, samples)


@pytest.mark.parametrize("rule", [*RULES, BOUNDED])
def test_wrong_values_are_named_and_no_run_is_too_few(rule):
    for wrong in ([1.0, np.nan], [-np.inf, 1.0]):
        with pytest.raises(ValueError, match="NaN or -inf"):
            decide(rule, wrong)
    with pytest.raises(ValueError, match="cap"):
        stop_counts(rule, np.ones((1, rule.cap - 1)))
    with pytest.raises(ValueError, match="dimension"):
        stop_counts(rule, np.ones(16))
    assert decide(rule, []).reason is Reason.START
    assert stop_counts(rule, np.empty((0, 16))).n.size == 0


GOLDEN = Path(__file__).parents[3] / "golden" / "seed001_rule_vectors.json"
VECTORS = json.loads(GOLDEN.read_text(encoding="utf-8"))
TECHNIQUES = {"IQR": Outliers.IQR, "Percentile": Outliers.PERCENTILE, "MAD": Outliers.MAD}
EVERY_RULE = [
    SkewnessRule(tau, technique, cap=20) for technique in Outliers for tau in (0.05, 0.1, 0.2)
]


def rule_of(setting):
    tau, technique = setting.split("/")
    return SkewnessRule(float(tau), TECHNIQUES[technique])


def test_the_golden_vectors_offline():
    for name in VECTORS[0]["n"]:
        found = stop_counts(rule_of(name), [vector["values"] for vector in VECTORS])
        assert found.n.tolist() == [vector["n"][name] for vector in VECTORS]


SPECIAL = st.one_of(
    st.sampled_from([0.0, 0.1, 1.0, 2.0, 3.0, np.inf]),
    st.integers(0, 9).map(float),
    st.floats(0, 1e9),
    st.floats(1.0, 1.0 + 1e-14),
    st.floats(0, 1e-300),
    st.floats(1e200, 1e300),
)


@pytest.mark.slow
@settings(deadline=None, max_examples=2 * settings.default.max_examples)
@given(arrays(np.float64, 20, elements=SPECIAL))
def test_online_and_offline_agree_on_every_sample(sample):
    for rule in EVERY_RULE:
        offline, online = stop_counts(rule, sample[np.newaxis]), stopping(rule, sample)
        assert (offline.n.item(), offline.met.item()) == (online.n, online.reason is not Reason.CAP)


@pytest.mark.parametrize("technique", Outliers)
def test_the_path_is_scipys_skewness_of_what_is_kept(technique):
    sample = np.random.default_rng(3).lognormal(size=50)
    found = stopping(SkewnessRule(0.0, technique), sample)
    expected = [skew(sample[:n][is_kept(sample[:n], technique)]) for n in range(5, found.n + 1)]
    np.testing.assert_allclose(found.path, expected, rtol=1e-12)


def exact_skewness(values):
    values = [Fraction(value) for value in values]
    mean = sum(values) / len(values)
    second, third = (sum((value - mean) ** k for value in values) / len(values) for k in (2, 3))
    return float(third) / float(second) ** 1.5


@pytest.mark.parametrize("middle", [0.0, 79.48, -4.0e6])
def test_the_skewness_of_values_near_each_other_is_exact(middle):
    """Runs that all end in one local optimum differ in the last digits alone."""
    noise = 1e-13 * max(abs(middle), 1.0) * np.random.default_rng(5).gamma(2.0, size=30)
    found = stopping(SkewnessRule(0.0, Outliers.NONE, cap=30), middle + noise)
    expected = [exact_skewness((middle + noise)[:n]) for n in range(5, found.n + 1)]
    np.testing.assert_allclose(found.path, expected, rtol=1e-9, atol=1e-12)


def test_outliers_of_values_near_each_other_are_those_of_their_distances():
    """The fences lie between neighbouring floating-point numbers."""
    rng = np.random.default_rng(6)
    for steps in rng.geometric(0.1, size=(300, 9)) * rng.choice([-1, 1], size=(300, 9)):
        sample = 64.0 + steps * 2.0**-46
        for technique in (Outliers.IQR, Outliers.MAD):
            assert is_kept(sample, technique).tolist() == is_kept(steps, technique).tolist()


@pytest.mark.thinned(6)
@pytest.mark.parametrize("n", range(3, 51))
def test_percentiles_are_numpys_to_the_last_bit(n):
    rng = np.random.default_rng(n)
    for sample in (rng.lognormal(size=n), 79.48 + 1e-13 * rng.integers(0, 9, size=n)):
        found = fences(np.sort(sample), Outliers.PERCENTILE)
        assert found == tuple(np.percentile(sample, [2.5, 97.5]))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("technique", Outliers)
@pytest.mark.parametrize("constant", [0.0, 0.1, 7e300, np.inf])
def test_constant_values_stop_and_say_so(technique, constant):
    found = stopping(SkewnessRule(0.05, technique), np.full(50, constant))
    assert (found.n, found.reason, found.path.tolist()) == (5, Reason.DEGENERATE, [0.0])


def test_constant_but_for_its_outliers_is_degenerate_and_the_cap_may_be_met():
    rule = SkewnessRule(0.05, Outliers.IQR)
    decision = decide(rule, [1.0, 1.0, 1.0, 1.0, 9.0])
    assert (decision.reason, decision.value) == (Reason.DEGENERATE, 0.0)
    rule = SkewnessRule(0.05, Outliers.NONE, cap=6)
    sample = [0.0, 1.0, 2.0, 3.0, 9.0, -6.0]
    assert decide(rule, sample).reason is Reason.MET
    assert stop_counts(rule, [sample]).met.tolist() == [True]


@pytest.mark.parametrize("technique", Outliers)
def test_a_run_without_a_finite_value_has_no_skewness(technique):
    sample = np.append(np.arange(49.0), np.inf)
    found = stopping(SkewnessRule(0.2, technique), sample[::-1])
    assert (found.n, found.reason) == (50, Reason.CAP)
    assert np.isnan(found.path).all()


def test_a_mad_of_zero_takes_the_mean_absolute_deviation():
    """Four equal of seven: MAD 0, mean absolute deviation 20/7 about the median."""
    sample = [5.0, 5.0, 5.0, 5.0, 4.0, 6.0, 23.0]
    assert is_kept(sample, Outliers.MAD).tolist() == [True] * 6 + [False]
    modified_z = 0.6745 * 18.0 / (20.0 / 7.0)
    assert modified_z > 3.5
    assert is_kept([*sample[:6], 19.0], Outliers.MAD).all() == (0.6745 * 14 / (16 / 7) <= 3.5)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [1, 5, 6, 10, 29, 50])
def test_ordinary_ranks_are_scipys(n, p):
    sample = np.arange(1.0, n + 1)
    expected = quantile_test(sample, p=p).confidence_interval(0.95)
    low, high = QuantileWidth(0.5, p=p, validity=Validity.SINGLE).ranks(n)
    assert (low or np.nan, high if high <= n else np.nan) == pytest.approx(
        (expected.low, expected.high), nan_ok=True
    )


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_the_more_looks_are_allowed_the_wider_the_interval(p):
    rules = [QuantileWidth(0.5, p=p, validity=validity) for validity in Validity]
    for n in range(10, 51):
        one, some, every = (rule.ranks(n) for rule in rules)
        assert every[0] <= some[0] <= one[0]
        assert one[1] <= some[1] <= every[1]


@pytest.mark.parametrize("rule", [QuantileWidth(0.1), MeanWidth(0.1)])
@pytest.mark.parametrize("constant", [0.0, 3.0])
def test_constant_values_are_degenerate(rule, constant):
    found = stopping(rule, np.full(50, constant))
    assert (found.n, found.reason) == (10, Reason.DEGENERATE)


def test_failures_are_larger_than_all_and_a_mean_has_students_interval():
    failed = np.full(50, np.inf)
    assert stopping(QuantileWidth(0.1), failed).reason is Reason.DEGENERATE
    assert stopping(MeanWidth(0.1), failed).reason is Reason.CAP
    sample = np.array([1.0] * 6 + [np.inf] * 4)
    assert decide(QuantileWidth(1e6), sample).value == np.inf
    sample = np.random.default_rng(1).normal(5, 1, size=12)
    low, high = MeanWidth(0.5).interval(sample)
    expected = t.interval(0.95, 11, sample.mean(), sample.std(ddof=1) / np.sqrt(12))
    assert (low, high) == pytest.approx(expected)


@pytest.mark.parametrize("value", [1.5, -0.1, np.inf])
@pytest.mark.parametrize("place", [0, 12])
def test_out_of_bounds_nothing_is_promised(value, place):
    """Values that would stop at n = 14 otherwise."""
    rule = BoundedMeanWidth(0.2, lowest=0.0, highest=1.0, relative=False)
    sample = np.full(50, 0.5)
    assert stopping(rule, sample).n == 14
    sample[place] = value
    found = stopping(rule, sample)
    assert (found.n, found.reason) == (50, Reason.OUT_OF_BOUNDS)
    assert np.isinf(found.path[max(place - 9, 0) :]).all()
    assert np.isfinite(found.path[: max(place - 9, 0)]).all()
    assert decide(rule, sample[: place + 10]).reason is Reason.OPEN


def test_a_value_after_the_stop_is_not_seen():
    rule = BoundedMeanWidth(0.2, lowest=0.0, highest=1.0, relative=False)
    inside = np.full(50, 0.5)
    n = stopping(rule, inside).n
    assert 10 < n < 50
    found = stopping(rule, np.where(np.arange(50) < n, inside, 7.0))
    assert (found.n, found.reason) == (n, Reason.DEGENERATE)


PRECISIONS = st.one_of(st.integers(0, 5).map(float), st.floats(0, 1e6), st.just(np.inf))


@pytest.mark.slow
@settings(deadline=None)
@given(arrays(np.float64, (4, 12), elements=PRECISIONS))
def test_a_race_is_judged_the_same_whenever_it_is_asked(samples):
    settings = {"alpha": 0.5, "looks": (4, 8), "cap": 12}
    complete = race(list(samples), **settings)
    asked = race([[]] * 4, **settings)
    for look in (4, 8, 12):
        lengths = np.where(asked.goes_on, look, asked.dropped_at)
        asked = race([row[:n] for row, n in zip(samples, lengths, strict=True)], **settings)
    assert asked.dropped_at.tolist() == complete.dropped_at.tolist()
    assert (asked.leader, asked.look) == (complete.leader, complete.look)
    assert complete.goes_on[complete.leader]
    assert (complete.runs >= 4).all()


def test_the_level_is_shared_by_algorithms_and_looks():
    """At n = 4 the least exact p is 1/70: it suffices for one rival and one look, not for two."""
    best, worse = np.arange(4.0), np.arange(4.0) + 10
    assert not race([best, worse], looks=(4,)).goes_on[1]
    assert race([best, worse, worse + 10, worse + 20, worse + 30], looks=(4,)).goes_on.all()
    assert race([best, worse], looks=(4, 5, 6, 7)).goes_on.all()


def plain_p_worse(field, leader):
    """As one writes it with scipy, a test a row."""
    p = np.ones(len(field))
    for row, values in enumerate(field):
        values_of_both = np.unique(np.concatenate([values, field[leader]]))
        if row != leader and values_of_both.size > 1:
            method = "exact" if values_of_both.size == 2 * values.size else "asymptotic"
            p[row] = mannwhitneyu(values, field[leader], alternative="greater", method=method)[1]
    return p


@pytest.mark.thinned(4)
@pytest.mark.parametrize("decimals", [0, 1, 15])
@pytest.mark.parametrize(("algorithms", "races"), [(2, 30), (104, 2)])
def test_races_drop_whom_they_drop_by_scipys_tests(monkeypatch, decimals, algorithms, races):
    rng = np.random.default_rng(5)
    shift = np.linspace(0.0, 2.0, algorithms)[:, np.newaxis]
    fields = [
        np.where(rng.random((algorithms, 50)) < 0.9, values, np.inf)
        for values in np.round(rng.gamma(2.0, size=(races, algorithms, 50)) + shift, decimals)
    ]
    found = [race(list(field)).dropped_at.tolist() for field in fields]
    monkeypatch.setattr(racing, "p_worse", plain_p_worse)
    assert [race(list(field)).dropped_at.tolist() for field in fields] == found
    assert len({n for dropped_at in found for n in dropped_at}) > 2


def test_runs_beyond_the_final_target_are_equal():
    precision = [1e-12, 1e-9, 1e-8, 1.0, np.inf]
    assert equal_if_solved(precision, False, 1e-8).tolist() == [1e-8, 1e-8, 1e-8, 1.0, np.inf]
    assert equal_if_solved(precision, False, None).tolist() == precision


def test_the_error_of_the_horizon_is_spent():
    """The exact probability of any miss, from the walk itself, for a median and 10 to 50 runs."""
    alive, missed = {0: 1.0}, 0.0
    for n in range(1, 51):
        low, high = QuantileWidth(0.5).ranks(max(n, 10))
        walked: dict[int, float] = {}
        for k, weight in alive.items():
            for step in (k, k + 1):
                walked[step] = walked.get(step, 0.0) + weight / 2
        if n >= 10:
            missed += sum(weight for k, weight in walked.items() if not low <= k < high)
            walked = {k: weight for k, weight in walked.items() if low <= k < high}
        alive = walked
    assert 0.045 < missed <= 0.05
