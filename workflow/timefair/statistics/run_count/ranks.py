"""Order statistics that enclose a quantile, for one look or for all looks simultaneously.

Ranks count from 1. The interval ``[x_(low), x_(high)]`` contains the p-quantile with at least the
stated confidence, for any distribution, also with ties and `inf`. A low rank of 0, or a high rank
of n + 1, means that there is no limit on that side.

The number of values at or below the quantile is binomial with a probability of at least p, and the
number of values below it is binomial with a probability of at most p. Each side has half of the
error probability.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import bisect
from scipy.special import betainc, betaln, xlogy
from scipy.stats import binom

from timefair.statistics.checks import check_confidence

PRIOR_RUNS = 2.0
"""Weight of the prior of the mixture, in runs; it makes the intervals for n in 10..50 narrow."""


def single_look_ranks(n: int, p: float, confidence: float) -> tuple[int, int]:
    """Ranks of the ordinary interval. It is valid for one n that was fixed in advance.

    - `n`: Number of values, at least 1.
    - `p`: Probability of the quantile, in (0, 1).
    - `confidence`: Confidence of the interval, in (0, 1).

    Returns low, high: Ranks of the limits, as in
    ``scipy.stats.quantile_test(...).confidence_interval``. Raises ValueError if a number is out of
    range.

    Source: W. J. Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2.
    """
    check_level(p, confidence)
    return _binomial_ranks(n, p, (1.0 - confidence) / 2.0)


def mixture_ranks(n: int, p: float, confidence: float) -> tuple[int, int]:
    """Ranks of a confidence sequence. It is valid for all n simultaneously.

    - `n`, `p`, `confidence`: As for `single_look_ranks`.

    Returns low, high: Ranks of the limits. With the stated confidence, all intervals of the
    infinite sequence contain the quantile. Raises ValueError if a number is out of range.

    Each side uses a martingale of likelihood ratios, mixed over one half of a beta prior around p.
    By Ville's inequality, it stays below ``2 / (1 - confidence)`` with at least the stated
    confidence.

    Source: S. R. Howard and A. Ramdas, Sequential estimation of quantiles with applications to A/B
    testing and best-arm identification, Bernoulli 28 (2022): the beta-binomial mixture.
    """
    check_level(p, confidence)
    threshold = np.log(2.0 / (1.0 - confidence))
    low = int((_log_mixture(n, p) >= threshold).sum())
    return low, n + 1 - int((_log_mixture(n, 1.0 - p) >= threshold).sum())


def horizon_ranks(n: int, p: float, confidence: float, *, start: int, cap: int) -> tuple[int, int]:
    """Ranks of an interval that is valid for all looks from `start` to `cap` simultaneously.

    It is narrower than that of `mixture_ranks`. Every look has the same error probability, which is
    as large as possible: the probability that at least one look does not contain the quantile is
    computed exactly, from the binomial walk.

    - `n`, `p`, `confidence`: As for `single_look_ranks`, with ``start <= n <= cap``.
    - `start`, `cap`: Least and greatest n of the looks.

    Returns low, high: Ranks of the limits. With the stated confidence, all intervals from `start`
    to `cap` contain the quantile. Raises ValueError if a number is out of range.

    Source: The boundary of constant nominal level of S. J. Pocock, Group sequential methods in the
    design and analysis of clinical trials, Biometrika 64 (1977), for a binomial walk.
    """
    check_level(p, confidence)
    if not 1 <= start <= n <= cap:
        raise ValueError(f"1 <= start <= n <= cap must hold, got {start}, {n} and {cap}")
    error = (1.0 - confidence) / 2.0
    low, _ = _binomial_ranks(n, p, _look_error(p, error, start, cap))
    mirrored, _ = _binomial_ranks(n, 1.0 - p, _look_error(1.0 - p, error, start, cap))
    return low, n + 1 - mirrored


def check_level(p: float, confidence: float) -> None:
    """Raise ValueError unless both are in (0, 1)."""
    if not 0.0 < p < 1.0:
        raise ValueError(f"p must lie in (0, 1), not {p}")
    check_confidence(confidence)


@lru_cache(maxsize=4096)
def _binomial_ranks(n: int, p: float, tail: float) -> tuple[int, int]:
    if n < 1:
        raise ValueError(f"n must be at least 1, not {n}")
    return int(binom.ppf(tail, n, p)), n + 1 - int(binom.ppf(tail, n, 1.0 - p))


@lru_cache(maxsize=4096)
def _log_mixture(n: int, p: float) -> NDArray[np.float64]:
    """Evidence that k of n successes have a probability below p, for k = 0..n; decreases with k."""
    if n < 1:
        raise ValueError(f"n must be at least 1, not {n}")
    k = np.arange(n + 1)
    a, b = PRIOR_RUNS * p, PRIOR_RUNS * (1.0 - p)
    with np.errstate(divide="ignore"):
        posterior = betaln(a + k, b + n - k) + np.log(betainc(a + k, b + n - k, p))
    prior = betaln(a, b) + np.log(betainc(a, b, p))
    return np.asarray(posterior - prior - xlogy(k, p) - xlogy(n - k, 1.0 - p))


@lru_cache(maxsize=64)
def _look_error(p: float, error: float, start: int, cap: int) -> float:
    """The largest nominal error of a look for which the error of all looks is at most `error`."""

    def excess(log_tail: float) -> float:
        return _crossing(p, float(np.exp(log_tail)), start, cap) - error

    least = np.log(error / (cap - start + 1))
    if excess(np.log(error)) <= 0.0:
        return error
    edge = bisect(excess, least - 1.0, np.log(error), xtol=1e-6)
    return float(np.exp(edge - 2e-6))


def _crossing(p: float, tail: float, start: int, cap: int) -> float:
    """Probability that a binomial walk falls below its rank at any look."""
    alive = np.zeros(cap + 1)
    alive[0] = 1.0
    crossed = 0.0
    for n in range(1, cap + 1):
        alive[1:] = alive[1:] * (1.0 - p) + alive[:-1] * p
        alive[0] *= 1.0 - p
        if n >= start:
            low, _ = _binomial_ranks(n, p, tail)
            crossed += alive[:low].sum()
            alive[:low] = 0.0
    return float(crossed)
