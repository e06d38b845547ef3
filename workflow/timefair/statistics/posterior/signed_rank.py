"""The Bayesian signed-rank test of two algorithms over functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.posterior.verdicts import UNKNOWN, Practical, check_ratio

PRIOR_FUNCTIONS = 0.5
"""Weight of the prior, as a number of functions without a difference."""


def signed_rank(
    first: ArrayLike, second: ArrayLike, ratio: float, *, draws: int, rng: np.random.Generator
) -> Practical:
    """Whether the first of two algorithms is better, practically equal or worse over functions.

    - `first`, `second`, shape (functions,): Costs of the two algorithms on the same functions,
      `inf` allowed. Two costs of `inf` are equal; `inf` and a number have the largest possible
      difference, and two such differences in opposite directions cancel.
    - `ratio`: The largest ratio of costs that does not matter, at least 1.
    - `draws`: Number of draws from the posterior distribution.
    - `rng`: Source of the draws.

    Returns: The posterior probability that each case (better, equal, worse) is the most frequent
    one among pairs of functions. The average of the two log ratios of a pair determines its case.
    NaN if there are no functions. Raises ValueError if the costs are not vectors of the same
    length, a cost is NaN or negative, or `ratio` or `draws` is below 1.

    The functions are a sample. Their distribution has a Dirichlet process prior with the mass
    `PRIOR_FUNCTIONS` at a function without a difference. In each draw, the functions therefore have
    weights with a Dirichlet distribution. With these weights, three shares of the pairs of
    functions are computed: those whose average log ratio is above log(ratio), between both limits,
    and below -log(ratio). An average at a limit counts half. The probability of a case is the share
    of the draws in which its share is the largest. If the shares of better and worse are equal and
    the largest, the draw counts half for each.

    Source: A. Benavoli, G. Corani, J. Demšar and M. Zaffalon, Time for a change: a tutorial for
    comparing multiple classifiers through Bayesian analysis, Journal of Machine Learning Research
    18 (2017), section 4.2. The package baycomp of its authors gives the same probabilities
    (``SignedRankTest``).
    """
    check_ratio(ratio)
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}")
    gain = _log_ratios(first, second)
    if not gain.size:
        return UNKNOWN
    gain = np.append(gain, 0.0)
    with np.errstate(invalid="ignore"):
        sums = gain[:, np.newaxis] + gain
    sums[np.isnan(sums)] = 0.0  # +inf and -inf
    mass = np.ones(gain.size)
    mass[-1] = PRIOR_FUNCTIONS
    weights = rng.dirichlet(mass, size=draws)
    limit = 2 * np.log(ratio)
    above, below = (
        ((weights @ _heaviside(signed - limit)) * weights).sum(axis=1) for signed in (sums, -sums)
    )
    ahead = above - below
    ahead[np.isclose(above, below)] = 0.0
    equal = np.maximum(above, below) <= 1.0 - above - below
    better = np.heaviside(ahead, 0.5)[~equal].sum() / draws
    return Practical(float(better), float(equal.mean()), float(1.0 - better - equal.mean()))


def median_ratio(first: ArrayLike, second: ArrayLike) -> float:
    """Median over the functions of the ratio of the costs of the second and the first algorithm.

    - `first`, `second`, shape (functions,): Costs of the two algorithms on the same functions, at
      least one, as for `signed_rank`.

    Returns: From 0 to `inf`, computed on a logarithmic scale. It is 1 if the two log ratios in the
    middle are infinite in opposite directions. If the algorithms are exchanged, it is the
    reciprocal.
    """
    gain = np.sort(_log_ratios(first, second))
    low, high = gain[(gain.size - 1) // 2], gain[gain.size // 2]
    return 1.0 if low == -high else float(np.exp((low + high) / 2))


def _log_ratios(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Log of how many times as much the second costs on each function; 0 for equal costs."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"costs must be vectors of one length, not {a.shape} and {b.shape}")
    if not ((a >= 0) & (b >= 0)).all():
        raise ValueError("costs must be numbers that are not negative")
    with np.errstate(divide="ignore"):
        return np.asarray(np.subtract(np.log(b), np.log(a), out=np.zeros(a.size), where=a != b))


def _heaviside(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.heaviside(values, 0.5)
