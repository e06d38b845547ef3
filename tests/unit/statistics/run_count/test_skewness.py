import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from run_counts import fences, is_kept, stopping
from scipy.stats import skew

from timefair.statistics.run_count.skewness import Outliers, SkewnessRule, skewness_counts
from timefair.statistics.run_count.stopping import Reason, decide, stop_counts

GOLDEN = Path(__file__).parents[3] / "golden" / "seed001_rule_vectors.json"
VECTORS = json.loads(GOLDEN.read_text(encoding="utf-8"))
TECHNIQUES = {"IQR": Outliers.IQR, "Percentile": Outliers.PERCENTILE, "MAD": Outliers.MAD}
EVERY_RULE = [
    SkewnessRule(tau, technique, cap=20) for technique in Outliers for tau in (0.05, 0.1, 0.2)
]


def rule_of(setting):
    tau, technique = setting.split("/")
    return SkewnessRule(float(tau), TECHNIQUES[technique])


@pytest.mark.parametrize("vector", VECTORS, ids=range(len(VECTORS)))
def test_the_golden_vectors_online(vector):
    assert {
        setting: stopping(rule_of(setting), vector["values"]).n for setting in vector["n"]
    } == vector["n"]


def test_the_golden_vectors_offline():
    names = list(VECTORS[0]["n"])
    found = skewness_counts([rule_of(name) for name in names], [v["values"] for v in VECTORS])
    assert found.n.tolist() == [[vector["n"][name] for name in names] for vector in VECTORS]


VALUES = st.one_of(
    st.sampled_from([0.0, 0.1, 1.0, 2.0, 3.0, np.inf]),
    st.integers(0, 9).map(float),
    st.floats(0, 1e9),
    st.floats(1.0, 1.0 + 1e-14),
    st.floats(0, 1e-300),
    st.floats(1e200, 1e300),
)


@pytest.mark.slow
@settings(deadline=None, max_examples=2 * settings.default.max_examples)
@given(arrays(np.float64, 20, elements=VALUES))
def test_online_and_offline_agree_on_every_sample(sample):
    offline = skewness_counts(EVERY_RULE, sample[np.newaxis])
    online = [stopping(rule, sample) for rule in EVERY_RULE]
    assert offline.n[0].tolist() == [found.n for found in online]
    assert offline.met[0].tolist() == [found.reason is not Reason.CAP for found in online]
    looks = [stop_counts(rule, sample[np.newaxis]) for rule in EVERY_RULE]
    assert offline.n[0].tolist() == [found.n.item() for found in looks]


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
        assert fences(sample, Outliers.PERCENTILE) == tuple(np.percentile(sample, [2.5, 97.5]))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("technique", Outliers)
@pytest.mark.parametrize("constant", [0.0, 0.1, 7e300, np.inf])
def test_constant_values_stop_and_say_so(technique, constant):
    found = stopping(SkewnessRule(0.05, technique), np.full(50, constant))
    assert (found.n, found.reason, found.path.tolist()) == (5, Reason.DEGENERATE, [0.0])


def test_constant_but_for_its_outliers_is_degenerate():
    rule = SkewnessRule(0.05, Outliers.IQR)
    decision = decide(rule, [1.0, 1.0, 1.0, 1.0, 9.0])
    assert (decision.reason, decision.value) == (Reason.DEGENERATE, 0.0)


@pytest.mark.parametrize("technique", Outliers)
def test_a_run_without_a_finite_value_has_no_skewness(technique):
    sample = np.append(np.arange(49.0), np.inf)
    found = stopping(SkewnessRule(0.2, technique), sample[::-1])
    assert (found.n, found.reason) == (50, Reason.CAP)
    assert np.isnan(found.path).all()


def test_a_criterion_met_at_the_cap_counts_as_met():
    rule = SkewnessRule(0.05, Outliers.NONE, cap=6)
    sample = [0.0, 1.0, 2.0, 3.0, 9.0, -6.0]
    assert decide(rule, sample).reason is Reason.MET
    assert skewness_counts([rule], [sample]).met.tolist() == [[True]]


def test_a_mad_of_zero_takes_the_mean_absolute_deviation():
    """Four equal of seven: MAD 0, mean absolute deviation 20/7 about the median."""
    sample = [5.0, 5.0, 5.0, 5.0, 4.0, 6.0, 23.0]
    assert is_kept(sample, Outliers.MAD).tolist() == [True] * 6 + [False]
    modified_z = 0.6745 * 18.0 / (20.0 / 7.0)
    assert modified_z > 3.5
    assert is_kept([*sample[:6], 19.0], Outliers.MAD).all() == (0.6745 * 14 / (16 / 7) <= 3.5)
