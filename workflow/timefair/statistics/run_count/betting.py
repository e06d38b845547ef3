"""A confidence sequence for the mean of bounded values, by betting against each candidate."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.checks import check_confidence

HALVINGS = 40
BLOCK = 500
"""Number of samples in one block: few enough for the cache of the processor."""
TRUNCATION = 0.5
"""A bet risks at most this share of the capital."""


def betting_interval(
    values: ArrayLike, confidence: float, *, horizon: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limits of the mean of bounded values that are valid at all n simultaneously.

    For each candidate mean, two gamblers bet: one that the values are above it, and one that they
    are below it. If the candidate is the mean, neither gambler can expect to win. If half of the
    capital of a gambler reaches ``1 / (1 - confidence)``, the candidate is excluded.

    - `values`, shape (..., n): Independent values in [0, 1], in their order; n = 0 gives [0, 1].
    - `confidence`: Probability, in (0, 1), that all intervals of the sequence contain the mean.
    - `horizon`: The n for which the bets are optimized, at least 1. Every choice is valid, but it
      must be the same for all n of a sequence.

    Returns low, high, shape (...): In [0, 1]. Raises ValueError if a value is outside [0, 1] or is
    NaN, or a number is out of range.

    Source: I. Waudby-Smith and A. Ramdas, Estimating means of bounded random variables by betting,
    Journal of the Royal Statistical Society B 86 (2024): the hedged capital process with
    predictable plug-in bets.
    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim == 0 or not ((x >= 0.0) & (x <= 1.0)).all():
        raise ValueError("values must be samples of numbers in [0, 1]")
    check_confidence(confidence)
    if horizon < 1:
        raise ValueError(f"horizon must be at least 1, not {horizon}")
    limit = np.log(2.0 / (1.0 - confidence))
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    low, high = np.empty((2, len(rows)))
    for first in range(0, len(rows), BLOCK):
        block = slice(first, first + BLOCK)
        some = rows[block]
        bets = np.sqrt(2.0 * limit / (_predicted_variance(some) * horizon))
        low[block] = _lower_limit(some, bets, limit)
        high[block] = 1.0 - _lower_limit(1.0 - some, bets, limit)
    return low.reshape(x.shape[:-1]), high.reshape(x.shape[:-1])


def _predicted_variance(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Variance as guessed before each value, shape (..., n): a quarter before the first."""
    n = x.shape[-1]
    past = np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(x, axis=-1)) / (past + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2, axis=-1)) / (past + 1)
    first = np.full((*x.shape[:-1], 1), 0.25)
    return np.asarray(np.concatenate([first, variance], axis=-1)[..., :n])


def _lower_limit(
    x: NDArray[np.float64], bets: NDArray[np.float64], limit: float
) -> NDArray[np.float64]:
    """The largest candidate mean that is excluded by the bets on values above it, by bisection.

    The capital of the gambler decreases as the candidate increases.
    """
    low = np.zeros(x.shape[:-1])
    high = np.ones(x.shape[:-1])
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        excluded = _log_capital(x, bets, middle[..., np.newaxis]) >= limit
        low = np.where(excluded, middle, low)
        high = np.where(excluded, high, middle)
    return low


def _log_capital(
    x: NDArray[np.float64], bets: NDArray[np.float64], candidate: NDArray[np.float64]
) -> NDArray[np.float64]:
    stakes = np.minimum(bets, TRUNCATION / candidate)
    return np.asarray(np.log1p(stakes * (x - candidate)).sum(axis=-1))
