"""The distribution of runtimes with restarts is the limit of cocopp's simulated restarts."""

import numpy as np
import pytest
from scipy.stats import binom

from timefair.statistics.ert import ert, restarted_cdf

pytestmark = pytest.mark.peer
DRAWS = 20_000


@pytest.mark.parametrize("failures", [1, 6, 9])
def test_simulated_restarts_have_our_distribution(cocopp, failures):
    rng = np.random.default_rng(failures)
    evaluations = np.concatenate(
        [rng.integers(10, 500, size=10 - failures), rng.integers(300, 500, size=failures)]
    )
    success = np.arange(10) < 10 - failures
    drawn = np.asarray(
        cocopp.toolsstats.simulated_evals(
            evaluations,
            failures,
            DRAWS,
            randint=rng.integers,
            randintrest=rng.integers,
        )
    )
    grid = np.linspace(evaluations.min(), 20 * evaluations.max(), 200)
    cdf = restarted_cdf(evaluations, success, grid)
    within = (drawn[:, np.newaxis] <= grid).sum(axis=0)
    assert (within >= binom.ppf(1e-6, DRAWS, cdf.low)).all()
    assert (within <= binom.isf(1e-6, DRAWS, cdf.high)).all()
    assert abs(drawn.mean() - ert(evaluations, success)) < 5 * drawn.std() / np.sqrt(DRAWS)
