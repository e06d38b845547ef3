"""Friedman, post-hoc pairs and corrections equal scipy's, statsmodels' and scikit-posthocs'."""

import numpy as np
import pytest
from scipy import stats

from timefair.statistics.corrections import benjamini_hochberg, holm
from timefair.statistics.friedman import friedman, posthoc

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


@pytest.mark.parametrize(("ours", "name"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
def test_corrections_are_statsmodels(results, ours, name):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = posthoc(results).p
    np.testing.assert_allclose(ours(p), multitest.multipletests(p, method=name)[1], rtol=1e-12)
