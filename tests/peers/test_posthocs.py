"""Tests, post-hoc pairs and corrections equal scipy's, statsmodels' and scikit-posthocs'."""

import numpy as np
import pytest
from scipy import stats

from timefair.statistics.rank_tests import friedman, hochberg, holm, posthoc
from timefair.statistics.two_samples import mann_whitney

pytestmark = pytest.mark.peer


@pytest.fixture(params=[(3, 3), (5, 12), (7, 20), (15, 24), (40, 4)])
def results(request):
    """Results of k algorithms on n problems, rounded so that there are ties."""
    k, n = request.param
    rng = np.random.default_rng(k)
    return np.round(rng.exponential(1 + np.arange(k) / 3, size=(n, k)))


def test_friedman_is_scipys(results):
    ours, theirs = friedman(results), stats.friedmanchisquare(*results.T)
    assert ours.chi2 == pytest.approx(theirs.statistic, rel=1e-12)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9)
    assert ours.chi2 > ours.chi2_uncorrected  # there are ties


def test_nemenyi_is_scikit_posthocs(results):
    posthocs = pytest.importorskip("scikit_posthocs")
    pairs = posthoc(results)
    theirs = posthocs.posthoc_nemenyi_friedman(results).to_numpy()
    np.testing.assert_allclose(pairs.p_nemenyi, theirs[pairs.first, pairs.second], rtol=1e-9)


@pytest.mark.parametrize(("ours", "name"), [(holm, "holm"), (hochberg, "simes-hochberg")])
def test_corrections_are_statsmodels(results, ours, name):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = posthoc(results).p
    np.testing.assert_allclose(ours(p), multitest.multipletests(p, method=name)[1], rtol=1e-12)


@pytest.mark.parametrize(("m", "n"), [(4, 4), (5, 8), (7, 7), (8, 8)])
@pytest.mark.parametrize("values", [2, 5, 1000])
def test_mann_whitney_is_scipys_exact_permutation_test(m, n, values):
    rng = np.random.default_rng(m * n + values)
    first, second = rng.integers(values, size=m), rng.integers(values // 3, values + 2, size=n)
    theirs = stats.mannwhitneyu(first, second, method=stats.PermutationMethod(n_resamples=np.inf))
    assert mann_whitney(first, second) == pytest.approx(theirs.pvalue, rel=1e-12)


@pytest.mark.parametrize("runs", [9, 20, 50])
def test_mann_whitney_without_ties_is_scipys_exact_test(runs):
    rng = np.random.default_rng(runs)
    first, second = rng.normal(size=runs), rng.normal(0.8, size=runs + 3)
    theirs = stats.mannwhitneyu(first, second, method="exact")
    assert mann_whitney(first, second) == pytest.approx(theirs.pvalue, rel=1e-9)
