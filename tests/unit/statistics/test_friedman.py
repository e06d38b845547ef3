"""Friedman's test against reference values, by hand, and where it degenerates."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import stats

from timefair.statistics.ranks import critical_difference, friedman, posthoc

GOLDEN = Path(__file__).parents[2] / "golden"
REFERENCE = json.loads((GOLDEN / "friedman.json").read_text())
RTOL = 1e-9

results = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=5),
    elements=st.sampled_from([0.0, 1.0, 2.0, 7.0, np.inf, np.nan]),
)


@pytest.fixture(params=REFERENCE, scope="module")
def table(request):
    with (GOLDEN / f"{request.param}.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    reference = REFERENCE[request.param]
    values = np.reshape([float(c["value"]) for c in cells], (reference["N"], reference["k"]))
    return values, reference


def test_every_reference_statistic(table):
    values, reference = table
    test = friedman(values)
    ours = {
        "N": test.problems, "k": test.algorithms, "friedman_tie_corrected": test.chi2, "p": test.p,
        "friedman_uncorrected": test.chi2_uncorrected, "p_uncorrected": test.p_uncorrected,
        "iman_davenport_F": test.iman_davenport,
        "iman_davenport_F_uncorrected": test.iman_davenport_uncorrected,
        "iman_p": test.iman_davenport_p, "kendall_W": test.kendall_w,
        "CD_nemenyi_05": critical_difference(test.algorithms, test.problems, 0.05),
    }  # fmt: skip
    assert set(reference) == {*ours, "avg_ranks", "pairs"}
    for name, value in ours.items():
        assert value == pytest.approx(reference[name], rel=RTOL), name
    averages = list(reference["avg_ranks"].values())
    np.testing.assert_allclose(test.average_ranks, averages, rtol=RTOL)


def test_every_reference_pair(table):
    values, reference = table
    pairs = posthoc(values)
    letters = "ABCDEFG"
    names = [letters[a] + letters[b] for a, b in zip(pairs.first, pairs.second, strict=True)]
    assert names == list(reference["pairs"])
    for ours, key in [
        (pairs.z, "z"),
        (pairs.p, "p_raw"),
        (pairs.p_holm, "p_holm"),
        (pairs.p_shaffer, "p_shaffer"),
        (pairs.p_nemenyi, "p_nemenyi"),
    ]:
        expected = [reference["pairs"][name][key] for name in names]
        np.testing.assert_allclose(ours, expected, rtol=1e-6 if key == "p_nemenyi" else RTOL)


@pytest.mark.parametrize("value", [0.0, np.inf, np.nan])
def test_nothing_but_ties_speaks_for_no_difference(value):
    test = friedman(np.full((5, 3), value))
    assert (test.chi2, test.iman_davenport, test.kendall_w) == (0.0, 0.0, 0.0)
    assert (test.p, test.p_uncorrected, test.iman_davenport_p) == (1.0, 1.0, 1.0)
    pairs = posthoc(np.full((5, 3), value))
    for p in (pairs.p, pairs.p_holm, pairs.p_shaffer, pairs.p_nemenyi):
        np.testing.assert_array_equal(p, 1.0)


@pytest.mark.parametrize("shape", [(1, 3), (0, 3), (4, 1), (1, 1), (4, 0), (0, 0)])
def test_too_few_algorithms_or_problems(shape):
    test = friedman(np.zeros(shape))
    assert (test.problems, test.algorithms) == shape
    assert test.average_ranks.shape == shape[1:]
    for value in (test.chi2, test.p, test.iman_davenport, test.iman_davenport_p, test.kendall_w):
        assert np.isnan(value)
    assert np.isnan(critical_difference(shape[1], shape[0], 0.05))
    pairs = posthoc(np.zeros(shape))
    assert pairs.p.shape == (shape[1] * (shape[1] - 1) // 2,)
    for p in (pairs.z, pairs.p, pairs.p_holm, pairs.p_shaffer, pairs.p_nemenyi):
        assert np.isnan(p).all()


@pytest.mark.slow
@settings(deadline=None)
@given(results)
def test_p_values_are_probabilities_and_agreement_a_share(values):
    test, pairs = friedman(values), posthoc(values)
    if min(values.shape) < 2:
        assert np.isnan(test.p)
        return
    assert 0 <= test.kendall_w <= 1
    for p in (test.p, test.p_uncorrected, test.iman_davenport_p, *pairs.p_shaffer):
        assert 0 <= p <= 1
    assert test.chi2 >= test.chi2_uncorrected - 1e-9
    assert (pairs.p_shaffer <= pairs.p_holm).all()
    np.testing.assert_array_equal(np.sign(pairs.difference), np.sign(pairs.z))


@pytest.mark.slow
@settings(deadline=None)
@given(results, st.randoms(use_true_random=False))
def test_the_order_of_algorithms_does_not_matter(values, random):
    columns = list(range(values.shape[1]))
    random.shuffle(columns)
    one, other = friedman(values), friedman(values[:, columns])
    assert one.chi2 == pytest.approx(other.chi2, nan_ok=True)
    np.testing.assert_allclose(one.average_ranks[columns], other.average_ranks)


def test_the_critical_difference_is_where_nemenyis_p_is_alpha():
    for k, n, alpha in [(2, 5, 0.1), (4, 12, 0.05), (10, 24, 0.01)]:
        difference = critical_difference(k, n, alpha)
        z = difference / np.sqrt(k * (k + 1) / (6 * n))
        p = stats.studentized_range.sf(z * np.sqrt(2), k, np.inf)
        assert p == pytest.approx(alpha, rel=1e-6)
