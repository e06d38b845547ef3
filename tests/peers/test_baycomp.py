"""The Bayesian signed-rank test equals that of baycomp, by the authors of the method."""

import numpy as np
import pytest

from timefair.extensions.probabilities.posterior import signed_rank

pytestmark = pytest.mark.peer
DRAWS, THEIR_DRAWS = 20_000, 4_000


@pytest.mark.parametrize("functions", [1, 6, 24])
@pytest.mark.parametrize(("shift", "ratio"), [(0.0, 1.1), (0.3, 1.5), (-0.8, 2.0), (0.1, 1.0)])
def test_probabilities_are_equal_within_the_error_of_the_draws(functions, shift, ratio):
    baycomp = pytest.importorskip("baycomp")
    rng = np.random.default_rng([functions, int(10 * ratio)])
    first = rng.lognormal(size=functions)
    second = first * np.exp(rng.normal(shift, 0.6, functions))
    second[1::3] = first[1::3]  # ties
    found = signed_rank(first, second, ratio, draws=DRAWS, rng=rng)
    posterior = baycomp.SignedRankTest(
        np.log(first), np.log(second), rope=np.log(ratio), nsamples=THEIR_DRAWS, random_state=7
    )
    left, equal, right = posterior.probs()
    error = np.sqrt(0.25 / DRAWS + 0.25 / THEIR_DRAWS)
    np.testing.assert_allclose(found, [right, equal, left], atol=4 * error)
