"""Rules that stop when the confidence interval of a quantile or of the mean is narrow enough: if it
contains the truth then, the `estimate` is within `width` of it. An ordinary interval is valid for
one look; an anytime-valid one at any n at which the rule stops.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, replace
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import bisect
from scipy.special import betainc, betaln, stdtrit, xlogy
from scipy.stats import binom

from timefair.statistics.run_count.stopping_rules import Assessment
from timefair.statistics.samples import Floats, check_confidence, floats, sample_quantile

PRIOR_RUNS = 2.0  # weight of the prior; it makes the intervals for n in 10..50 narrow


@lru_cache(maxsize=4096)
def _binomial_ranks(n: int, p: float, tail: float) -> tuple[int, int]:
    return int(binom.ppf(tail, n, p)), n + 1 - int(binom.ppf(tail, n, 1.0 - p))


@lru_cache(maxsize=4096)
def _log_mixture(n: int, p: float) -> Floats:
    """Evidence that k of n successes have a probability below p, for k = 0..n; decreases with k."""
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


HALVINGS = 40
TRUNCATION = 0.5  # a bet risks at most this share of the capital


def betting_interval(
    values: ArrayLike, confidence: float, *, horizon: int
) -> tuple[Floats, Floats]:
    """Limits of the mean of bounded values that are valid at all n simultaneously, shape (...).

    For each candidate mean, one gambler bets that the independent `values` in [0, 1], shape (...,
    n), are above it, and one that they are below it. A candidate is excluded if half of a capital
    reaches ``1 / (1 - confidence)``. n = 0 gives [0, 1]. `horizon`: the n for which the bets are
    optimized, the same for all n of a sequence. Source: I. Waudby-Smith and A. Ramdas, Journal of
    the Royal Statistical Society B 86 (2024).
    """
    x = np.asarray(values, dtype=np.float64)
    check_confidence(confidence)
    limit = np.log(2.0 / (1.0 - confidence))
    bets = np.sqrt(2.0 * limit / (_predicted_variance(x) * horizon))
    return _lower_limit(x, bets, limit), 1.0 - _lower_limit(1.0 - x, bets, limit)


def _predicted_variance(x: Floats) -> Floats:
    """Variance as guessed before each value, shape (..., n): a quarter before the first."""
    n = x.shape[-1]
    past = np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(x, axis=-1)) / (past + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2, axis=-1)) / (past + 1)
    first = np.full((*x.shape[:-1], 1), 0.25)
    return np.asarray(np.concatenate([first, variance], axis=-1)[..., :n])


def _lower_limit(x: Floats, bets: Floats, limit: float) -> Floats:
    """The largest candidate mean that the bets on values above it exclude, by bisection."""
    low = np.zeros(x.shape[:-1])
    high = np.ones(x.shape[:-1])
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        candidate = middle[..., np.newaxis]
        stakes = np.minimum(bets, TRUNCATION / candidate)
        excluded = np.log1p(stakes * (x - candidate)).sum(axis=-1) >= limit
        low = np.where(excluded, middle, low)
        high = np.where(excluded, high, middle)
    return low


class Validity(StrEnum):
    """The looks for which the confidence of an interval is valid."""

    SINGLE = "single"  # for one look at a fixed n: the ordinary interval
    HORIZON = "horizon"  # for all looks from `start` to `cap` simultaneously
    ANYTIME = "anytime"  # for all looks at any n, without an upper limit: a confidence sequence


@dataclass(frozen=True)
class _Width(ABC):
    """A rule that stops when both limits of an interval are within `width` of an estimate."""

    width: float
    _: KW_ONLY
    relative: bool = True
    confidence: float = 0.95
    start: int = 10
    cap: int = 50

    def estimate(self, samples: ArrayLike) -> Floats:
        return np.asarray(np.asarray(samples, dtype=np.float64).mean(axis=-1))

    @abstractmethod
    def interval(self, samples: Floats) -> tuple[Floats, Floats]:
        """Limits of the estimate of each sample, shape (..., n) to (...); infinite if unknown."""

    def look(self, samples: Floats) -> Assessment:
        estimate = self.estimate(samples)
        away = [_distance(estimate, limit, self.relative) for limit in self.interval(samples)]
        value = np.maximum(*away)
        constant = samples.min(axis=-1) == samples.max(axis=-1)
        met = value <= self.width
        return Assessment(value, met, constant & met)


@dataclass(frozen=True)
class QuantileWidth(_Width):
    """Stop when both limits of the interval of the p-quantile are within `width` of the sample
    quantile: relative to its absolute value, or in the unit of the values.

    `validity`: the looks for which the confidence is valid; by default, the n of the stop is one.
    `inf` is sorted last. If both limits are `inf`, it is known that the quantile is not reached,
    and the rule stops. If all values are equal, the width is 0 and the reason is "degenerate".
    """

    p: float = 0.5
    validity: Validity = Validity.HORIZON

    def estimate(self, samples: ArrayLike) -> Floats:
        return sample_quantile(samples, self.p)

    def interval(self, samples: Floats) -> tuple[Floats, Floats]:
        n = samples.shape[-1]
        low, high = self.ranks(n)
        ordered = np.sort(samples, axis=-1)
        none = np.full(samples.shape[:-1], np.inf)
        return (
            ordered[..., low - 1] if low >= 1 else -none,
            ordered[..., high - 1] if high <= n else none,
        )

    def ranks(self, n: int) -> tuple[int, int]:
        """Ranks of the limits in n ordered values; 0 and n + 1 if there is none.

        - `SINGLE`: W. J. Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2.
        - `HORIZON`: every look has the same error, as large as possible: the probability that one
          of them misses the quantile is exact, from the binomial walk. S. J. Pocock, Biometrika 64
          (1977), the constant nominal level, for a binomial walk.
        - `ANYTIME`: S. R. Howard and A. Ramdas, Bernoulli 28 (2022): the beta-binomial mixture.
        """
        error, sides = (1.0 - self.confidence) / 2.0, (self.p, 1.0 - self.p)
        if self.validity is Validity.SINGLE:
            return _binomial_ranks(n, self.p, error)
        if self.validity is Validity.ANYTIME:
            threshold = np.log(1.0 / error)
            below = [int((_log_mixture(n, p) >= threshold).sum()) for p in sides]
        else:
            errors = [_look_error(p, error, self.start, self.cap) for p in sides]
            below = [_binomial_ranks(n, p, e)[0] for p, e in zip(sides, errors, strict=True)]
        return below[0], n + 1 - below[1]


@dataclass(frozen=True)
class MeanWidth(_Width):
    """Stop when the half-width of Student's interval of the mean, for one look, is at most `width`,
    as for `QuantileWidth`; ``start >= 2``.

    For values without known bounds, no interval of the mean keeps its level at any n (R. R. Bahadur
    and L. J. Savage, Annals of Mathematical Statistics 27, 1956). If a value is `inf`, so is the
    width. If all values are equal, it is 0 and the reason is "degenerate".
    """

    def interval(self, samples: Floats) -> tuple[Floats, Floats]:
        n = samples.shape[-1]
        finite = np.asarray(np.isfinite(samples).all(axis=-1))
        safe = np.where(finite[..., np.newaxis], samples, 0.0)
        with np.errstate(over="ignore"):
            error = safe.std(axis=-1, ddof=1) / np.sqrt(n)
        half = stdtrit(n - 1, 0.5 + self.confidence / 2.0) * error
        mean = safe.mean(axis=-1)
        return np.where(finite, mean - half, -np.inf), np.where(finite, mean + half, np.inf)


@dataclass(frozen=True)
class BoundedMeanWidth(_Width):
    """Stop when the anytime-valid confidence sequence of the mean of values between `lowest` and
    `highest`, known before the first run and not guessed, is within `width`, as for
    `QuantileWidth`. A value outside the bounds (such as `inf`) proves that they are wrong: the
    sample continues to the cap, "out of bounds".
    """

    lowest: float
    highest: float

    def interval(self, samples: Floats) -> tuple[Floats, Floats]:
        outside = self.outside(samples)
        span = self.highest - self.lowest
        units = np.clip((samples - self.lowest) / span, 0.0, 1.0)
        low, high = betting_interval(units, self.confidence, horizon=self.cap)
        return (
            np.where(outside, -np.inf, self.lowest + span * low),
            np.where(outside, np.inf, self.lowest + span * high),
        )

    def outside(self, samples: Floats) -> NDArray[np.bool_]:
        return np.asarray(((samples < self.lowest) | (samples > self.highest)).any(axis=-1))

    def look(self, samples: Floats) -> Assessment:
        return replace(super().look(samples), outside=self.outside(samples))


def is_kept_promise(estimate: ArrayLike, truth: ArrayLike, width: float) -> NDArray[np.bool_]:
    """Whether the truth, the same statistic of all runs or of other ones, is within the promised
    share of the absolute value of the estimate; not NaN. `inf` is only within that of `inf`.
    """
    stated, true = np.broadcast_arrays(*floats(estimate, truth))
    return np.asarray(_distance(stated, true, relative=True) <= width)


def _distance(estimate: Floats, other: Floats, relative: bool) -> Floats:
    """Distance from the estimate; 0 if both are equal, also if both are infinite or 0."""
    same = np.asarray(estimate == other)
    apart = np.full(same.shape, np.inf)
    finite = ~same & np.isfinite(estimate) & np.isfinite(other)
    np.subtract(other, estimate, out=apart, where=finite)
    apart = np.where(same, 0.0, np.abs(apart))
    if not relative:
        return apart
    unit = np.abs(estimate)
    ratio = np.where(same, 0.0, np.inf)
    with np.errstate(over="ignore"):
        np.divide(apart, unit, out=ratio, where=finite & (unit > 0.0))
    return ratio
